#pragma once

#include "alfcg/objective/part.hpp"
#include "alfcg/region/region.hpp"
#include "corrective/nuclear_point.hpp"
#include "corrective/sketch.hpp"

namespace alfcg::faces {

/// What a descent moves about: the matrix that the ball is about, no taller than wide, and columns that nothing constrains.
struct Point {
    Dense w;
    Dense free;
};
double dot(const Point& a, const Point& b);

/// g(S) = weight · f(S) + <tilt, S> + (square / 2) ‖S‖², f as a part has it. Makes points of matrices and matrices of points.
template <class Real>
class Smooth {
  public:
    /// `short_first`: points are to be no taller than wide.
    Smooth(Part<Real>& part, double weight, double square, bool short_first);

    [[nodiscard]] Point point(const Matrix<Real>& s) const;
    [[nodiscard]] Point gradient(const Matrix<Real>& at_s) const;
    void write(const Point& point, Matrix<Real>& s) const;
    /// From now on what is free of a point is not the intercept, but what it is for the mean of the features, in units in which it bends by
    /// `curvature`: w does not pull at it then. To be called where the part was evaluated last.
    void centre(double curvature);

    /// Chooses the tilt so that the gradient at this point is the one wanted, the square's not counted. Returns g there, and its
    /// gradient.
    double tilt(const Point& at, const Point& wanted, Point& gradient);
    double evaluate(const Point& at, Point& gradient);
    void curve(const Point& d, Point& product);
    /// The mean of f's second derivatives where it was evaluated last, roughly.
    [[nodiscard]] double mean_bend();
    /// From now on second derivatives have this share of their mean more everywhere: a sample knows nothing about what is not in it.
    void stiffen(double share) { stiffness_ = share > 0 ? share * mean_bend() : 0; }
    [[nodiscard]] Index calls() const { return calls_; }
    [[nodiscard]] double weight() const { return weight_; }
    [[nodiscard]] bool turned() const { return turned_; }
    /// What the intercept is of a point's free part.
    [[nodiscard]] double free_unit() const { return unit_; }

  private:
    using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    [[nodiscard]] Rows rows_of(const Matrix<Real>& s) const;
    [[nodiscard]] Point split(const Rows& rows) const;

    Part<Real>& part_;
    double weight_;
    double square_;
    double stiffness_ = 0;
    bool turned_;  // S is taller than wide without its free columns
    Index free_;
    Eigen::RowVectorXd mean_;  // of the features; empty: taken to be zero
    double unit_ = 1;
    Point tilt_;
    Matrix<Real> s_;
    Matrix<Real> result_;
    Index calls_ = 0;
};

/// Goes down g + h over the ball of a norm, h = λ‖·‖: projected steps find the face that the minimum lies on and what the norm costs,
/// Newton steps on that face, by conjugate gradients, do the rest.
template <class Real, class Norm>
class Descent {
  public:
    /// `curvature`: of g, as far as known; 0: not at all. `sketch`: how f bends; may be empty.
    Descent(Smooth<Real>& smooth, Norm& norm, double radius, double cost, const Sketch& sketch,
            double curvature)
        : smooth_(smooth),
          norm_(norm),
          radius_(radius),
          cost_(cost),
          sketch_(sketch),
          curvature_(curvature) {}

    /// From a point where g has just been evaluated.
    void start(Point at, double value, Point gradient);
    /// Each says whether it has led to another point, where g + h is no higher, to rounding.
    /// More projected steps than `count` are made as long as each leaves less than a share `fast` of the gap; none where the gap is small
    /// enough.
    bool projected_steps(int count, double fast, double enough);
    bool newton_step(int most);

    [[nodiscard]] const Point& at() const { return at_; }
    [[nodiscard]] const Point& gradient() const { return gradient_; }  // of g
    [[nodiscard]] double length() const { return length_; }            // ‖w‖
    [[nodiscard]] double curvature() const { return curvature_; }
    /// Second derivatives that the last Newton step looked at.
    [[nodiscard]] int looks() const { return looks_; }
    /// How far g + h may be above its minimum over the ball, and what a step in the free columns promises.
    [[nodiscard]] double gap() const { return gap(at_, gradient_, length_); }

  private:
    using State = typename Norm::State;
    [[nodiscard]] double gap(const Point& at, const Point& gradient, double length) const;
    [[nodiscard]] bool rises(double value) const;  // of g + h
    // Calls of the part look from here again.
    void return_here();
    void find_curvature();
    struct Way {
        Point d;
        double promise = 0;          // what g + h is to lose
        typename Norm::Shape shape;  // that is to stay
    };
    [[nodiscard]] Way newton_way(int most);
    void take(Point& to, Point& gradient, State& state, double value);

    Smooth<Real>& smooth_;
    Norm& norm_;
    double radius_;
    double cost_;  // λ
    const Sketch& sketch_;
    double curvature_;
    int looks_ = 0;
    Point at_;
    Point gradient_;
    State state_;
    double length_ = 0;
    double value_ = 0;  // g
    bool elsewhere_ = false;
};

}  // namespace alfcg::faces
