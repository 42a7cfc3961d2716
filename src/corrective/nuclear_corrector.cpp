#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "corrective/corrector.hpp"
#include "corrective/nuclear_descent.hpp"
#include "kernels/vector.hpp"

namespace alfcg {

namespace {

// Rows that the first samples have: this share of all, and no fewer than so many.
constexpr double first_share = 0.05;
constexpr Index least_rows = 512;
// From this share on, all rows are looked at: passes over them are faster than over rows drawn.
constexpr double most_share = 0.5;
// A model whose curvatures have to be raised this much needs more rows.
constexpr double too_flat = 2;
constexpr double least_weight = 0.7;
constexpr double most_weight = 8;
// Inner work ends when the gap of the model is this share of the whole one's, or when it has cost so many passes.
constexpr double nuclear_inner_share = 0.05;
constexpr double nuclear_inner_passes = 1;
constexpr int most_turns = 8;
constexpr int first_steps = 6;  // projected ones, where there is no rank yet
// Second derivatives that a Newton step looks at; where it needs many, it is worth while to know more about them beforehand.
constexpr int most_looks = 40;
constexpr int many_looks = 12;
constexpr int sketch_steps = 3;  // that a sketch is good for
// Share of the slope that a step must keep, and of the last place of f that it must go down by.
constexpr double step_descent = 0.1;
constexpr double step_rounding = 0.25;
constexpr int most_steps = 12;

template <class Real>
double inner_product(const Matrix<Real>& a, const Matrix<Real>& b) {
    return -kernels::direction(a.size(), a.data(), b.data(), 0, nullptr).slope;
}

/// Newton's method in all of the space on f as a sample of its rows tells it, tilted so that its slope at x is the true one: where rows are
/// many, a few of them know how f bends. What a step has shown of the true curvature goes into the next model, and samples grow when they
/// mislead.
template <class Real>
class NuclearCorrector final : public Corrector<Real> {
  public:
    explicit NuclearCorrector(const Ball& ball) : ball_(ball) {}

    bool correct(Run<Real>& run, const Proposal<Real>& seen, Move<Real>& move, double& step) override {
        const Index all = run.objective().samples();
        if (rows_ == 0)
            rows_ = std::max(static_cast<Index>(first_share * static_cast<double>(all)), least_rows);
        learn(run.x(), seen.gradient);
        while (true) {
            const bool whole = static_cast<double>(rows_) >= most_share * static_cast<double>(all);
            if (whole) weight_ = 1;
            const auto part = run.objective().sample(run.x(), whole ? all : rows_, seed_++);
            go_down(run, seen, *part, move.towards());
            if (search_line(run, seen, move, step)) {
                made_ = move.version();
                step_ = step;
                return true;
            }
            if (whole) return false;
            rows_ *= 4;
        }
    }

  private:
    // What the last step has shown of the model it was made by.
    void learn(const Iterate<Real>& x, const Matrix<Real>& gradient) {
        const MadeMove<Real>* last = x.last_move();
        if (last == nullptr || last->move != made_) return;
        const double ratio = (inner_product(gradient, way_) - slope_) / (step_ * bend_);
        if (!std::isfinite(ratio)) return;
        weight_ = std::clamp(weight_ * std::sqrt(std::clamp(ratio, 0.25, 4.0)), least_weight, most_weight);
        if (weight_ <= too_flat && step_ == 1) return;
        rows_ *= 2;
        weight_ = std::sqrt(weight_);
    }

    // Minimises the model, and writes where that is.
    void go_down(Run<Real>& run, const Proposal<Real>& seen, Part<Real>& part, Vertex<Real>& to) {
        const Matrix<Real>& x = run.x().matrix();
        const auto widened = [&](const Matrix<Real>& m) {
            Matrix<Real> wide(part.shape());
            wide.fill(0);
            for (Index l = 0; l < m.rows(); ++l)
                std::copy_n(m.data() + l * m.cols(), m.cols(), wide.data() + l * wide.cols());
            return wide;
        };
        Matrix<Real> s = widened(x);
        part.take_intercept(run.x(), s);
        nuclear::Smooth<Real> smooth(part, weight_, ball_.composite.l2);
        const nuclear::Point at = smooth.point(s);
        nuclear::Point slopes;
        const double value = smooth.tilt(at, smooth.point(widened(seen.gradient)), slopes);
        nuclear::Descent<Real> descent(smooth, ball_, sketch_, curvature_);
        descent.start(at, value, slopes);
        const double passes = descend(descent, smooth, part);
        run.account().counters.component_gradients +=
            static_cast<Index>(passes * static_cast<double>(run.objective().samples()));

        smooth.write(descent.at(), s);
        part.leave_intercept(s, run.x());
        to.kind = Vertex<Real>::Kind::dense;
        to.shape = x.shape();
        to.dense.reshape(x.shape());
        for (Index l = 0; l < x.rows(); ++l)
            std::copy_n(s.data() + l * s.cols(), x.cols(), to.dense.data() + l * x.cols());
        to.composite =
            ball_.composite.nuclear * descent.norm() + ball_.composite.l2 / 2 * descent.at().w.squaredNorm();
        way_ = to.dense;
        kernels::axpby(x.size(), -1, x.data(), 1, way_.data());
        slope_ = inner_product(seen.gradient, way_);
        bend_ = (descent.gradient().w - slopes.w).cwiseProduct(descent.at().w - at.w).sum();
    }

    // Returns what it cost, in passes.
    double descend(nuclear::Descent<Real>& descent, const nuclear::Smooth<Real>& smooth, Part<Real>& part) {
        const double gap = nuclear_inner_share * descent.gap();
        double sketched = 0;
        ++sketch_age_;
        const auto passes = [&] { return (sketched + static_cast<double>(smooth.calls())) * part.share(); };
        for (int turn = 0; turn < most_turns; ++turn) {
            const bool projected = descent.projected_steps(descent.norm() == 0 ? first_steps : 1);
            if (descent.gap() <= gap) break;
            const bool newton = descent.newton_step(sketch_.empty() ? many_looks : most_looks);
            if (!newton && !projected) break;
            if (descent.looks() >= many_looks && (sketch_.empty() || sketch_age_ > sketch_steps)) {
                sketched += sketch_.refresh(part);
                sketch_age_ = 0;
            }
            if (descent.gap() <= gap || passes() > nuclear_inner_passes) break;
        }
        curvature_ = descent.curvature();
        return passes();
    }

    // A step that f + h goes down by: h is no more than what lies between both ends.
    bool search_line(Run<Real>& run, const Proposal<Real>& seen, const Move<Real>& move, double& step) {
        const double before = *seen.value + seen.composite;
        const double least =
            step_rounding * static_cast<double>(std::numeric_limits<Real>::epsilon()) * std::abs(before);
        const double slope = slope_ + move.atom().composite - seen.composite;
        if (!(slope < 0)) return false;
        step = 1;
        for (int trial = 0; trial < most_steps; ++trial) {
            ++run.account().counters.function_evaluations;
            const double reached = run.objective().value_after(run.x(), move, step) +
                                   (1 - step) * seen.composite + step * move.atom().composite;
            if (reached <= before + step_descent * step * slope) return reached < before - least;
            // Where the parabola through both ends has its lowest point.
            const double bend = reached - before - step * slope;
            step *= std::clamp(bend > 0 ? -step * slope / (2 * bend) : 0.5, 0.1, 0.7);
        }
        return false;
    }

    Ball ball_;
    Index rows_ = 0;  // of a sample
    std::uint64_t seed_ = 0;
    double weight_ = 1;     // of the sample's f in the model
    double curvature_ = 0;  // of the model, as far as known
    nuclear::Sketch sketch_;
    int sketch_age_ = 0;  // steps since it was made
    // The last step: where it went, how steep f was at its start, and how much steeper the model at its end.
    Version made_ = Version::none;
    Matrix<Real> way_;
    double slope_ = 0;
    double bend_ = 0;
    double step_ = 0;
};

}  // namespace

template <class Real>
std::unique_ptr<Corrector<Real>> nuclear_corrector(const Ball& ball) {
    return std::make_unique<NuclearCorrector<Real>>(ball);
}

template std::unique_ptr<Corrector<float>> nuclear_corrector(const Ball&);
template std::unique_ptr<Corrector<double>> nuclear_corrector(const Ball&);

}  // namespace alfcg
