#include <Eigen/Core>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <numeric>

#include "region/group_norms.hpp"

// Ω(x) = min over λ > 0 of ½ Σ_j x_j² / s_j + ½ Σ_g w_g² λ_g with s_j = Σ_{g∋j} λ_g: at the minimum λ_g = ‖z_g‖ / w_g, and
// z_gj = x_j λ_g / s_j. For every λ these z add up to x, so that Σ w_g ‖z_g‖ is an upper bound, and y_j = x_j / s_j, shortened until
// ‖y_g‖ ≤ w_g for all groups, gives a lower one, <x, y>. An entry of x counts with its square alone: outputs are summed up first.
namespace alfcg::region {
namespace {

/// The part of the problem in which groups overlap where x is not zero.
class LatentProblem {
  public:
    struct Bounds {
        double lower = 0;
        double upper = 0;
    };

    void add_group(double weight) { weights_.push_back(weight); }
    /// A feature with its square and the groups that it is in.
    void add_feature(double square, const std::vector<int>& groups) {
        for (const int group : groups) incidence_.emplace_back(static_cast<int>(squares_.size()), group, 1.0);
        squares_.push_back(square);
    }
    [[nodiscard]] bool empty() const { return weights_.empty(); }

    /// An interior point method: Newton's on ½ Σ q/s + ½ Σ w²λ − ε Σ log λ, for smaller and smaller ε.
    Bounds solve() {
        const auto groups = static_cast<Index>(weights_.size());
        const auto features = static_cast<Index>(squares_.size());
        Eigen::SparseMatrix<double> member(features, groups);
        member.setFromTriplets(incidence_.begin(), incidence_.end());
        transposed_ = member.transpose();
        member_ = member;
        q_ = Eigen::Map<const Eigen::ArrayXd>(squares_.data(), features);
        w_ = Eigen::Map<const Eigen::ArrayXd>(weights_.data(), groups);
        // As if every group stood alone: too much together, but of the right size.
        Eigen::ArrayXd lambda = (transposed_ * q_.matrix()).array().sqrt() / w_;
        bool analyzed = false;
        Bounds best = bounds(lambda);
        const double count = static_cast<double>(groups);
        for (double barrier = best.upper / count; best.upper - best.lower > 1e-14 * best.upper;
             barrier *= 0.1) {
            if (barrier * count < 1e-16 * best.upper) break;
            for (int step = 0; step < 50; ++step) {
                const Eigen::ArrayXd s = (member_ * lambda.matrix()).array();
                const Eigen::VectorXd slope =
                    0.5 * (w_.square() - (transposed_ * (q_ / s.square()).matrix()).array()) -
                    barrier / lambda;
                Eigen::SparseMatrix<double> hessian =
                    transposed_ * (q_ / s.cube()).matrix().asDiagonal() * member_;
                hessian.diagonal().array() += barrier / lambda.square();
                if (!analyzed) solver_.analyzePattern(hessian);
                analyzed = true;
                solver_.factorize(hessian);
                if (solver_.info() != Eigen::Success) return best;
                const Eigen::ArrayXd direction = -solver_.solve(slope).array();
                const double decrease = -slope.dot(direction.matrix());
                if (!(decrease > 1e-3 * barrier)) break;  // near enough to the central path
                lambda = advanced(lambda, direction, decrease, barrier);
            }
            const Bounds now = bounds(lambda);
            best.upper = std::min(best.upper, now.upper);
            best.lower = std::max(best.lower, now.lower);
        }
        return best;
    }

  private:
    [[nodiscard]] Bounds bounds(const Eigen::ArrayXd& lambda) const {
        const Eigen::ArrayXd s = (member_ * lambda.matrix()).array();
        const Eigen::ArrayXd lengths = (transposed_ * (q_ / s.square()).matrix()).array().sqrt();
        return {(q_ / s).sum() / (lengths / w_).maxCoeff(), (w_ * lambda * lengths).sum()};
    }

    [[nodiscard]] double value(const Eigen::ArrayXd& lambda, double barrier) const {
        const Eigen::ArrayXd s = (member_ * lambda.matrix()).array();
        return 0.5 * ((q_ / s).sum() + (w_.square() * lambda).sum()) - barrier * lambda.log().sum();
    }

    /// As far along the direction as stays positive and brings the value down.
    [[nodiscard]] Eigen::ArrayXd advanced(const Eigen::ArrayXd& lambda, const Eigen::ArrayXd& direction,
                                          double decrease, double barrier) const {
        const double shrinking = (-direction / lambda).maxCoeff();
        double step = shrinking > 0.95 ? 0.95 / shrinking : 1;
        const double here = value(lambda, barrier);
        for (int halvings = 0; halvings < 40; ++halvings, step /= 2) {
            const Eigen::ArrayXd there = lambda + step * direction;
            // Below rounding nothing can be told, and a whole step is right.
            if (value(there, barrier) <= here - 0.1 * step * decrease + 1e-15 * here) return there;
        }
        return lambda;
    }

    std::vector<double> weights_;
    std::vector<double> squares_;
    std::vector<Eigen::Triplet<double>> incidence_;
    Eigen::SparseMatrix<double> member_;      // features x groups
    Eigen::SparseMatrix<double> transposed_;  // and the other way round
    Eigen::ArrayXd q_;
    Eigen::ArrayXd w_;
    Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> solver_;
};

}  // namespace

template <class Real>
double LatentNorm::norm(const GroupMap& map, const Matrix<Real>& x, const Sizes& sizes, int threads) {
    if (!map.listed()) return lengths_.norm(map, x, sizes, threads);
    const Shape shape = map.shape();
    std::vector<double> squares(static_cast<std::size_t>(shape.cols));
    for (Index i = 0; i < shape.rows; ++i)
        for (Index j = 0; j < shape.cols; ++j) {
            const double a = sizes(static_cast<double>(x(i, j)));
            squares[static_cast<std::size_t>(j)] += a * a;
        }
    std::vector<std::vector<int>> owners(squares.size());  // groups of features that are not zero
    for (Index group = 0; group < map.count(); ++group)
        map.each_feature(group, [&](Index j) {
            const auto feature = static_cast<std::size_t>(j);
            if (squares[feature] > 0) owners[feature].push_back(static_cast<int>(group));
        });
    // Groups that share none of these features stand alone, and are measured as they are.
    std::vector<int> number(static_cast<std::size_t>(map.count()),
                            -1);  // in the problem of those that do share
    LatentProblem problem;
    int next = 0;
    for (const auto& groups : owners)
        for (const int group : groups)
            if (int& mine = number[static_cast<std::size_t>(group)]; groups.size() > 1 && mine < 0) {
                mine = next++;
                problem.add_group(map.weight(group));
            }
    std::vector<double> alone(number.size());
    std::vector<int> members;
    for (std::size_t j = 0; j < owners.size(); ++j) {
        members.clear();
        for (const int group : owners[j]) {
            const int mine = number[static_cast<std::size_t>(group)];
            if (mine >= 0)
                members.push_back(mine);
            else
                alone[static_cast<std::size_t>(group)] += squares[j];
        }
        if (!members.empty()) problem.add_feature(squares[j], members);
    }
    double sum = problem.empty() ? 0 : problem.solve().upper;
    for (std::size_t group = 0; group < alone.size(); ++group)
        sum += map.weight(static_cast<Index>(group)) * std::sqrt(alone[group]);
    return sum;
}

template double LatentNorm::norm(const GroupMap&, const Matrix<float>&, const Sizes&, int);
template double LatentNorm::norm(const GroupMap&, const Matrix<double>&, const Sizes&, int);

}  // namespace alfcg::region
