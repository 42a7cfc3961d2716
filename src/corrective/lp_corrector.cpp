#include <memory>

#include "corrective/corrector.hpp"
#include "corrective/face_inner.hpp"
#include "corrective/lp_face.hpp"
#include "corrective/on_samples.hpp"

namespace alfcg {

namespace {

/// Newton's method on samples, as long as it leads anywhere; then what any region with a proximal map has.
template <class Real>
class LpCorrector final : public Corrector<Real> {
  public:
    LpCorrector(const Ball& ball, Index memory) : ball_(ball), memory_(memory) {}

    bool correct(Run<Real>& run, const Proposal<Real>& seen, Move<Real>& move, double& step) override {
        // Of a function about which nothing more is known there are no samples.
        if (!samples_ && !smooth_ && run.objective().sample(run.x(), 1, 0)->samples() == 0)
            smooth_ = smooth_corrector<Real>(memory_);
        if (!smooth_) {
            if (!samples_) samples_ = begin();
            if (samples_->correct(run, seen, move, step)) return true;
            smooth_ = smooth_corrector<Real>(memory_);
            samples_.reset();
        }
        return smooth_->correct(run, seen, move, step);
    }
    bool is_even(Run<Real>& run) override { return faces::bends_evenly(run); }
    void archive(Run<Real>& run, Archive& state) override {
        if (state.has(samples_, [&] { return begin(); })) samples_->archive(run, state);
        if (state.has(smooth_, [&] { return smooth_corrector<Real>(memory_); })) smooth_->archive(run, state);
    }

  private:
    [[nodiscard]] std::unique_ptr<Corrector<Real>> begin() const {
        using Steps = faces::StepsOnSamples<Real, faces::LpNorm>;
        return on_samples<Real>(std::make_unique<Steps>(ball_, faces::LpNorm(ball_.p, ball_.radius)), memory_,
                                true);
    }

    Ball ball_;
    Index memory_;
    std::unique_ptr<Corrector<Real>> samples_;
    std::unique_ptr<Corrector<Real>> smooth_;
};

}  // namespace

template <class Real>
std::unique_ptr<Corrector<Real>> lp_corrector(const Ball& ball, Index memory) {
    return std::make_unique<LpCorrector<Real>>(ball, memory);
}

template std::unique_ptr<Corrector<float>> lp_corrector(const Ball&, Index);
template std::unique_ptr<Corrector<double>> lp_corrector(const Ball&, Index);

}  // namespace alfcg
