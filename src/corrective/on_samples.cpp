#include "corrective/on_samples.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "corrective/line_search.hpp"
#include "kernels/vector.hpp"

namespace alfcg {

namespace {

// Numbers that the data have for each feature, from which on arithmetic with x costs little beside looking at them.
constexpr double many_entries = 2000;

// Rows that the first samples have for each feature, at least.
constexpr Index rows_a_feature = 2;
// What samples do not know about second derivatives, as a share of their mean: less where steps have been right and short, more where they
// have misled.
constexpr double least_stiffness = 1e-4;
constexpr double stiffness_factor = 4;
constexpr double slow_steps = 0.7;  // that promise this share of what the last one did
constexpr double misled = 1.7;      // f was so much steeper at the end than the model
constexpr Effort effort_on_samples{.gap_share = 0.05, .passes = 1, .stiffness = 0.01};
constexpr Effort effort_on_all{.gap_share = 0.1, .passes = 10, .stiffness = 0};
// A model whose curvatures have to be raised this much needs more rows.
constexpr double too_flat = 2;
constexpr double least_weight = 0.7;
constexpr double most_weight = 8;

template <class Real>
double inner_product(const Matrix<Real>& a, const Matrix<Real>& b) {
    return -kernels::direction(a.size(), a.data(), b.data(), 0, nullptr).slope;
}

template <class Real>
class OnSamples final : public Corrector<Real> {
  public:
    OnSamples(std::unique_ptr<SampleDescent<Real>> inner, Index memory, bool eases)
        : inner_(std::move(inner)), memory_(memory), eases_(eases) {}

    bool correct(Run<Real>& run, const Proposal<Real>& seen, Move<Real>& move, double& step) override {
        const Index all = run.objective().samples();
        if (rows_ == 0) {
            rows_ = std::max({static_cast<Index>(first_sample_share * static_cast<double>(all)),
                              least_sample_rows, rows_a_feature * run.x().shape().cols});
            // Of a row, its scores, those of a direction and its second derivatives are kept.
            room_ =
                std::max<Index>(memory_ / (3 * run.x().shape().rows * static_cast<Index>(sizeof(Real))), 1);
        }
        learn(run.x(), seen.gradient);
        while (true) {
            rows_ = std::min(rows_, room_);
            const bool whole =
                static_cast<double>(rows_) >= most_sample_share * static_cast<double>(all) && all <= room_;
            if (whole) weight_ = 1;
            const auto part = run.objective().sample(run.x(), whole ? all : rows_, seed_++);
            Effort effort = whole ? effort_on_all : effort_on_samples;
            if (!whole) effort.stiffness = stiffness_;
            minimize(run, seen, *part, effort, move.towards());
            if (search_line(run, seen, move, slope_, step)) {
                made_ = move.version();
                step_ = step;
                return true;
            }
            if (whole || rows_ == room_) return false;
            rows_ *= 4;
        }
    }
    void archive(Run<Real>& /*run*/, Archive& state) override {
        state(room_, rows_, seed_, weight_, made_, way_, slope_, bend_, step_, last_slope_, stiffness_,
              *inner_);
    }

  private:
    // What the last step has shown of the model it was made by.
    void learn(const Iterate<Real>& x, const Matrix<Real>& gradient) {
        const MadeMove<Real>* last = x.last_move();
        if (last == nullptr || last->move != made_) return;
        const double ratio = (inner_product(gradient, way_) - slope_) / (step_ * bend_);
        if (!std::isfinite(ratio)) return;
        const bool stiffens = (ratio > misled || step_ < 1) && stiffness_ < effort_on_samples.stiffness;
        if (stiffens) {
            stiffness_ = std::min(stiffness_factor * stiffness_, effort_on_samples.stiffness);
        } else if (eases_ && slope_ < slow_steps * last_slope_) {
            stiffness_ = std::max(stiffness_ / stiffness_factor, least_stiffness);
        }
        last_slope_ = slope_;
        weight_ = std::clamp(weight_ * std::sqrt(std::clamp(ratio, 0.25, 4.0)), least_weight, most_weight);
        if (stiffens || (weight_ <= too_flat && step_ == 1)) return;
        rows_ *= 2;
        weight_ = std::sqrt(weight_);
    }

    // Goes down the model, and writes where that has led.
    void minimize(Run<Real>& run, const Proposal<Real>& seen, Part<Real>& part, const Effort& effort,
                  Vertex<Real>& to) {
        const Matrix<Real>& x = run.x().matrix();
        const Index cols = part.shape().cols;
        Matrix<Real> s = widened(x, cols);
        part.take_intercept(run.x(), s);
        const Matrix<Real> slopes = widened(seen.gradient, cols);
        const auto found = inner_->go_down(part, weight_, s, slopes, effort);
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

    std::unique_ptr<SampleDescent<Real>> inner_;
    Index memory_;
    bool eases_;
    Index room_ = 0;  // rows that samples may have
    Index rows_ = 0;  // of a sample
    std::uint64_t seed_ = 0;
    double weight_ = 1;  // of the sample's f in the model
    // The last step: where it went, how steep f was at its start, and how much steeper the model at its end.
    Version made_ = Version::none;
    Matrix<Real> way_;
    double slope_ = 0;
    double bend_ = 0;
    double step_ = 0;
    double last_slope_ = -std::numeric_limits<double>::infinity();  // of the step before
    double stiffness_ = effort_on_samples.stiffness;
};

}  // namespace

template <class Real>
bool has_many_rows(const Objective<Real>& objective) {
    const auto cols = static_cast<double>(objective.shape().cols);
    return static_cast<double>(objective.entries()) >= many_entries * cols &&
           static_cast<double>(rows_a_feature) * cols <
               most_sample_share * static_cast<double>(objective.samples());
}

template <class Real>
std::unique_ptr<Corrector<Real>> on_samples(std::unique_ptr<SampleDescent<Real>> inner, Index memory,
                                            bool eases) {
    return std::make_unique<OnSamples<Real>>(std::move(inner), memory, eases);
}

template <class Real>
Matrix<Real> widened(const Matrix<Real>& m, Index cols) {
    Matrix<Real> wide(m.rows(), cols);
    wide.fill(0);
    for (Index l = 0; l < m.rows(); ++l)
        std::copy_n(m.data() + l * m.cols(), m.cols(), wide.data() + l * cols);
    return wide;
}

template bool has_many_rows(const Objective<float>&);
template bool has_many_rows(const Objective<double>&);
template std::unique_ptr<Corrector<float>> on_samples(std::unique_ptr<SampleDescent<float>>, Index, bool);
template std::unique_ptr<Corrector<double>> on_samples(std::unique_ptr<SampleDescent<double>>, Index, bool);
template Matrix<float> widened(const Matrix<float>&, Index);
template Matrix<double> widened(const Matrix<double>&, Index);

}  // namespace alfcg
