#pragma once

#include <cmath>
#include <type_traits>
#include <vector>

#include "alfcg/objective/part.hpp"
#include "alfcg/region/region.hpp"
#include "corrective/l1_model.hpp"

namespace alfcg {

/// What the last steps have found to be right for the models of the next.
struct L1Trust {
    double stiffness = 0;
    double rows = 8;         // that a matrix of second derivatives is made of, for each of its columns
    double share = 0.5;      // of the part's gap: how exactly a model is minimised
    double damping = 0.1;    // of walks: curvatures are at least this share of the usual
    double multiplier = -1;  // of the ball, with l1; negative: not known
    bool slow = false;  // a model was not minimised within its products: a matrix may cost more than they do

    void archive(Archive& state) { state(stiffness, rows, share, damping, multiplier, slow); }
};

/// f + h on the columns in play, and where it has got to.
template <class Real>
class L1Part {
  public:
    L1Part(Part<Real>& part, const Ball& ball, L1Trust& trust)
        : part_(part), ball_(ball), trust_(trust), free_(part.free_columns()) {
        const Shape shape = part.shape();
        minds_.reserve(static_cast<std::size_t>(shape.size()));
        for (Index i = 0; i < shape.size(); ++i)
            minds_.push_back(i % shape.cols < shape.cols - free_ ? 0 : 1);
    }

    /// Looks from s on; where the last step led there, what it found there holds.
    void start(const Matrix<Real>& s);
    [[nodiscard]] double objective() const { return objective_; }
    [[nodiscard]] double value() const { return value_; }  // of f
    [[nodiscard]] double gap() const { return gap_; }
    [[nodiscard]] const Matrix<Real>& s() const { return s_; }
    [[nodiscard]] const Matrix<Real>& gradient() const { return gradient_; }  // of f
    /// Of the points that f cannot tell from s, the one with the least norm.
    [[nodiscard]] Matrix<Real> lightest() const;
    /// h.
    [[nodiscard]] double composite(const Matrix<Real>& s) const {
        double sum = 0;
        double squares = 0;
        for (Index i = 0; i < s.size(); ++i) {
            if (minds_[static_cast<std::size_t>(i)] != 0) continue;
            const auto entry = static_cast<double>(s.data()[i]);
            sum += std::abs(entry);
            squares += entry * entry;
        }
        return ball_.composite.l1 * sum + ball_.composite.l2 / 2 * squares;
    }
    [[nodiscard]] Index calls() const { return calls_; }
    [[nodiscard]] Index trials() const { return trials_; }
    /// A step to the minimum of the model there, on which so many times the usual effort may be spent; false where it leads nowhere.
    bool improve(int effort = 1);

    void archive(Archive& state) {
        state(s_, gradient_, diagonal_, matrix_, has_matrix_, exact_, made_here_, step_, steps_, evaluated_,
              slopes_);
        state(value_, objective_, gap_, calls_, trials_);
    }

  private:
    // h of the entries that count, and the gap of f + h.
    void look();
    [[nodiscard]] L1Model model(FunctionRef<void(const std::vector<double>&, std::vector<double>&)> curve);
    // The way to the minimum of the model; returns the slope along it.
    double aim_at_minimum(bool whole, int effort);
    // The minimum of the model whose matrix is at hand, by its way from zero.
    void follow(std::vector<double>& u);
    // Whether a matrix of second derivatives is at hand; made anew where the last one has not held.
    bool take_matrix();
    [[nodiscard]] double modelled(const Matrix<Real>& d) const;
    // After a step: is the matrix right for the next, and was it made of enough rows? `curvature` is f's own along the way, where the
    // step began.
    void judge_matrix(double curvature, const Matrix<Real>& gradient_before, double gap_before);
    bool search_line(double slope);
    // A whole step that promises less than values of f + h can tell: the gap tells whether it was right.
    bool refine();
    [[nodiscard]] Matrix<Real> after(double step) const;
    // Values of f + h differ by this for no reason.
    [[nodiscard]] double noise() const {
        return (std::is_same_v<Real, float> ? 1e-7 : 1e-14) * std::abs(objective_);
    }
    void adapt(double step);
    void adapt_damping(double gap_before);
    // A model that has told well what a step would bring is worth more effort the next time.
    void judge_model(double promised, double objective_before);

    Part<Real>& part_;
    const Ball& ball_;
    L1Trust& trust_;
    Index free_;
    std::vector<char> minds_;  // entries that no norm minds
    Matrix<Real> s_;
    Matrix<Real> gradient_;
    Matrix<Real> way_;
    Matrix<Real> product_;
    Matrix<double> diagonal_;
    Matrix<double> matrix_;
    bool has_matrix_ = false;
    bool exact_ = false;      // of all rows
    bool made_here_ = false;  // at this very point
    double step_ = 0;         // the last one's length
    int steps_ = 0;           // since the scores were made from the data
    bool evaluated_ = false;
    std::vector<double> slopes_;  // of f and the square of h
    double value_ = 0;
    double objective_ = 0;
    double gap_ = 0;
    Index calls_ = 0;
    Index trials_ = 0;
};

}  // namespace alfcg
