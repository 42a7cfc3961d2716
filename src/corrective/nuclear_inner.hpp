#pragma once

#include "alfcg/solve/method.hpp"
#include "corrective/nuclear_descent.hpp"

namespace alfcg::nuclear {

/// What inner steps have found out, for the next ones.
struct Knowledge {
    double curvature = 0;  // of f; 0: not known
    Sketch sketch;
    int sketch_age = 0;  // steps since it was made
    int looks = 0;       // at second derivatives, since then
};

/// How far inner steps go: until the gap of the model is this share of what it was, or they have cost so many passes.
struct Effort {
    double gap_share = 0.05;
    double passes = 1;
    double stiffness = 0;  // see Smooth::stiffen
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

/// Goes down from s in the part's space, with weight · f, whose slope at s is `slopes`, where there are some.
template <class Real>
Found<Real> go_down(Part<Real>& part, const Ball& ball, double weight, const Matrix<Real>& s,
                    const Matrix<Real>* slopes, const Effort& effort, Knowledge& knowledge);

/// A step of the move along which f + h goes down, h being no more than what lies between both ends; false where there is none. `slope`: of
/// f along the way.
template <class Real>
bool search_line(Run<Real>& run, const Proposal<Real>& seen, const Move<Real>& move, double slope,
                 double& step);

}  // namespace alfcg::nuclear
