#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <variant>

#include "alfcg/core/error.hpp"
#include "alfcg/core/output_file.hpp"
#include "alfcg/core/text.hpp"
#include "alfcg/model/model.hpp"
#include "alfcg/region/spec.hpp"
#include "model/arrays.hpp"
#include "model/storable.hpp"

namespace alfcg {
namespace {

constexpr std::int64_t newest_format = 3;

bool all_whole(const std::vector<double>& numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [](double number) {
        return number == std::trunc(number) && std::abs(number) <= static_cast<double>(largest_whole);
    });
}

std::string find_fault(const Reading& reading, const std::vector<std::string>& names, Index features) {
    if (!reading.sources.empty()) {
        if (reading.sources.size() != names.size())
            return "feature_columns: " + std::to_string(reading.sources.size()) + " of them; " +
                   std::to_string(names.size()) + " names of features have as many, or none";
        for (std::size_t f = 0; f < names.size(); ++f)
            if (names[f] != reading.sources[f] && !names[f].starts_with(reading.sources[f] + "="))
                return "feature_columns: a feature is neither its column nor one of its words";
    }
    if (!reading.fill.empty() && std::ssize(reading.fill) != features)
        return "fill: " + std::to_string(reading.fill.size()) + " numbers; " + std::to_string(features) +
               " features have as many, or none";
    if (!std::all_of(reading.fill.begin(), reading.fill.end(), [](double x) { return std::isfinite(x); }))
        return "fill: an entry is not a finite number";
    if (!(reading.scale > 0) || !std::isfinite(reading.scale)) return "scale: not a positive number";
    return {};
}

// NumPy's texts end before their last zeros, and are all as long as the longest of an array.
std::string find_fault_in_texts(const std::string& entry, const std::string& kind,
                                std::span<const std::string> texts) {
    std::size_t longest = 1;
    for (const std::string& text : texts) {
        if (text.ends_with('\0')) return entry + ": a " + kind + " ends in a zero byte";
        longest = std::max(longest, text.size());
    }
    constexpr std::size_t most_characters = std::size_t{1} << 30;
    if (texts.size() > most_characters / longest)
        return entry + ": " + std::to_string(texts.size()) + " texts, of which one has " +
               std::to_string(longest) + " characters, all take as much in a model; that is too long";
    return {};
}

/// What is wrong with the model, or nothing. The same rules hold when it is written and when it is read, so
/// that a file that was written can be read.
template <class Real>
std::string find_fault(const Model<Real>& model) {
    const auto finite = [](double number) { return std::isfinite(number); };
    const Index outputs = model.weights.rows();
    const Index classes = model.classes.size();
    const LossInfo info = loss_info(model.loss.name);
    const std::string& loss = model.loss.name;
    if (outputs < 1 || model.weights.cols() < 1) return "weights: there are none";
    const auto weights = model.weights.span();
    if (!std::all_of(weights.begin(), weights.end(), [](Real weight) { return std::isfinite(weight); }))
        return "weights: an entry is not a finite number";

    const bool multinomial = info.target == TargetKind::classes;
    const Index wanted_outputs = multinomial ? std::max<Index>(classes, 2) : 1;
    const Index wanted_classes = multinomial ? wanted_outputs : info.classifies() ? 2 : 0;
    if (classes != wanted_classes)
        return "classes: " + std::to_string(classes) + " of them; " + loss + " loss has " +
               (multinomial ? "two or more" : std::to_string(wanted_classes));
    if (outputs != wanted_outputs)
        return "weights: " + std::to_string(outputs) + " rows; " + loss + " loss with " +
               std::to_string(classes) + " classes has " + std::to_string(wanted_outputs);
    if (model.classes.numeric()) {
        const std::vector<double>& values = model.classes.values;
        if (std::ssize(values) != classes) return "classes: some labels have a number and others have none";
        if (!std::all_of(values.begin(), values.end(), finite))
            return "classes: a label is not a finite number";
        if (std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) != values.end())
            return "classes: the labels are not in increasing order";
    } else {
        const std::vector<std::string>& names = model.classes.names;
        if (std::adjacent_find(names.begin(), names.end(), std::greater_equal<>()) != names.end())
            return "classes: the labels are not in increasing order";
    }

    if (!model.intercept.empty() && std::ssize(model.intercept) != outputs)
        return "intercept: " + std::to_string(model.intercept.size()) + " numbers; weights of " +
               std::to_string(outputs) + " rows have as many, or none";
    if (!std::all_of(model.intercept.begin(), model.intercept.end(), finite))
        return "intercept: an entry is not a finite number";
    if (!model.names.empty() && std::ssize(model.names) != model.weights.cols())
        return "feature_names: " + std::to_string(model.names.size()) + " of them; weights of " +
               std::to_string(model.weights.cols()) + " columns have as many, or none";
    if (std::string fault = find_fault_in_names(model.classes, model.names, model.reading); !fault.empty())
        return fault;
    if (std::string fault = find_fault(model.reading, model.names, model.weights.cols()); !fault.empty())
        return fault;

    const std::vector<double>& divisors = model.scaling.divisors;
    Index wanted_divisors = 0;
    if (model.scaling.kind == Normalization::columns) wanted_divisors = model.weights.cols();
    if (model.scaling.kind == Normalization::spectral) wanted_divisors = 1;
    if (std::ssize(divisors) != wanted_divisors)
        return "divisors: " + std::to_string(divisors.size()) + " of them; normalization " +
               std::string(to_text(model.scaling.kind)) + " with " + std::to_string(model.weights.cols()) +
               " features has " + std::to_string(wanted_divisors);
    if (!std::all_of(divisors.begin(), divisors.end(),
                     [&](double number) { return finite(number) && number > 0; }))
        return "divisors: one is not a positive number";

    const auto not_negative = [&](double number) { return finite(number) && number >= 0; };
    try {
        verify(model.loss);
    } catch (const QuantityError& error) {
        return "loss_" + std::string(error.what());
    }
    const RegionSpec& region = model.region;
    if (!(region.parameters.number("p").value_or(0) >= 0))
        return "p: not a number of at least 0";  // infinity is the largest-entry norm
    if (!not_negative(region.parameters.number("radius").value_or(0)))
        return "radius: not a number of at least 0";
    if (!not_negative(region.composite.l1)) return "l1: not a number of at least 0";
    if (!not_negative(region.composite.l2)) return "l2: not a number of at least 0";
    if (!not_negative(region.composite.nuclear)) return "nuclear: not a number of at least 0";
    if (!not_negative(region.composite.norm)) return "norm: not a number of at least 0";
    if (!not_negative(region.composite.entropy)) return "entropy: not a number of at least 0";
    return {};
}

void write_classes(ArrayWriter& arrays, const Classes& classes) {
    const std::string name = "classes";
    if (classes.size() > 0 && !classes.numeric()) {
        arrays.texts(name, classes.names);
    } else if (all_whole(classes.values)) {
        std::vector<std::int64_t> whole;
        for (const double value : classes.values) whole.push_back(static_cast<std::int64_t>(value));
        arrays.integers(name, whole);
    } else {
        arrays.numbers(name, classes.values);
    }
}

Classes read_classes(const ArrayReader& arrays) {
    Classes classes;
    if (arrays.holds_text("classes")) {
        classes.names = arrays.texts("classes");
    } else {
        classes.values = arrays.numbers("classes");
        for (const double value : classes.values) {
            if (!std::isfinite(value)) arrays.fail("classes", "a label is not a finite number");
            classes.names.push_back(format_number(value));
        }
    }
    return classes;
}

// Parameters of the region that have no entry of their own, as one JSON object. JSON knows no infinity: that is "inf" or "-inf".
std::string other_parameters(const Parameters& parameters) {
    nlohmann::json object = nlohmann::json::object();
    for (const auto& [name, value] : parameters.all()) {
        if (name == "p" || name == "radius") continue;
        std::visit([&, &name = name](const auto& some) { object[name] = some; }, value);
        if (const auto number = parameters.number(name); number && std::isinf(*number))
            object[name] = format_number(*number);
    }
    return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void read_other_parameters(const ArrayReader& arrays, Parameters& parameters) {
    const std::string name = "region_parameters";
    const auto object = nlohmann::json::parse(arrays.text(name), nullptr, false);
    if (!object.is_object()) arrays.fail(name, "not a JSON object");
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (const auto& [key, value] : object.items()) {
        if (value.is_number())
            parameters.set(key, value.get<double>());
        else if (value == "inf" || value == "-inf")
            parameters.set(key, value == "inf" ? infinity : -infinity);
        else if (value.is_string())
            parameters.set(key, value.get<std::string>());
        else
            arrays.fail(name, "\"" + key + "\" is neither a number nor a word");
    }
}

// No rows, no score.
void write_score(ArrayWriter& arrays, const std::string& name, const std::optional<TrainingScore>& score) {
    arrays.integer(name + "_rows", score ? score->rows : 0);
    arrays.number(name + "_score", score ? score->value : 0);
}

std::optional<TrainingScore> read_score(const ArrayReader& arrays, const std::string& name) {
    const double rows = arrays.number(name + "_rows");
    const double score = arrays.number(name + "_score");
    if (rows != std::trunc(rows) || !(rows >= 0))
        arrays.fail(name + "_rows", "not a whole number of at least 0");
    if (rows == 0) return std::nullopt;
    return TrainingScore{static_cast<Index>(rows), score};
}

/// Refuses archives that are not models, and models of a format that is yet to come.
void check_version(const ArrayReader& arrays, const std::string& path) {
    if (!arrays.has("format_version"))
        throw InputError(path, 0, "not an alfcg model: the archive has no entry \"format_version\"");
    const double version = arrays.number("format_version");
    if (version != std::trunc(version) || !(version >= 1))
        arrays.fail("format_version", "not a whole number of at least 1");
    if (version > static_cast<double>(newest_format))
        throw InputError(path, 0,
                         "model format " + format_number(version) + ", this alfcg reads up to " +
                             std::to_string(newest_format));
}

/// parse(the text under that name), with the file's name in front of what it objects to.
template <class Parse>
auto parse_entry(const ArrayReader& arrays, const std::string& name, const Parse& parse) {
    const std::string text = arrays.text(name);
    try {
        return parse(text);
    } catch (const Error& error) {
        arrays.fail(name, error.what());
    }
}

}  // namespace

std::string find_fault_in_names(const Classes& classes, const std::vector<std::string>& names,
                                const Reading& reading) {
    for (const std::string& fault : {find_fault_in_texts("classes", "label", classes.names),
                                     find_fault_in_texts("feature_names", "name", names),
                                     find_fault_in_texts("feature_columns", "name", reading.sources),
                                     find_fault_in_texts("other_columns", "name", reading.others),
                                     find_fault_in_texts("label_name", "name", {&reading.label, 1})})
        if (!fault.empty()) return fault;
    return {};
}

template <class Real>
void save_model(const Model<Real>& model, const std::string& path) {
    const std::string fault = find_fault(model);
    if (!fault.empty()) throw Error(path + ": cannot save the model: " + fault);
    OutputFile file(path);
    ArrayWriter arrays(file);
    arrays.integer("format_version", newest_format);
    arrays.text("alfcg_version", ALFCG_VERSION);
    arrays.matrix("weights", model.weights);
    arrays.numbers("intercept", model.intercept);
    arrays.texts("feature_names", model.names);
    arrays.texts("feature_columns", model.reading.sources);
    arrays.numbers("fill", model.reading.fill);
    arrays.number("scale", model.reading.scale);
    arrays.text("label_name", model.reading.label);
    arrays.texts("other_columns", model.reading.others);
    write_classes(arrays, model.classes);
    arrays.text("loss", model.loss.name);
    for (const char* name : {"threshold", "width"})
        arrays.number("loss_" + std::string(name), model.loss.parameters.number(name).value_or(1));
    arrays.text("normalization", std::string(to_text(model.scaling.kind)));
    arrays.numbers("divisors", model.scaling.divisors);
    const RegionSpec region = normal_form(model.region);
    arrays.text("region", region.name);
    arrays.number("p", region.parameters.number("p").value_or(0));
    arrays.number("radius", region.parameters.number("radius").value_or(0));
    arrays.number("l1", region.composite.l1);
    arrays.number("l2", region.composite.l2);
    arrays.number("nuclear", region.composite.nuclear);
    arrays.number("norm", region.composite.norm);
    arrays.number("entropy", region.composite.entropy);
    arrays.text("region_parameters", other_parameters(region.parameters));
    arrays.text("method", model.method);
    write_score(arrays, "train", model.training);
    write_score(arrays, "holdout", model.held_out);
    arrays.finish();
    file.commit();
}

template <class Real>
Model<Real> load_model(const std::string& path) {
    const ArrayReader arrays(path);
    check_version(arrays, path);
    Model<Real> model;
    model.loss.name = arrays.text("loss");
    const LossInfo info = parse_entry(arrays, "loss", loss_info);
    Parameters stored;
    for (const std::string name : {"threshold", "width"}) {
        const double number = arrays.number("loss_" + name);
        if (!(number > 0) || !std::isfinite(number)) arrays.fail("loss_" + name, "not a positive number");
        stored.set(name, number);
    }
    model.loss.parameters = own_parameters(info.parameters, stored);
    model.classes = read_classes(arrays);
    model.scaling.kind = parse_entry(arrays, "normalization", parse_normalization);
    model.scaling.divisors = arrays.numbers("divisors");
    RegionSpec region{arrays.text("region"),
                      {{"radius", arrays.number("radius")}},
                      {arrays.number("l1"), arrays.number("l2"), arrays.number("nuclear")}};
    if (const double p = arrays.number("p"); p != 0) region.parameters.set("p", p);
    if (arrays.number("format_version") >= 3) {
        region.composite.norm = arrays.number("norm");
        region.composite.entropy = arrays.number("entropy");
        read_other_parameters(arrays, region.parameters);
    }
    model.region = normal_form(std::move(region));  // files of 0.1.0 may say l1 where lp and 1 are meant
    model.method = arrays.text("method");
    model.weights = arrays.matrix<Real>("weights");
    if (arrays.number("format_version") >= 2) {
        model.intercept = arrays.numbers("intercept");
        model.names = arrays.texts("feature_names");
        model.reading = {arrays.texts("feature_columns"), arrays.numbers("fill"), arrays.text("label_name"),
                         arrays.texts("other_columns"), arrays.number("scale")};
        model.training = read_score(arrays, "train");
        model.held_out = read_score(arrays, "holdout");
    }
    const std::string fault = find_fault(model);
    if (!fault.empty()) throw InputError(path, 0, fault);
    return model;
}

bool model_is_double(const std::string& path) {
    const ArrayReader arrays(path);
    check_version(arrays, path);
    return arrays.matrix_is_double("weights");
}

template void save_model(const Model<float>&, const std::string&);
template void save_model(const Model<double>&, const std::string&);
template Model<float> load_model(const std::string&);
template Model<double> load_model(const std::string&);

}  // namespace alfcg
