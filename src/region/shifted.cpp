#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "alfcg/core/error.hpp"
#include "alfcg/region/combined.hpp"

namespace alfcg {
namespace {

/// v = shift + scale · u, where u is what X answers to the same gradient.
template <class Real>
class Shifted final : public Region<Real> {
  public:
    Shifted(std::unique_ptr<Region<Real>> region, Matrix<Real> shift, double scale)
        : region_(std::move(region)), shift_(std::move(shift)), scale_(scale) {
        if (!(scale > 0 && std::isfinite(scale)))
            throw QuantityError("radius", fmt::format("must be positive, not {}", scale));
        for (const Real entry : shift_.span())
            if (!std::isfinite(entry)) throw QuantityError("shift", "must be finite");
        moves_ =
            std::any_of(shift_.span().begin(), shift_.span().end(), [](Real entry) { return entry != 0; });
    }

    [[nodiscard]] std::string describe() const override {
        std::string text = region_->describe();
        if (scale_ != 1) text = fmt::format("{} · ({})", scale_, text);
        if (moves_) text += shift_.size() == 1 ? fmt::format(" + {}", shift_(0, 0)) : " + a shift";
        return text;
    }

    void check(Shape shape) const override {
        if (shift_.size() > 1 && shift_.size() != shape.size() && shift_.size() != shape.cols)
            throw QuantityError("shift", fmt::format("has {} numbers, but points are {} x {}", shift_.size(),
                                                     shape.rows, shape.cols));
        region_->check(shape);
    }

    double minimize(const Matrix<Real>& gradient, double tolerance, bool certify,
                    Vertex<Real>& vertex) override {
        const double slack = scale_ * region_->minimize(gradient, tolerance / scale_, certify, vertex);
        move(vertex);
        return slack;
    }

    bool proximal(const Matrix<Real>& point, double /*weight*/, Vertex<Real>& nearest) override {
        take_back(point);
        if (!region_->proximal(inner_, 1, nearest)) return false;
        move(nearest);
        return true;
    }

    [[nodiscard]] bool has_proximal(Shape shape) const override { return region_->has_proximal(shape); }
    void archive(Archive& state) override { state(*region_); }

    double composite(const Matrix<Real>& /*x*/) override { return 0; }

    [[nodiscard]] double diameter(Shape shape) const override { return scale_ * region_->diameter(shape); }

    double violation(const Matrix<Real>& x) override {
        take_back(x);
        return region_->violation(inner_);
    }

    Matrix<Real> start(Shape shape) override {
        Matrix<Real> x(shape);
        if (violation(x) <= 0) return x;
        x = region_->start(shape);
        move(x);
        return x;
    }

  private:
    using Kind = typename Vertex<Real>::Kind;

    [[nodiscard]] double shift_at(Index k, Shape shape) const {
        if (!moves_) return 0;
        if (shift_.size() == 1) return static_cast<double>(shift_.data()[0]);
        return static_cast<double>(shift_.data()[shift_.size() == shape.size() ? k : k % shape.cols]);
    }

    // The point of X that belongs to x.
    void take_back(const Matrix<Real>& x) {
        inner_.reshape(x.shape());
        for (Index k = 0; k < x.size(); ++k)
            inner_.data()[k] =
                static_cast<Real>((static_cast<double>(x.data()[k]) - shift_at(k, x.shape())) / scale_);
    }

    void move(Matrix<Real>& x) const {
        for (Index k = 0; k < x.size(); ++k)
            x.data()[k] =
                static_cast<Real>(scale_ * static_cast<double>(x.data()[k]) + shift_at(k, x.shape()));
    }

    // In a small form where there is no shift.
    void move(Vertex<Real>& vertex) const {
        vertex.composite = 0;
        if (moves_ && vertex.kind != Kind::dense) {
            vertex.dense = vertex.to_matrix();
            vertex.kind = Kind::dense;
        }
        switch (vertex.kind) {
            case Kind::zero:
                break;
            case Kind::one_hot:
            case Kind::rank_one:
                vertex.scale *= scale_;
                break;
            case Kind::sparse:
                for (Real& value : vertex.values)
                    value = static_cast<Real>(scale_ * static_cast<double>(value));
                break;
            case Kind::low_rank:
                for (double& scale : vertex.scales) scale *= scale_;
                break;
            case Kind::dense:
                move(vertex.dense);
                break;
        }
    }

    std::unique_ptr<Region<Real>> region_;
    Matrix<Real> shift_;
    double scale_;
    bool moves_ = false;
    Matrix<Real> inner_;
};

}  // namespace

template <class Real>
std::unique_ptr<Region<Real>> shifted(std::unique_ptr<Region<Real>> region, Matrix<Real> shift,
                                      double scale) {
    return std::make_unique<Shifted<Real>>(std::move(region), std::move(shift), scale);
}

template std::unique_ptr<Region<float>> shifted(std::unique_ptr<Region<float>>, Matrix<float>, double);
template std::unique_ptr<Region<double>> shifted(std::unique_ptr<Region<double>>, Matrix<double>, double);

}  // namespace alfcg
