#include "cli/problem.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "alfcg/core/error.hpp"
#include "cli/commands.hpp"
#include "core/threads.hpp"

namespace alfcg::cli {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// What a run keeps of the size of x: the iterate, gradients, a vertex, one share per thread.
void check_memory(const std::string& source, Shape shape, std::size_t real_bytes, int threads) {
    const double need = static_cast<double>(shape.rows) * static_cast<double>(shape.cols) *
                        static_cast<double>(real_bytes) * (6.0 + threads);
    const double have =
        static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
    if (need > have) {
        throw Error(
            fmt::format("{}: a model of {} x {} weights needs about {:.0f} GB, this machine has {:.0f} GB: "
                        "fewer features (--features) or outputs are needed",
                        source, shape.rows, shape.cols, need / 1e9, have / 1e9));
    }
}

LossOptions resolve_loss(const ProblemArguments& arguments, const Labels& labels) {
    LossOptions loss;
    loss.kind = arguments.loss.empty() ? default_loss(labels) : parse_loss(arguments.loss);
    if (arguments.threshold) {
        if (loss.kind != Loss::huber) throw Error("--threshold belongs to --loss huber");
        loss.threshold = *arguments.threshold;
    }
    if (arguments.width) {
        if (loss.kind != Loss::welsch) throw Error("--width belongs to --loss welsch");
        loss.width = *arguments.width;
    }
    return loss;
}

// The targets of the rows; labels that the loss cannot use are told with the name of the data.
template <class Real>
Targets targets_of(const Dataset<Real>& data, Loss loss, Classes& classes) {
    try {
        return make_targets(data.labels, loss, classes);
    } catch (const Error& error) {
        throw InputError(data.name, 0, error.what());
    }
}

RegionSpec resolve_region(const ProblemArguments& arguments, const std::string& name) {
    RegionSpec spec{name, {{"radius", arguments.radius}}, arguments.composite};
    if (arguments.p) spec.parameters.set("p", *arguments.p);
    verify(spec);
    return spec;
}

}  // namespace

void DataArguments::add_to(CommandOptions options, bool training) {
    options.add_argument("data", source,
                         "a file (LIBSVM, CSV, NPY, IDX; plain, gzip, bzip2, xz), randn-N-d or mnist-N-d",
                         "DATA");
    const std::string group = "Data";
    options.add_option("--format", format, "auto (by content), libsvm, csv, npy or idx", "NAME", group);
    options.add_option("--labels", read.labels, "the file that holds the labels of NPY, IDX or CSV data",
                       "FILE", group);
    options.add_option("--label-column", read.label_column,
                       "CSV: name or 0-based position (negative: from the end) of the label, or none [last]",
                       "COLUMN", group);
    options.add_option("--rows", rows, "take the first N rows [all]", "N", group);
    if (training) {
        options.add_option("--features", features, "fix the number of features [as found]", "D", group);
    }
    options.add_option("--classes", read.classes, "randn: number of classes [10]", "N", group);
    options.add_option("--data-seed", read.data_seed, "randn: seed of the data [0]", "N", group);
    options.add_option("--data-dir", read.data_dir, "mnist: folder of the IDX files [$ALFCG_DATA]", "FOLDER",
                       group);
}

ReadOptions DataArguments::resolve(int threads) const {
    static const std::map<std::string, Format> formats{{"auto", Format::automatic},
                                                       {"libsvm", Format::libsvm},
                                                       {"csv", Format::csv},
                                                       {"npy", Format::npy},
                                                       {"idx", Format::idx}};
    ReadOptions options = read;
    const auto found = formats.find(format);
    if (found == formats.end())
        throw Error("unknown format '" + format + "': use auto, libsvm, csv, npy or idx");
    options.format = found->second;
    options.threads = threads;
    if (rows.value_or(1) < 1) throw Error(fmt::format("--rows must be at least 1, not {}", *rows));
    if (features.value_or(1) < 1)
        throw Error(fmt::format("--features must be at least 1, not {}", *features));
    options.rows = rows.value_or(0);
    options.features = features.value_or(0);
    if (options.classes < 2) throw Error("--classes must be at least 2");
    return options;
}

void ProblemArguments::add_to(CommandOptions options) {
    data.add_to(options, true);
    options.add_option("--normalize", normalize, "none, rows, columns or spectral [none]", "NAME", "Data");
    options.add_option("--holdout", hold_out, "set a random fraction of the rows aside for testing [0]",
                       "FRACTION", "Data");
    const std::string group = "Problem";
    options.add_option("--loss", loss,
                       "multinomial, logistic, squared, huber, sigmoid or welsch [from the labels]", "NAME",
                       group);
    options.add_option("--threshold", threshold, "huber: where the loss becomes linear [1]", "T", group);
    options.add_option("--width", width, "welsch: width of the loss [1]", "W", group);
    options.add_option("--region", region,
                       "nuclear, lp, l1, l2 or linf [nuclear for a matrix of weights, l1 for a vector]",
                       "NAME", group);
    options.add_option("--p", p, "lp: the p of the norm, from 1 to inf", "P", group);
    options.add_option("--radius", radius, "radius of the region [10]", "R", group);
    options.add_option("--l1", composite.l1, "weight of ‖x‖₁ in the objective [0]", "W", group);
    options.add_option("--l2", composite.l2, "weight of ‖x‖²/2 in the objective [0]", "W", group);
    options.add_option("--nuclear", composite.nuclear, "weight of the nuclear norm in the objective [0]", "W",
                       group);
    const std::string running = "Running";
    options.add_option("--precision", precision, "f32 or f64 [f32]", "NAME", running);
    options.add_option("--threads", threads, "threads [all cores]", "N", running);
    options.add_option("--seed", seed, "seed of the batches and of the hold-out split [0]", "N", running);
}

void ProblemArguments::verify() const {
    check_precision(precision);
    check_threads(threads);
    if (hold_out != 0 && !(hold_out > 0 && hold_out < 1)) throw Error("--holdout must be between 0 and 1");
    static_cast<void>(parse_normalization(normalize));
    if (!loss.empty()) static_cast<void>(parse_loss(loss));
    if (threshold && !(*threshold > 0 && *threshold < infinity)) throw Error("--threshold must be positive");
    if (width && !(*width > 0 && *width < infinity)) throw Error("--width must be positive");
    static_cast<void>(data.resolve(threads));
    if (!region.empty()) static_cast<void>(resolve_region(*this, region));
}

template <class Real>
std::unique_ptr<Problem<Real>> make_problem(const ProblemArguments& arguments) {
    auto problem = std::make_unique<Problem<Real>>();
    problem->threads = resolve_threads(arguments.threads);
    problem->training = load_dataset<Real>(arguments.data.source, arguments.data.resolve(problem->threads));
    problem->loss = resolve_loss(arguments, problem->training.labels);
    Targets targets = targets_of(problem->training, problem->loss.kind, problem->classes);
    problem->region_spec = resolve_region(
        arguments, !arguments.region.empty() ? arguments.region : (targets.outputs > 1 ? "nuclear" : "l1"));
    if (arguments.hold_out > 0) {
        problem->held_out = hold_out(problem->training, arguments.hold_out, arguments.seed);
        // The classes are those of the rows that train; a class seen only in the held-out part cannot be
        // learned.
        targets = targets_of(problem->training, problem->loss.kind, problem->classes);
    }
    check_memory(problem->training.name, {targets.outputs, cols(problem->training.features)}, sizeof(Real),
                 problem->threads);
    problem->scaling = measure_scaling(problem->training.features, parse_normalization(arguments.normalize),
                                       problem->threads);
    problem->training.features =
        scaled(std::move(problem->training.features), problem->scaling, problem->threads);
    problem->objective =
        linear_objective(problem->training.features, std::move(targets), problem->loss, problem->threads);
    problem->region = make_region<Real>(problem->region_spec, problem->threads);
    return problem;
}

template <class Real>
std::string describe_features(const Features<Real>& features) {
    std::string text = fmt::format("{} rows, {} features", rows(features), cols(features));
    if (const auto* sparse = std::get_if<SparseFeatures<Real>>(&features)) {
        text += fmt::format(", {} non-zeros", sparse->nonzeros());
    }
    return text;
}

template std::unique_ptr<Problem<float>> make_problem(const ProblemArguments&);
template std::unique_ptr<Problem<double>> make_problem(const ProblemArguments&);
template std::string describe_features(const Features<float>&);
template std::string describe_features(const Features<double>&);

}  // namespace alfcg::cli
