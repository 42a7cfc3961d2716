#include <algorithm>
#include <cmath>
#include <cstdint>

#include "corrective/corrector.hpp"
#include "corrective/nuclear_directions.hpp"
#include "corrective/nuclear_inner.hpp"
#include "kernels/vector.hpp"

namespace alfcg {

namespace {

// Numbers that the data have for each feature, from which on arithmetic with x costs little beside looking at them.
constexpr double many_entries = 2000;

// Rows that the first samples have: this share of all, and no fewer than so many, or so many for each feature.
constexpr double first_share = 0.05;
constexpr Index least_rows = 512;
constexpr Index rows_a_feature = 2;
// What samples do not know about second derivatives, as a share of their mean.
constexpr nuclear::Effort effort_on_samples{.gap_share = 0.05, .passes = 1, .stiffness = 0.01};
constexpr nuclear::Effort effort_on_all{.gap_share = 0.1, .passes = 10, .stiffness = 0};
// From this share on, all rows are looked at: passes over them are faster than over rows drawn.
constexpr double most_share = 0.3;
// A model whose curvatures have to be raised this much needs more rows.
constexpr double too_flat = 2;
constexpr double least_weight = 0.7;
constexpr double most_weight = 8;

// f bends evenly: along its slope no more than so many times the mean. No matter where a sample has so many rows for each feature:
// it knows everything about how f bends.
constexpr double even = 4;
constexpr double enough_rows = 16;

// Directions: that a step adds at most, and that are kept for every one that x may be made of.
constexpr Index most_steepest = 32;
constexpr Index kept_times = 4;
constexpr nuclear::Effort effort_along_directions{.gap_share = 0.2, .passes = 60, .stiffness = 0};

template <class Real>
double inner_product(const Matrix<Real>& a, const Matrix<Real>& b) {
    return -kernels::direction(a.size(), a.data(), b.data(), 0, nullptr).slope;
}

// With columns of zeros at the end.
template <class Real>
Matrix<Real> widened(const Matrix<Real>& m, Index cols) {
    Matrix<Real> wide(m.rows(), cols);
    wide.fill(0);
    for (Index l = 0; l < m.rows(); ++l)
        std::copy_n(m.data() + l * m.cols(), m.cols(), wide.data() + l * cols);
    return wide;
}

/// Newton's method in all of the space on f as a sample of its rows tells it, tilted so that its slope at x is the true one: where rows are
/// many, a few of them know how f bends. What a step has shown of the true curvature goes into the next model, and samples grow when they
/// mislead.
template <class Real>
class NuclearOnSamples final : public Corrector<Real> {
  public:
    NuclearOnSamples(const Ball& ball, Index room) : ball_(ball), room_(room) {}

    bool correct(Run<Real>& run, const Proposal<Real>& seen, Move<Real>& move, double& step) override {
        const Index all = run.objective().samples();
        if (rows_ == 0)
            rows_ = std::max({static_cast<Index>(first_share * static_cast<double>(all)), least_rows,
                              rows_a_feature * run.x().shape().cols});
        learn(run.x(), seen.gradient);
        while (true) {
            rows_ = std::min(rows_, room_);
            const bool whole =
                static_cast<double>(rows_) >= most_share * static_cast<double>(all) && all <= room_;
            if (whole) weight_ = 1;
            const auto part = run.objective().sample(run.x(), whole ? all : rows_, seed_++);
            minimize(run, seen, *part, whole ? effort_on_all : effort_on_samples, move.towards());
            if (nuclear::search_line(run, seen, move, slope_, step)) {
                made_ = move.version();
                step_ = step;
                return true;
            }
            if (whole || rows_ == room_) return false;
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

    // Goes down the model, and writes where that has led.
    void minimize(Run<Real>& run, const Proposal<Real>& seen, Part<Real>& part, const nuclear::Effort& effort,
                  Vertex<Real>& to) {
        const Matrix<Real>& x = run.x().matrix();
        const Index cols = part.shape().cols;
        Matrix<Real> s = widened(x, cols);
        part.take_intercept(run.x(), s);
        const Matrix<Real> slopes = widened(seen.gradient, cols);
        const auto found = nuclear::go_down(part, ball_, weight_, s, &slopes, effort, knowledge_);
        run.account().counters.component_gradients +=
            static_cast<Index>(found.passes * static_cast<double>(run.objective().samples()));
        part.leave_intercept(found.s, run.x());

        to.kind = Vertex<Real>::Kind::dense;
        to.shape = x.shape();
        to.dense.reshape(x.shape());
        for (Index l = 0; l < x.rows(); ++l)
            std::copy_n(found.s.data() + l * cols, x.cols(), to.dense.data() + l * x.cols());
        to.composite = found.composite;
        way_.reshape(x.shape());
        kernels::subtract(x.size(), to.dense.data(), x.data(), way_.data());
        slope_ = inner_product(seen.gradient, way_);
        bend_ = found.bend;
    }

    Ball ball_;
    Index room_;      // rows that samples may have
    Index rows_ = 0;  // of a sample
    std::uint64_t seed_ = 0;
    double weight_ = 1;  // of the sample's f in the model
    nuclear::Knowledge knowledge_;
    // The last step: where it went, how steep f was at its start, and how much steeper the model at its end.
    Version made_ = Version::none;
    Matrix<Real> way_;
    double slope_ = 0;
    double bend_ = 0;
    double step_ = 0;
};

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
        nuclear::Knowledge knowledge;  // a sketch is of its own directions
        knowledge.curvature = curvature_;
        const auto found =
            nuclear::go_down<Real>(*part, ball_, 1, s, nullptr, effort_along_directions, knowledge);
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
        return nuclear::search_line(run, seen, move, slope, step);
    }

  private:
    [[nodiscard]] Index most_directions(Shape shape) const {
        return std::min(kept_times * std::min(most_steepest, shape.rows), room_ / 4 * 3);
    }

    Ball ball_;
    Index room_;  // directions whose products may be kept
    nuclear::Directions<Real> directions_;
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

    // The slope is that of one sample and bends are those of another: what is chance in one is not in the other.
    bool is_even(Run<Real>& run) override {
        const Index all = run.objective().samples();
        const double rows = std::max(first_share * static_cast<double>(all), static_cast<double>(least_rows));
        if (rows >= enough_rows * static_cast<double>(run.x().shape().cols)) return false;
        if (static_cast<double>(least_rows) > most_share * static_cast<double>(all)) return false;
        const auto slopes = run.objective().sample(run.x(), least_rows, 0);
        const auto bends = run.objective().sample(run.x(), least_rows, 1);
        Matrix<Real> s = widened(run.x().matrix(), bends->shape().cols);
        bends->take_intercept(run.x(), s);
        nuclear::Smooth<Real> one(*slopes, 1, 0);
        nuclear::Smooth<Real> other(*bends, 1, 0);
        nuclear::Point slope;
        nuclear::Point product;
        other.evaluate(other.point(s), slope);
        one.evaluate(one.point(s), slope);
        other.curve(slope, product);
        const double steep = nuclear::dot(slope, product);
        const double mean = other.mean_bend();
        run.account().counters.component_gradients += (one.calls() + other.calls()) * least_rows;
        return steep < even * mean * nuclear::dot(slope, slope);
    }

  private:
    [[nodiscard]] std::unique_ptr<Corrector<Real>> choose(const Objective<Real>& objective) const {
        const Shape shape = objective.shape();
        const auto cols = static_cast<double>(shape.cols);
        const bool few_entries = static_cast<double>(objective.entries()) < many_entries * cols;
        const bool few_rows = static_cast<double>(rows_a_feature) * cols >=
                              most_share * static_cast<double>(objective.samples());
        if (shape.cols > nuclear::short_side && (shape.rows > nuclear::short_side || few_entries || few_rows))
            return std::make_unique<NuclearAlongDirections<Real>>(
                ball_, memory_ / (objective.samples() * static_cast<Index>(sizeof(Real))));
        // Of a row, its scores, those of a direction and its second derivatives are kept.
        const Index row = 3 * shape.rows * static_cast<Index>(sizeof(Real));
        return std::make_unique<NuclearOnSamples<Real>>(ball_, std::max<Index>(memory_ / row, 1));
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
