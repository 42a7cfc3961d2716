#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "alfcg/core/error.hpp"
#include "alfcg/core/output_file.hpp"
#include "alfcg/fit/fit.hpp"
#include "alfcg/model/completion.hpp"
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

// "1, 2, 3, ...", the first few of many.
std::string some_of(const std::vector<std::string>& names) {
    constexpr std::ptrdiff_t most = 6;
    return fmt::format("{}{}",
                       fmt::join(names.begin(), names.begin() + std::min(most, std::ssize(names)), ", "),
                       std::ssize(names) > most ? ", ..." : "");
}

// Why the labels have nothing to do with the model; empty when they have.
template <class Real>
std::string label_mismatch(const Model<Real>& model, const Dataset<Real>& data,
                           const Predictions& predictions) {
    if (data.labels.empty()) return {};
    if (model.classes.size() == 0)
        return predictions.scored ? "" : "the labels are words, and the model predicts numbers";
    // A class that was too rare to be learned is a mistake of the model; other labels are other data.
    constexpr Index share = 10;
    if (predictions.unknown * share <= data.labels.size()) return {};
    return fmt::format("the labels ({}) are not the classes of the model ({})",
                       some_of(find_classes(data.labels).names), some_of(model.classes.names));
}

// Rows that number their features need not use all of the model's. What they leave out at the end is told where it is much;
// where chance cannot explain it, in rows that have most features or in many rows, they are other data.
struct AbsentFeatures {
    std::string told;
    bool other_data = false;
};
template <class Real>
AbsentFeatures absent_features(const Dataset<Real>& data, Index features) {
    constexpr Index much = 10;  // one in
    constexpr Index too_much = 4;
    constexpr Index many_rows = 100;
    const Index absent = features - data.last_feature;
    if (data.last_feature == 0 || absent < 2 || absent * much <= features) return {};
    const bool dense = std::holds_alternative<DenseFeatures<Real>>(data.features);
    return {fmt::format("the largest index is {}, the model has {} features", data.last_feature, features),
            absent * too_much >= features && (dense || rows(data.features) >= many_rows)};
}

template <class Real>
int predict_with(const PredictArguments& arguments) {
    const auto model = load_model<Real>(arguments.model);
    const bool classification = loss_info(model.loss.name).classifies();
    if (arguments.probabilities && !classification) {
        throw Error(fmt::format("--probabilities: {} was trained with the {} loss, which has none",
                                arguments.model, model.loss.name));
    }
    ReadOptions read = options_for(model, arguments.data.resolve());
    read.threads = arguments.threads;
    const auto data = load_dataset<Real>(arguments.data.source, read);
    const Predictions predictions = predict(model, data, arguments.probabilities, arguments.threads);

    const std::string text = as_text(model, predictions, arguments.probabilities);
    if (!arguments.output.empty()) {
        write_file(arguments.output, text);
    } else if (!arguments.json) {
        put_data(stdout, text);
    }
    const Index count = rows(data.features);
    const AbsentFeatures absent = absent_features(data, model.weights.cols());
    const std::string mismatch = absent.other_data ? absent.told : label_mismatch(model, data, predictions);
    const bool scored = predictions.scored && mismatch.empty();
    const Score score = scored ? score_of(predictions) : Score{};
    if (!arguments.quiet) {
        print_notes(data.notes);
        if (!absent.told.empty() && !absent.other_data)
            print_notes({fmt::format("{}: {}; the others count as zero", data.name, absent.told)});
        if (!mismatch.empty()) print_notes({fmt::format("{}: not scored: {}", data.name, mismatch)});
        if (scored && predictions.unknown > 0)
            print_notes({fmt::format(
                "{}: {} of {} rows have a label that the model does not know; they count as wrong", data.name,
                predictions.unknown, count)});
    }
    if (arguments.json) {
        nlohmann::ordered_json json;
        json["rows"] = count;
        if (!mismatch.empty()) json["not_scored"] = mismatch;
        if (scored && classification) {
            json["accuracy"] = score.value();
            json["correct"] = score.correct;
            json["unknown_labels"] = predictions.unknown;
        } else if (scored) {
            json["mean_squared_error"] = score.value();
        }
        json["output"] = arguments.output.empty() ? nlohmann::json() : nlohmann::json(arguments.output);
        put_data(stdout, json_text(json) + "\n");
    } else if (scored && !arguments.quiet) {
        if (classification) {
            say("Accuracy = {:.6g}% ({}/{})\n", 100.0 * score.value(), score.correct, count);
        } else {
            say("Mean squared error = {:.9g} ({} rows)\n", score.value(), count);
        }
    }
    return 0;
}

// Pairs of names instead of features.
template <class Real>
int predict_pairs(const PredictArguments& arguments) {
    const auto model = load_completion<Real>(arguments.model);
    const Pairs pairs = load_pairs(arguments.data.source);
    const auto rows = positions(model.rows);
    const auto columns = positions(model.columns);
    const auto find = [](const auto& names, const std::string& name) {
        const auto found = names.find(name);
        return found == names.end() ? Index{-1} : found->second;
    };
    std::string text;
    double squares = 0;
    Index unknown = 0;
    for (std::size_t k = 0; k < pairs.rows.size(); ++k) {
        const Index row = find(rows, pairs.rows[k]);
        const Index column = find(columns, pairs.columns[k]);
        if (row < 0 || column < 0) ++unknown;
        const double value = model.at(row, column);
        fmt::format_to(std::back_inserter(text), "{:.{}g}\n", value, sizeof(Real) == 4 ? 9 : 17);
        if (!pairs.values.empty()) squares += (value - pairs.values[k]) * (value - pairs.values[k]);
    }
    if (!arguments.output.empty()) {
        write_file(arguments.output, text);
    } else if (!arguments.json) {
        put_data(stdout, text);
    }
    const double count = static_cast<double>(pairs.rows.size());
    if (unknown > 0 && !arguments.quiet)
        print_notes({fmt::format("{}: {} of {} pairs have a row or a column that the model does not know",
                                 arguments.data.source, unknown, pairs.rows.size())});
    if (arguments.json) {
        nlohmann::ordered_json json;
        json["rows"] = pairs.rows.size();
        json["unknown"] = unknown;
        if (!pairs.values.empty()) json["rmse"] = std::sqrt(squares / count);
        json["output"] = arguments.output.empty() ? nlohmann::json() : nlohmann::json(arguments.output);
        put_data(stdout, json_text(json) + "\n");
    } else if (!pairs.values.empty() && !arguments.quiet) {
        say("Root mean squared error = {:.9g} ({} pairs)\n", std::sqrt(squares / count), pairs.rows.size());
    }
    return 0;
}

}  // namespace

Command add_predict(CommandOptions options) {
    auto arguments = std::make_shared<PredictArguments>();
    options.add_argument("model", arguments->model,
                         "a model written by 'alfcg train' or 'alfcg complete' (DATA is then pairs of names)",
                         "MODEL");
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
        if (is_completion(arguments->model))
            return completion_is_double(arguments->model) ? predict_pairs<double>(*arguments)
                                                          : predict_pairs<float>(*arguments);
        return model_is_double(arguments->model) ? predict_with<double>(*arguments)
                                                 : predict_with<float>(*arguments);
    };
}

}  // namespace alfcg::cli
