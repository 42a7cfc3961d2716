#include "settings.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <string_view>

#include "alfcg/core/error.hpp"
#include "core/threads.hpp"
#include "watching.hpp"

namespace alfcg::python {

namespace {

[[noreturn]] void wrong_type(const std::string& name, const char* wanted, nb::handle value) {
    const auto found = nb::cast<std::string>(value.type().attr("__name__"));
    throw nb::type_error((name + " must be " + wanted + ", not " + found).c_str());
}

template <class T>
T cast_or_refuse(nb::handle value, const std::string& name, const char* wanted) {
    T result{};
    if (!nb::try_cast(value, result)) {
        PyErr_Clear();
        wrong_type(name, wanted, value);
    }
    return result;
}

double number(nb::handle value, const std::string& name) {
    return cast_or_refuse<double>(value, name, "a number");
}
Index whole(nb::handle value, const std::string& name) {
    return cast_or_refuse<Index>(value, name, "an integer");
}
bool truth(nb::handle value, const std::string& /*name*/) {
    const int result = PyObject_IsTrue(value.ptr());
    if (result < 0) throw nb::python_error();
    return result != 0;
}
std::string text(nb::handle value, const std::string& name) {
    return cast_or_refuse<std::string>(value, name, "a string");
}
// None is no name.
std::string optional_text(nb::handle value, const std::string& name) {
    return value.is_none() ? std::string() : text(value, name);
}

using Setter = std::function<void(Settings&, nb::handle, const std::string&)>;

template <class Get, class Member>
Setter into(Get get, Member member) {
    return [=](Settings& settings, nb::handle value, const std::string& name) {
        std::invoke(member, settings) = get(value, name);
    };
}
// None leaves the library's own value.
template <class Get, class Member>
Setter unless_none(Get get, Member member) {
    return [=](Settings& settings, nb::handle value, const std::string& name) {
        if (!value.is_none()) std::invoke(member, settings) = get(value, name);
    };
}

Setter composite(double Composite::*weight) {
    return [=](Settings& settings, nb::handle value, const std::string& name) {
        settings.specification.region.composite.*weight = number(value, name);
    };
}

nb::object whatever(nb::handle value, const std::string& /*name*/) {
    return nb::borrow(value);
}

Options& options(Settings& settings) {
    return settings.specification.options;
}

void set_history(Settings& settings, nb::handle value, const std::string& name) {
    const std::string word = text(value, name);
    if (word != "none" && word != "free" && word != "full")
        throw QuantityError(name, "must be none, free or full, not '" + word + "'");
    settings.any_history = word != "none";
    settings.full_history = word == "full";
}

const std::map<std::string, Setter, std::less<>>& setters() {
    static const std::map<std::string, Setter, std::less<>> table = {
        {"loss", into(optional_text, [](Settings& s) -> auto& { return s.specification.loss.name; })},
        {"loss_parameters",
         into([](nb::handle v, const std::string& n) { return parameters_from(v, n.c_str()); },
              [](Settings& s) -> auto& { return s.specification.loss.parameters; })},
        {"region", into(optional_text, [](Settings& s) -> auto& { return s.specification.region.name; })},
        {"region_parameters",
         into([](nb::handle v, const std::string& n) { return parameters_from(v, n.c_str()); },
              [](Settings& s) -> auto& { return s.specification.region.parameters; })},
        {"l1", composite(&Composite::l1)},
        {"l2", composite(&Composite::l2)},
        {"nuclear", composite(&Composite::nuclear)},
        {"norm", composite(&Composite::norm)},
        {"entropy", composite(&Composite::entropy)},
        {"intercept", into(truth, [](Settings& s) -> auto& { return s.specification.intercept; })},
        {"normalize",
         into([](nb::handle v, const std::string& n) { return parse_normalization(text(v, n)); },
              [](Settings& s) -> auto& { return s.specification.normalization; })},
        {"hold_out", into(number, [](Settings& s) -> auto& { return s.specification.hold_out; })},
        {"patience", into(whole, [](Settings& s) -> auto& { return s.specification.patience; })},
        {"method", into(text, [](Settings& s) -> auto& { return options(s).method; })},
        {"parameters", into([](nb::handle v, const std::string& n) { return parameters_from(v, n.c_str()); },
                            [](Settings& s) -> auto& { return options(s).parameters; })},
        {"max_iterations",
         unless_none(whole, [](Settings& s) -> auto& { return options(s).max_iterations; })},
        {"max_epochs",
         [](Settings& s, nb::handle v, const std::string& n) {
             options(s).max_epochs = v.is_none() ? std::numeric_limits<double>::infinity() : number(v, n);
         }},
        {"max_seconds", unless_none(number, [](Settings& s) -> auto& { return options(s).max_seconds; })},
        {"gap", unless_none(number, [](Settings& s) -> auto& { return options(s).gap; })},
        {"tolerance", into(number, [](Settings& s) -> auto& { return options(s).tolerance; })},
        {"seed", into([](nb::handle v,
                         const std::string& n) { return cast_or_refuse<std::uint64_t>(v, n, "an integer of at least 0"); },
                      [](Settings& s) -> auto& { return options(s).seed; })},
        {"threads", into([](nb::handle v, const std::string& /*n*/) { return resolve_thread_count(v); },
                         [](Settings& s) -> auto& { return s.specification.threads; })},
        {"reproducible", into(truth, [](Settings& s) -> auto& { return s.specification.reproducible; })},
        {"device", into(text, [](Settings& s) -> auto& { return s.specification.device; })},
        {"classes", into(whatever, [](Settings& s) -> auto& { return s.classes; })},
        {"class_weight", into(whatever, [](Settings& s) -> auto& { return s.class_weight; })},
        {"sample_weight", into(whatever, [](Settings& s) -> auto& { return s.sample_weight; })},
        {"start", into(whatever, [](Settings& s) -> auto& { return s.start; })},
        {"observer", into(whatever, [](Settings& s) -> auto& { return s.observer; })},
        {"feature_names",
         unless_none([](nb::handle v, const std::string& n) {
             return cast_or_refuse<std::vector<std::string>>(v, n, "a sequence of strings");
         }, [](Settings& s) -> auto& { return s.feature_names; })},
        {"said", into([](nb::handle v, const std::string& n) {
             return cast_or_refuse<std::map<std::string, std::string>>(v, n, "a dictionary of strings");
         }, [](Settings& s) -> auto& { return s.said; })},
        {"name", into(text, [](Settings& s) -> auto& { return s.name; })},
        {"checkpoint", into(optional_text, &Settings::checkpoint)},
        {"checkpoint_every", into(number, &Settings::checkpoint_every)},
        {"resume", into(optional_text, &Settings::resume)},
        {"comm", into(whatever, [](Settings& s) -> auto& { return s.comm; })},
        {"history", set_history},
        {"history_points", into([](nb::handle v, const std::string& n) {
             return cast_or_refuse<std::size_t>(v, n, "an integer of at least 0");
         }, [](Settings& s) -> auto& { return s.history_points; })},
        // Paths.
        {"radii", unless_none([](nb::handle v, const std::string& n) {
             return cast_or_refuse<std::vector<double>>(v, n, "a sequence of numbers");
         }, [](Settings& s) -> auto& { return s.path.radii; })},
        {"folds", into(whole, [](Settings& s) -> auto& { return s.path.folds; })},
        {"pick", [](Settings& s, nb::handle v, const std::string& n) {
             const std::string word = text(v, n);
             if (word != "best" && word != "1se")
                 throw QuantityError(n, "must be best or 1se, not '" + word + "'");
             s.path.pick = word == "best" ? Pick::best : Pick::smallest;
         }},
        {"path_tolerance", into(number, [](Settings& s) -> auto& { return s.path.tolerance; })},
        {"path_max_epochs", into(number, [](Settings& s) -> auto& { return s.path.max_epochs; })},
        {"point", into(whatever, [](Settings& s) -> auto& { return s.point; })},
        // Comparisons.
        {"methods", into(text, [](Settings& s) -> auto& { return s.methods; })},
        {"seeds", into([](nb::handle v, const std::string& n) { return cast_or_refuse<int>(v, n, "an integer"); },
                       [](Settings& s) -> auto& { return s.seeds; })},
    };
    return table;
}

}  // namespace

Settings::Settings(const char* function, const nb::kwargs& given)
    : classes(nb::none()),
      class_weight(nb::none()),
      sample_weight(nb::none()),
      start(nb::none()),
      observer(nb::none()),
      comm(nb::none()),
      point(nb::none()) {
    specification.threads = -1;
    for (const auto& [key, value] : given) {
        const auto keyword = nb::cast<std::string>(key);
        const auto found = setters().find(keyword);
        if (found == setters().end())
            throw nb::type_error(
                (std::string(function) + "() got an unexpected keyword argument '" + keyword + "'").c_str());
        found->second(*this, value, keyword);
    }
    if (specification.threads < 0) specification.threads = resolve_thread_count(nb::none());
}

Options Settings::with_checkpoints(Watch& watch) const {
    Options result = specification.options;
    result.checkpoints.file = checkpoint;
    result.checkpoints.every = checkpoint_every;
    result.checkpoints.resume = resume;
    result.checkpoints.facts = {{"program", "Python"}};
    result.checkpoints.also.emplace_back("history", [&watch](Archive& state) { watch.archive(state); });
    return result;
}

std::string Settings::shown(std::string text) const {
    for (const auto& [file, word] : said)
        for (auto at = text.find(file); at != std::string::npos; at = text.find(file, at + word.size()))
            text.replace(at, file.size(), word);
    return text;
}

Parameters Settings::shown(const Parameters& parameters) const {
    Parameters result = parameters;
    for (const auto& [key, value] : parameters.all())
        if (const auto* word = std::get_if<std::string>(&value)) result.set(key, shown(*word));
    return result;
}

Parameters parameters_from(nb::handle dictionary, const char* name) {
    Parameters parameters;
    if (!nb::isinstance<nb::dict>(dictionary)) wrong_type(name, "a dictionary", dictionary);
    for (const auto& [key, value] : nb::borrow<nb::dict>(dictionary)) {
        if (value.is_none()) continue;
        std::string quantity = text(key, "a name");
        std::replace(quantity.begin(), quantity.end(), '_', '-');
        if (nb::isinstance<nb::str>(value))
            parameters.set(quantity, nb::cast<std::string>(value));
        else
            parameters.set(quantity, number(value, text(key, "a name")));
    }
    return parameters;
}

nb::dict to_dict(const Parameters& parameters) {
    nb::dict result;
    for (const auto& [name, value] : parameters.all())
        std::visit(
            [&, &name = name](const auto& some) { result[python_name(name).c_str()] = nb::cast(some); },
            value);
    return result;
}

int resolve_thread_count(nb::handle threads) {
    const int cores = resolve_threads(0);
    if (threads.is_none()) {
        const char* asked = std::getenv("OMP_NUM_THREADS");
        if (asked == nullptr) return cores;
        // A list has a number for every level; the first is ours.
        const std::string_view first(asked);
        int count = 0;
        const auto [end, error] = std::from_chars(first.data(), first.data() + first.size(), count);
        static_cast<void>(end);
        return error == std::errc() && count > 0 ? std::min(count, 1024) : cores;
    }
    const Index count = whole(threads, "threads");
    if (count == 0)
        throw QuantityError("threads", "must not be 0: give a positive number, or -1 for all cores");
    return count > 0 ? static_cast<int>(std::min<Index>(count, 1025))
                     : static_cast<int>(std::max<Index>(1, cores + 1 + count));
}

std::string python_name(const std::string& quantity) {
    static const std::map<std::string, std::string, std::less<>> others = {
        {"holdout", "hold_out"},           {"tol", "tolerance"},         {"early-stop", "patience"},
        {"class-weights", "class_weight"}, {"weights", "sample_weight"}, {"precision", "dtype"},
    };
    const auto found = others.find(quantity);
    if (found != others.end()) return found->second;
    std::string name = quantity;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

std::string with_python_names(const std::string& text) {
    std::string result;
    std::size_t at = 0;
    for (;;) {
        const std::size_t open = text.find('`', at);
        const std::size_t close = open == std::string::npos ? open : text.find('`', open + 1);
        if (close == std::string::npos) return result + text.substr(at);
        result +=
            text.substr(at, open - at) + "`" + python_name(text.substr(open + 1, close - open - 1)) + "`";
        at = close + 1;
    }
}

}  // namespace alfcg::python
