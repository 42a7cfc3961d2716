#include "corrective/face_inner.hpp"

#include <algorithm>

#include "corrective/lp_face.hpp"
#include "corrective/nuclear_face.hpp"

namespace alfcg::faces {

namespace {

constexpr int most_turns = 12;
constexpr int first_steps = 6;  // projected ones, where there is no rank yet
// More of them are made as long as each leaves less than this share of the gap.
constexpr double fast_steps = 0.8;
// Second derivatives that a Newton step looks at. Where it needs more than it costs to know more about them beforehand, that is done.
constexpr int most_looks = 40;
constexpr int sketch_steps = 3;  // that a sketch is good for

// No matter where a sample has so many rows for each feature: it knows everything about how f bends.
constexpr double enough_rows = 16;

}  // namespace

template <class Real, class Norm>
Found<Real> go_down(Part<Real>& part, Norm& norm, const Ball& ball, double weight, const Matrix<Real>& s,
                    const Matrix<Real>* slopes, const Effort& effort, Knowledge& knowledge) {
    Smooth<Real> smooth(part, weight, ball.composite.l2, Norm::short_first);
    Point gradient;
    if (part.free_columns() > 0) {
        smooth.evaluate(smooth.point(s), gradient);
        smooth.centre(knowledge.curvature);
    }
    const Point from = smooth.point(s);
    const double value = slopes == nullptr ? smooth.evaluate(from, gradient)
                                           : smooth.tilt(from, smooth.gradient(*slopes), gradient);
    smooth.stiffen(effort.stiffness);
    Sketch& sketch = knowledge.sketch;
    Descent<Real, Norm> descent(smooth, norm, ball.radius, ball.composite.nuclear, sketch,
                                knowledge.curvature);
    descent.start(from, value, gradient);
    const double enough = effort.gap_share * descent.gap();
    const double price = Sketch::cost(part);
    double sketched = 0;
    ++knowledge.sketch_age;
    const auto passes = [&] { return (sketched + static_cast<double>(smooth.calls())) * part.share(); };
    for (int turn = 0; turn < most_turns; ++turn) {
        const bool projected =
            descent.projected_steps(descent.length() == 0 ? first_steps : 1, fast_steps, enough);
        if (descent.gap() <= enough) break;
        const int most = sketch.empty() ? std::clamp(static_cast<int>(price), 1, most_looks) : most_looks;
        const bool newton = descent.newton_step(most);
        if (!newton && !projected) break;
        knowledge.looks += descent.looks();
        const bool pays = knowledge.looks >= 2 * price || descent.looks() >= price;
        if (pays && (sketch.empty() || knowledge.sketch_age > sketch_steps)) {
            sketch.refresh(part);
            sketched += price;
            knowledge.sketch_age = 0;
            knowledge.looks = 0;
        }
        if (descent.gap() <= enough || passes() > effort.passes) break;
    }
    knowledge.curvature = descent.curvature();

    Found<Real> found;
    smooth.write(descent.at(), found.s);
    found.composite =
        ball.composite.nuclear * descent.length() + ball.composite.l2 / 2 * descent.at().w.squaredNorm();
    found.bend = (descent.gradient().w - gradient.w).cwiseProduct(descent.at().w - from.w).sum();
    found.passes = passes();
    return found;
}

// The slope is that of one sample and bends are those of another: what is chance in one is not in the other.
template <class Real>
bool bends_evenly(Run<Real>& run, double most) {
    const Index all = run.objective().samples();
    const double rows =
        std::max(first_sample_share * static_cast<double>(all), static_cast<double>(least_sample_rows));
    if (rows >= enough_rows * static_cast<double>(run.x().shape().cols)) return false;
    if (static_cast<double>(least_sample_rows) > most_sample_share * static_cast<double>(all)) return false;
    const auto slopes = run.objective().sample(run.x(), least_sample_rows, 0);
    const auto bends = run.objective().sample(run.x(), least_sample_rows, 1);
    Matrix<Real> s = widened(run.x().matrix(), bends->shape().cols);
    bends->take_intercept(run.x(), s);
    Smooth<Real> one(*slopes, 1, 0, false);
    Smooth<Real> other(*bends, 1, 0, false);
    Point slope;
    Point product;
    other.evaluate(other.point(s), slope);
    one.evaluate(one.point(s), slope);
    other.curve(slope, product);
    const double steep = dot(slope, product);
    const double mean = other.mean_bend();
    run.account().counters.component_gradients += (one.calls() + other.calls()) * least_sample_rows;
    return steep < most * mean * dot(slope, slope);
}

template bool bends_evenly(Run<float>&, double);
template bool bends_evenly(Run<double>&, double);
template Found<float> go_down(Part<float>&, NuclearNorm&, const Ball&, double, const Matrix<float>&,
                              const Matrix<float>*, const Effort&, Knowledge&);
template Found<double> go_down(Part<double>&, NuclearNorm&, const Ball&, double, const Matrix<double>&,
                               const Matrix<double>*, const Effort&, Knowledge&);
template Found<float> go_down(Part<float>&, LpNorm&, const Ball&, double, const Matrix<float>&,
                              const Matrix<float>*, const Effort&, Knowledge&);
template Found<double> go_down(Part<double>&, LpNorm&, const Ball&, double, const Matrix<double>&,
                               const Matrix<double>*, const Effort&, Knowledge&);

}  // namespace alfcg::faces
