#pragma once

#include <cstddef>
#include <vector>

#include "alfcg/region/region.hpp"

namespace alfcg {

/// The atoms that a point x is a convex combination of, with their weights. To a step of x along v − x, x − a or v − a belongs
/// one of the weights, which keeps x = Σ weight · atom; only rounding comes between the two. h counts as linear between atoms:
/// Σ weight · h(atom) ≥ h(x).
template <class Real>
class ActiveSet {
  public:
    static constexpr std::size_t usual_bytes = std::size_t{64} << 20;

    /// Atoms take at most so many bytes, or what sixteen dense ones take where that is more.
    explicit ActiveSet(std::size_t most_bytes = usual_bytes) : most_bytes_(most_bytes) {}

    /// x is an atom of its own, and the only one.
    void start(const Matrix<Real>& x, double composite);

    [[nodiscard]] std::size_t size() const { return atoms_.size(); }
    [[nodiscard]] const Vertex<Real>& atom(std::size_t k) const { return atoms_[k].vertex; }
    [[nodiscard]] double weight(std::size_t k) const { return weights_[k]; }
    [[nodiscard]] double composite() const;  // Σ weight · h(atom)
    /// Σ weight · atom.
    void write_point(Matrix<Real>& x) const;

    /// The atoms where <g, a> + h(a) is least and most, and its mean: <g, x> + composite().
    struct Ends {
        std::size_t least = 0;
        std::size_t most = 0;
        double at_least = 0;
        double at_most = 0;
        double mean = 0;
    };
    [[nodiscard]] Ends ends(const Matrix<Real>& gradient) const;

    /// The number of this atom, which comes in with weight 0 if it is not there.
    std::size_t find_or_add(const Vertex<Real>& vertex);
    /// Steps as x makes them; `whole` leaves nothing of the atom that they go away from.
    void step_towards(std::size_t to, double step);
    void step_away(std::size_t from, double step, bool whole);
    void step_across(std::size_t to, std::size_t from, double step, bool whole);
    /// Takes back this share of the last step.
    void step_back(double share);

    /// Forgets atoms whose weight is rounding, and where memory is short makes one dense atom of those with the least
    /// weights. Numbers of atoms change; the last step can no longer be taken back.
    void settle(Region<Real>& region);

    void archive(Archive& state) { state(atoms_, weights_, before_); }

  private:
    struct Atom {
        Vertex<Real> vertex;
        std::size_t hash = 0;

        void archive(Archive& state) { state(vertex, hash); }
    };

    static std::size_t bytes_of(const Atom& atom);
    void remove(std::size_t k);
    void normalize();
    void merge_lightest(Region<Real>& region, std::size_t bytes_left);

    std::size_t most_bytes_;
    std::vector<Atom> atoms_;
    std::vector<double> weights_;
    std::vector<double> before_;  // weights before the last step
};

}  // namespace alfcg
