// The reference: a second, slow and obvious implementation of what alfcg computes, for the tests only.
//
// It was written from the text of the specification alone ("spec n" below is its section n) and from the
// command line's contract (the trace and the order in which batches are drawn); it shares no code with the
// library and includes none of its headers. Every formula is written the way the page has it: dense double
// matrices, one sample after the other, full singular value decompositions, sums and maxima recomputed from
// the stored history instead of being carried along. Nothing here is meant to be fast.
//
//   problem.hpp     what is minimised (spec 1), what a trace row holds
//   losses.hpp      spec 6, and the mean over all rows or over a batch
//   normalise.hpp   spec 7
//   oracles.hpp     spec 5: LMO(g), the term h, the diameter
//   estimators.hpp  spec 3 and the drawing of batches
//   methods.hpp     spec 2 and 4: the table of methods, the accumulator, the step rules
//   solve.hpp       the loop of spec 2 and the trace
//   samples.hpp     small problems; self_test_methods.hpp: half of the reference's own tests
#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace reference {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Index = Eigen::Index;
using Draw = std::vector<std::int64_t>;  // the 0-based rows of one batch, with repeats

// minimise F(x) = f(x) + h(x) over x in X (spec 1); the variable is a matrix of outputs x features.
struct Problem {
    Matrix X = {};                     // N x d
    std::vector<int> classes = {};     // multinomial: 0 .. outputs-1
    std::vector<double> targets = {};  // logistic, sigmoid: -1 or +1; squared, huber, welsch: any number
    std::string loss = "multinomial";  // multinomial, logistic, squared, huber, sigmoid, welsch
    double loss_parameter = 1.0;       // huber: the threshold; welsch: the width sigma
    int outputs = 1;                   // c; 1 for every loss but multinomial
    std::string region = "lp";         // nuclear, lp, l1, l2, linf
    double p = 2.0;                    // for region lp, in [1, infinity]
    double radius = 1.0;
    double l1 = 0.0;  // h(x) = l1 ||x||_1 + (l2/2) ||x||_2^2 + nuclear ||x||_*
    double l2 = 0.0;
    double nuclear = 0.0;
    Matrix start = {};  // x_0; empty means 0

    Index rows() const { return X.rows(); }
    Index features() const { return X.cols(); }
    Matrix first_point() const {
        if (start.size() > 0) return start;
        return Matrix::Zero(outputs, features());
    }
};

// The exponent of an l_p region; the four names of the command line.
inline double exponent(const Problem& problem) {
    if (problem.region == "l1") return 1.0;
    if (problem.region == "l2") return 2.0;
    if (problem.region == "linf") return std::numeric_limits<double>::infinity();
    if (problem.region == "lp") return problem.p;
    throw std::invalid_argument("reference: not an l_p region: " + problem.region);
}

// <a, b> of two matrices.
inline double inner(const Matrix& a, const Matrix& b) {
    return a.cwiseProduct(b).sum();
}

// A row of the trace: row t describes x_t. The last row has x only, the optionals stay empty.
struct TraceRow {
    std::int64_t iteration = 0;
    double epochs = 0.0;     // component gradients used before g_t was formed, over N
    double objective = 0.0;  // F(x_t)
    double gap = 0.0;        // G(x_t) with the exact gradient
    std::optional<double> step = {};
    std::optional<double> curvature = {};  // L_t, where the method has one
    std::optional<double> alpha = {};      // alpha_t, where the method has one
    std::optional<double> error = {};      // ||g_t - grad f(x_t)||^2
    Matrix x = {};
    Matrix g = {};  // g_t, for tests of the estimators; empty in the last row
    Matrix v = {};  // v_t; empty in the last row and for fw-sliding, which has several
};

struct Outcome {
    std::vector<TraceRow> rows = {};        // iterations + 1
    std::int64_t function_evaluations = 0;  // values of f on all rows that the method itself asked for
    std::vector<Draw> draws = {};           // the batches used, in the order of drawing
};

}  // namespace reference
