#include "cli/problem.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "alfcg/core/device.hpp"
#include "alfcg/core/error.hpp"
#include "alfcg/core/text.hpp"
#include "cli/commands.hpp"
#include "cli/terminal.hpp"
#include "report/compare_methods.hpp"

namespace alfcg::cli {

namespace {

// What stands for a value in --help.
std::string word_for(const ParameterInfo& info) {
    if (info.name == "radius") return "auto|NUMBER";
    if (info.text) return info.only_words ? "FILE" : "NUMBER|FILE";
    return "NUMBER";
}

// The parameters of a loss or a region, each an option of its own.
void add_parameters(CommandOptions options, const std::vector<ParameterInfo>& parameters, Parameters& chosen,
                    const std::string& note, const std::string& group) {
    for (const ParameterInfo& info : parameters) {
        const bool can_be_found = info.name == "radius";  // by train
        options.add_text(
            "--" + std::string(info.name),
            [info, can_be_found, &chosen](const std::string& text) {
                if (can_be_found && text == "auto") return chosen.set(info.name, text);
                std::visit([&](const auto& value) { chosen.set(info.name, value); }, parse(info, text));
            },
            std::string(info.meaning) + " [" + note + "]", word_for(info), group);
    }
}

// The first line, where it has been taken for names: who has none sees that a row is missing.
template <class Real>
std::string describe_device(const Problem<Real>& problem) {
    if (problem.device == nullptr && problem.device_times.empty()) return {};
    std::string text = problem.device == nullptr
                           ? "cpu"
                           : fmt::format("{}, {}", problem.device->name(), problem.device->description());
    if (const double bytes = problem.objective->streamed(); bytes > 0)
        text += fmt::format("; {:.3g} MB of the data, which do not fit, are sent to it in every pass",
                            1e-6 * bytes);
    std::string measured;
    for (const DeviceTime& time : problem.device_times)
        measured += fmt::format("{}{:.3g} ms on {}", measured.empty() ? "; an epoch takes " : ", ",
                                1e3 * time.seconds, time.name);
    return "device     " + text + measured + "\n";
}

template <class Real>
std::string describe_header(const Dataset<Real>& data) {
    if (!data.header) return {};
    constexpr std::size_t most = 4;
    std::string names;
    for (std::size_t j = 0; j < std::min(most, data.names.size()); ++j)
        names += (j > 0 ? ", " : "") + data.names[j];
    return fmt::format("header     {}{}\n", names, data.names.size() > most ? ", ..." : "");
}

}  // namespace

std::vector<std::string> normalization_names() {
    using enum Normalization;
    std::vector<std::string> names;
    for (const Normalization kind : {none, rows, columns, spectral}) names.emplace_back(to_text(kind));
    return names;
}

void add_device(CommandOptions options, std::string& device) {
    options.add_option("--device", device,
                       "where passes over the rows are made: cpu; cuda or cuda:N, a GPU; auto: where they "
                       "take less time, which is measured [cpu]",
                       "NAME", "Running");
    options.add_values("--device", {"cpu", "cuda", "auto"});
}

void add_max_unpacked(CommandOptions options, std::uint64_t& bytes, const std::string& group) {
    options.add_text(
        "--max-unpacked",
        [&bytes](const std::string& text) {
            bytes = static_cast<std::uint64_t>(parse_size("max-unpacked", text));
        },
        "what an archive may unpack to, in bytes or as 500M, 20G [1G, or 200 times its size where that is "
        "more]",
        "SIZE", group);
}

void DataArguments::add_to(CommandOptions options, bool training) {
    options.add_argument(
        "data", source,
        "a file (" + format_titles("or") + "; plain, gzip, bzip2, xz), randn-N-d or mnist-N-d", "DATA");
    std::vector<std::string> names{"auto (by content)"};
    for (const FormatInfo& format : formats()) names.emplace_back(format.name);
    const std::string group = "Data";
    options.add_option("--format", read.format, listed(names, "or"), "NAME", group);
    names.front() = "auto";
    options.add_values("--format", names);
    options.add_option("--labels", read.labels,
                       "the file that holds the labels of " + format_titles_with_label_file("or") + " data",
                       "FILE", group);
    options.add_option("--label-column", read.label_column,
                       "CSV: name or 0-based position (negative: from the end) of the label, or none [last]",
                       "COLUMN", group);
    options.add_option("--drop", read.drop, "CSV: leave columns out: names or positions between commas",
                       "COLUMN,...", group);
    options.add_option("--rows", rows, "take the first N rows [all]", "N", group);
    add_max_unpacked(options, read.max_unpacked, group);
    if (training) {
        options.add_option("--weights", read.weights,
                           "weights of the rows: a file of numbers like --labels, or a column of a CSV file",
                           "FILE|COLUMN", group);
        options.add_option("--missing", read.missing,
                           "CSV: what stands for missing values, mean or zero [they are an error]", "NAME",
                           group);
        options.add_values("--missing", {"mean", "zero"});
        options.add_flag("--categories", read.categories,
                         "CSV: make a feature COLUMN=WORD of every word in columns of words", group);
        options.add_flag("--scale", scale, "divide the features by 255, for pixels that are bytes", group);
        options.add_option("--features", features, "fix the number of features [as found]", "D", group);
    }
    options.add_option("--classes", read.classes, "randn: number of classes [10]", "N", group);
    options.add_option("--data-seed", read.data_seed, "randn: seed of the data [0]", "N", group);
    options.add_option("--data-dir", read.data_dir, "mnist: folder of the IDX files [$ALFCG_DATA]", "FOLDER",
                       group);
}

ReadOptions DataArguments::resolve() const {
    ReadOptions options = read;
    if (rows.value_or(1) < 1) throw QuantityError("rows", fmt::format("must be at least 1, not {}", *rows));
    if (features.value_or(1) < 1)
        throw QuantityError("features", fmt::format("must be at least 1, not {}", *features));
    options.rows = rows.value_or(0);
    options.features = features.value_or(0);
    if (scale) options.scale = 255;
    if (options.classes < 2) throw QuantityError("classes", "must be at least 2");
    verify(options);
    return options;
}

void ProblemArguments::add_to(CommandOptions options, bool intercept) {
    data.add_to(options, true);
    Specification& chosen = specification;
    options.add_option("--normalize", normalize, "none, rows, columns or spectral [none]", "NAME", "Data");
    options.add_values("--normalize", normalization_names());
    options.add_option("--holdout", chosen.hold_out,
                       "set a random fraction of the rows aside for testing [0]", "FRACTION", "Data");
    const std::string group = "Problem";
    const auto names_of = [](const auto& rows) {
        std::vector<std::string> names;
        names.reserve(rows.size());
        for (const auto& row : rows) names.emplace_back(row.name);
        return names;
    };
    const auto loss_names = names_of(losses());
    const auto region_names = names_of(regions());
    options.add_option("--loss", chosen.loss.name,
                       fmt::format("{} [from the labels]", fmt::join(loss_names, ", ")), "NAME", group);
    options.add_values("--loss", loss_names);
    add_parameters(options, loss_parameters(), chosen.loss.parameters, "see alfcg losses", group);
    options.add_option("--region", chosen.region.name,
                       "a name from alfcg regions [nuclear for a matrix of weights, l1 for a vector]", "NAME",
                       group);
    options.add_values("--region", region_names);
    add_parameters(options, region_parameters(), chosen.region.parameters, "see alfcg regions", group);
    chosen.intercept = intercept;
    options.add_flag("--intercept", with_intercept,
                     std::string("add a constant, which nothing constrains, to every score") +
                         (intercept ? " [the default]" : ""),
                     group);
    options.add_flag("--no-intercept", without_intercept,
                     std::string("add none") + (intercept ? "" : " [the default]"), group);
    options.add_option("--class-weights", class_weights,
                       "how much the rows of a class count: balanced, or LABEL:WEIGHT,... [1]", "LIST",
                       group);
    options.add_option("--l1", chosen.region.composite.l1, "weight of ‖x‖₁ in the objective [0]", "W", group);
    options.add_option("--l2", chosen.region.composite.l2, "weight of ‖x‖²/2 in the objective [0]", "W",
                       group);
    options.add_option("--nuclear", chosen.region.composite.nuclear,
                       "weight of the nuclear norm in the objective [0]", "W", group);
    options.add_option("--norm", chosen.region.composite.norm,
                       "weight of the norm whose ball the region is in the objective [0]", "W", group);
    options.add_option("--entropy", chosen.region.composite.entropy,
                       "weight of Σ x log x in the objective [0]", "W", group);
    const std::string running = "Running";
    options.add_option("--precision", precision, "f32 or f64 [f32]", "NAME", running);
    options.add_values("--precision", {"f32", "f64"});
    options.add_option("--threads", chosen.threads, "threads [all cores]", "N", running);
    options.add_flag("--reproducible", chosen.reproducible,
                     "the same bits for every number of threads: work is divided in one way for all",
                     running);
    add_device(options, chosen.device);
    options.add_option("--seed", chosen.options.seed, "seed of the batches and of the hold-out split [0]",
                       "N", running);
}

void ProblemArguments::verify(bool finds_radius) const {
    if (radius_auto() && !finds_radius)
        throw QuantityError("radius", "must be a number here: auto is for train, and path tries several");
    check_precision(precision);
    resolve(specification.options).verify();
    static_cast<void>(data.resolve());
}

Specification ProblemArguments::resolve(const Options& options) const {
    Specification resolved = specification;
    resolved.normalization = parse_normalization(normalize);
    if (with_intercept && without_intercept)
        throw QuantityError("intercept", "and `no-intercept` exclude each other");
    resolved.intercept = with_intercept || (specification.intercept && !without_intercept);
    resolved.class_weights = ClassWeights::parse(class_weights);
    resolved.options = options;
    if (radius_auto()) resolved.region.parameters.erase("radius");
    return resolved;
}

void print_notes(const std::vector<std::string>& notes) {
    for (const std::string& note : notes) put(stderr, "alfcg: note: " + with_options(note) + "\n");
}

template <class Real>
std::string describe_problem(const std::string& source, const Problem<Real>& problem) {
    const Dataset<Real>& training = problem.training;
    const std::string classes =
        problem.classes.size() > 0 ? fmt::format(", {} classes", problem.classes.size()) : std::string();
    const double scale = training.reading.scale;
    const std::string bytes = training.bytes ? ", bytes (--scale divides them by 255)" : "";
    const std::string ranks = problem.ranks == nullptr
                                  ? std::string()
                                  : fmt::format(" on rank 0 of {}, {} rows in all", problem.ranks->size(),
                                                problem.objective->samples());
    std::string text =
        fmt::format("data       {}: {}{}{}{}\n", source, describe_features(training.features), ranks, classes,
                    scale == 1 ? bytes : fmt::format(", divided by {}", scale));
    text += describe_header(training);
    if (problem.held_out)
        text += fmt::format("held out   {}\n", describe_features(problem.held_out->features));
    const std::string& reason = problem.loss_reason;
    text += describe_device(problem);
    return text + fmt::format("loss       {}{}{}\n", problem.loss.name,
                              reason.empty() ? "" : " (" + with_options(reason) + ")",
                              problem.intercept ? ", with an intercept" : "");
}

template std::string describe_problem(const std::string&, const Problem<float>&);
template std::string describe_problem(const std::string&, const Problem<double>&);

}  // namespace alfcg::cli
