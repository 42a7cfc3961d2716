#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "alfcg/region/groups.hpp"
#include "alfcg/region/spec.hpp"

namespace alfcg {
namespace {

/// Every row of a point in the same region, with the same h. Nothing is shared between rows: oracle and proximal map are those
/// of the rows, one by one.
template <class Real>
class RowProduct final : public Region<Real> {
  public:
    explicit RowProduct(std::unique_ptr<Region<Real>> each) : each_(std::move(each)) {}

    [[nodiscard]] std::string describe() const override { return "each output: " + each_->describe(); }

    void check(Shape shape) const override { each_->check({1, shape.cols}); }
    void archive(Archive& state) override { state(*each_); }

    double minimize(const Matrix<Real>& gradient, double tolerance, bool certify,
                    Vertex<Real>& vertex) override {
        double slack = 0;
        const double share = tolerance / static_cast<double>(gradient.rows());
        collect(gradient, vertex,
                [&](const Matrix<Real>& row) { slack += each_->minimize(row, share, certify, answer_); });
        return slack;
    }

    bool proximal(const Matrix<Real>& point, double weight, Vertex<Real>& nearest) override {
        if (!has_proximal(point.shape())) return false;
        collect(point, nearest, [&](const Matrix<Real>& row) { each_->proximal(row, weight, answer_); });
        return true;
    }

    [[nodiscard]] bool has_proximal(Shape shape) const override {
        return each_->has_proximal({1, shape.cols});
    }

    double composite(const Matrix<Real>& x) override {
        double sum = 0;
        for (Index i = 0; i < x.rows(); ++i) sum += each_->composite(row_of(x, i));
        return sum;
    }

    [[nodiscard]] double diameter(Shape shape) const override {
        return std::sqrt(static_cast<double>(shape.rows)) * each_->diameter({1, shape.cols});
    }

    double violation(const Matrix<Real>& x) override {
        double most = 0;
        for (Index i = 0; i < x.rows(); ++i) most = std::max(most, each_->violation(row_of(x, i)));
        return most;
    }

    Matrix<Real> start(Shape shape) override {
        const Matrix<Real> row = each_->start({1, shape.cols});
        Matrix<Real> x(shape);
        for (Index i = 0; i < shape.rows; ++i)
            std::copy(row.data(), row.data() + shape.cols, x.data() + i * shape.cols);
        return x;
    }

    /// The largest of the rows' norms.
    std::optional<double> norm(const Matrix<Real>& x) override {
        std::optional<double> most;
        for (Index i = 0; i < x.rows(); ++i) {
            const auto row = each_->norm(row_of(x, i));
            if (!row) return std::nullopt;
            most = std::max(most.value_or(0), *row);
        }
        return most;
    }

  private:
    const Matrix<Real>& row_of(const Matrix<Real>& x, Index i) {
        row_.reshape({1, x.cols()});
        std::copy(x.data() + i * x.cols(), x.data() + (i + 1) * x.cols(), row_.data());
        return row_;
    }

    /// Puts answers to the rows together, in the form in which they are small.
    template <class Answer>
    void collect(const Matrix<Real>& x, Vertex<Real>& all, const Answer& answer) {
        using Kind = typename Vertex<Real>::Kind;
        all.shape = x.shape();
        all.composite = 0;
        all.kind = Kind::sparse;
        all.positions.clear();
        all.values.clear();
        for (Index i = 0; i < x.rows(); ++i) {
            answer(row_of(x, i));
            all.composite += answer_.composite;
            if (all.kind == Kind::sparse && !append(answer_, i * x.cols(), all)) {
                // From here on all entries are written out, those so far among them.
                const Matrix<Real> before = all.to_matrix();
                all.dense = before;
                all.kind = Kind::dense;
            }
            if (all.kind != Kind::dense) continue;
            const Matrix<Real> entries = answer_.to_matrix();
            std::copy(entries.data(), entries.data() + x.cols(), all.dense.data() + i * x.cols());
        }
        if (all.kind == Kind::sparse && all.positions.empty()) all.kind = Kind::zero;
    }

    /// False where the answer is not sparse.
    static bool append(const Vertex<Real>& answer, Index first, Vertex<Real>& all) {
        using Kind = typename Vertex<Real>::Kind;
        if (answer.kind == Kind::one_hot) {
            all.positions.push_back(first + answer.index);
            all.values.push_back(static_cast<Real>(answer.scale));
        } else if (answer.kind == Kind::sparse) {
            for (const Index position : answer.positions) all.positions.push_back(first + position);
            all.values.insert(all.values.end(), answer.values.begin(), answer.values.end());
        }
        return answer.kind == Kind::one_hot || answer.kind == Kind::sparse || answer.kind == Kind::zero;
    }

    std::unique_ptr<Region<Real>> each_;
    Matrix<Real> row_;
    Vertex<Real> answer_;
};

}  // namespace

template <class Real>
std::unique_ptr<Region<Real>> row_product(std::unique_ptr<Region<Real>> each) {
    return std::make_unique<RowProduct<Real>>(std::move(each));
}

template std::unique_ptr<Region<float>> row_product(std::unique_ptr<Region<float>>);
template std::unique_ptr<Region<double>> row_product(std::unique_ptr<Region<double>>);

}  // namespace alfcg
