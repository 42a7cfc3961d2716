#include "corrective/l1_samples.hpp"

#include <optional>

#include "corrective/l1_part.hpp"
#include "kernels/vector.hpp"

namespace alfcg {

namespace {

constexpr int most_sample_models = 6;
// On a model of a sample, as L1Part::improve takes it: products with its second derivatives cost little.
constexpr int sample_effort = 4;
// On one of all rows that has led nowhere: how much more is done before that is put down to rounding.
constexpr int last_effort_on_all = 16;

/// weight · f + <T, S>, where T makes the slope what it should be where it is first looked at. Second derivatives are a little larger than
/// those of f.
template <class Real>
class TiltedPart final : public Part<Real> {
  public:
    TiltedPart(Part<Real>& part, double weight, double stiffness, const Matrix<Real>& slopes)
        : part_(part), weight_(weight), stiffness_(stiffness), slopes_(slopes) {}

    [[nodiscard]] Shape shape() const override { return part_.shape(); }
    [[nodiscard]] Index free_columns() const override { return part_.free_columns(); }
    [[nodiscard]] bool relative() const override { return part_.relative(); }
    [[nodiscard]] double share() const override { return part_.share(); }
    [[nodiscard]] Index samples() const override { return part_.samples(); }
    void stiffen(double stiffness) override { part_.stiffen(stiffness); }

    double evaluate(const Matrix<Real>& s, Matrix<Real>& gradient) override {
        const double value = part_.evaluate(s, gradient);
        if (!tilt_) {
            tilt_ = slopes_;
            kernels::axpby(s.size(), -weight_, gradient.data(), 1, tilt_->data());
        }
        along_s_ = product_with_tilt(s);
        return tilted(value, gradient);
    }
    void curve(const Matrix<Real>& d, Matrix<Real>& product) override {
        part_.curve(d, product);
        for (Index i = 0; i < d.size(); ++i)
            product.data()[i] = static_cast<Real>(weight_ * static_cast<double>(product.data()[i]) +
                                                  extra_.data()[i] * static_cast<double>(d.data()[i]));
    }
    double aim(const Matrix<Real>& d) override {
        along_d_ = product_with_tilt(d);
        double bend = weight_ * part_.aim(d);
        for (Index i = 0; i < d.size(); ++i) {
            const auto entry = static_cast<double>(d.data()[i]);
            bend += extra_.data()[i] * entry * entry;
        }
        return bend;
    }
    double value_after(double step) override {
        return weight_ * part_.value_after(step) + along_s_ + step * along_d_;
    }
    double advance(double step, Matrix<Real>& gradient) override {
        const double value = part_.advance(step, gradient);
        along_s_ += step * along_d_;
        return tilted(value, gradient);
    }
    void curvatures(Matrix<double>& diagonal) override {
        part_.curvatures(diagonal);
        const Index minded = shape().cols - free_columns();
        extra_.reshape(shape());
        for (Index i = 0; i < diagonal.size(); ++i) {
            double& own = diagonal.data()[i];
            own *= weight_;
            extra_.data()[i] = i % shape().cols < minded ? stiffness_ * own : 0;
            own += extra_.data()[i];
        }
    }
    void archive(Archive& state) override { state(part_, tilt_, extra_, along_s_, along_d_); }

  private:
    [[nodiscard]] double product_with_tilt(const Matrix<Real>& s) const {
        return -kernels::direction(s.size(), tilt_->data(), s.data(), 0, nullptr).slope;
    }
    double tilted(double value, Matrix<Real>& gradient) const {
        kernels::axpby(gradient.size(), 1, tilt_->data(), weight_, gradient.data());
        return weight_ * value + along_s_;
    }

    Part<Real>& part_;
    double weight_;
    double stiffness_;
    const Matrix<Real>& slopes_;
    std::optional<Matrix<Real>> tilt_;
    Matrix<double> extra_;  // on the diagonal of second derivatives
    double along_s_ = 0;
    double along_d_ = 0;
};

template <class Real>
class L1Descent final : public SampleDescent<Real> {
  public:
    explicit L1Descent(const Ball& ball) : ball_(ball) {}

    Found<Real> go_down(Part<Real>& part, double weight, const Matrix<Real>& s, const Matrix<Real>& slopes,
                        const Effort& effort) override {
        TiltedPart<Real> tilted(part, weight, effort.stiffness, slopes);
        L1Part<Real> work(tilted, ball_, trust_);
        work.start(s);
        const double enough = effort.gap_share * work.gap();
        const auto passes = [&] { return static_cast<double>(work.calls()) * part.share(); };
        const bool all = part.share() >= 1;
        for (int turn = 0; turn < most_sample_models; ++turn) {
            if (!work.improve(all ? 1 : sample_effort) &&
                (!all || turn > 0 || !work.improve(last_effort_on_all)))
                break;
            if (work.gap() <= enough || passes() > effort.passes) break;
        }
        Found<Real> found;
        found.s = work.lightest();
        found.composite = work.composite(found.s);
        const Index cols = s.cols();
        for (Index i = 0; i < s.size(); ++i)
            if (i % cols < cols - part.free_columns())
                found.bend +=
                    (static_cast<double>(work.gradient().data()[i]) - static_cast<double>(slopes.data()[i])) *
                    (static_cast<double>(found.s.data()[i]) - static_cast<double>(s.data()[i]));
        found.passes = passes();
        return found;
    }
    void archive(Archive& state) override { state(trust_); }

  private:
    Ball ball_;
    L1Trust trust_;
};

}  // namespace

template <class Real>
std::unique_ptr<SampleDescent<Real>> l1_sample_descent(const Ball& ball) {
    return std::make_unique<L1Descent<Real>>(ball);
}

template std::unique_ptr<SampleDescent<float>> l1_sample_descent(const Ball&);
template std::unique_ptr<SampleDescent<double>> l1_sample_descent(const Ball&);

}  // namespace alfcg
