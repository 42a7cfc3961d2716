#include "alfcg/method/solve.hpp"

#include "method/table.hpp"

namespace alfcg {

template <class Real>
Solution<Real> solve(Objective<Real>& objective, Region<Real>& region, const Options& options,
                     const std::type_identity_t<Observer<Real>>& observer, const Matrix<Real>* x0) {
    options.verify();
    const MethodRow& row = find_method(options.method);
    const Parameters parameters = resolve(row.name, row.parameters, options.parameters, objective.samples());
    Batches batches(objective.samples(), options.seed, options.batches ? &*options.batches : nullptr,
                    options.on_draw);
    const auto method = row.make(MethodParts<Real>{objective, batches, parameters, options.parameters});
    Solution<Real> solution{solve(objective, region, *method, options, observer, x0), parameters};
    if (solution.scale) solution.parameters.set("rho", *solution.scale);
    return solution;
}

template Solution<float> solve(Objective<float>&, Region<float>&, const Options&, const Observer<float>&,
                               const Matrix<float>*);
template Solution<double> solve(Objective<double>&, Region<double>&, const Options&, const Observer<double>&,
                                const Matrix<double>*);

}  // namespace alfcg
