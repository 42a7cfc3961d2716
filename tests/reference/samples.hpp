// Small problems for the tests of the reference, and for comparing it with the library.
#pragma once

#include <random>
#include <utility>

#include "reference/losses.hpp"

namespace reference {

inline Matrix gaussian(Index rows, Index columns, unsigned seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    Matrix answer(rows, columns);
    for (Index i = 0; i < rows; ++i)
        for (Index j = 0; j < columns; ++j) answer(i, j) = normal(random);
    return answer;
}

inline Problem random_problem(const std::string& loss, Index rows = 23, Index features = 6) {
    Problem problem;
    problem.X = gaussian(rows, features, 1);
    problem.loss = loss;
    const Matrix noise = gaussian(rows, 1, 2);
    std::vector<double> labels;
    for (Index i = 0; i < rows; ++i) {
        const double score = problem.X.row(i).sum() + noise(i, 0);
        if (loss == "multinomial")
            labels.push_back(static_cast<double>(i % 4) + (score > 0 ? 1.0 : 0.0));
        else if (loss == "logistic" || loss == "sigmoid")
            labels.push_back(score > 0 ? 3.0 : -7.0);
        else
            problem.targets.push_back(score);
    }
    if (loss == "multinomial") set_classes(problem, labels);
    if (loss == "logistic" || loss == "sigmoid") set_signs(problem, labels);
    return problem;
}

// f(x) = (1/N) sum (x - y_i)^2 / 2 over [-1, 1]: every component gradient is x - y_i.
inline Problem line_problem(std::vector<double> targets) {
    Problem problem;
    problem.X = Matrix::Ones(static_cast<Index>(targets.size()), 1);
    problem.targets = std::move(targets);
    problem.loss = "squared";
    return problem;
}

}  // namespace reference
