#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <list>
#include <utility>

#include "alfcg/core/error.hpp"
#include "alfcg/point/move.hpp"
#include "alfcg/region/combined.hpp"

namespace alfcg {
namespace {

/// Every answer of the oracle is kept; nothing but recall() reads what is kept, so that minimize() is what it was.
template <class Real>
class Lazy final : public Region<Real> {
  public:
    Lazy(std::unique_ptr<Region<Real>> region, Index most) : region_(std::move(region)), most_(most) {
        if (most < 1) throw QuantityError("cache", fmt::format("must be at least 1, not {}", most));
    }

    [[nodiscard]] std::string describe() const override {
        return fmt::format("{}, up to {} vertices remembered", region_->describe(), most_);
    }
    void check(Shape shape) const override { region_->check(shape); }

    double minimize(const Matrix<Real>& gradient, double tolerance, bool certify,
                    Vertex<Real>& vertex) override {
        const double slack = region_->minimize(gradient, tolerance, certify, vertex);
        remember(vertex);
        return slack;
    }

    [[nodiscard]] bool remembers() const override { return true; }

    bool recall(const Matrix<Real>& gradient, double value, Vertex<Real>& vertex) override {
        auto best = known_.end();
        double least = std::numeric_limits<double>::infinity();
        for (auto one = known_.begin(); one != known_.end(); ++one) {
            if (one->vertex.shape != gradient.shape()) continue;
            const double here = inner_product(gradient, one->vertex) + one->vertex.composite;
            if (here >= least) continue;
            least = here;
            best = one;
        }
        if (best == known_.end() || !(least <= value)) return false;
        vertex = best->vertex;
        known_.splice(known_.begin(), known_, best);
        return true;
    }

    bool proximal(const Matrix<Real>& point, double weight, Vertex<Real>& nearest) override {
        return region_->proximal(point, weight, nearest);
    }
    [[nodiscard]] bool has_proximal(Shape shape) const override { return region_->has_proximal(shape); }
    double composite(const Matrix<Real>& x) override { return region_->composite(x); }
    [[nodiscard]] double diameter(Shape shape) const override { return region_->diameter(shape); }
    double violation(const Matrix<Real>& x) override { return region_->violation(x); }
    Matrix<Real> start(Shape shape) override { return region_->start(shape); }
    std::optional<double> norm(const Matrix<Real>& x) override { return region_->norm(x); }
    [[nodiscard]] std::optional<Ball> ball() const override { return region_->ball(); }
    void archive(Archive& state) override {
        state(*region_);
        state.visit_count(known_);
        for (Known& one : known_) state(one.hash, one.vertex);
    }

  private:
    struct Known {
        std::size_t hash;
        Vertex<Real> vertex;
    };

    void remember(const Vertex<Real>& vertex) {
        const std::size_t hash = vertex.hash();
        const auto found = std::find_if(known_.begin(), known_.end(), [&](const Known& one) {
            return one.hash == hash && one.vertex == vertex;
        });
        if (found != known_.end()) {
            known_.splice(known_.begin(), known_, found);
            return;
        }
        if (static_cast<Index>(known_.size()) < most_)
            known_.push_front({hash, vertex});
        else {
            known_.splice(known_.begin(), known_, std::prev(known_.end()));  // its memory is used again
            known_.front().hash = hash;
            known_.front().vertex = vertex;
        }
    }

    std::unique_ptr<Region<Real>> region_;
    Index most_;
    std::list<Known> known_;  // the one used last comes first
};

}  // namespace

template <class Real>
std::unique_ptr<Region<Real>> lazy(std::unique_ptr<Region<Real>> region, Index most) {
    return std::make_unique<Lazy<Real>>(std::move(region), most);
}

template std::unique_ptr<Region<float>> lazy(std::unique_ptr<Region<float>>, Index);
template std::unique_ptr<Region<double>> lazy(std::unique_ptr<Region<double>>, Index);

}  // namespace alfcg
