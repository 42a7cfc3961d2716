#include <algorithm>

#include "corrective/corrector.hpp"
#include "corrective/face_inner.hpp"
#include "corrective/line_search.hpp"
#include "corrective/nuclear_directions.hpp"
#include "corrective/nuclear_face.hpp"
#include "corrective/on_samples.hpp"

namespace alfcg {

namespace {

// Directions: that a step adds at most, and that are kept for every one that x may be made of.
constexpr Index most_steepest = 32;
constexpr Index kept_times = 4;
constexpr Effort effort_along_directions{.gap_share = 0.2, .passes = 60, .stiffness = 0};

/// Newton's method on all rows, along a few directions: those that x is made of, those that f is steepest along, and those that the last
/// steps took.
template <class Real>
class NuclearAlongDirections final : public Corrector<Real> {
  public:
    NuclearAlongDirections(const Ball& ball, Index room) : ball_(ball), room_(room) {}

    bool correct(Run<Real>& run, const Proposal<Real>& seen, Move<Real>& move, double& step) override {
        const Matrix<Real>& x = run.x().matrix();
        const MadeMove<Real>* last = run.x().last_move();
        if (last == nullptr || last->move != made_) {
            directions_.begin(x);
        } else if (directions_.count() > most_directions(x.shape())) {
            directions_.keep(directions_.coefficients(x), before_, most_directions(x.shape()) / 2);
        }
        directions_.add_steepest(seen.gradient,
                                 std::min({most_steepest, x.rows(), std::max<Index>(room_ / 4, 1)}));
        before_ = directions_.coefficients(x);

        const auto part = run.objective().part(directions_.rows());
        Matrix<Real> s = widened(before_, part->shape().cols);
        part->take_intercept(run.x(), s);
        faces::Knowledge knowledge;  // a sketch is of its own directions
        knowledge.curvature = curvature_;
        const auto found =
            faces::go_down<Real>(*part, norm_, ball_, 1, s, nullptr, effort_along_directions, knowledge);
        curvature_ = knowledge.curvature;
        const double products = static_cast<double>(directions_.count()) / static_cast<double>(2 * x.rows());
        run.account().counters.component_gradients +=
            static_cast<Index>((found.passes + products) * static_cast<double>(run.objective().samples()));
        part->leave_intercept(found.s, run.x());

        Vertex<Real>& to = move.towards();
        to.kind = Vertex<Real>::Kind::dense;
        to.shape = x.shape();
        directions_.combine(found.s, to.dense);
        to.composite = found.composite;
        const double slope = direction_to(to, seen.gradient, x).slope;
        made_ = move.version();
        return search_line(run, seen, move, slope, step);
    }
    void archive(Run<Real>& /*run*/, Archive& state) override {
        state(directions_, before_, curvature_, made_);
    }

  private:
    [[nodiscard]] Index most_directions(Shape shape) const {
        return std::min(kept_times * std::min(most_steepest, shape.rows), room_ / 4 * 3);
    }

    Ball ball_;
    faces::NuclearNorm norm_;
    Index room_;  // directions whose products may be kept
    faces::Directions<Real> directions_;
    Matrix<Real> before_;  // what x was made of before the last step
    double curvature_ = 0;
    Version made_ = Version::none;
};

/// Whichever suits the problem.
template <class Real>
class NuclearCorrector final : public Corrector<Real> {
  public:
    NuclearCorrector(const Ball& ball, Index memory) : ball_(ball), memory_(memory) {}

    bool correct(Run<Real>& run, const Proposal<Real>& seen, Move<Real>& move, double& step) override {
        if (!own_) own_ = choose(run.objective());
        return own_->correct(run, seen, move, step);
    }
    void archive(Run<Real>& run, Archive& state) override {
        if (state.has(own_, [&] { return choose(run.objective()); })) own_->archive(run, state);
    }

    bool is_even(Run<Real>& run) override { return faces::bends_evenly(run); }

  private:
    [[nodiscard]] std::unique_ptr<Corrector<Real>> choose(const Objective<Real>& objective) const {
        const Shape shape = objective.shape();
        if (shape.cols > faces::short_side && (shape.rows > faces::short_side || !has_many_rows(objective)))
            return std::make_unique<NuclearAlongDirections<Real>>(
                ball_, memory_ / (objective.samples() * static_cast<Index>(sizeof(Real))));
        using Steps = faces::StepsOnSamples<Real, faces::NuclearNorm>;
        return on_samples<Real>(std::make_unique<Steps>(ball_, faces::NuclearNorm()), memory_);
    }

    Ball ball_;
    Index memory_;
    std::unique_ptr<Corrector<Real>> own_;
};

}  // namespace

template <class Real>
std::unique_ptr<Corrector<Real>> nuclear_corrector(const Ball& ball, Index memory) {
    return std::make_unique<NuclearCorrector<Real>>(ball, memory);
}

template std::unique_ptr<Corrector<float>> nuclear_corrector(const Ball&, Index);
template std::unique_ptr<Corrector<double>> nuclear_corrector(const Ball&, Index);

}  // namespace alfcg
