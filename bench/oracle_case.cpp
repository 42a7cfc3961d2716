#include <cmath>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "alfcg/alfcg.hpp"
#include "array_dump.hpp"
#include "case.hpp"

namespace alfcg::bench {

namespace {

// A region that passes everything on, and takes the time of its oracle.
template <class Real>
class TimedRegion final : public Region<Real> {
  public:
    struct Call {
        double seconds;
        double value;  // <g, v>
    };

    explicit TimedRegion(std::unique_ptr<Region<Real>> inner) : inner_(std::move(inner)) {}

    [[nodiscard]] std::string describe() const override { return inner_->describe(); }
    double minimize(const Matrix<Real>& gradient, double tolerance, bool certify,
                    Vertex<Real>& vertex) override {
        double slack = 0;
        const double seconds =
            seconds_of([&] { slack = inner_->minimize(gradient, tolerance, certify, vertex); });
        if (on_gradient) on_gradient(calls.size(), gradient);
        calls.push_back({seconds, on_gradient ? product(gradient, vertex) : 0.0});
        return slack;
    }
    double composite(const Matrix<Real>& x) override { return inner_->composite(x); }
    [[nodiscard]] double diameter(Shape shape) const override { return inner_->diameter(shape); }
    double violation(const Matrix<Real>& x) override { return inner_->violation(x); }

    std::vector<Call> calls;
    std::function<void(std::size_t call, const Matrix<Real>& gradient)> on_gradient;

  private:
    static double product(const Matrix<Real>& gradient, const Vertex<Real>& vertex) {
        double total = 0;
        for (Index i = 0; i < gradient.rows(); ++i)
            for (Index j = 0; j < gradient.cols(); ++j)
                total += static_cast<double>(gradient(i, j)) * vertex.at(i, j);
        return total;
    }

    std::unique_ptr<Region<Real>> inner_;
};

// A matrix to be approximated: `rank` directions with singular values 10 · 0.8^k (rank 0: none), and noise
// whose largest singular value is about 1.
template <class Real>
Matrix<Real> noisy_low_rank(Shape shape, Index rank) {
    std::mt19937_64 generator(1);
    std::normal_distribution<double> normal;
    const double rows = static_cast<double>(shape.rows);
    const double cols = static_cast<double>(shape.cols);
    const double noise = 1 / (std::sqrt(rows) + std::sqrt(cols));
    Matrix<Real> result(shape);
    for (Real& entry : result.span()) entry = static_cast<Real>(noise * normal(generator));
    std::vector<double> left(static_cast<std::size_t>(shape.rows));
    std::vector<double> right(static_cast<std::size_t>(shape.cols));
    for (Index k = 0; k < rank; ++k) {
        for (double& entry : left) entry = normal(generator) / std::sqrt(rows);
        for (double& entry : right) entry = normal(generator) / std::sqrt(cols);
        const double value = 10 * std::pow(0.8, static_cast<double>(k));
        for (Index i = 0; i < shape.rows; ++i)
            for (Index j = 0; j < shape.cols; ++j) {
                result(i, j) += static_cast<Real>(value * left[static_cast<std::size_t>(i)] *
                                                  right[static_cast<std::size_t>(j)]);
            }
    }
    return result;
}

// f(x) = ½‖x − a‖²: its gradient x − a is dense, and as hard a matrix as a is.
template <class Real>
std::unique_ptr<Objective<Real>> approximation(const Matrix<Real>& target) {
    return custom_objective<Real>(target.shape(), [&target](auto x, auto gradient) {
        double value = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            gradient[i] = x[i] - target.span()[i];
            value += 0.5 * static_cast<double>(gradient[i]) * static_cast<double>(gradient[i]);
        }
        return value;
    });
}

template <class Real>
struct OracleBench {
    explicit OracleBench(Arguments& arguments)
        : target(noisy_low_rank<Real>({arguments.integer("rows", 2000), arguments.integer("cols", 3000)},
                                      arguments.integer("rank", 20))),
          radius(arguments.number("radius", 20)),
          iterations(arguments.integer("iterations", 20)),
          every(static_cast<std::size_t>(arguments.integer("every", 4))) {}

    // The region is new in every run: nothing is remembered from the last one.
    std::vector<typename TimedRegion<Real>::Call> run(const std::string& folder) const {
        TimedRegion<Real> region(nuclear_ball<Real>(radius));
        if (!folder.empty()) {
            region.on_gradient = [&](std::size_t call, const Matrix<Real>& gradient) {
                if (chosen(call)) {
                    dump_array<Real>(folder + "/gradient" + std::to_string(call / every) + ".npy",
                                     gradient.span(), {gradient.rows(), gradient.cols()});
                }
            };
        }
        Options options;
        options.method = "alfcg-d";
        options.parameters.set("rho", 1);  // f's curvature
        options.max_iterations = iterations;
        solve(*approximation(target), region, options);
        return region.calls;
    }

    // The iterations whose gradients the peers get, the first one among them; the look at the gap after the
    // last iteration is not an iteration.
    [[nodiscard]] bool chosen(std::size_t call) const {
        return call < static_cast<std::size_t>(iterations) && call % every == 0;
    }

    Matrix<Real> target;
    double radius;
    Index iterations;
    std::size_t every;
};

}  // namespace

template <class Real>
Case oracle_case(Arguments& arguments) {
    const std::string folder = arguments.text("dump", "");
    const auto state = std::make_shared<OracleBench<Real>>(arguments);
    Case result;
    result.facts = {{"rows", state->target.rows()},
                    {"cols", state->target.cols()},
                    {"threads", arguments.integer("threads", 0)}};  // the oracle takes what it is given
    if (!folder.empty()) {
        std::vector<double> values;
        const auto calls = state->run(folder);
        for (std::size_t call = 0; call < calls.size(); ++call) {
            if (state->chosen(call)) values.push_back(-calls[call].value / state->radius);
        }
        result.facts["singular_values"] = values;
    }
    result.measures["oracle"] = [state] {
        const auto calls = state->run("");
        double total = 0;
        nlohmann::json each = nlohmann::json::array();
        for (std::size_t call = 0; call < calls.size(); ++call) {
            if (!state->chosen(call)) continue;
            total += calls[call].seconds;
            each.push_back(calls[call].seconds);
        }
        return Timing{total / static_cast<double>(each.size()), {{"calls", each}}};
    };
    return result;
}

template Case oracle_case<float>(Arguments&);
template Case oracle_case<double>(Arguments&);

}  // namespace alfcg::bench
