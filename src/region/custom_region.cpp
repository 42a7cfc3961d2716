#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "alfcg/core/error.hpp"
#include "alfcg/region/region.hpp"

namespace alfcg {
namespace {

template <class Real>
class CallersRegion final : public Region<Real> {
  public:
    explicit CallersRegion(CustomRegion<Real> custom) : custom_(std::move(custom)) {}

    [[nodiscard]] std::string describe() const override { return custom_.name; }

    double minimize(const Matrix<Real>& gradient, double /*tolerance*/, bool /*certify*/,
                    Vertex<Real>& vertex) override {
        vertex.kind = Vertex<Real>::Kind::dense;
        vertex.shape = gradient.shape();
        vertex.dense.reshape(gradient.shape());
        vertex.dense.fill(0);  // the oracle may write the nonzeros only
        custom_.oracle(gradient.span(), vertex.dense.span());
        look_at("oracle", vertex);
        return 0;  // the caller's oracle counts as exact
    }

    bool proximal(const Matrix<Real>& point, double weight, Vertex<Real>& nearest) override {
        if (!custom_.proximal) return false;
        nearest.kind = Vertex<Real>::Kind::dense;
        nearest.shape = point.shape();
        nearest.dense = point;  // a point of the set needs no change
        custom_.proximal(point.span(), weight, nearest.dense.span());
        look_at("proximal map", nearest);
        return true;
    }

    [[nodiscard]] bool has_proximal(Shape /*shape*/) const override {
        return static_cast<bool>(custom_.proximal);
    }

    double composite(const Matrix<Real>& x) override {
        return custom_.composite ? custom_.composite(x.span()) : 0;
    }
    [[nodiscard]] double diameter(Shape /*shape*/) const override { return custom_.diameter; }
    double violation(const Matrix<Real>& x) override {
        return custom_.violation ? custom_.violation(x.span()) : 0;
    }
    Matrix<Real> start(Shape shape) override {
        Matrix<Real> x(shape);
        if (custom_.start) {
            custom_.start(x.span());
            return x;
        }
        if (custom_.violation) return Region<Real>::start(shape);
        // Nobody says that the origin belongs to the set; an answer of the oracle does.
        Vertex<Real> vertex;
        minimize(x, 0, false, vertex);
        return vertex.to_matrix();
    }

  private:
    /// Looks at what the caller's function wrote, and adds h there.
    void look_at(const char* who, Vertex<Real>& answer) {
        for (Index i = 0; i < answer.dense.size(); ++i) {
            const double entry = static_cast<double>(answer.dense.data()[i]);
            if (!std::isfinite(entry))
                throw Error(
                    fmt::format("{}: the {} answered {} at row {}, column {}; every entry must be finite",
                                custom_.name, who, entry, i / answer.shape.cols, i % answer.shape.cols));
        }
        answer.composite = composite(answer.dense);
        if (!std::isfinite(answer.composite))
            throw Error(fmt::format("{}: h is {} at the {}'s answer; it must be finite on the set",
                                    custom_.name, answer.composite, who));
    }

    CustomRegion<Real> custom_;
};

}  // namespace

template <class Real>
std::unique_ptr<Region<Real>> custom_region(CustomRegion<Real> custom) {
    if (!custom.oracle) throw Error(fmt::format("{}: a custom region needs an oracle", custom.name));
    if (!(custom.diameter >= 0 && std::isfinite(custom.diameter)))
        throw Error(fmt::format("{}: the diameter must be finite and not negative, not {}", custom.name,
                                custom.diameter));
    return std::make_unique<CallersRegion<Real>>(std::move(custom));
}

template std::unique_ptr<Region<float>> custom_region(CustomRegion<float>);
template std::unique_ptr<Region<double>> custom_region(CustomRegion<double>);

}  // namespace alfcg
