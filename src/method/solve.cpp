#include "alfcg/method/solve.hpp"

#include "method/table.hpp"

namespace alfcg {

template <class Real>
MethodChoice choose_method(const Region<Real>& region, const Options& options) {
    if (options.method != automatic_method) return {options.method, {}};
    const auto ball = region.ball();
    if (!options.parameters.empty() || !ball) return {std::string(fallback_method), "general"};
    if (ball->norm == Ball::Norm::nuclear) return {"alfcg-c", "low-rank"};
    if (ball->p == 1) return {"alfcg-c", "sparse"};
    return {std::string(fallback_method), "general"};
}

template <class Real>
Solution<Real> solve(Objective<Real>& objective, Region<Real>& region, const Options& options,
                     const std::type_identity_t<Observer<Real>>& observer, const Matrix<Real>* x0) {
    options.verify();
    const MethodRow& row = find_method(choose_method(region, options).name);
    const Parameters parameters = resolve(row.name, row.parameters, options.parameters, objective.samples());
    Batches batches(objective.samples(), options.seed, options.batches ? &*options.batches : nullptr,
                    options.on_draw);
    const auto method = row.make(MethodParts<Real>{objective, batches, parameters, options.parameters});
    Solution<Real> solution{solve(objective, region, *method, options, observer, x0), std::string(row.name),
                            parameters};
    if (solution.scale) solution.parameters.set("rho", *solution.scale);
    return solution;
}

template MethodChoice choose_method(const Region<float>&, const Options&);
template MethodChoice choose_method(const Region<double>&, const Options&);
template Solution<float> solve(Objective<float>&, Region<float>&, const Options&, const Observer<float>&,
                               const Matrix<float>*);
template Solution<double> solve(Objective<double>&, Region<double>&, const Options&, const Observer<double>&,
                                const Matrix<double>*);

}  // namespace alfcg
