#pragma once

#include <memory>

#include "alfcg/objective/part.hpp"
#include "corrective/corrector.hpp"

namespace alfcg {

/// How far inner steps go: until the gap of the model is this share of what it was, or they have cost so many passes.
struct Effort {
    double gap_share = 0.05;
    double passes = 1;
    double stiffness =
        0;  // of second derivatives, as a share of their mean: a sample knows nothing about what is not in it
};

/// Where inner steps have led.
template <class Real>
struct Found {
    Matrix<Real> s;
    double composite = 0;  // h there
    double bend =
        0;  // how much steeper the model is there than where it started, along the way without what is free
    double passes = 0;  // what they have cost
};

/// Inner steps on a sample of the rows.
template <class Real>
class SampleDescent {
  public:
    virtual ~SampleDescent() = default;
    /// Goes down from s in the part's space, with weight · f, tilted so that its slope at s is `slopes`.
    virtual Found<Real> go_down(Part<Real>& part, double weight, const Matrix<Real>& s,
                                const Matrix<Real>& slopes, const Effort& effort) = 0;
    /// What it remembers, for checkpoints.
    virtual void archive(Archive& state) = 0;
};

/// Whether the objective has so many rows that a sample of them knows how f bends.
template <class Real>
bool has_many_rows(const Objective<Real>& objective);

/// Newton's method in all of the space on f as a sample of its rows tells it, tilted so that its slope at x is the true one: where rows are
/// many, a few of them know how f bends. What a step has shown of the true curvature goes into the next model, and samples grow when they
/// mislead. `memory`: bytes that may be kept of a sample. `eases`: where steps gain little, models become less stiff.
template <class Real>
std::unique_ptr<Corrector<Real>> on_samples(std::unique_ptr<SampleDescent<Real>> inner, Index memory,
                                            bool eases = false);

/// Rows that the first samples have: this share of all, and no fewer than so many.
constexpr double first_sample_share = 0.05;
constexpr Index least_sample_rows = 512;
/// From this share on, all rows are looked at: passes over them are faster than over rows drawn.
constexpr double most_sample_share = 0.3;

/// With columns of zeros at the end.
template <class Real>
Matrix<Real> widened(const Matrix<Real>& m, Index cols);

}  // namespace alfcg
