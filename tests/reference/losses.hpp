// Losses of spec 6: per sample, then averaged over all rows or over a batch in which repeats count.
#pragma once

#include <algorithm>
#include <cmath>

#include "reference/problem.hpp"

namespace reference {

// The scores of row i: w_l . x_i for every output l.
inline Vector scores(const Problem& problem, const Matrix& x, Index i) {
    return x * problem.X.row(i).transpose();
}

// 1 / (1 + exp(u)); an overflowing exponential is infinite and the answer the right 0.
inline double falling_sigmoid(double u) {
    return 1.0 / (1.0 + std::exp(u));
}

// Value of the loss of sample i as a function of its scores z.
inline double sample_value(const Problem& problem, const Vector& z, Index i) {
    const auto k = static_cast<std::size_t>(i);
    if (problem.loss == "multinomial") {
        // log sum_l exp(z_l - z_y) = (z_top - z_y) + log(1 + sum_{l != top} exp(z_l - z_top)).
        Index top = 0;
        const double largest = z.maxCoeff(&top);
        double others = 0.0;
        for (Index l = 0; l < z.size(); ++l)
            if (l != top) others += std::exp(z(l) - largest);
        return (largest - z(problem.classes.at(k))) + std::log1p(others);
    }
    const double y = problem.targets.at(k);
    const double u = y * z(0);
    const double r = z(0) - y;
    const double parameter = problem.loss_parameter;
    if (problem.loss == "logistic") return std::max(-u, 0.0) + std::log1p(std::exp(-std::abs(u)));
    if (problem.loss == "squared") return 0.5 * r * r;
    if (problem.loss == "huber")
        return std::abs(r) <= parameter ? 0.5 * r * r : parameter * (std::abs(r) - 0.5 * parameter);
    if (problem.loss == "sigmoid") return falling_sigmoid(u);
    if (problem.loss == "welsch")
        return -0.5 * parameter * parameter * std::expm1(-r * r / (parameter * parameter));
    throw std::invalid_argument("reference: unknown loss " + problem.loss);
}

// Its derivative by the scores.
inline Vector sample_residual(const Problem& problem, const Vector& z, Index i) {
    const auto k = static_cast<std::size_t>(i);
    Vector residual = Vector::Zero(z.size());
    if (problem.loss == "multinomial") {
        const Index label = problem.classes.at(k);
        const double largest = z.maxCoeff();
        for (Index l = 0; l < z.size(); ++l) residual(l) = std::exp(z(l) - largest);
        residual /= residual.sum();
        // p_y - 1 = -(the sum of the others), which does not cancel.
        residual(label) = 0.0;
        residual(label) = -residual.sum();
        return residual;
    }
    const double y = problem.targets.at(k);
    const double u = y * z(0);
    const double r = z(0) - y;
    const double parameter = problem.loss_parameter;
    if (problem.loss == "logistic")
        residual(0) = -y * falling_sigmoid(u);
    else if (problem.loss == "squared")
        residual(0) = r;
    else if (problem.loss == "huber")
        residual(0) = std::clamp(r, -parameter, parameter);
    else if (problem.loss == "sigmoid")
        residual(0) = -y * falling_sigmoid(u) * falling_sigmoid(-u);
    else if (problem.loss == "welsch")
        residual(0) = r * std::exp(-r * r / (parameter * parameter));
    else
        throw std::invalid_argument("reference: unknown loss " + problem.loss);
    return residual;
}

inline Matrix sample_gradient(const Problem& problem, const Matrix& x, Index i) {
    return sample_residual(problem, scores(problem, x, i), i) * problem.X.row(i);
}

// Every row once, as a batch.
inline Draw all_rows(const Problem& problem) {
    Draw rows;
    for (Index i = 0; i < problem.rows(); ++i) rows.push_back(i);
    return rows;
}

// grad_B f(x), the mean over the batch.
inline Matrix batch_gradient(const Problem& problem, const Matrix& x, const Draw& batch) {
    Matrix sum = Matrix::Zero(x.rows(), x.cols());
    for (const auto i : batch) sum += sample_gradient(problem, x, static_cast<Index>(i));
    return sum / static_cast<double>(batch.size());
}

inline Matrix full_gradient(const Problem& problem, const Matrix& x) {
    return batch_gradient(problem, x, all_rows(problem));
}

// f(x)
inline double full_value(const Problem& problem, const Matrix& x) {
    double sum = 0.0;
    for (Index i = 0; i < problem.rows(); ++i) sum += sample_value(problem, scores(problem, x, i), i);
    return sum / static_cast<double>(problem.rows());
}

// Classes are the sorted distinct labels (multinomial); outputs is their number.
inline void set_classes(Problem& problem, const std::vector<double>& labels) {
    std::vector<double> distinct = labels;
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    problem.outputs = static_cast<int>(distinct.size());
    problem.classes.clear();
    for (const double label : labels)
        problem.classes.push_back(
            static_cast<int>(std::find(distinct.begin(), distinct.end(), label) - distinct.begin()));
}

// The smaller of two labels is -1 (logistic, sigmoid).
inline void set_signs(Problem& problem, const std::vector<double>& labels) {
    const double smaller = *std::min_element(labels.begin(), labels.end());
    problem.outputs = 1;
    problem.targets.clear();
    for (const double label : labels) problem.targets.push_back(label == smaller ? -1.0 : 1.0);
}

// An upper bound of the Lipschitz constant of grad f, L = kappa sigma_max(X)^2 / N.
inline double smoothness(const Problem& problem) {
    double kappa = 1.0;  // squared, huber, welsch
    if (problem.loss == "multinomial") kappa = 0.5;
    if (problem.loss == "logistic") kappa = 0.25;
    if (problem.loss == "sigmoid") kappa = 1.0 / (6.0 * std::sqrt(3.0));
    const double top = Eigen::JacobiSVD<Matrix>(problem.X).singularValues()(0);
    return kappa * top * top / static_cast<double>(problem.rows());
}

}  // namespace reference
