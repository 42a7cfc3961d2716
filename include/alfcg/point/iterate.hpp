#pragma once

#include <array>
#include <utility>
#include <vector>

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
    std::array<Vertex<Real>, 2> atom;  // one that is dense is not written down: only its kind is
};

/// The part of a point that belongs to the objective: numbers that nothing constrains, and that no method sees. The
/// objective finds the best at a point, or moves them along with the point where only batches are looked at.
struct Intercept {
    std::vector<double> at;    // what the scores at this point are shifted by; empty: as the objective begins
    std::vector<double> next;  // what they will be after the next move; empty: the same
    double seen = 0;           // rows that have had a say in `at` and `next`
    bool best = false;         // nothing else is better at this point
    bool going = false;        // but within the bounds of one look: the next one would go on
};

/// The point that a run moves about: its entries, a version that no other point has, and the last moves that led
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

    [[nodiscard]] const Matrix<Real>& matrix() const { return x_; }
    [[nodiscard]] Shape shape() const { return x_.shape(); }
    [[nodiscard]] Index size() const { return x_.size(); }
    [[nodiscard]] Version version() const { return version_; }
    /// The last move (0), or the one before (1); null where there is none.
    [[nodiscard]] const MadeMove<Real>* last_move(std::size_t back = 0) const {
        return back < known_ ? &made_[(next_ + made_.size() - 1 - back) % made_.size()] : nullptr;
    }

    /// For the objective to read and write, also where it may look at the point only.
    [[nodiscard]] Intercept& intercept() const { return intercept_; }

    /// x += step · d. A step of 0 is no move.
    void make(const Move<Real>& move, double step);
    /// Another point, that nothing leads to.
    void jump_to(const Matrix<Real>& x) {
        x_ = x;
        jumped();
    }
    /// The point where another iterate is, the same version, without its moves.
    void stand_at(const Iterate& other) {
        x_ = other.x_;
        version_ = other.version_;
        intercept_ = other.intercept_;
        known_ = 0;
    }
    /// The same entries, as a point that has not been looked at.
    void look_again() { jumped(); }
    /// Write access to the entries, for a point that nothing leads to.
    Matrix<Real>& rewrite() {
        jumped();
        return x_;
    }
    /// The entries, taken out.
    Matrix<Real> release() && { return std::move(x_); }

  private:
    void jumped() {
        version_ = new_version();
        intercept_.best = false;
        known_ = 0;
    }

    Matrix<Real> x_;
    Version version_ = Version::none;
    mutable Intercept intercept_;
    std::array<MadeMove<Real>, 2> made_;
    std::size_t next_ = 0;   // where the next move is written down
    std::size_t known_ = 0;  // moves that lead to x
};

}  // namespace alfcg
