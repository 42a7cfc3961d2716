#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "alfcg/core/error.hpp"
#include "alfcg/point/move.hpp"
#include "alfcg/region/combined.hpp"
#include "region/min_norm_point.hpp"
#include "region/rounding.hpp"

namespace alfcg {
namespace {

/// The oracle's answer is the sum of the answers of the parts. Whether a point belongs to the sum is told by its distance.
template <class Real>
class MinkowskiSum final : public Region<Real> {
  public:
    explicit MinkowskiSum(std::vector<std::unique_ptr<Region<Real>>> regions) : regions_(std::move(regions)) {
        if (regions_.empty()) throw Error("a sum needs a region");
        answers_.resize(regions_.size());
    }

    [[nodiscard]] std::string describe() const override {
        std::string text;
        for (const auto& region : regions_) text += (text.empty() ? "sum of " : " and ") + region->describe();
        return text;
    }

    void check(Shape shape) const override {
        for (const auto& region : regions_) region->check(shape);
    }
    void archive(Archive& state) override {
        for (const auto& region : regions_) state(*region);
    }

    double minimize(const Matrix<Real>& gradient, double tolerance, bool certify,
                    Vertex<Real>& vertex) override {
        double slack = 0;
        for (std::size_t k = 0; k < regions_.size(); ++k)
            slack += regions_[k]->minimize(gradient, tolerance / static_cast<double>(regions_.size()),
                                           certify, answers_[k]);
        combine(gradient.shape(), vertex);
        return slack;
    }

    double composite(const Matrix<Real>& /*x*/) override { return 0; }

    [[nodiscard]] double diameter(Shape shape) const override {
        double sum = 0;
        for (const auto& region : regions_) sum += region->diameter(shape);
        return sum;
    }

    double violation(const Matrix<Real>& x) override {
        const std::vector<double> centre(x.span().begin(), x.span().end());
        Matrix<Real> gradient(x.shape());
        Vertex<Real> vertex;
        return region::relative_distance(
            centre,
            [&](std::span<const double> direction, std::span<double> point) {
                std::transform(direction.begin(), direction.end(), gradient.data(),
                               [](double entry) { return static_cast<Real>(entry); });
                minimize(gradient, 0, true, vertex);
                const Matrix<Real> answer = vertex.to_matrix();
                std::copy(answer.span().begin(), answer.span().end(), point.begin());
            },
            region::distance_rounding<Real>);
    }

    Matrix<Real> start(Shape shape) override {
        Matrix<Real> x(shape);
        for (const auto& region : regions_) {
            const Matrix<Real> part = region->start(shape);
            for (Index k = 0; k < x.size(); ++k) x.data()[k] += part.data()[k];
        }
        return x;
    }

  private:
    using Kind = typename Vertex<Real>::Kind;

    void combine(Shape shape, Vertex<Real>& vertex) {
        vertex.shape = shape;
        vertex.composite = 0;
        const bool sparse = std::all_of(answers_.begin(), answers_.end(), [](const Vertex<Real>& answer) {
            return answer.kind == Kind::zero || answer.kind == Kind::one_hot || answer.kind == Kind::sparse;
        });
        if (!sparse) {
            vertex.kind = Kind::dense;
            vertex.dense.reshape(shape);
            vertex.dense.fill(0);
            for (const Vertex<Real>& answer : answers_) add(1, answer, vertex.dense);
            return;
        }
        std::map<Index, double> sums;
        for (const Vertex<Real>& answer : answers_) {
            if (answer.kind == Kind::one_hot) sums[answer.index] += answer.scale;
            if (answer.kind == Kind::sparse)
                for (std::size_t i = 0; i < answer.positions.size(); ++i)
                    sums[answer.positions[i]] += static_cast<double>(answer.values[i]);
        }
        vertex.kind = Kind::sparse;
        vertex.positions.clear();
        vertex.values.clear();
        for (const auto& [position, value] : sums) {
            vertex.positions.push_back(position);
            vertex.values.push_back(static_cast<Real>(value));
        }
    }

    std::vector<std::unique_ptr<Region<Real>>> regions_;
    std::vector<Vertex<Real>> answers_;
};

}  // namespace

template <class Real>
std::unique_ptr<Region<Real>> minkowski_sum(std::vector<std::unique_ptr<Region<Real>>> regions) {
    return std::make_unique<MinkowskiSum<Real>>(std::move(regions));
}

template std::unique_ptr<Region<float>> minkowski_sum(std::vector<std::unique_ptr<Region<float>>>);
template std::unique_ptr<Region<double>> minkowski_sum(std::vector<std::unique_ptr<Region<double>>>);

}  // namespace alfcg
