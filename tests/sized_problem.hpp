#pragma once

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

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

/// The same with mostly empty rows: a quarter of sets of 16 features, drawn at random, is not zero in each, and some
/// rows are zero altogether.
inline reference::Problem drawing_problem(const std::string& loss, Eigen::Index rows, Eigen::Index features,
                                          int outputs, double scale) {
    auto problem = pixel_problem(loss, rows, features, outputs, scale);
    std::mt19937_64 random(7);
    std::vector<Eigen::Index> order(static_cast<std::size_t>(features));
    std::iota(order.begin(), order.end(), Eigen::Index{0});
    std::shuffle(order.begin(), order.end(), random);
    for (Eigen::Index i = 0; i < rows; ++i) {
        bool empty = true;
        for (std::size_t k = 0; k < order.size(); ++k) {
            if (k % 16 == 0) empty = i % 11 == 3 || random() % 4 != 0;
            if (empty) problem.X(i, order[k]) = 0;
        }
    }
    return problem;
}

/// Dense data are stored in one of these ways, depending on what they are.
enum class Entries { numbers, pixels, drawings };
constexpr Entries all_entries[] = {Entries::numbers, Entries::pixels, Entries::drawings};

inline reference::Problem problem_with(Entries entries, const std::string& loss, Eigen::Index rows,
                                       Eigen::Index features, int outputs) {
    if (entries == Entries::numbers) return sized_problem(loss, rows, features, outputs);
    const auto make = entries == Entries::pixels ? pixel_problem : drawing_problem;
    return make(loss, rows, features, outputs, 0.01);
}

}  // namespace alfcg
