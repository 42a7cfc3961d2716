#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "alfcg/core/error.hpp"
#include "alfcg/core/text.hpp"
#include "alfcg/model/completion.hpp"
#include "alfcg/model/model.hpp"
#include "alfcg/region/spectrum.hpp"
#include "cli/commands.hpp"
#include "cli/terminal.hpp"

namespace alfcg::cli {

namespace {

constexpr std::size_t line_width = 80;

struct ShowArguments {
    std::string model;
    std::optional<Index> top;  // none: 10 of a vector, 5 of each class

    [[nodiscard]] Index count(Index outputs) const { return top.value_or(outputs > 1 ? 5 : 10); }
    bool json = false;
};

bool continues_character(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

// A name on one line, in at most so many characters.
std::string printable(const std::string& name, std::size_t most) {
    std::string text;
    std::size_t count = 0;
    const bool cut = characters(name) > most;
    for (const char c : name) {
        if (!continues_character(c) && ++count > (cut ? most - 3 : most)) break;
        const auto code = static_cast<unsigned char>(c);
        text += code < 32 || code == 127 ? '?' : c;
    }
    return cut ? text + "..." : text;
}

std::string padded(const std::string& text, std::size_t width) {
    return text + std::string(width - std::min(width, characters(text)), ' ');
}

// Prints items behind a title, on as many lines as they need.
void print_items(const std::string& title, std::size_t indent, const std::vector<std::string>& items,
                 const std::string& between) {
    std::string line = padded(title, indent);
    std::size_t length = std::max(indent, characters(title));
    bool first = true;
    for (const std::string& item : items) {
        const std::size_t more = characters(item) + (first ? 0 : between.size());
        if (!first && length + more > line_width) {
            say("{}\n", line);
            line = std::string(indent, ' ');
            length = indent;
            first = true;
        }
        line += (first ? "" : between) + item;
        length += first ? characters(item) : more;
        first = false;
    }
    say("{}\n", line);
}

template <class Real>
std::string feature_name(const Model<Real>& model, Index j) {
    return model.names.empty() ? fmt::format("[{}]", j) : model.names[static_cast<std::size_t>(j)];
}

// The features with the largest weights of an output, none that are zero.
template <class Real>
std::vector<Index> largest(const Model<Real>& model, Index output, Index count) {
    const Matrix<Real>& weights = model.weights;
    std::vector<Index> order(static_cast<std::size_t>(weights.cols()));
    std::iota(order.begin(), order.end(), Index{0});
    std::erase_if(order, [&](Index j) { return weights(output, j) == 0; });
    const auto last = order.begin() + std::min(count, std::ssize(order));
    std::partial_sort(order.begin(), last, order.end(), [&](Index a, Index b) {
        const Real x = std::abs(weights(output, a));
        const Real y = std::abs(weights(output, b));
        return x != y ? x > y : a < b;
    });
    order.erase(last, order.end());
    return order;
}

template <class Real>
Index count_nonzeros(const Model<Real>& model) {
    const auto weights = model.weights.span();
    return std::count_if(weights.begin(), weights.end(), [](Real w) { return w != 0; });
}

template <class Real>
std::string region_text(const Model<Real>& model) {
    std::string text;
    try {
        text = make_region<Real>(model.region, {1, model.names, {}})->describe();
    } catch (const Error&) {  // of a program with regions of its own
        text = model.region.name;
    }
    return text;
}

template <class Real>
std::vector<std::string> problem_items(const Model<Real>& model) {
    if (model.classes.size() == 0) return {"regression", model.loss.name + " loss"};
    constexpr std::size_t most = 6;
    std::vector<std::string> items{fmt::format("{} loss", model.loss.name),
                                   fmt::format("{} classes:", model.classes.size())};
    for (const std::string& name : model.classes.names) {
        if (items.size() == most + 2) break;
        items.push_back(printable(name, 20));
    }
    // The names belong to what stands before them.
    items[1] += " " + items[2];
    items.erase(items.begin() + 2);
    if (model.classes.size() > static_cast<Index>(most)) items.emplace_back("...");
    return items;
}

// What happens to features before they meet the weights.
template <class Real>
std::vector<std::string> feature_items(const Model<Real>& model) {
    std::vector<std::string> items{std::to_string(model.weights.cols())};
    if (model.names.empty()) items.emplace_back("without names (below: positions from 0)");
    if (!model.reading.sources.empty()) items.emplace_back("words as COLUMN=WORD");
    if (!model.reading.fill.empty()) items.emplace_back("missing values filled");
    if (model.reading.scale != 1) items.push_back(fmt::format("divided by {}", model.reading.scale));
    if (model.scaling.kind != Normalization::none)
        items.push_back(fmt::format("normalised: {}", to_text(model.scaling.kind)));
    return items;
}

std::string score_text(bool classification, const TrainingScore& score) {
    return classification ? fmt::format("{:.2f}% of {} rows", 100 * score.value, score.rows)
                          : fmt::format("mean squared error {:.6g} on {} rows", score.value, score.rows);
}

template <class Real>
const char* of_what(const Model<Real>& model) {
    return model.scaling.kind == Normalization::none ? "" : ", of normalised features";
}

// One output: a line for every coefficient, with a bar.
template <class Real>
void print_vector(const Model<Real>& model, Index top) {
    const std::vector<Index> features = largest(model, 0, top);
    const Index nonzeros = count_nonzeros(model);
    if (features.empty()) return;
    say("\nlargest coefficients{}{}{}\n", of_what(model),
        std::ssize(features) < nonzeros ? fmt::format(" ({} of {})", features.size(), nonzeros) : "",
        model.classes.size() == 2 ? fmt::format("; positive: {}", printable(model.classes.names[1], 30))
                                  : "");
    constexpr std::size_t bar_width = 20;
    constexpr std::size_t number_width = 12;
    const double scale = std::abs(static_cast<double>(model.weights(0, features.front())));
    for (const Index j : features) {
        const auto weight = static_cast<double>(model.weights(0, j));
        const auto length = static_cast<std::size_t>(std::ceil(bar_width * (std::abs(weight) / scale)));
        say("{:>{}.5g}  {}  {}\n", weight, number_width,
            padded(std::string(length, weight > 0 ? '+' : '-'), bar_width),
            printable(feature_name(model, j), line_width - number_width - bar_width - 4));
    }
}

// Several outputs: a paragraph each.
template <class Real>
void print_matrix(const Model<Real>& model, Index top) {
    constexpr Index most_classes = 30;
    const Index outputs = model.weights.rows();
    std::size_t indent = 0;
    for (const std::string& name : model.classes.names) indent = std::max(indent, characters(name));
    indent = std::min<std::size_t>(indent, 16) + 2;
    say("\nlargest coefficients by class{}{}\n", of_what(model),
        model.intercept.empty() ? "" : ", the intercept in brackets");
    for (Index l = 0; l < std::min(outputs, most_classes); ++l) {
        std::vector<std::string> items;
        const auto output = static_cast<std::size_t>(l);
        if (!model.intercept.empty()) items.push_back(fmt::format("({:+.4g})", model.intercept[output]));
        for (const Index j : largest(model, l, top))
            items.push_back(fmt::format("{:+.4g} {}", static_cast<double>(model.weights(l, j)),
                                        printable(feature_name(model, j), 40)));
        if (items.empty()) items.emplace_back("none");
        print_items(printable(model.classes.names[output], indent - 2), indent, items, "  ");
    }
    if (outputs > most_classes) say("... and {} more classes (--json has all)\n", outputs - most_classes);
}

template <class Real>
void print_model(const ShowArguments& arguments, const Model<Real>& model) {
    constexpr std::size_t indent = 11;
    const bool classification = model.classes.size() > 0;
    const auto line = [&](const std::string& title, const std::string& text) {
        say("{}{}\n", padded(title, indent), text);
    };
    line("model", arguments.model + (sizeof(Real) == sizeof(float) ? ", f32" : ", f64"));
    print_items("problem", indent, problem_items(model), ", ");
    print_items("features", indent, feature_items(model), ", ");
    if (!model.reading.label.empty()) line("label", "column " + printable(model.reading.label, 60));
    if (!model.reading.others.empty()) {
        std::vector<std::string> names;
        for (const std::string& name : model.reading.others) names.push_back(printable(name, 30));
        print_items("left out", indent, names, ", ");
    }
    line("region", region_text(model));
    line("method", model.method);
    if (model.training)
        line(classification ? "accuracy" : "fit", score_text(classification, *model.training));
    if (model.held_out) line("held out", score_text(classification, *model.held_out));
    if (model.intercept.size() == 1) line("intercept", fmt::format("{:.6g}", model.intercept.front()));
    if (model.weights.rows() > 1) {
        const std::vector<double> values = singular_values(model.weights);
        const Index rank = numerical_rank<Real>(values, model.weights.shape());
        line("rank", fmt::format("{} of {}", rank, values.size()));
        constexpr Index most = 20;
        std::vector<std::string> items;
        for (Index k = 0; k < std::min<Index>(std::max<Index>(rank, 1), most); ++k)
            items.push_back(fmt::format("{:.4g}", values[static_cast<std::size_t>(k)]));
        if (rank > most) items.emplace_back("...");
        print_items("spectrum", indent, items, " ");
    }
    line("non-zeros", fmt::format("{} of {}", count_nonzeros(model), model.weights.size()));
    if (model.weights.rows() > 1)
        print_matrix(model, arguments.count(model.weights.rows()));
    else
        print_vector(model, arguments.count(1));
}

template <class Real>
nlohmann::ordered_json to_json(const ShowArguments& arguments, const Model<Real>& model) {
    const bool classification = model.classes.size() > 0;
    const std::string measure = classification ? "accuracy" : "mean_squared_error";
    nlohmann::ordered_json json;
    json["model"] = arguments.model;
    json["precision"] = sizeof(Real) == sizeof(float) ? "f32" : "f64";
    json["loss"] = model.loss.name;
    json["classes"] = model.classes.names;
    json["features"] = model.weights.cols();
    json["outputs"] = model.weights.rows();
    json["normalization"] = to_text(model.scaling.kind);
    json["scale"] = model.reading.scale;
    json["label"] = model.reading.label;
    json["left_out"] = model.reading.others;
    json["region"] = region_text(model);
    json["method"] = model.method;
    if (model.training) {
        json["rows"] = model.training->rows;
        json[measure] = model.training->value;
    }
    if (model.held_out) {
        json["holdout_rows"] = model.held_out->rows;
        json["holdout_" + measure] = model.held_out->value;
    }
    json["intercept"] = model.intercept;
    json["nonzeros"] = count_nonzeros(model);
    if (model.weights.rows() > 1) {
        const std::vector<double> values = singular_values(model.weights);
        json["rank"] = numerical_rank<Real>(values, model.weights.shape());
        json["singular_values"] = values;
    }
    auto outputs = nlohmann::ordered_json::array();
    for (Index l = 0; l < model.weights.rows(); ++l) {
        nlohmann::ordered_json output;
        if (model.weights.rows() > 1) output["class"] = model.classes.names[static_cast<std::size_t>(l)];
        output["largest"] = nlohmann::ordered_json::array();
        for (const Index j : largest(model, l, arguments.count(model.weights.rows()))) {
            nlohmann::ordered_json entry;
            entry["position"] = j;
            if (!model.names.empty()) entry["feature"] = feature_name(model, j);
            entry["coefficient"] = static_cast<double>(model.weights(l, j));
            output["largest"].push_back(std::move(entry));
        }
        outputs.push_back(std::move(output));
    }
    json["coefficients"] = std::move(outputs);
    return json;
}

template <class Real>
int show(const ShowArguments& arguments) {
    const auto model = load_model<Real>(arguments.model);
    if (arguments.json)
        put_data(stdout, json_text(to_json(arguments, model)) + "\n");
    else
        print_model(arguments, model);
    return 0;
}

template <class Real>
int show_completion(const ShowArguments& arguments) {
    const auto model = load_completion<Real>(arguments.model);
    nlohmann::ordered_json json;
    json["kind"] = "completion";
    json["rows"] = std::ssize(model.rows);
    json["columns"] = std::ssize(model.columns);
    json["rank"] = model.rank();
    json["radius"] = model.radius;
    json["mean"] = model.mean;
    json["biases"] = !model.row_biases.empty();
    json["bias_penalty"] = model.bias_penalty;
    json["loss"] = model.loss.name;
    json["method"] = model.method;
    json["refitted"] = model.refitted;
    if (arguments.json) {
        put_data(stdout, json_text(json) + "\n");
        return 0;
    }
    say("completion {} rows and {} columns, rank {}\n", model.rows.size(), model.columns.size(),
        model.rank());
    say("loss       {}\nregion     nuclear ball of radius {:g}\n", model.loss.name, model.radius);
    say("mean       {:g}{}\n", model.mean,
        model.row_biases.empty()
            ? std::string()
            : fmt::format(", biases of rows and columns with a penalty of {:g} observations each",
                          model.bias_penalty));
    say("method     {}{}\n", model.method, model.refitted ? ", refitted" : "");
    return 0;
}

}  // namespace

Command add_show(CommandOptions options) {
    auto arguments = std::make_shared<ShowArguments>();
    options.add_argument("model", arguments->model, "a model written by 'alfcg train' or 'alfcg complete'",
                         "MODEL");
    const std::string group = "Output";
    options.add_option("--top", arguments->top,
                       "so many of the largest coefficients [10, or 5 of each class]", "N", group);
    options.add_flag("--json", arguments->json, "print one JSON object", group);
    return [arguments] {
        if (arguments->top.value_or(0) < 0) throw QuantityError("top", "must be 0 or more");
        if (is_completion(arguments->model))
            return completion_is_double(arguments->model) ? show_completion<double>(*arguments)
                                                          : show_completion<float>(*arguments);
        return model_is_double(arguments->model) ? show<double>(*arguments) : show<float>(*arguments);
    };
}

}  // namespace alfcg::cli
