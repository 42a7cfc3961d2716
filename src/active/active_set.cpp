#include "active/active_set.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "alfcg/point/move.hpp"

namespace alfcg {

namespace {

// A weight below this share of the rounding of x cannot be seen in x.
constexpr double unseen = 0.125;
constexpr std::size_t dense_atoms = 16;  // always have room

}  // namespace

template <class Real>
void ActiveSet<Real>::start(const Matrix<Real>& x, double composite) {
    using Kind = typename Vertex<Real>::Kind;
    Atom atom;
    const bool zero = std::all_of(x.span().begin(), x.span().end(), [](Real entry) { return entry == 0; });
    atom.vertex.kind = zero ? Kind::zero : Kind::dense;
    atom.vertex.shape = x.shape();
    if (!zero) atom.vertex.dense = x;
    atom.vertex.composite = composite;
    atom.hash = atom.vertex.hash();
    atoms_.clear();
    atoms_.push_back(std::move(atom));
    weights_.assign(1, 1);
    before_ = weights_;
}

template <class Real>
double ActiveSet<Real>::composite() const {
    double sum = 0;
    for (std::size_t k = 0; k < size(); ++k) sum += weights_[k] * atoms_[k].vertex.composite;
    return sum;
}

template <class Real>
void ActiveSet<Real>::write_point(Matrix<Real>& x) const {
    x.reshape(atoms_.front().vertex.shape);
    x.fill(0);
    for (std::size_t k = 0; k < size(); ++k) add(weights_[k], atoms_[k].vertex, x);
}

template <class Real>
typename ActiveSet<Real>::Ends ActiveSet<Real>::ends(const Matrix<Real>& gradient) const {
    Ends ends;
    for (std::size_t k = 0; k < size(); ++k) {
        const double here = inner_product(gradient, atoms_[k].vertex) + atoms_[k].vertex.composite;
        ends.mean += weights_[k] * here;
        if (k == 0 || here < ends.at_least) {
            ends.least = k;
            ends.at_least = here;
        }
        if (k == 0 || here > ends.at_most) {
            ends.most = k;
            ends.at_most = here;
        }
    }
    return ends;
}

template <class Real>
std::size_t ActiveSet<Real>::find_or_add(const Vertex<Real>& vertex) {
    const std::size_t hash = vertex.hash();
    for (std::size_t k = 0; k < size(); ++k)
        if (atoms_[k].hash == hash && atoms_[k].vertex == vertex) return k;
    atoms_.push_back({vertex, hash});
    weights_.push_back(0);
    return size() - 1;
}

template <class Real>
void ActiveSet<Real>::step_towards(std::size_t to, double step) {
    before_ = weights_;
    for (double& weight : weights_) weight *= 1 - step;
    weights_[to] += step;
}

template <class Real>
void ActiveSet<Real>::step_away(std::size_t from, double step, bool whole) {
    before_ = weights_;
    for (double& weight : weights_) weight *= 1 + step;
    weights_[from] = whole ? 0 : std::max(weights_[from] - step, 0.0);
}

template <class Real>
void ActiveSet<Real>::step_across(std::size_t to, std::size_t from, double step, bool whole) {
    before_ = weights_;
    weights_[to] += step;
    weights_[from] = whole ? 0 : std::max(weights_[from] - step, 0.0);
}

template <class Real>
void ActiveSet<Real>::step_back(double share) {
    for (std::size_t k = 0; k < size(); ++k) weights_[k] += share * (before_[k] - weights_[k]);
}

template <class Real>
void ActiveSet<Real>::remove(std::size_t k) {
    if (k + 1 < size()) {
        atoms_[k] = std::move(atoms_.back());
        weights_[k] = weights_.back();
    }
    atoms_.pop_back();
    weights_.pop_back();
}

template <class Real>
void ActiveSet<Real>::normalize() {
    const double sum = std::accumulate(weights_.begin(), weights_.end(), 0.0);
    for (double& weight : weights_) weight /= sum;
    before_ = weights_;
}

template <class Real>
void ActiveSet<Real>::settle(Region<Real>& region) {
    constexpr double least = unseen * static_cast<double>(std::numeric_limits<Real>::epsilon());
    for (std::size_t k = size(); k-- > 0;)
        if (weights_[k] <= least && size() > 1) remove(k);
    const std::size_t dense = static_cast<std::size_t>(atoms_.front().vertex.shape.size()) * sizeof(Real);
    const std::size_t most = std::max(most_bytes_, dense_atoms * dense);
    std::size_t bytes = 0;
    for (const Atom& atom : atoms_) bytes += bytes_of(atom);
    if (bytes > most) merge_lightest(region, most / 2);
    normalize();
}

template <class Real>
void ActiveSet<Real>::merge_lightest(Region<Real>& region, std::size_t bytes_left) {
    std::vector<std::size_t> by_weight(size());
    std::iota(by_weight.begin(), by_weight.end(), std::size_t{0});
    std::sort(by_weight.begin(), by_weight.end(),
              [&](std::size_t a, std::size_t b) { return weights_[a] > weights_[b]; });
    ActiveSet light;
    ActiveSet heavy;
    std::size_t bytes = 0;
    for (const std::size_t k : by_weight) {
        bytes += bytes_of(atoms_[k]);
        ActiveSet& side = bytes > bytes_left ? light : heavy;
        side.atoms_.push_back(std::move(atoms_[k]));
        side.weights_.push_back(weights_[k]);
    }
    const double together = std::accumulate(light.weights_.begin(), light.weights_.end(), 0.0);
    light.normalize();
    Matrix<Real> point;
    light.write_point(point);
    light.start(point, region.composite(point));
    atoms_ = std::move(heavy.atoms_);
    weights_ = std::move(heavy.weights_);
    atoms_.push_back(std::move(light.atoms_.front()));
    weights_.push_back(together);
}

template <class Real>
std::size_t ActiveSet<Real>::bytes_of(const Atom& atom) {
    using Kind = typename Vertex<Real>::Kind;
    const Vertex<Real>& vertex = atom.vertex;
    const std::size_t own = sizeof(Atom) + 2 * sizeof(double);
    switch (vertex.kind) {
        case Kind::zero:
        case Kind::one_hot:
            break;
        case Kind::sparse:
            return own + vertex.positions.size() * (sizeof(Index) + sizeof(Real));
        case Kind::rank_one:
        case Kind::low_rank:
            return own + (vertex.left.size() + vertex.right.size()) * sizeof(Real) +
                   vertex.scales.size() * sizeof(double);
        case Kind::dense:
            return own + static_cast<std::size_t>(vertex.dense.size()) * sizeof(Real);
    }
    return own;
}

template class ActiveSet<float>;
template class ActiveSet<double>;

}  // namespace alfcg
