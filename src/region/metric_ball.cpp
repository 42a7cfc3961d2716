#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <cstring>
#include <fstream>
#include <span>

#include "alfcg/core/error.hpp"
#include "core/decompositions.hpp"
#include "core/npy.hpp"
#include "kernels/magnitudes.hpp"
#include "region/ellipsoid.hpp"
#include "region/settings.hpp"

namespace alfcg::region {
namespace {

using MetricMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Σ_i x_i M x_iᵀ ≤ radius² over the rows x_i, for a symmetric and positive definite M = L Lᵀ.
template <class Real>
class MetricBall final : public Region<Real> {
  public:
    MetricBall(const MetricMatrix& metric, Eigen::LLT<MetricMatrix> factor, double radius, double square)
        : metric_(metric), factor_(std::move(factor)), radius_(radius), square_(square) {}

    [[nodiscard]] std::string describe() const override {
        return fmt::format("ellipsoid of radius {}, {} x {} matrix{}", radius_, factor_.rows(),
                           factor_.rows(), region::describe(Composite{.l2 = square_}));
    }
    void check(Shape shape) const override {
        if (shape.cols != factor_.rows())
            throw QuantityError("metric", fmt::format("is a matrix of {} x {}, the data have {} features",
                                                      factor_.rows(), factor_.rows(), shape.cols));
    }

    /// v = −radius · M⁻¹g / √<g, M⁻¹g>.
    double minimize(const Matrix<Real>& gradient, double /*tolerance*/, bool /*certify*/,
                    Vertex<Real>& vertex) override {
        const double peak = kernels::largest_magnitude(gradient.data(), gradient.size());
        if (std::isnan(peak)) reject_gradient<Real>();
        vertex.shape = gradient.shape();
        vertex.composite = 0;
        vertex.kind = Vertex<Real>::Kind::zero;
        if (peak == 0) return 0;
        if (square_ > 0) {
            turn(gradient);
            turned_ball().minimize(turned_, 0, true, answer_);
            turn_back(vertex);
            return 0;
        }
        MetricMatrix solved = entries_of(gradient) / peak;
        factor_.matrixL().solveInPlace(solved);
        const double length = solved.norm();
        factor_.matrixU().solveInPlace(solved);
        solved *= -radius_ / length;
        vertex.kind = Vertex<Real>::Kind::dense;
        vertex.dense.reshape(gradient.shape());
        for (Index i = 0; i < gradient.rows(); ++i)
            for (Index j = 0; j < gradient.cols(); ++j) vertex.dense(i, j) = static_cast<Real>(solved(j, i));
        return 0;
    }

    /// With M = Q Λ Qᵀ, the rows of x Q are points of an ellipsoid with the axes Λ^{−½}: lengths stay.
    bool proximal(const Matrix<Real>& point, double weight, Vertex<Real>& nearest) override {
        if (std::isnan(kernels::largest_magnitude(point.data(), point.size()))) reject_gradient<Real>();
        nearest.shape = point.shape();
        turn(point);
        turned_ball().proximal(turned_, weight, answer_);
        turn_back(nearest);
        return true;
    }
    [[nodiscard]] bool has_proximal(Shape /*shape*/) const override { return true; }

    double composite(const Matrix<Real>& x) override {
        return square_ == 0 ? 0 : square_ / 2 * kernels::sums(x.data(), x.size()).squares;
    }
    /// The longest axis is the root of the largest eigenvalue of M⁻¹, which its Frobenius norm bounds.
    [[nodiscard]] double diameter(Shape /*shape*/) const override {
        const MetricMatrix inverse = factor_.solve(MetricMatrix::Identity(factor_.rows(), factor_.rows()));
        return 2 * radius_ * std::sqrt(inverse.norm());
    }
    double violation(const Matrix<Real>& x) override { return std::max(0.0, *norm(x) / radius_ - 1); }

    std::optional<double> norm(const Matrix<Real>& x) override {
        const double peak = kernels::largest_magnitude(x.data(), x.size());
        if (std::isnan(peak)) return std::numeric_limits<double>::infinity();
        if (peak == 0) return 0;
        const MetricMatrix scaled = entries_of(x) / peak;
        return peak * (factor_.matrixU() * scaled).norm();
    }

  private:
    // A row of x a column.
    template <class Entry>
    static MetricMatrix entries_of(const Matrix<Entry>& x) {
        MetricMatrix entries(x.cols(), x.rows());
        for (Index i = 0; i < x.rows(); ++i)
            for (Index j = 0; j < x.cols(); ++j) entries(j, i) = static_cast<double>(x(i, j));
        return entries;
    }

    /// Made when it is first needed.
    Region<double>& turned_ball() {
        if (!turned_ball_) {
            const SymmetricPairs found{Eigen::MatrixXd(metric_)};
            std::vector<double> axes;
            for (Index k = 0; k < metric_.rows(); ++k) axes.push_back(1 / std::sqrt(found.eigenvalues()[k]));
            vectors_ = found.eigenvectors();
            turned_ball_ = make_ellipsoid<double>({std::move(axes), 1}, radius_, Composite{.l2 = square_}, 1);
        }
        return *turned_ball_;
    }
    void turn(const Matrix<Real>& x) {
        turned_ball();
        const Eigen::MatrixXd rows = entries_of(x).transpose() * vectors_;
        turned_.reshape(x.shape());
        for (Index i = 0; i < x.rows(); ++i)
            for (Index j = 0; j < x.cols(); ++j) turned_(i, j) = rows(i, j);
    }
    void turn_back(Vertex<Real>& vertex) {
        vertex.kind = Vertex<Real>::Kind::dense;
        vertex.dense.reshape(vertex.shape);
        const Eigen::MatrixXd rows = entries_of(answer_.to_matrix()).transpose() * vectors_.transpose();
        for (Index i = 0; i < vertex.shape.rows; ++i)
            for (Index j = 0; j < vertex.shape.cols; ++j) vertex.dense(i, j) = static_cast<Real>(rows(i, j));
        vertex.composite = composite(vertex.dense);
    }

    MetricMatrix metric_;
    Eigen::LLT<MetricMatrix> factor_;
    double radius_;
    double square_;  // weight of ‖x‖²/2
    std::unique_ptr<Region<double>> turned_ball_;
    Eigen::MatrixXd vectors_;
    Matrix<double> turned_;
    Vertex<double> answer_;
};

}  // namespace

template <class Real>
std::unique_ptr<Region<Real>> make_ellipsoid(const Matrix<double>& metric, double radius,
                                             const Composite& composite, const std::string& source) {
    if (composite.l1 > 0)
        throw QuantityError(
            "l1", "has no oracle over an ellipsoid with a matrix (`metric`), which takes `l2` and `norm`");
    const MetricMatrix entries = Eigen::Map<const MetricMatrix>(metric.data(), metric.rows(), metric.cols());
    if (metric.rows() != metric.cols() || metric.rows() < 1)
        throw InputError(source, 0,
                         fmt::format("must be a square matrix, not {} x {}", metric.rows(), metric.cols()));
    if (!entries.allFinite()) throw InputError(source, 0, "an entry is not a finite number");
    if ((entries - entries.transpose()).norm() > 1e-6 * entries.norm())
        throw InputError(source, 0, "must be a symmetric matrix");
    Eigen::LLT<MetricMatrix> factor(entries);
    if (factor.info() != Eigen::Success)
        throw InputError(source, 0, "must be a positive definite matrix: its Cholesky factor does not exist");
    return std::make_unique<MetricBall<Real>>(entries, std::move(factor), radius, composite.l2);
}

Matrix<double> read_square_matrix(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw InputError(path, 0, "cannot be opened");
    const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const auto* first = reinterpret_cast<const unsigned char*>(bytes.data());
    const NpyHeader header = parse_npy_header({first, bytes.size()}, path);
    if (header.shape.size() != 2 || header.shape[0] != header.shape[1])
        throw InputError(path, 0, "must hold a square matrix");
    if (header.dtype != "<f8" && header.dtype != "<f4")
        throw InputError(path, 0, fmt::format("must hold floats, <f4 or <f8, not {}", header.dtype));
    const auto size = static_cast<std::size_t>(header.item_bytes());
    Matrix<double> matrix(header.shape[0], header.shape[1]);
    if (bytes.size() - header.header_bytes < matrix.span().size() * size)
        throw InputError(path, 0, "is cut short");
    for (std::size_t i = 0; i < matrix.span().size(); ++i) {  // symmetric: in either order
        const char* entry = bytes.data() + header.header_bytes + i * size;
        float single = 0;
        if (size == sizeof(single)) {
            std::memcpy(&single, entry, size);
            matrix.span()[i] = static_cast<double>(single);
        } else {
            std::memcpy(&matrix.span()[i], entry, size);
        }
    }
    return matrix;
}

template std::unique_ptr<Region<float>> make_ellipsoid(const Matrix<double>&, double, const Composite&,
                                                       const std::string&);
template std::unique_ptr<Region<double>> make_ellipsoid(const Matrix<double>&, double, const Composite&,
                                                        const std::string&);

}  // namespace alfcg::region
