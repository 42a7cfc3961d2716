#include <algorithm>
#include <cmath>
#include <vector>

#include "corrective/corrector.hpp"
#include "corrective/progress.hpp"
#include "corrective/simplex_model.hpp"
#include "kernels/vector.hpp"

namespace alfcg {

namespace hull {

// Points beside the first that are kept at most.
constexpr Index most_points = 60;
// Inner work ends when the hull's gap is this share of the whole one's, or has cost so many passes; but not before so many steps.
constexpr double inner_share = 0.1;
constexpr double most_passes = 2;
constexpr int least_steps = 2;
constexpr int most_steps = 30;
// h counts as linear in the weights as long as that is not too high by more than this share of the gap.
constexpr double loose = 0.1;
// Of a line search: trials, and the share of the promised descent that is kept.
constexpr int most_trials = 20;
constexpr double least_descent = 1e-4;

}  // namespace hull

namespace {

/// Newton steps over the hull of x and the oracle's last answers. h counts as linear between them: at least what it is.
template <class Real>
class HullCorrector final : public Corrector<Real> {
  public:
    explicit HullCorrector(Index memory) : memory_(memory) {}

    bool correct(Run<Real>& run, const Proposal<Real>& seen, Move<Real>& move, double& step) override {
        if (!hull_) hull_ = run.objective().hull();
        if (progress_.is_stuck(*seen.value + seen.composite, seen.gap)) return false;
        gather(run, seen);
        if (!minimize(run, seen)) return false;
        Vertex<Real>& better = move.towards();
        step = 1;
        better.kind = Vertex<Real>::Kind::dense;
        better.shape = run.x().shape();
        hull_->combine(weights_, better.dense);
        better.composite = run.region().composite(better.dense);
        hull_->leave_intercept(run.x());
        made_ = move.version();
        return true;
    }
    void archive(Run<Real>& run, Archive& state) override {
        if (state.has(hull_, [&] { return run.objective().hull(); })) state(*hull_);
        state(progress_, made_, weights_, composites_);
    }

  private:
    // The oracle's answer joins the hull, of which x is.
    void gather(Run<Real>& run, const Proposal<Real>& seen);
    bool minimize(Run<Real>& run, const Proposal<Real>& seen);  // whether there was a step
    // A step towards the least of the model, and no higher than before; false where there is none.
    bool improve(Run<Real>& run);
    void look();  // f + h and the hull's gap
    // One that x has least of leaves.
    void drop();
    [[nodiscard]] Index room() const {
        const Index wanted = memory_ / std::max<Index>(hull_->point_bytes(), 1) - 1;
        return std::clamp<Index>(wanted, 1, hull::most_points);
    }

    Index memory_;
    Progress<Real> progress_;
    std::unique_ptr<Hull<Real>> hull_;
    Version made_ = Version::none;
    Matrix<double> matrix_;        // second derivatives
    std::vector<double> weights_;  // x = Σ weights_k · point k
    std::vector<double> slopes_;
    std::vector<double> composites_;  // h at the points; of the first, no less
    double value_ = 0;
    double objective_ = 0;
    double gap_ = 0;
};

template <class Real>
void HullCorrector<Real>::gather(Run<Real>& run, const Proposal<Real>& seen) {
    const MadeMove<Real>* last = run.x().last_move();
    const bool here = last != nullptr && last->move == made_;
    double linear = 0;
    for (std::size_t k = 0; k < weights_.size(); ++k) linear += weights_[k] * composites_[k];
    if (!here || linear - seen.composite > hull::loose * seen.gap) {
        hull_->set_first(run.x(), here);
        weights_.assign(static_cast<std::size_t>(hull_->count()), 0);
        weights_.front() = 1;
        composites_.resize(weights_.size());
        composites_.front() = seen.composite;
    }
    const Vertex<Real>& answer = seen.move.atom();
    for (Index k = 1; k < hull_->count(); ++k)
        if (hull_->point(k) == answer) return;
    while (hull_->count() > room()) drop();
    hull_->add(answer);
    weights_.push_back(0);
    composites_.push_back(answer.composite);
}

template <class Real>
void HullCorrector<Real>::drop() {
    const auto least = std::min_element(weights_.begin() + 1, weights_.end());
    const Index k = least - weights_.begin();
    if (*least == 0) {
        hull_->remove(k);
    } else {
        hull_->merge(k, weights_.front(), *least);
        const double sum = weights_.front() + *least;
        composites_.front() +=
            *least / sum * (composites_[static_cast<std::size_t>(k)] - composites_.front());
        weights_.front() = sum;
    }
    weights_.erase(least);
    composites_.erase(composites_.begin() + k);
}

template <class Real>
void HullCorrector<Real>::look() {
    objective_ = value_;
    double mean = 0;
    double least = HUGE_VAL;
    for (std::size_t k = 0; k < weights_.size(); ++k) {
        slopes_[k] += composites_[k];
        objective_ += weights_[k] * composites_[k];
        mean += weights_[k] * slopes_[k];
        least = std::min(least, slopes_[k]);
    }
    gap_ = mean - least;
}

template <class Real>
bool HullCorrector<Real>::improve(Run<Real>& run) {
    if (matrix_.rows() != hull_->count()) hull_->curvatures(matrix_);
    const std::vector<double> before = weights_;
    const std::vector<double> to = least_on_simplex(matrix_, slopes_, weights_);
    std::vector<double> way(to.size());
    double slope = 0;
    for (std::size_t k = 0; k < to.size(); ++k) {
        way[k] = to[k] - before[k];
        slope += slopes_[k] * way[k];
    }
    if (!(slope < 0)) return false;
    const double noise = progress_.noise(objective_);
    const double start = objective_;
    const double gap = gap_;
    hull_->aim(way);
    double composite = 0;
    for (std::size_t k = 0; k < way.size(); ++k) composite += composites_[k] * way[k];
    const double flat = start - value_;  // h at the start
    double length = 1;
    bool found = -slope <= 2 * noise;
    for (int trial = 0; trial < hull::most_trials && !found; ++trial) {
        ++run.account().counters.function_evaluations;
        const double reached = hull_->value_after(length) + flat + length * composite;
        found = reached <= start + hull::least_descent * length * slope;
        if (found) break;
        const double bend = reached - start - length * slope;
        length *= std::isfinite(reached) ? std::clamp(-slope * length / (2 * bend), 0.05, 0.7) : 0.05;
    }
    if (!found) return false;
    if (length < 1) matrix_.reshape({0, 0});  // it was of another place
    for (std::size_t k = 0; k < way.size(); ++k)
        weights_[k] = length == 1 ? to[k] : std::max(weights_[k] + length * way[k], 0.0);
    value_ = hull_->advance(length, slopes_);
    look();
    // A step that promises less than values can tell is judged by the gap.
    if (objective_ < start - noise || (objective_ <= start + noise && gap_ < gap)) return true;
    weights_ = before;
    value_ = hull_->advance(-length, slopes_);
    look();
    return false;
}

template <class Real>
bool HullCorrector<Real>::minimize(Run<Real>& run, const Proposal<Real>& seen) {
    matrix_.reshape({0, 0});
    slopes_.resize(weights_.size());
    value_ = hull_->evaluate(weights_, slopes_);
    look();
    double passes = 0.5 + hull_->share();  // the scores of the new point
    int k = 0;
    for (; k < hull::most_steps && (k < hull::least_steps || passes < hull::most_passes); ++k) {
        if (k > 0 && gap_ <= hull::inner_share * seen.gap) break;
        if (!improve(run)) break;
        passes += 2 * hull_->share();
    }
    run.account().counters.component_gradients +=
        static_cast<Index>(passes * static_cast<double>(run.objective().samples()));
    return k > 0;
}

}  // namespace

template <class Real>
std::unique_ptr<Corrector<Real>> hull_corrector(Index memory) {
    return std::make_unique<HullCorrector<Real>>(memory);
}

template std::unique_ptr<Corrector<float>> hull_corrector(Index);
template std::unique_ptr<Corrector<double>> hull_corrector(Index);

}  // namespace alfcg
