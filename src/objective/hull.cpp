// Hulls of points, and what they are to an objective about which nothing more is known: every look is one at all of f.
#include "alfcg/objective/hull.hpp"

#include <vector>

#include "alfcg/objective/objective.hpp"
#include "kernels/vector.hpp"

namespace alfcg {

template <class Real>
void Hull<Real>::combine(std::span<const double> weights, Matrix<Real>& x) const {
    x.reshape(point(0).shape);
    x.fill(0);
    for (Index k = 0; k < count(); ++k)
        if (const double weight = weights[static_cast<std::size_t>(k)]; weight != 0)
            alfcg::add(weight, point(k), x);
}

template <class Real>
void Hull<Real>::write_first(const Iterate<Real>& x) {
    if (points_.empty()) points_.emplace_back();
    Vertex<Real>& first = points_.front();
    first.kind = Vertex<Real>::Kind::dense;
    first.shape = x.shape();
    first.dense = x.matrix();
}

template <class Real>
void Hull<Real>::merge_points(Index k, double weight_of_first, double weight_of_k) {
    const double share = weight_of_k / (weight_of_first + weight_of_k);
    Vertex<Real>& first = points_.front();
    move_towards(point(k), share, first.dense);
    first.composite += share * (point(k).composite - first.composite);
}

namespace {

// The way to a point that is gone to see how the gradient changes.
template <class Real>
constexpr double short_way = sizeof(Real) == sizeof(float) ? 1e-3 : 1e-6;

template <class Real>
class GeneralHull final : public Hull<Real> {
  public:
    explicit GeneralHull(Objective<Real>& objective) : objective_(objective), gradient_(objective.shape()) {}

    [[nodiscard]] Index point_bytes() const override {
        return 2 * objective_.shape().size() * static_cast<Index>(sizeof(Real));
    }
    [[nodiscard]] double share() const override { return 1; }
    void add(const Vertex<Real>& point) override {
        Hull<Real>::add(point);
        ends_.emplace_back();
    }
    void remove(Index k) override {
        Hull<Real>::remove(k);
        ends_.erase(ends_.begin() + k);
    }
    void set_first(const Iterate<Real>& x, bool /*here*/) override {
        if (ends_.empty()) ends_.emplace_back();
        this->write_first(x);
        ends_.front() = {};
    }
    void merge(Index k, double weight_of_first, double weight_of_k) override {
        this->merge_points(k, weight_of_first, weight_of_k);
        ends_.front() = {};
        remove(k);
    }

    double evaluate(std::span<const double> weights, std::span<double> gradient) override {
        weights_.assign(weights.begin(), weights.end());
        this->combine(weights, x_.rewrite());
        const double value = objective_.evaluate(x_, gradient_);
        for (Index k = 0; k < this->count(); ++k)
            gradient[static_cast<std::size_t>(k)] = inner_product(gradient_, this->point(k));
        return value;
    }
    void aim(std::span<const double> d) override { d_.assign(d.begin(), d.end()); }
    double value_after(double step) override {
        this->combine(after(step), trial_.rewrite());
        return objective_.value(trial_);
    }
    double advance(double step, std::span<double> gradient) override {
        return evaluate(after(step), gradient);
    }

    // On a quadratic the gradient at a point p is ∇f(x) + ∇²f (p − x), and the matrix <∇f(p_k), p_l>. What a difference of gradients says
    // of ∇f(p_k) is asked for once.
    void curvatures(Matrix<double>& matrix) override {
        const Index count = this->count();
        for (Index k = 0; k < count; ++k)
            if (ends_[static_cast<std::size_t>(k)].size() == 0) look_towards(k);
        matrix.reshape({count, count});
        for (Index k = 0; k < count; ++k)
            for (Index l = 0; l < count; ++l)
                matrix(k, l) = inner_product(ends_[static_cast<std::size_t>(k)], this->point(l));
        for (Index k = 0; k < count; ++k)
            for (Index l = 0; l < k; ++l) matrix(k, l) = matrix(l, k) = (matrix(k, l) + matrix(l, k)) / 2;
    }
    void archive(Archive& state) override {
        Hull<Real>::archive(state);
        state(x_, trial_, gradient_, ends_, weights_);
    }

  private:
    std::span<const double> after(double step) {
        moved_ = weights_;
        for (std::size_t k = 0; k < moved_.size(); ++k) moved_[k] += step * d_[k];
        return moved_;
    }
    void look_towards(Index k) {
        Matrix<Real>& end = ends_[static_cast<std::size_t>(k)];
        Matrix<Real>& at = trial_.rewrite();
        at = x_.matrix();
        move_towards(this->point(k), short_way<Real>, at);
        end.reshape(at.shape());
        objective_.evaluate(trial_, end);
        kernels::axpby(end.size(), 1 - 1 / short_way<Real>, gradient_.data(), 1 / short_way<Real>,
                       end.data());
    }

    Objective<Real>& objective_;
    Iterate<Real> x_;
    Iterate<Real> trial_;
    Matrix<Real> gradient_;
    std::vector<Matrix<Real>>
        ends_;  // gradients at the points, of the quadratic that f looks like; empty: not known
    std::vector<double> weights_;
    std::vector<double> d_;
    std::vector<double> moved_;
};

}  // namespace

template <class Real>
std::unique_ptr<Hull<Real>> Objective<Real>::hull() {
    return std::make_unique<GeneralHull<Real>>(*this);
}

template class Hull<float>;
template class Hull<double>;
template std::unique_ptr<Hull<float>> Objective<float>::hull();
template std::unique_ptr<Hull<double>> Objective<double>::hull();

}  // namespace alfcg
