#include "alfcg/data/convert.hpp"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "alfcg/core/error.hpp"
#include "alfcg/model/model.hpp"
#include "cli/commands.hpp"
#include "cli/problem.hpp"
#include "cli/terminal.hpp"
#include "core/memory.hpp"

namespace alfcg::cli {

namespace {

struct ConvertArguments {
    DataArguments data;
    std::string output;
    std::string model;
    std::string precision = "f32";
    int threads = 0;
    bool quiet = false;
    bool json = false;
};

template <class Real>
int convert_with(const ConvertArguments& arguments) {
    using Clock = std::chrono::steady_clock;
    ReadOptions read = arguments.data.resolve();
    if (!arguments.model.empty()) read = options_for(load_model<Real>(arguments.model), read);
    read.threads = arguments.threads;
    const auto begin = Clock::now();
    const Converted done = convert<Real>(arguments.data.source, arguments.output, read);
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    if (!arguments.quiet) print_notes(done.notes);
    if (arguments.json) {
        nlohmann::ordered_json json;
        json["rows"] = done.rows;
        json["features"] = done.cols;
        json["entries"] = done.entries;
        json["sparse"] = done.sparse;
        json["labels"] = done.labelled;
        json["precision"] = arguments.precision;
        json["bytes"] = done.bytes;
        json["seconds"] = seconds;
        json["peak_memory"] = peak_memory();
        json["output"] = arguments.output;
        put_data(stdout, json_text(json) + "\n");
    } else if (!arguments.quiet) {
        say("{:<11}{}: {} x {} {}, {}{}\n", "data", arguments.data.source, done.rows, done.cols,
            done.sparse ? fmt::format("sparse ({} non-zeros)", done.entries) : "dense", arguments.precision,
            done.labelled ? ", with labels" : "");
        say("{:<11}{}: {:.4g} MB in {:.2f} s\n", "file", arguments.output,
            static_cast<double>(done.bytes) / 1e6, seconds);
        say("{:<11}{:.4g} MB at most, with what is mapped of the file\n", "memory", peak_memory() / 1e6);
    }
    return 0;
}

}  // namespace

Command add_convert(CommandOptions options) {
    auto arguments = std::make_shared<ConvertArguments>();
    arguments->data.add_to(options, true);
    options.add_argument(
        "out", arguments->output,
        "the file to write: a NumPy array with labels and names behind it, or a sparse matrix", "FILE");
    options.add_option("--model", arguments->model,
                       "read DATA as predict would for this model: its columns by name, its words", "FILE",
                       "Data");
    options.add_option("--precision", arguments->precision, "f32 or f64 [f32]", "NAME", "Running");
    options.add_values("--precision", {"f32", "f64"});
    options.add_option("--threads", arguments->threads, "threads [all cores]", "N", "Running");
    options.add_flag("--quiet", arguments->quiet, "print nothing but errors", "Output");
    options.add_flag("--json", arguments->json, "print what was written as one JSON object", "Output");
    return [arguments] {
        check_threads(arguments->threads);
        check_precision(arguments->precision);
        check_outputs({arguments->output}, {arguments->data.source, arguments->data.read.labels,
                                            arguments->data.read.weights, arguments->model});
        return arguments->precision == "f64" ? convert_with<double>(*arguments)
                                             : convert_with<float>(*arguments);
    };
}

}  // namespace alfcg::cli
