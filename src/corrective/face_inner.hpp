#pragma once

#include <utility>

#include "corrective/face_descent.hpp"
#include "corrective/on_samples.hpp"

namespace alfcg::faces {

/// What inner steps have found out, for the next ones.
struct Knowledge {
    double curvature = 0;  // of f; 0: not known
    Sketch sketch;
    int sketch_age = 0;  // steps since it was made
    int looks = 0;       // at second derivatives, since then

    void archive(Archive& state) { state(curvature, sketch, sketch_age, looks); }
};

/// Goes down from s in the part's space, with weight · f, whose slope at s is `slopes`, where there are some.
template <class Real, class Norm>
Found<Real> go_down(Part<Real>& part, Norm& norm, const Ball& ball, double weight, const Matrix<Real>& s,
                    const Matrix<Real>* slopes, const Effort& effort, Knowledge& knowledge);

/// Such steps in all of the space on samples of the rows, with what the last ones have found out.
template <class Real, class Norm>
class StepsOnSamples final : public SampleDescent<Real> {
  public:
    StepsOnSamples(const Ball& ball, Norm norm) : ball_(ball), norm_(std::move(norm)) {}

    Found<Real> go_down(Part<Real>& part, double weight, const Matrix<Real>& s, const Matrix<Real>& slopes,
                        const Effort& effort) override {
        return faces::go_down(part, norm_, ball_, weight, s, &slopes, effort, knowledge_);
    }
    void archive(Archive& state) override { state(knowledge_); }

  private:
    Ball ball_;
    Norm norm_;
    Knowledge knowledge_;
};

/// Whether f bends along its slope at x no more than `most` times as much as it does in the mean, as far as a few of the rows tell: plain steps on all of f do as
/// well then as inner ones.
constexpr double evenly = 4;
template <class Real>
bool bends_evenly(Run<Real>& run, double most = evenly);

}  // namespace alfcg::faces
