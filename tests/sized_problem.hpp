#pragma once

#include <random>
#include <string>

#include "reference/problem.hpp"
#include "reference/samples.hpp"

namespace alfcg {

/// A problem of any size with labels at random: `outputs` classes for multinomial, half of the entries zero so that
/// sparse data are sparse.
inline reference::Problem sized_problem(const std::string& loss, Eigen::Index rows, Eigen::Index features,
                                        int outputs) {
    reference::Problem problem;
    problem.loss = loss;
    problem.loss_parameter = loss == "huber" ? 0.7 : 1.3;
    problem.X = reference::gaussian(rows, features, 3);
    std::mt19937_64 random(5);
    for (Eigen::Index i = 0; i < rows; ++i)
        for (Eigen::Index j = 0; j < features; ++j)
            if (random() % 2 == 0) problem.X(i, j) = 0;
    const reference::Matrix noise = reference::gaussian(rows, 1, 4);
    for (Eigen::Index i = 0; i < rows; ++i) {
        if (loss == "multinomial") {
            problem.classes.push_back(static_cast<int>(random() % static_cast<unsigned>(outputs)));
        } else if (loss == "logistic" || loss == "sigmoid") {
            problem.targets.push_back(random() % 2 == 0 ? -1 : 1);
        } else {
            problem.targets.push_back(noise(i, 0));
        }
    }
    problem.outputs = loss == "multinomial" ? outputs : 1;
    return problem;
}

/// The same with whole multiples, 0 to 255, of `scale` for entries, both ends among them in every row.
inline reference::Problem pixel_problem(const std::string& loss, Eigen::Index rows, Eigen::Index features,
                                        int outputs, double scale) {
    auto problem = sized_problem(loss, rows, features, outputs);
    std::mt19937_64 random(6);
    for (Eigen::Index i = 0; i < rows; ++i) {
        for (Eigen::Index j = 0; j < features; ++j)
            if (problem.X(i, j) != 0) problem.X(i, j) = scale * static_cast<double>(random() % 256);
        problem.X(i, i % features) = scale * 255;
    }
    return problem;
}

}  // namespace alfcg
