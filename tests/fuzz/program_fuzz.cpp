// Whole fits of small problems, any data, loss, region and method: what comes of them is finite and in the region, no lower bound that one
// run proves lies above what another has reached, and models come back from their files as they were.
#include <algorithm>
#include <array>

#include "../temporary_folder.hpp"
#include "alfcg/alfcg.hpp"
#include "fuzz.hpp"

namespace alfcg::fuzz {
namespace {

template <class Real>
Dataset<Real> data_of(Input& input, const LossInfo& loss) {
    Dataset<Real> data;
    data.name = "data";
    const Index rows = input.between(2, 40);
    const Index cols = input.between(1, 8);
    Numbers<Real> from(input);
    const bool sparse = input.flag();
    Buffer<Index> start;
    Buffer<std::int32_t> column;
    Buffer<Real> value;
    start.push_back(0);
    for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < cols; ++j) {
            const Real number = from.next();
            if (sparse && number == 0) continue;
            column.push_back(static_cast<std::int32_t>(j));
            value.push_back(std::isfinite(number) ? number : Real(1));
        }
        start.push_back(static_cast<Index>(value.size()));
        const auto drawn = static_cast<double>(input.random()() % 5);
        data.labels.push(loss.target == TargetKind::numbers   ? 0.5 * drawn - 1
                         : loss.target == TargetKind::classes ? drawn
                                                              : std::min(drawn, 1.0));
    }
    if (sparse)
        data.features =
            SparseFeatures<Real>{std::move(start), std::move(column), std::move(value), rows, cols};
    else
        data.features = DenseFeatures<Real>(std::move(value), rows, cols);
    return data;
}

RegionSpec region_of(Input& input) {
    const double radius = std::ldexp(1.0, static_cast<int>(input.between(-3, 5)));
    static const std::array<std::string, 9> names{
        "l1", "l2", "linf", "lp", "nuclear", "simplex", "spectral", "group-l12", "nonnegative-l1"};
    RegionSpec spec{input.one_of(names), {{"radius", radius}}, {}};
    if (spec.name == "lp") spec.parameters.set("p", 1.5);
    if (input.below(4) == 0) spec.composite.l2 = 0.1;
    return spec;
}

// To look at a problem with the program itself: as LIBSVM.
template <class Real>
void dump(const Dataset<Real>& data, const std::string& told) {
    fmt::print("# {}\n", told);
    for (Index i = 0; i < rows(data.features); ++i) {
        fmt::print("{}", data.labels.text(i));
        if (const auto* dense = std::get_if<DenseFeatures<Real>>(&data.features))
            for (Index j = 0; j < dense->cols(); ++j) fmt::print(" {}:{}", j + 1, dense->row(i)[j]);
        if (const auto* sparse = std::get_if<SparseFeatures<Real>>(&data.features))
            for (auto k = static_cast<std::size_t>(sparse->start[static_cast<std::size_t>(i)]);
                 k < static_cast<std::size_t>(sparse->start[static_cast<std::size_t>(i) + 1]); ++k)
                fmt::print(" {}:{}", sparse->column[k] + 1, sparse->value[k]);
        fmt::print("\n");
    }
    std::fflush(stdout);
}

// What the features of a row add up to at most.
template <class Real>
double largest_of(const Problem<Real>& problem) {
    const auto& features = problem.training.features;
    double entry = 0;
    if (const auto* dense = std::get_if<DenseFeatures<Real>>(&features))
        for (Index k = 0; k < dense->rows() * dense->cols(); ++k)
            entry = std::max(entry, std::abs(static_cast<double>(dense->data()[k])));
    if (const auto* sparse = std::get_if<SparseFeatures<Real>>(&features))
        for (const Real value : sparse->value) entry = std::max(entry, std::abs(static_cast<double>(value)));
    return entry * static_cast<double>(cols(features));
}

struct Reached {
    double start = 0;
    double objective = 0;
    double gap = 0;
};

template <class Real>
Reached reach(Problem<Real>& problem, const Options& options, bool with_file, const std::string& told) {
    Reached reached;
    const Observer<Real> watch = [&](const Snapshot<Real>& now) {
        if (now.iteration == 0) reached.start = now.metrics().objective;
    };
    const Fitted<Real> fitted = fit<Real>(problem, options, watch);
    reached.objective = fitted.report.metrics.objective;
    reached.gap = fitted.report.metrics.gap;
    require(std::isfinite(reached.objective) && reached.gap >= 0, "{}: objective {}, gap {}", told,
            reached.objective, reached.gap);
    const double outside = problem.new_region()->violation(fitted.model.weights);
    require(outside <= (std::is_same_v<Real, float> ? 1e-5 : 1e-11), "{}: {} outside of the region", told,
            outside);
    if (!with_file) return reached;
    static const TemporaryFolder folder;
    const std::string path = folder.file("m.npz");
    save_model(fitted.model, path);
    const Model<Real> back = load_model<Real>(path);
    require(std::equal(back.weights.span().begin(), back.weights.span().end(),
                       fitted.model.weights.span().begin()),
            "{}: the model came back with other weights", told);
    return reached;
}

template <class Real>
void check(Input& input) {
    static const std::vector<LossInfo> losses_known = losses();
    static const std::vector<MethodInfo> methods_known = methods();
    const LossInfo& loss = input.one_of(losses_known);
    Specification specification;
    specification.loss = {std::string(loss.name), {}};
    specification.region = region_of(input);
    specification.intercept = input.flag();
    specification.threads = 1 + static_cast<int>(input.below(2));
    specification.reproducible = input.flag();
    if (input.below(4) == 0) specification.normalization = Normalization::columns;
    Options options;
    options.method = input.one_of(methods_known).name;
    options.max_iterations = input.between(1, 30);
    options.max_epochs = 2000;
    const std::string told =
        fmt::format("{}, {}{}{}, {} of {} with l2 {}, {}", loss.name,
                    std::is_same_v<Real, float> ? "f32" : "f64", specification.intercept ? ", intercept" : "",
                    specification.normalization == Normalization::none ? "" : ", columns normalised",
                    specification.region.name, specification.region.parameters.number("radius").value_or(0),
                    specification.region.composite.l2, options.method);
    try {
        const Dataset<Real> data = data_of<Real>(input, loss);
        if (std::getenv("ALFCG_FUZZ_DUMP") != nullptr) dump(data, told);
        Problem<Real> problem = prepare<Real>(data, specification);
        // A model file takes longer than both fits.
        const bool with_file = input.random()() % 16 == 0;
        const Reached one = reach(problem, options, with_file, told);
        options.method = "auto";
        options.max_iterations = 40;
        const Reached other = reach(problem, options, with_file, told + " and auto");
        const double size = std::abs(one.objective) + std::abs(other.objective) + std::abs(one.start);
        // Scores are known to so much: features that are large numbers, but for their last digits alike, tell little.
        const double blur = static_cast<double>(std::numeric_limits<Real>::epsilon()) * largest_of(problem) *
                            specification.region.parameters.number("radius").value_or(1);
        const double rounding =
            (std::is_same_v<Real, float> ? 1e-4 : 1e-9) * (size + 1e-6) + 32 * blur * (1 + blur);
        if (loss.convex) {
            require(one.objective - one.gap <= other.objective + rounding,
                    "{}: at least {} - {}, but auto found {}", told, one.objective, one.gap, other.objective);
            require(other.objective - other.gap <= one.objective + rounding,
                    "{} found {}, but auto proved {} - {}", told, one.objective, other.objective, other.gap);
            require(other.objective <= other.start + rounding, "{}: auto went up from {} to {}", told,
                    other.start, other.objective);
        }
    } catch (const Error& error) {
        check_message(error.what());
    }
}

}  // namespace
}  // namespace alfcg::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace alfcg;
    fuzz::Input input(data, size);
    if (input.flag())
        fuzz::check<double>(input);
    else
        fuzz::check<float>(input);
    return 0;
}
