// Kernels against loops, in every instruction set that this CPU has: random shapes, strides, numbers of outputs, sparsity, batches.
#include <hwy/targets.h>

#include <algorithm>
#include <array>

#include "alfcg/objective/objective.hpp"
#include "fuzz.hpp"
#include "kernels/losses.hpp"
#include "kernels/magnitudes.hpp"
#include "kernels/products.hpp"
#include "kernels/sparse.hpp"
#include "kernels/vector.hpp"

namespace alfcg::fuzz {
namespace {

using Wide = long double;

const std::vector<std::int64_t>& targets() {
    static const std::vector<std::int64_t> all = [] {
        std::vector<std::int64_t> list;
        const std::int64_t supported = hwy::SupportedTargets() & HWY_TARGETS;
        for (int bit = 0; bit < 63; ++bit)
            if ((supported >> bit & 1) != 0) list.push_back(std::int64_t{1} << bit);
        return list;
    }();
    return all;
}

// A sum, and what its terms amount to: rounding is a share of that.
struct Sum {
    Wide value = 0;
    Wide magnitude = 0;
    Index terms = 0;
    void add(Wide term) {
        value += term;
        magnitude += std::abs(term);
        ++terms;
    }
};

template <class Real>
void compare(double found, const Sum& sum, const char* what, std::int64_t target, Wide more = 0) {
    const Wide rounding =
        (static_cast<Wide>(sum.terms) + 16) * std::numeric_limits<Real>::epsilon() * sum.magnitude +
        static_cast<Wide>(sum.terms + 1) * std::numeric_limits<Real>::min() + more;
    if (!(rounding < static_cast<Wide>(std::numeric_limits<Real>::max()) / 4)) return;
    require(std::abs(static_cast<Wide>(found) - sum.value) <= rounding, "{} ({}): {} is {}, within {}", what,
            hwy::TargetName(target), found, static_cast<double>(sum.value), static_cast<double>(rounding));
}

template <class Real>
std::vector<Real> numbers(Input& input, Index count, double zeros = 0) {
    Numbers<Real> from(input);
    std::vector<Real> entries(static_cast<std::size_t>(count));
    std::uniform_real_distribution<double> uniform;
    for (Real& entry : entries) entry = uniform(input.random()) < zeros ? Real(0) : from.next();
    return entries;
}

template <class Real>
Real at(const std::vector<Real>& entries, Index i) {
    return entries[static_cast<std::size_t>(i)];
}

template <class Real>
void check_vectors(Input& input, std::int64_t target) {
    const Index n = input.below(300);
    const auto gradient = numbers<Real>(input, n);
    const auto x = numbers<Real>(input, n);
    const auto v = numbers<Real>(input, n);
    const double s = input.flag() ? 1 : -0.75;
    const auto direction = kernels::direction(n, gradient.data(), x.data(), s, v.data());
    Sum slope;
    Sum square;
    Sum apart;
    Wide largest = 0;
    Sum magnitudes;
    Sum squares;
    for (Index i = 0; i < n; ++i) {
        const Wide step = static_cast<Wide>(s) * at(v, i) - at(x, i);
        slope.add(static_cast<Wide>(at(gradient, i)) * step);
        slope.magnitude += std::abs(static_cast<Wide>(at(gradient, i))) *
                           (std::abs(static_cast<Wide>(at(v, i))) + std::abs(static_cast<Wide>(at(x, i))));
        square.add(step * step);
        square.magnitude +=
            std::abs(step) * (std::abs(static_cast<Wide>(at(v, i))) + std::abs(static_cast<Wide>(at(x, i))));
        const Wide way = static_cast<Wide>(at(x, i)) - at(v, i);
        apart.add(way * way);
        largest = std::max(largest, std::abs(static_cast<Wide>(at(x, i))));
        magnitudes.add(std::abs(static_cast<Wide>(at(x, i))));
        squares.add(static_cast<Wide>(at(x, i)) * at(x, i));
    }
    compare<Real>(direction.slope, slope, "slope", target);
    compare<Real>(direction.length_squared, square, "length", target);
    compare<Real>(kernels::distance_squared(n, x.data(), v.data()), apart, "distance", target);
    require(static_cast<Wide>(kernels::largest_magnitude(x.data(), n)) == largest, "the largest magnitude");
    const auto peak = kernels::first_peak(x.data(), n, 1 + static_cast<int>(input.below(3)));
    require(static_cast<Wide>(peak.magnitude) == largest, "the peak is another one");
    for (Index i = 0; n > 0 && i < peak.index; ++i)
        require(std::abs(static_cast<Wide>(at(x, i))) < largest, "{} is not the first peak", peak.index);
    const auto sums = kernels::sums(x.data(), n);
    compare<double>(sums.magnitudes, magnitudes, "sum of magnitudes", target);
    compare<double>(sums.squares, squares, "sum of squares", target);
    const double a = input.flag() ? 0.375 : 1;
    const double b = input.flag() ? 0 : -1.25;
    auto y = v;
    kernels::axpby(n, a, x.data(), b, y.data());
    for (Index i = 0; i < n; ++i) {
        Sum sum;
        sum.add(static_cast<Wide>(a) * at(x, i));
        sum.add(static_cast<Wide>(b) * at(v, i));
        compare<Real>(static_cast<double>(at(y, i)), sum, "axpby", target);
    }
}

template <class Real>
void check_products(Input& input, std::int64_t target) {
    const Shape shape{1 + input.below(40), 1 + input.below(40)};
    const auto g = numbers<Real>(input, shape.rows * shape.cols);
    const auto x = numbers<double>(input, std::max(shape.rows, shape.cols));
    std::vector<double> y(static_cast<std::size_t>(std::max(shape.rows, shape.cols)));
    const int threads = 1 + static_cast<int>(input.below(3));
    kernels::times(g.data(), shape, 1, x.data(), y.data(), threads);
    for (Index i = 0; i < shape.rows; ++i) {
        Sum sum;
        for (Index j = 0; j < shape.cols; ++j)
            sum.add(static_cast<Wide>(at(g, i * shape.cols + j)) * at(x, j));
        compare<double>(at(y, i), sum, "times", target);
    }
    kernels::transposed_times(g.data(), shape, 1, x.data(), y.data(), threads);
    for (Index j = 0; j < shape.cols; ++j) {
        Sum sum;
        for (Index i = 0; i < shape.rows; ++i)
            sum.add(static_cast<Wide>(at(g, i * shape.cols + j)) * at(x, i));
        compare<double>(at(y, j), sum, "transposed times", target);
    }
    if constexpr (std::is_same_v<Real, double>) {
        std::vector<kernels::LineFactor> lines;
        for (Index i = 0; i < shape.rows; ++i)
            if (input.flag()) lines.push_back({i, at(x, i)});
        kernels::add_lines(shape.cols, lines, g.data(), y.data());
        for (Index j = 0; j < shape.cols; ++j) {
            Sum sum;
            for (const auto& [line, factor] : lines)
                sum.add(static_cast<Wide>(at(g, line * shape.cols + j)) * factor);
            compare<double>(at(y, j), sum, "lines added up", target);
        }
    }
    const Index side = std::min(shape.rows, shape.cols);
    std::vector<double> gram(static_cast<std::size_t>(side * side));
    AlignedVector<double> scratch;
    kernels::gram(g.data(), shape, 1, threads, scratch, gram.data());
    const bool by_rows = shape.rows <= shape.cols;
    for (Index a = 0; a < side; ++a)
        for (Index b = 0; b < side; ++b) {
            Sum sum;
            for (Index k = 0; k < std::max(shape.rows, shape.cols); ++k)
                sum.add(by_rows ? static_cast<Wide>(at(g, a * shape.cols + k)) * at(g, b * shape.cols + k)
                                : static_cast<Wide>(at(g, k * shape.cols + a)) * at(g, k * shape.cols + b));
            compare<double>(gram[static_cast<std::size_t>(a * side + b)], sum, "gram", target);
        }
}

// Rows of data, laid out in one of the ways that the library knows.
template <class Real>
struct Data {
    Index rows = 0;
    Index cols = 0;
    std::vector<Real> entries;
    Features<Real> features;
};

template <class Real>
Data<Real> data_of(Input& input) {
    Data<Real> data;
    const Index kind = input.below(4);  // numbers, bytes, sparse, sparse of few values
    data.rows = 1 + (input.below(8) == 0 ? input.below(2000) : input.below(200));
    data.cols = 1 + (input.below(8) == 0 ? input.below(400) : input.below(80));
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    const double zeros = input.flag() ? 0.75 : 0.1;
    for (Index k = 0; k < data.rows * data.cols; ++k) {
        const double number =
            kind % 2 == 1 ? 0.25 * static_cast<double>(input.random()() % 256) : normal(input.random());
        data.entries.push_back(uniform(input.random()) < zeros ? Real(0) : static_cast<Real>(number));
    }
    if (kind < 2) {
        const Index stride = data.cols + input.below(5);
        Buffer<Real> buffer;
        for (Index i = 0; i < data.rows; ++i)
            for (Index j = 0; j < stride; ++j)
                buffer.push_back(j < data.cols ? at(data.entries, i * data.cols + j) : Real(7));
        data.features =
            DenseFeatures<Real>(SharedArray<Real>(std::move(buffer)), data.rows, data.cols, stride);
    } else {
        Buffer<Index> start;
        Buffer<std::int32_t> column;
        Buffer<Real> value;
        start.push_back(0);
        for (Index i = 0; i < data.rows; ++i) {
            for (Index j = 0; j < data.cols; ++j) {
                if (at(data.entries, i * data.cols + j) == 0) continue;
                column.push_back(static_cast<std::int32_t>(j));
                value.push_back(at(data.entries, i * data.cols + j));
            }
            start.push_back(static_cast<Index>(value.size()));
        }
        data.features =
            SparseFeatures<Real>{std::move(start), std::move(column), std::move(value), data.rows, data.cols};
    }
    return data;
}

struct Judged {
    Wide loss = 0;
    std::vector<Wide> slopes;
};

Judged judge(const std::string& loss, const std::vector<Wide>& scores, double target) {
    Judged judged;
    if (loss == "multinomial") {
        const Wide top = *std::max_element(scores.begin(), scores.end());
        Wide sum = 0;
        for (const Wide z : scores) sum += std::exp(z - top);
        const auto own = static_cast<std::size_t>(target);
        judged.loss = std::log(sum) + top - scores[own];
        for (std::size_t l = 0; l < scores.size(); ++l)
            judged.slopes.push_back(std::exp(scores[l] - top) / sum - (l == own ? 1 : 0));
        return judged;
    }
    const Wide z = scores[0];
    const Wide r = z - static_cast<Wide>(target);
    if (loss == "logistic") {
        const Wide m = -z * static_cast<Wide>(target);
        judged.loss = std::max(m, Wide(0)) + std::log1p(std::exp(-std::abs(m)));
        judged.slopes = {-static_cast<Wide>(target) / (1 + std::exp(-m))};
    } else if (loss == "squared") {
        judged.loss = r * r / 2;
        judged.slopes = {r};
    } else {
        judged.loss = std::abs(r) <= 1 ? r * r / 2 : std::abs(r) - Wide(0.5);
        judged.slopes = {std::clamp(r, Wide(-1), Wide(1))};
    }
    return judged;
}

// Value and gradient of a linear model, over all rows and over a batch.
template <class Real>
void check_objective(Input& input, std::int64_t target) {
    const Data<Real> data = data_of<Real>(input);
    static const std::array<std::string, 4> losses{"multinomial", "logistic", "squared", "huber"};
    const std::string& loss = input.one_of(losses);
    Targets targets;
    targets.outputs = loss == "multinomial" ? 2 + input.below(input.flag() ? 12 : 40) : 1;
    std::normal_distribution<double> normal;
    std::vector<double> truth;
    for (Index i = 0; i < data.rows; ++i) {
        const auto drawn = static_cast<Index>(input.random()() % 1000);
        truth.push_back(loss == "multinomial" ? static_cast<double>(drawn % targets.outputs)
                        : loss == "logistic"  ? (drawn % 2 == 0 ? 1 : -1)
                                              : 0.01 * static_cast<double>(drawn));
        if (loss == "multinomial")
            targets.classes.push_back(static_cast<std::int32_t>(truth.back()));
        else
            targets.values.push_back(truth.back());
    }
    const auto objective =
        linear_objective<Real>(data.features, targets, {loss, {}}, 1 + static_cast<int>(input.below(3)));
    Matrix<Real> x(targets.outputs, data.cols);
    for (Real& entry : x.span())
        entry = static_cast<Real>(normal(input.random()) / std::sqrt(static_cast<double>(data.cols)));
    std::vector<Index> batch;
    for (Index left = 1 + input.below(50); left > 0; --left)
        batch.push_back(static_cast<Index>(input.random()() % static_cast<std::uint64_t>(data.rows)));
    const bool all = input.flag();
    Matrix<Real> gradient;
    const Iterate<Real> point(x);
    double value = 0;
    if (all)
        value = objective->evaluate(point, gradient);
    else
        objective->batch_gradient(batch, point, gradient);
    if (all) {
        batch.resize(static_cast<std::size_t>(data.rows));
        for (Index i = 0; i < data.rows; ++i) batch[static_cast<std::size_t>(i)] = i;
    }
    Sum mean;
    std::vector<Sum> slopes(x.span().size());
    Wide steepest = 0;  // rounding of scores, which is that of slopes too
    const auto count = static_cast<Wide>(batch.size());
    for (const Index i : batch) {
        std::vector<Wide> scores(static_cast<std::size_t>(targets.outputs));
        Wide size = 1;
        for (Index l = 0; l < targets.outputs; ++l) {
            Sum sum;
            for (Index j = 0; j < data.cols; ++j)
                sum.add(static_cast<Wide>(at(data.entries, i * data.cols + j)) * x(l, j));
            scores[static_cast<std::size_t>(l)] = sum.value;
            size = std::max(size, sum.magnitude);
        }
        const Judged judged = judge(loss, scores, truth[static_cast<std::size_t>(i)]);
        mean.add(judged.loss / count);
        mean.magnitude += size * (1 + std::abs(judged.loss)) / count;
        for (Index l = 0; l < targets.outputs; ++l)
            for (Index j = 0; j < data.cols; ++j) {
                Sum& slope = slopes[static_cast<std::size_t>(l * data.cols + j)];
                const Wide entry = static_cast<Wide>(at(data.entries, i * data.cols + j)) / count;
                slope.add(judged.slopes[static_cast<std::size_t>(l)] * entry);
                slope.magnitude += std::abs(entry) * size * 4;
                steepest = std::max(steepest, std::abs(entry) * size);
            }
    }
    const Wide ulp = std::numeric_limits<Real>::epsilon();
    if (all)
        compare<Real>(value, mean, loss.c_str(), target,
                      64 * ulp * static_cast<Wide>(data.cols) * mean.magnitude);
    for (Index l = 0; l < targets.outputs; ++l)
        for (Index j = 0; j < data.cols; ++j) {
            // One class's row may be what the others leave.
            const Wide others = static_cast<Wide>(targets.outputs) * static_cast<Wide>(data.cols + 64) * ulp *
                                slopes[static_cast<std::size_t>(l * data.cols + j)].magnitude;
            compare<Real>(static_cast<double>(gradient(l, j)),
                          slopes[static_cast<std::size_t>(l * data.cols + j)], loss.c_str(), target, others);
        }
}

template <class Real>
void check_all(Input& input, std::int64_t target) {
    switch (input.below(4)) {
        case 0:
            return check_vectors<Real>(input, target);
        case 1:
            return check_products<Real>(input, target);
        default:
            return check_objective<Real>(input, target);
    }
}

}  // namespace
}  // namespace alfcg::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace alfcg;
    fuzz::Input input(data, size);
    const std::int64_t target = input.one_of(fuzz::targets());
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    if (input.flag())
        fuzz::check_all<double>(input, target);
    else
        fuzz::check_all<float>(input, target);
    hwy::SetSupportedTargetsForTest(0);
    return 0;
}
