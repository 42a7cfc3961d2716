#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "alfcg/core/pattern.hpp"
#include "alfcg/point/factors.hpp"
#include "alfcg/point/move.hpp"

namespace alfcg {

/// A move that an iterate has made: x ← keep · x + Σ coefficient · atom.
template <class Real>
struct MadeMove {
    Version from = Version::none;
    Version to = Version::none;
    Version move = Version::none;  // which one it was
    double step = 0;
    double keep = 1;
    std::size_t atoms = 0;
    std::array<double, 2> coefficient{};
    std::array<Vertex<Real>, 2>
        atom;  // one that is dense, or as long as factors themselves, is not written down, but as dense

    void archive(Archive& state);
};

/// The part of a point that belongs to the objective: numbers that nothing constrains, and that no method sees. The
/// objective finds the best at a point, or moves them along with the point where only batches are looked at.
struct Intercept {
    std::vector<double> at;    // what the scores at this point are shifted by; empty: as the objective begins
    std::vector<double> next;  // what they will be after the next move; empty: the same
    double seen = 0;           // rows that have had a say in `at` and `next`
    bool best = false;         // nothing else is better at this point
    bool going = false;        // but within the bounds of one look: the next one would go on

    void archive(Archive& state) { state(at, next, seen, best, going); }
};

/// The point that a run moves about: its entries, or its factors, a version that no other point has, and the last moves that led
/// there. Whoever remembers something about x (scores, a factorisation, a copy elsewhere) remembers the version too, and
/// sees from versions and moves whether, and how, it still holds.
template <class Real>
class Iterate {
  public:
    Iterate() = default;
    explicit Iterate(Shape shape) : x_(shape), version_(new_version()) {}
    /// A matrix is a point that nothing leads to.
    Iterate(Matrix<Real> x)
        : x_(std::move(x)), version_(new_version()) {}  // NOLINT(google-explicit-constructor)

    /// A point that is kept as factors, and of which the entries at the pattern's places are looked at, on so many threads.
    Iterate(Factors<Real> x, Pattern pattern, int threads)
        : factors_(std::move(x)), pattern_(std::move(pattern)), threads_(threads), version_(new_version()) {}

    /// The entries; those of factors are written out, once a point.
    [[nodiscard]] const Matrix<Real>& matrix() const;
    /// The entries that gradients have: all of them, or those at the places of the pattern, one after the other.
    [[nodiscard]] const Matrix<Real>& seen() const;
    /// Null where the entries are kept.
    [[nodiscard]] const Factors<Real>* factors() const { return factors_ ? &*factors_ : nullptr; }
    [[nodiscard]] const Pattern& pattern() const { return pattern_; }
    [[nodiscard]] int threads() const { return threads_; }
    [[nodiscard]] Shape shape() const { return factors_ ? factors_->shape() : x_.shape(); }
    [[nodiscard]] Index size() const { return shape().size(); }
    [[nodiscard]] double norm() const;
    [[nodiscard]] Version version() const { return version_; }
    /// The last move (0), or the one before (1); null where there is none.
    [[nodiscard]] const MadeMove<Real>* last_move(std::size_t back = 0) const {
        return back < known_ ? &made_[(next_ + made_.size() - 1 - back) % made_.size()] : nullptr;
    }

    /// For the objective to read and write, also where it may look at the point only.
    [[nodiscard]] Intercept& intercept() const { return intercept_; }

    /// x += step · d. A step of 0 is no move.
    void make(const Move<Real>& move, double step);
    /// x += step (v − x), as a point that nothing leads to.
    void go_towards(const Vertex<Real>& vertex, double step);
    /// Another point, that nothing leads to.
    void jump_to(const Matrix<Real>& x) {
        x_ = x;
        factors_.reset();
        jumped();
    }
    /// Factors stay factors.
    void jump_to(const Vertex<Real>& point);
    /// The point where another iterate is, the same version, without its moves.
    void stand_at(const Iterate& other) {
        x_ = other.x_;
        seen_ = other.seen_;
        followed_ = other.followed_;
        factors_ = other.factors_;
        pattern_ = other.pattern_;
        threads_ = other.threads_;
        version_ = other.version_;
        intercept_ = other.intercept_;
        known_ = 0;
    }
    /// The same entries, as a point that has not been looked at.
    void look_again() { jumped(); }
    /// Write access to the entries, for a point that nothing leads to.
    Matrix<Real>& rewrite() {
        jumped();
        factors_.reset();
        return x_;
    }
    /// The entries, taken out.
    Matrix<Real> release() && { return std::move(x_); }
    /// The factors, taken out, where there are some.
    std::optional<Factors<Real>> release_factors() && { return std::move(factors_); }

    void archive(Archive& state);

  private:
    void jumped() {
        version_ = new_version();
        intercept_.best = false;
        known_ = 0;
    }

    // Where there are factors, what is known of their entries: those at the places of the pattern, and all of them where somebody asked.
    mutable Matrix<Real> x_;
    mutable Version seen_ = Version::none;  // the point that they are of
    mutable int followed_ = 0;              // moves that they were brought along
    mutable Matrix<Real> all_;
    mutable Version written_ = Version::none;
    std::optional<Factors<Real>> factors_;
    Pattern pattern_;
    int threads_ = 1;
    Version version_ = Version::none;
    mutable Intercept intercept_;
    std::array<MadeMove<Real>, 2> made_;
    std::size_t next_ = 0;   // where the next move is written down
    std::size_t known_ = 0;  // moves that lead to x
};

/// The directions of moves from x and of v − x, as a gradient sees them that has the entries that are seen.
template <class Real>
Direction direction(const Move<Real>& move, const Matrix<Real>& gradient, const Iterate<Real>& x);
template <class Real>
Direction direction_to(const Vertex<Real>& vertex, const Matrix<Real>& gradient, const Iterate<Real>& x);

/// visit(part, row, d at its places) for the direction d of a move from x that is kept as factors: for all rows, those of different parts
/// at the same time. There are no more parts than x has threads.
template <class Real>
using RowsOfWay = std::function<void(int part, Index row, std::span<const Real> way)>;
template <class Real>
void look_along(const Move<Real>& move, const Iterate<Real>& x, const RowsOfWay<Real>& visit);

/// Makes x, where h(x) is this, a point to move towards.
template <class Real>
void remember(const Iterate<Real>& x, double composite, Vertex<Real>& point);

}  // namespace alfcg
