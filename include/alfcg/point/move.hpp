#pragma once

#include <array>

#include "alfcg/core/archive.hpp"
#include "alfcg/point/vertex.hpp"

namespace alfcg {

/// A number that nothing else in the process has: of a point, or of a direction to go.
enum class Version : std::uint64_t { none };
Version new_version();
/// Versions that are read are new ones, the same where they were the same.
void archive_value(Archive& state, Version& version);

/// Where to go from x: x + η d with d = along_x · x + Σ coefficient · atom, at most two atoms, 0 ≤ η ≤ longest. A
/// Frank-Wolfe step goes along v − x, an away step along x − a, a pairwise step along v − a.
template <class Real>
class Move {
  public:
    /// Each begins another move and returns the atoms, to be filled in.
    Vertex<Real>& towards();
    Vertex<Real>& away(double longest);
    std::array<Vertex<Real>, 2>& pairwise(double longest);  // where it goes, and what it leaves

    [[nodiscard]] Version version() const { return version_; }
    [[nodiscard]] double along_x() const { return along_x_; }
    [[nodiscard]] double longest() const { return longest_; }
    [[nodiscard]] std::size_t atoms() const { return atoms_; }
    [[nodiscard]] const Vertex<Real>& atom(std::size_t k = 0) const { return atom_[k]; }
    [[nodiscard]] double coefficient(std::size_t k = 0) const { return coefficient_[k]; }

    /// x ← keep · x + Σ step · coefficient · atom.
    [[nodiscard]] double keep(double step) const { return 1 + along_x_ * step; }

    void archive(Archive& state) {
        state(version_, along_x_, longest_, atoms_, coefficient_);
        if (atoms_ > atom_.size()) state.reject("a move has more atoms than two");
        for (std::size_t k = 0; k < atoms_; ++k) state(atom_[k]);
    }

  private:
    void begin(double along_x, std::size_t atoms, std::array<double, 2> coefficients, double longest);

    Version version_ = Version::none;
    double along_x_ = 0;
    double longest_ = 0;
    std::size_t atoms_ = 0;
    std::array<double, 2> coefficient_{};
    std::array<Vertex<Real>, 2> atom_;
};

/// What a step needs to know of a direction d: <g, d> and ‖d‖².
struct Direction {
    double slope = 0;
    double length_squared = 0;

    void archive(Archive& state) { state(slope, length_squared); }
};

/// In one pass over x and g, from differences: ‖x‖² − 2<x,v> + ‖v‖² would cancel where x is near v.
template <class Real>
Direction direction(const Move<Real>& move, const Matrix<Real>& gradient, const Matrix<Real>& x);
/// Of v − x.
template <class Real>
Direction direction_to(const Vertex<Real>& vertex, const Matrix<Real>& gradient, const Matrix<Real>& x);

/// <g, v>, at the cost of what the vertex holds.
template <class Real>
double inner_product(const Matrix<Real>& gradient, const Vertex<Real>& vertex);
/// to += factor · v.
template <class Real>
void add(double factor, const Vertex<Real>& vertex, Matrix<Real>& to);

/// x += step · d. A whole step towards a vertex lands on it exactly.
template <class Real>
void apply(const Move<Real>& move, double step, Matrix<Real>& x);
/// x += step (v − x).
template <class Real>
void move_towards(const Vertex<Real>& vertex, double step, Matrix<Real>& x);

}  // namespace alfcg
