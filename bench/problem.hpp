#pragma once

#include <string>

#include "alfcg/alfcg.hpp"
#include "arguments.hpp"
#include "case.hpp"

namespace alfcg::bench {

/// Data with its targets for the multinomial loss, from the settings `data`, `data-dir`, `classes`, `features`
/// and `threads`.
template <class Real>
struct Problem {
    explicit Problem(Arguments& arguments);

    [[nodiscard]] std::unique_ptr<Objective<Real>> objective(int with_threads) const {
        return linear_objective(data.features, targets, LossSpec{}, with_threads);
    }
    /// Sizes, bytes of the features, and operations of one full gradient.
    [[nodiscard]] nlohmann::json facts() const;
    /// Features and classes as .npy files.
    void dump(const std::string& folder) const;

    int threads;
    Dataset<Real> data;
    Targets targets;
};

/// A point of no special structure, scaled by `size`; the same for the same arguments.
template <class Real>
Matrix<Real> some_point(Shape shape, double size, int number);

}  // namespace alfcg::bench
