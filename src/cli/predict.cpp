#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "alfcg/core/error.hpp"
#include "alfcg/core/output_file.hpp"
#include "alfcg/fit/fit.hpp"
#include "alfcg/model/model.hpp"
#include "cli/commands.hpp"
#include "cli/problem.hpp"
#include "cli/terminal.hpp"

namespace alfcg::cli {

namespace {

struct PredictArguments {
    std::string model;
    DataArguments data;
    std::string output;  // empty: stdout
    bool probabilities = false;
    bool quiet = false;
    bool json = false;
    int threads = 0;
};

// A class name as a CSV field.
std::string field(const std::string& name) {
    if (name.find_first_of(",\"\n\r") == std::string::npos) return name;
    std::string quoted = "\"";
    for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + '"';
}

template <class Real>
std::string as_text(const Model<Real>& model, const Predictions& predictions, bool probabilities) {
    std::string text;
    if (probabilities) {
        for (const std::string& name : model.classes.names) text += (text.empty() ? "" : ",") + field(name);
        text += '\n';
        const Matrix<double>& table = predictions.probabilities;
        for (Index i = 0; i < table.rows(); ++i)
            for (Index l = 0; l < table.cols(); ++l) {
                fmt::format_to(std::back_inserter(text), "{:.9g}{}", table(i, l),
                               l + 1 < table.cols() ? ',' : '\n');
            }
        return text;
    }
    for (const std::int32_t code : predictions.classes) {
        text += model.classes.names[static_cast<std::size_t>(code)];
        text += '\n';
    }
    for (const double value : predictions.values) {
        fmt::format_to(std::back_inserter(text), "{:.{}g}\n", value, sizeof(Real) == 4 ? 9 : 17);
    }
    return text;
}

template <class Real>
int predict_with(const PredictArguments& arguments) {
    const auto model = load_model<Real>(arguments.model);
    const bool classification = loss_info(model.loss.name).classifies();
    if (arguments.probabilities && !classification) {
        throw Error(fmt::format("--probabilities: {} was trained with the {} loss, which has none",
                                arguments.model, model.loss.name));
    }
    ReadOptions read = arguments.data.resolve();
    read.threads = arguments.threads;
    read.labels_required = false;
    read.features = model.weights.cols();
    const auto data = load_dataset<Real>(arguments.data.source, read);
    const Predictions predictions = predict(model, data, arguments.probabilities, arguments.threads);

    const std::string text = as_text(model, predictions, arguments.probabilities);
    if (!arguments.output.empty()) {
        write_file(arguments.output, text);
    } else if (!arguments.json) {
        put(stdout, text);
    }
    const Index count = rows(data.features);
    const std::optional<Score> score =
        predictions.scored ? std::optional(score_of(predictions)) : std::nullopt;
    if (arguments.json) {
        nlohmann::ordered_json json;
        json["rows"] = count;
        if (score && classification) {
            json["accuracy"] = score->value();
            json["correct"] = score->correct;
        } else if (score) {
            json["mean_squared_error"] = score->value();
        }
        json["output"] = arguments.output.empty() ? nlohmann::json() : nlohmann::json(arguments.output);
        fmt::print("{}\n", json_text(json));
    } else if (score && !arguments.quiet) {
        if (classification) {
            fmt::print("Accuracy = {:.6g}% ({}/{})\n", 100.0 * score->value(), score->correct, count);
        } else {
            fmt::print("Mean squared error = {:.9g} ({} rows)\n", score->value(), count);
        }
    }
    return 0;
}

}  // namespace

Command add_predict(CommandOptions options) {
    auto arguments = std::make_shared<PredictArguments>();
    options.add_argument("model", arguments->model, "a model written by 'alfcg train'", "MODEL");
    arguments->data.add_to(options, false);
    const std::string group = "Output";
    options.add_option("--output", arguments->output,
                       "where the predictions go, one line per row [standard output, the score after them]",
                       "FILE", group);
    options.add_flag("--probabilities", arguments->probabilities,
                     "write a CSV table of class probabilities instead of labels", group);
    options.add_flag("--quiet", arguments->quiet, "print no score", group);
    options.add_flag("--json", arguments->json,
                     "print the score as one JSON object, and no predictions without --output", group);
    options.add_option("--threads", arguments->threads, "threads [all cores]", "N", "Running");
    return [arguments] {
        check_threads(arguments->threads);
        check_outputs({arguments->output},
                      {arguments->model, arguments->data.source, arguments->data.read.labels});
        return model_is_double(arguments->model) ? predict_with<double>(*arguments)
                                                 : predict_with<float>(*arguments);
    };
}

}  // namespace alfcg::cli
