#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <vector>

#include "alfcg/data/normalize.hpp"
#include "core/parallel.hpp"
#include "data/random_stream.hpp"
#include "data/row_access.hpp"

namespace alfcg {

namespace {

using Vector = Eigen::VectorXd;

// v -> AᵀA v or A Aᵀ v, whichever side is smaller, for A = scale * data, row i times the root of its weight. Rows are shared among the threads;
// each has a partial sum of its own, and the sums are added in the order of the threads.
template <class AnyFeatures>
class GramOperator {
  public:
    GramOperator(const AnyFeatures& features, std::span<const double> weights, Ranks* ranks, int threads)
        : features_(features),
          ranks_(ranks),
          threads_(threads),
          by_columns_(ranks != nullptr || features.cols() <= features.rows()) {
        for (const double weight : weights) roots_.push_back(std::sqrt(weight));
        double heaviest =
            roots_.empty() ? (weights.empty() ? 1 : 0) : *std::max_element(roots_.begin(), roots_.end());
        if (ranks_ != nullptr) {
            // A rank without rows has no weights either.
            if (features.rows() == 0) heaviest = 0;
            ranks_->largest(std::span(&heaviest, 1));
        }
        for (double& root : roots_) root /= heaviest;
        std::vector<double> largest(static_cast<std::size_t>(threads));
        parallel(threads, [&](int thread) {
            const auto [first, last] = range_of_part(features.rows(), thread, threads);
            double most = 0;
            for (Index i = first; i < last; ++i) most = std::max(most, row_maximum(features, i));
            largest[static_cast<std::size_t>(thread)] = most;
        });
        double most = *std::max_element(largest.begin(), largest.end());
        if (ranks_ != nullptr) ranks_->largest(std::span(&most, 1));
        // A power of two near 1 / largest entry: squares of any data then stay within range.
        scale_ = most > 0 ? std::ldexp(1.0, -std::clamp(std::ilogb(most), -1000, 1000)) : 0;
        divisor_ = scale_ / heaviest;
        partial_.resize(static_cast<std::size_t>(threads));
    }

    // What a singular value is to be divided by; 0 when all the data are.
    [[nodiscard]] double scale() const { return divisor_; }
    [[nodiscard]] Index size() const { return by_columns_ ? features_.cols() : features_.rows(); }

    // The scale goes to the vectors before they meet the data: no product then leaves the range of a double.
    void apply(const Vector& in, Vector& out) {
        scaled_ = scale_ * in;
        if (by_columns_) {
            add_rows(
                [&](Index i) { return root(i) * root(i) * scale_ * row_dot(features_, i, scaled_.data()); },
                out);
            return;
        }
        add_rows([&](Index i) { return root(i) * scaled_[i]; }, middle_);
        middle_ *= scale_;
        out.resize(features_.rows());
        parallel(threads_, [&](int thread) {
            const auto [first, last] = range_of_part(features_.rows(), thread, threads_);
            for (Index i = first; i < last; ++i) out[i] = root(i) * row_dot(features_, i, middle_.data());
        });
    }

  private:
    [[nodiscard]] double root(Index i) const {
        return roots_.empty() ? 1 : roots_[static_cast<std::size_t>(i)];
    }

    // sum = Σ_i factor(i) row_i
    template <class Factor>
    void add_rows(const Factor& factor, Vector& sum) {
        const Index cols = features_.cols();
        parallel(threads_, [&](int thread) {
            Vector& mine = partial_[static_cast<std::size_t>(thread)];
            mine.setZero(cols);
            const auto [first, last] = range_of_part(features_.rows(), thread, threads_);
            for (Index i = first; i < last; ++i) row_add(features_, i, factor(i), mine.data());
        });
        sum = partial_.front();
        for (std::size_t thread = 1; thread < partial_.size(); ++thread) sum += partial_[thread];
        sum_over(ranks_, std::span(sum.data(), static_cast<std::size_t>(sum.size())));
    }

    const AnyFeatures& features_;
    Ranks* ranks_;
    int threads_;
    bool by_columns_;
    std::vector<double> roots_;  // of the weights over the largest; empty: all are 1
    double scale_ = 0;
    double divisor_ = 0;
    std::vector<Vector> partial_;
    Vector scaled_;
    Vector middle_;
};

// Largest eigenvalue of a positive semidefinite operator by the Lanczos method with full reorthogonalisation,
// restarted from the best vector when the basis is full.
template <class Operator>
double largest_eigenvalue(Operator& op) {
    constexpr double tolerance = 1e-11;
    constexpr Index most_steps = 2000;
    constexpr double basis_bytes = 1e9;
    const Index n = op.size();
    const auto affordable = static_cast<Index>(basis_bytes / 8 / static_cast<double>(n));
    const Index most_vectors = std::min(n, std::clamp<Index>(affordable, 20, 300));

    Eigen::MatrixXd basis(n, most_vectors);
    Vector start(n);
    RandomStream stream(0, 0);  // fixed: the answer is a function of the data
    for (double& entry : start) entry = stream.normal_pair().first;
    Vector next;
    Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> ritz;
    double best = 0;
    for (Index steps = 0; steps < most_steps;) {
        Vector diagonal(most_vectors);
        Vector off_diagonal(most_vectors);
        basis.col(0) = start.normalized();
        for (Index k = 1; k <= most_vectors; ++k) {
            ++steps;
            op.apply(basis.col(k - 1), next);
            diagonal[k - 1] = basis.col(k - 1).dot(next);
            const auto span = basis.leftCols(k);
            for (int pass = 0; pass < 2; ++pass) next -= span * (span.transpose() * next).eval();
            const double beta = next.norm();
            off_diagonal[k - 1] = beta;
            const bool full = k == most_vectors || steps >= most_steps;
            // Past the first steps the small eigenproblem is solved only now and then.
            if (!full && k > 16 && k % 4 != 0 && beta > tolerance * best) {
                basis.col(k) = next / beta;
                continue;
            }
            ritz.computeFromTridiagonal(diagonal.head(k), off_diagonal.head(k - 1));
            best = ritz.eigenvalues()[k - 1];
            const double residual = beta * std::abs(ritz.eigenvectors()(k - 1, k - 1));
            // The Ritz value is off by at most the residual, and by about residual² / gap once the gap shows.
            const double gap = k > 1 ? best - ritz.eigenvalues()[k - 2] : 0;
            const double error = gap > 0 ? std::min(residual, 10 * residual * residual / gap) : residual;
            if (error <= tolerance * best || k == n) return best;
            if (full) {
                start = span * ritz.eigenvectors().col(k - 1);
                break;
            }
            basis.col(k) = next / beta;
        }
    }
    return best;
}

}  // namespace

template <class Real>
double largest_singular_value(const Features<Real>& features, int threads, std::span<const double> weights,
                              Ranks* ranks) {
    return std::visit(
        [&](const auto& f) {
            if ((f.rows() == 0 && ranks == nullptr) || f.cols() == 0) return 0.0;
            GramOperator op(f, weights, ranks, useful_threads(f, resolve_threads(threads)));
            if (op.scale() == 0) return 0.0;
            return std::sqrt(std::max(0.0, largest_eigenvalue(op))) / op.scale();
        },
        features);
}

template double largest_singular_value(const Features<float>& features, int threads,
                                       std::span<const double> weights, Ranks* ranks);
template double largest_singular_value(const Features<double>& features, int threads,
                                       std::span<const double> weights, Ranks* ranks);

}  // namespace alfcg
