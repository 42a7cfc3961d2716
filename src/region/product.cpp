#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "alfcg/core/error.hpp"
#include "alfcg/region/combined.hpp"

namespace alfcg {
namespace {

/// Oracles, proximal maps, h and distances of a product are those of its parts.
template <class Real>
class Product final : public Region<Real> {
  public:
    explicit Product(std::vector<Block<Real>> blocks) : blocks_(std::move(blocks)) {
        if (blocks_.empty()) throw Error("a product needs a region");
    }
    void archive(Archive& state) override {
        for (Block<Real>& block : blocks_) state(*block.region);
    }

    [[nodiscard]] std::string describe() const override {
        std::string text;
        for (const Block<Real>& block : blocks_) {
            text += (text.empty() ? "" : " × ") + block.region->describe();
            if (!block.rows.empty()) text += fmt::format(" in {} rows", block.rows.size());
            if (!block.columns.empty()) text += fmt::format(" in {} columns", block.columns.size());
        }
        return text;
    }

    void check(Shape shape) const override {
        std::vector<bool> taken(static_cast<std::size_t>(shape.size()));
        for (std::size_t k = 0; k < blocks_.size(); ++k) {
            const auto within = [&](const char* what, const std::vector<Index>& chosen, Index count) {
                for (const Index i : chosen)
                    if (i < 0 || i >= count)
                        throw QuantityError("of", fmt::format("part {} has {} {}, but points have {} of them",
                                                              k + 1, what, i + 1, count));
            };
            within("row", blocks_[k].rows, shape.rows);
            within("column", blocks_[k].columns, shape.cols);
            for (const Index at : positions(blocks_[k], shape)) {
                if (taken[static_cast<std::size_t>(at)])
                    throw QuantityError(
                        "of", fmt::format("part {} has row {}, column {}, which a part before it has too",
                                          k + 1, at / shape.cols + 1, at % shape.cols + 1));
                taken[static_cast<std::size_t>(at)] = true;
            }
            blocks_[k].region->check(shape_of(blocks_[k], shape));
        }
        const auto missing = std::find(taken.begin(), taken.end(), false);
        if (missing == taken.end()) return;
        const Index at = missing - taken.begin();
        throw QuantityError("of", fmt::format("no part has row {}, column {}: every entry must belong to one",
                                              at / shape.cols + 1, at % shape.cols + 1));
    }

    double minimize(const Matrix<Real>& gradient, double tolerance, bool certify,
                    Vertex<Real>& vertex) override {
        prepare(gradient.shape());
        double slack = 0;
        for (std::size_t k = 0; k < blocks_.size(); ++k) {
            take(gradient, k);
            slack += blocks_[k].region->minimize(part_, tolerance / static_cast<double>(blocks_.size()),
                                                 certify, answers_[k]);
        }
        combine(gradient.shape(), vertex);
        return slack;
    }

    bool proximal(const Matrix<Real>& point, double weight, Vertex<Real>& nearest) override {
        prepare(point.shape());
        for (std::size_t k = 0; k < blocks_.size(); ++k) {
            take(point, k);
            if (!blocks_[k].region->proximal(part_, weight, answers_[k])) return false;
        }
        combine(point.shape(), nearest);
        return true;
    }

    [[nodiscard]] bool has_proximal(Shape shape) const override {
        return std::all_of(blocks_.begin(), blocks_.end(), [&](const Block<Real>& block) {
            return block.region->has_proximal(shape_of(block, shape));
        });
    }

    double composite(const Matrix<Real>& x) override {
        prepare(x.shape());
        double sum = 0;
        for (std::size_t k = 0; k < blocks_.size(); ++k) {
            take(x, k);
            sum += blocks_[k].region->composite(part_);
        }
        return sum;
    }

    [[nodiscard]] double diameter(Shape shape) const override {
        double squares = 0;
        for (const Block<Real>& block : blocks_)
            squares += std::pow(block.region->diameter(shape_of(block, shape)), 2);
        return std::sqrt(squares);
    }

    double violation(const Matrix<Real>& x) override {
        prepare(x.shape());
        double most = 0;
        for (std::size_t k = 0; k < blocks_.size(); ++k) {
            take(x, k);
            most = std::max(most, blocks_[k].region->violation(part_));
        }
        return most;
    }

    Matrix<Real> start(Shape shape) override {
        prepare(shape);
        Matrix<Real> x(shape);
        for (std::size_t k = 0; k < blocks_.size(); ++k) {
            const Matrix<Real> part = blocks_[k].region->start(shape_of(blocks_[k], shape));
            for (std::size_t i = 0; i < positions_[k].size(); ++i)
                x.data()[positions_[k][i]] = part.data()[i];
        }
        return x;
    }

  private:
    using Kind = typename Vertex<Real>::Kind;

    static std::vector<Index> all_of(const std::vector<Index>& chosen, Index count) {
        if (!chosen.empty()) return chosen;
        std::vector<Index> all(static_cast<std::size_t>(count));
        std::iota(all.begin(), all.end(), Index{0});
        return all;
    }
    static Shape shape_of(const Block<Real>& block, Shape shape) {
        return {block.rows.empty() ? shape.rows : static_cast<Index>(block.rows.size()),
                block.columns.empty() ? shape.cols : static_cast<Index>(block.columns.size())};
    }
    // Of the entries of a block in x, in the order of its own.
    static std::vector<Index> positions(const Block<Real>& block, Shape shape) {
        std::vector<Index> all;
        const std::vector<Index> columns = all_of(block.columns, shape.cols);
        for (const Index i : all_of(block.rows, shape.rows))
            for (const Index j : columns) all.push_back(i * shape.cols + j);
        return all;
    }

    void prepare(Shape shape) {
        if (shape == shape_) return;
        shape_ = shape;
        positions_.clear();
        for (const Block<Real>& block : blocks_) positions_.push_back(positions(block, shape));
        answers_.resize(blocks_.size());
    }

    void take(const Matrix<Real>& x, std::size_t k) {
        part_.reshape(shape_of(blocks_[k], shape_));
        for (std::size_t i = 0; i < positions_[k].size(); ++i) part_.data()[i] = x.data()[positions_[k][i]];
    }

    // Sparse where all answers are; one entry, or none, is a sparse vertex like any other, so that equal ones compare so.
    void combine(Shape shape, Vertex<Real>& vertex) {
        vertex.shape = shape;
        vertex.composite = 0;
        for (const Vertex<Real>& answer : answers_) vertex.composite += answer.composite;
        const bool sparse = std::all_of(answers_.begin(), answers_.end(), [](const Vertex<Real>& answer) {
            return answer.kind == Kind::zero || answer.kind == Kind::one_hot || answer.kind == Kind::sparse;
        });
        if (!sparse) {
            vertex.kind = Kind::dense;
            vertex.dense.reshape(shape);
            for (std::size_t k = 0; k < answers_.size(); ++k) {
                const Matrix<Real> written = answers_[k].to_matrix();
                for (std::size_t i = 0; i < positions_[k].size(); ++i)
                    vertex.dense.data()[positions_[k][i]] = written.data()[i];
            }
            return;
        }
        entries_.clear();
        for (std::size_t k = 0; k < answers_.size(); ++k) {
            const Vertex<Real>& answer = answers_[k];
            const auto add = [&](Index at, Real value) {
                entries_.emplace_back(positions_[k][static_cast<std::size_t>(at)], value);
            };
            if (answer.kind == Kind::one_hot) add(answer.index, static_cast<Real>(answer.scale));
            if (answer.kind == Kind::sparse)
                for (std::size_t i = 0; i < answer.positions.size(); ++i)
                    add(answer.positions[i], answer.values[i]);
        }
        std::sort(entries_.begin(), entries_.end());
        vertex.kind = Kind::sparse;
        vertex.positions.clear();
        vertex.values.clear();
        for (const auto& [position, value] : entries_) {
            vertex.positions.push_back(position);
            vertex.values.push_back(value);
        }
    }

    std::vector<Block<Real>> blocks_;
    Shape shape_;
    std::vector<std::vector<Index>> positions_;
    std::vector<Vertex<Real>> answers_;
    Matrix<Real> part_;
    std::vector<std::pair<Index, Real>> entries_;
};

}  // namespace

template <class Real>
std::unique_ptr<Region<Real>> product(std::vector<Block<Real>> blocks) {
    return std::make_unique<Product<Real>>(std::move(blocks));
}

template std::unique_ptr<Region<float>> product(std::vector<Block<float>>);
template std::unique_ptr<Region<double>> product(std::vector<Block<double>>);

}  // namespace alfcg
