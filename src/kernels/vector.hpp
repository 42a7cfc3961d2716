#pragma once

#include <span>

#include "alfcg/core/matrix.hpp"

/// Updates and inner products of long arrays. Sums are kept in double whatever the entries are.
namespace alfcg::kernels {

/// y = a x + b y.
void axpby(Index n, double a, const float* x, double b, float* y);
void axpby(Index n, double a, const double* x, double b, double* y);

/// y = a x, whatever y holds; x may be y.
void scale_to(Index n, double a, const float* x, float* y);
void scale_to(Index n, double a, const double* x, double* y);

/// to = x - y.
void subtract(Index n, const float* x, const float* y, float* to);
void subtract(Index n, const double* x, const double* y, double* to);

/// Σ (x - y)².
double distance_squared(Index n, const float* x, const float* y);
double distance_squared(Index n, const double* x, const double* y);

/// What a step needs to know about the direction d = v - x: <g, d> and ‖d‖².
struct Direction {
    double slope = 0;
    double length_squared = 0;
};

/// The direction from x to s·v, all of n entries; v may be null for the origin.
Direction direction(Index n, const float* gradient, const float* x, double s, const float* v);
Direction direction(Index n, const double* gradient, const double* x, double s, const double* v);

/// x += step (s v - x); v may be null for the origin. A step of 1 lands on the vertex exactly.
void move_towards(Index n, double step, double s, const float* v, float* x);
void move_towards(Index n, double step, double s, const double* v, double* x);

/// How often a line of a matrix is taken.
struct LineFactor {
    Index line;
    double factor;
};
/// to = Σ factor · line, of the lines listed; lines have n columns.
void add_lines(Index n, std::span<const LineFactor> lines, const double* matrix, double* to);

}  // namespace alfcg::kernels
