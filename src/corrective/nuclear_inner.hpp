#pragma once

#include "corrective/nuclear_descent.hpp"
#include "corrective/on_samples.hpp"

namespace alfcg::nuclear {

/// What inner steps have found out, for the next ones.
struct Knowledge {
    double curvature = 0;  // of f; 0: not known
    Sketch sketch;
    int sketch_age = 0;  // steps since it was made
    int looks = 0;       // at second derivatives, since then

    void archive(Archive& state) { state(curvature, sketch, sketch_age, looks); }
};

/// Goes down from s in the part's space, with weight · f, whose slope at s is `slopes`, where there are some.
template <class Real>
Found<Real> go_down(Part<Real>& part, const Ball& ball, double weight, const Matrix<Real>& s,
                    const Matrix<Real>* slopes, const Effort& effort, Knowledge& knowledge);

}  // namespace alfcg::nuclear
