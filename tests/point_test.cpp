// Vertices, moves and iterates against the same written out entry by entry.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>
#include <unordered_set>

#include "alfcg/point/iterate.hpp"

namespace alfcg {
namespace {

constexpr Shape shape{4, 7};

template <class Real>
Matrix<Real> random_matrix(unsigned seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    Matrix<Real> m(shape);
    for (Real& entry : m.span()) entry = static_cast<Real>(normal(random));
    return m;
}

// One of every kind.
template <class Real>
std::vector<Vertex<Real>> every_kind(unsigned seed) {
    using Kind = typename Vertex<Real>::Kind;
    const auto a = random_matrix<Real>(seed);
    std::vector<Vertex<Real>> all(6);
    for (auto& vertex : all) vertex.shape = shape;
    all[1].kind = Kind::one_hot;
    all[1].index = static_cast<Index>(seed % 28);
    all[1].scale = -2.5;
    all[2].kind = Kind::sparse;
    all[2].positions = {0, 5, 6, 27};
    all[2].values.assign(a.data(), a.data() + 4);
    all[3].kind = Kind::rank_one;
    all[3].scale = 1.5;
    all[3].left.assign(a.data(), a.data() + 4);
    all[3].right.assign(a.data() + 4, a.data() + 11);
    all[4].kind = Kind::low_rank;
    all[4].scales = {0.5, -2};
    all[4].left.assign(a.data(), a.data() + 8);
    all[4].right.assign(a.data() + 8, a.data() + 22);
    all[5].kind = Kind::dense;
    all[5].dense = a;
    return all;
}

template <class Real>
class Point : public ::testing::Test {
  protected:
    static constexpr double accuracy = std::is_same_v<Real, float> ? 1e-5 : 1e-13;
};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Point, Precisions);

TYPED_TEST(Point, VerticesAreComparedAndHashedByWhatTheyHold) {
    const auto all = every_kind<TypeParam>(3);
    const auto others = every_kind<TypeParam>(4);
    std::unordered_set<std::size_t> hashes;
    for (std::size_t k = 0; k < all.size(); ++k) {
        Vertex<TypeParam> copy;
        copy = all[(k + 1) % all.size()];  // memory of another kind is no part of it
        copy = all[k];
        EXPECT_EQ(copy, all[k]);
        EXPECT_EQ(copy.hash(), all[k].hash());
        hashes.insert(copy.hash());
        for (std::size_t l = 0; l < all.size(); ++l) EXPECT_EQ(all[k] == all[l], k == l);
        if (k > 0) {
            EXPECT_FALSE(all[k] == others[k]) << k;
            hashes.insert(others[k].hash());
        }
    }
    EXPECT_EQ(hashes.size(), 11U);
    auto minus = all[1];
    minus.scale = -0.0;
    auto plus = all[1];
    plus.scale = 0.0;
    EXPECT_EQ(minus, plus);
    EXPECT_EQ(minus.hash(), plus.hash());
}

TYPED_TEST(Point, EntriesOfEveryKindAreThoseOfItsDefinition) {
    const auto all = every_kind<TypeParam>(3);
    const auto a = random_matrix<TypeParam>(3);
    const auto entry = [&](Index k) { return static_cast<double>(a.data()[k]); };
    for (Index i = 0; i < shape.rows; ++i)
        for (Index j = 0; j < shape.cols; ++j) {
            const Index at = i * shape.cols + j;
            EXPECT_EQ(all[0].at(i, j), 0);
            EXPECT_EQ(all[1].at(i, j), at == 3 ? -2.5 : 0);
            EXPECT_EQ(all[2].at(i, j), at == 0    ? entry(0)
                                       : at == 5  ? entry(1)
                                       : at == 6  ? entry(2)
                                       : at == 27 ? entry(3)
                                                  : 0);
            EXPECT_NEAR(all[3].at(i, j), 1.5 * entry(i) * entry(4 + j), 1e-14);
            EXPECT_NEAR(all[4].at(i, j), 0.5 * entry(i) * entry(8 + j) - 2 * entry(4 + i) * entry(15 + j),
                        1e-14);
            EXPECT_EQ(all[5].at(i, j), entry(at));
        }
    const std::vector<Index> ranks{0, 1, -1, 1, 2, -1};
    for (std::size_t k = 0; k < ranks.size(); ++k) EXPECT_EQ(all[k].rank(), ranks[k]);
}

// d and x + η d written out.
template <class Real>
struct WrittenOut {
    std::vector<double> direction;

    WrittenOut(const Move<Real>& move, const Matrix<Real>& x) {
        for (Index i = 0; i < shape.rows; ++i)
            for (Index j = 0; j < shape.cols; ++j) {
                double entry = move.along_x() * static_cast<double>(x(i, j));
                for (std::size_t k = 0; k < move.atoms(); ++k)
                    entry += move.coefficient(k) * move.atom(k).at(i, j);
                direction.push_back(entry);
            }
    }
};

template <class Real>
void check_move(const Move<Real>& move, double accuracy) {
    const auto x = random_matrix<Real>(11);
    const auto gradient = random_matrix<Real>(12);
    const WrittenOut<Real> expected(move, x);
    const Direction found = direction(move, gradient, x);
    double slope = 0;
    double length = 0;
    for (std::size_t k = 0; k < expected.direction.size(); ++k) {
        slope += static_cast<double>(gradient.data()[k]) * expected.direction[k];
        length += expected.direction[k] * expected.direction[k];
    }
    EXPECT_NEAR(found.slope, slope, accuracy * 30);
    EXPECT_NEAR(found.length_squared, length, accuracy * (1 + length));
    for (const double step : {0.25, 1.0}) {
        auto moved = x;
        apply(move, step, moved);
        Iterate<Real> iterate(x);
        iterate.make(move, step);
        for (std::size_t k = 0; k < expected.direction.size(); ++k) {
            const double entry = static_cast<double>(x.data()[k]) + step * expected.direction[k];
            EXPECT_NEAR(static_cast<double>(moved.data()[k]), entry, accuracy * 10);
            EXPECT_EQ(moved.data()[k], iterate.matrix().data()[k]);
        }
    }
}

TYPED_TEST(Point, MovesOfEveryKindGoWhereTheySay) {
    const auto all = every_kind<TypeParam>(5);
    const auto others = every_kind<TypeParam>(6);
    for (std::size_t k = 0; k < all.size(); ++k) {
        SCOPED_TRACE(k);
        Move<TypeParam> move;
        move.towards() = all[k];
        EXPECT_EQ(move.longest(), 1);
        check_move(move, this->accuracy);
        // A whole step lands on the vertex exactly.
        auto landed = random_matrix<TypeParam>(7);
        apply(move, 1, landed);
        const auto target = all[k].to_matrix();
        if (all[k].kind != Vertex<TypeParam>::Kind::rank_one &&
            all[k].kind != Vertex<TypeParam>::Kind::low_rank) {
            EXPECT_TRUE(std::equal(target.span().begin(), target.span().end(), landed.span().begin()));
        }
        move.away(0.4) = all[k];
        EXPECT_EQ(move.longest(), 0.4);
        check_move(move, this->accuracy);
        for (const auto& other : others) {
            auto& atoms = move.pairwise(0.3);
            atoms[0] = all[k];
            atoms[1] = other;
            check_move(move, this->accuracy);
        }
    }
}

TYPED_TEST(Point, ProductsAndSumsAreThoseOfTheEntries) {
    const auto gradient = random_matrix<TypeParam>(12);
    for (const auto& vertex : every_kind<TypeParam>(5)) {
        const auto entries = vertex.to_matrix();
        double product = 0;
        auto sum = gradient;
        add(-0.75, vertex, sum);
        for (Index i = 0; i < gradient.size(); ++i) {
            const auto entry = static_cast<double>(entries.data()[i]);
            product += static_cast<double>(gradient.data()[i]) * entry;
            EXPECT_NEAR(static_cast<double>(sum.data()[i]),
                        static_cast<double>(gradient.data()[i]) - 0.75 * entry, 10 * this->accuracy);
        }
        EXPECT_NEAR(inner_product(gradient, vertex), product, 30 * this->accuracy);
    }
}

TYPED_TEST(Point, VersionsTellPointsApartAndMovesLeadFromOneToTheNext) {
    Move<TypeParam> move;
    move.towards() = every_kind<TypeParam>(5)[3];
    Iterate<TypeParam> x(shape);
    Iterate<TypeParam> other(shape);
    std::set<Version> seen{Version::none, x.version(), other.version()};
    EXPECT_EQ(seen.size(), 3U) << "two points are never the same";
    EXPECT_EQ(x.last_move(), nullptr);
    for (int t = 0; t < 5; ++t) {
        const Version before = x.version();
        x.make(move, 0);
        EXPECT_EQ(x.version(), before) << "a step of 0 is no move";
        x.make(move, 0.5);
        EXPECT_TRUE(seen.insert(x.version()).second);
        ASSERT_NE(x.last_move(), nullptr);
        EXPECT_EQ(x.last_move()->from, before);
        EXPECT_EQ(x.last_move()->to, x.version());
        EXPECT_EQ(x.last_move()->move, move.version());
        EXPECT_EQ(x.last_move()->keep, 0.5);
        EXPECT_EQ(x.last_move()->coefficient[0], 0.5);
        EXPECT_EQ(x.last_move()->atom[0], move.atom());
        if (t > 0) {
            EXPECT_EQ(x.last_move(1)->to, before);
        }
        EXPECT_EQ(x.last_move(2), nullptr);
    }
    Iterate<TypeParam> copy;
    copy.stand_at(x);
    EXPECT_EQ(copy.version(), x.version());
    EXPECT_EQ(copy.last_move(), nullptr);
    const Version before = x.version();
    x.jump_to(x.matrix());
    EXPECT_NE(x.version(), before) << "nothing says that it is the same point";
    EXPECT_EQ(x.last_move(), nullptr);
    const Version move_before = move.version();
    static_cast<void>(move.towards());
    EXPECT_NE(move.version(), move_before);
}

}  // namespace
}  // namespace alfcg
