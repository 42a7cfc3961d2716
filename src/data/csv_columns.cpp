#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <filesystem>
#include <limits>
#include <optional>
#include <unordered_map>

#include "alfcg/core/error.hpp"
#include "data/csv_layout.hpp"
#include "data/csv_record.hpp"
#include "data/feature_count.hpp"
#include "data/number.hpp"

namespace alfcg {

namespace {

std::optional<Index> whole_number(const std::string& text) {
    Index value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size()) return std::nullopt;
    if (error == std::errc::result_out_of_range) return std::numeric_limits<Index>::max();
    return error == std::errc() ? std::optional(value) : std::nullopt;
}

// The items of "a,b,\"c, d\"".
std::vector<std::string> split_list(const std::string& text) {
    std::vector<CsvField> fields;
    const CsvSplit split = split_record(text.data(), text.data() + text.size(), true, ',', fields);
    if (split.problem != nullptr) throw Error(fmt::format("{} in {}", split.problem, shown(text)));
    std::vector<std::string> items;
    items.reserve(fields.size());
    for (const CsvField& field : fields) items.push_back(field.unquoted());
    return items;
}

// The first of many names, for messages.
std::string some_of(const std::vector<std::string>& names, bool quoted) {
    constexpr std::ptrdiff_t most = 10;
    std::vector<std::string> first;
    for (const std::string& name : names) {
        if (std::ssize(first) == most) break;
        first.push_back(quoted ? shown(name) : name);
    }
    return fmt::format("{}{}", fmt::join(first, ", "), std::ssize(names) > most ? ", ..." : "");
}

Index position_by_name(const std::string& path, Index line, const CsvLayout& layout,
                       const std::string& name) {
    const auto found = std::find(layout.names.begin(), layout.names.end(), name);
    if (found == layout.names.end())
        throw InputError(
            path, line,
            fmt::format("no column {}; the header has: {}", shown(name), some_of(layout.names, false)));
    if (std::find(found + 1, layout.names.end(), name) != layout.names.end())
        throw InputError(path, line,
                         fmt::format("column {} occurs twice; give its position instead", shown(name)));
    return found - layout.names.begin();
}

// Whether the columns had no names of their own when the model was trained: "#0", "#1" ...
bool are_positions(const std::vector<CsvSource>& sources) {
    return std::all_of(sources.begin(), sources.end(), [](const CsvSource& source) {
        return source.name.size() > 1 && source.name.front() == '#' && whole_number(source.name.substr(1));
    });
}

// Gives the columns of one table their roles.
class Assignment {
  public:
    Assignment(const std::string& path, Index line, const ReadOptions& options, CsvLayout& layout)
        : path_(path),
          line_(line),
          options_(options),
          layout_(layout),
          sources_(sources_of(options)),
          taken_(static_cast<std::size_t>(layout.width)) {}

    void run() {
        layout_.place.assign(static_cast<std::size_t>(layout_.width), -1);
        layout_.categories = options_.categories;
        layout_.trained = !options_.labels_required;
        layout_.fills = !options_.missing.empty() || !options_.reading.fill.empty();
        check_label_options();
        if (!options_.drop.empty())
            for (const std::string& name : split_list(options_.drop))
                take(find_column(path_, line_, layout_, name, "column"));
        find_weights();
        if (layout_.header && !sources_.empty() && !are_positions(sources_))
            assign_by_name();
        else
            assign_by_position();
        for (const CsvSource& source : sources_) layout_.words.push_back(source.words);
        layout_.words.resize(layout_.column.size());
    }

  private:
    void take(Index column) { taken_[static_cast<std::size_t>(column)] = true; }
    [[nodiscard]] bool is_taken(Index column) const { return taken_[static_cast<std::size_t>(column)]; }
    void add_place(Index column) {
        take(column);
        layout_.place[static_cast<std::size_t>(column)] = layout_.places();
        layout_.column.push_back(column);
    }

    void check_label_options() const {
        if (!options_.labels.empty() && !options_.label_column.empty() && options_.label_column != "none")
            throw Error(path_ +
                        ": labels from a column and from a file; give `label-column` or `labels`, not both");
        if (options_.labels.empty() && options_.label_column == "none" && options_.labels_required)
            throw InputError(
                path_, 0, "labels are needed, but the label column is 'none'; give them with `labels` FILE");
    }

    [[nodiscard]] bool wants_no_label() const {
        return !options_.labels.empty() || options_.label_column == "none";
    }

    // A name of the header, or a number; anything else is a file, which is read elsewhere.
    void find_weights() {
        const std::string& text = options_.weights;
        if (text.empty()) return;
        const bool named = std::find(layout_.names.begin(), layout_.names.end(), text) != layout_.names.end();
        if (!named && !whole_number(text)) return;
        layout_.weight = find_column(path_, line_, layout_, text, "column of weights");
        if (is_taken(layout_.weight))
            throw InputError(path_, line_,
                             layout_.describe(layout_.weight) + " is dropped, and cannot hold weights");
        take(layout_.weight);
    }

    void take_label(Index column) {
        if (is_taken(column))
            throw InputError(
                path_, line_,
                layout_.describe(column) + " is the label, and cannot be dropped or hold weights");
        take(column);
        layout_.label = column;
    }

    void take_label_given() {
        const std::string& text = options_.label_column;
        // A number is a position here, also where a column has it for a name.
        if (const auto position = whole_number(text)) {
            CsvLayout nameless;
            nameless.width = layout_.width;
            take_label(find_column(path_, line_, nameless, text, "label column"));
        } else {
            take_label(position_by_name(path_, line_, layout_, text));
        }
    }

    void assign_by_name() {
        if (!wants_no_label() && !options_.label_column.empty()) take_label_given();
        std::unordered_map<std::string, std::deque<Index>> columns;  // that are left
        for (Index j = 0; j < layout_.width; ++j)
            if (!is_taken(j)) columns[layout_.name(j)].push_back(j);
        std::vector<std::string> missing;
        for (const CsvSource& source : sources_) {
            const auto found = columns.find(source.name);
            if (found == columns.end() || found->second.empty()) {
                missing.push_back(source.name);
                continue;
            }
            add_place(found->second.front());
            found->second.pop_front();
        }
        if (const auto label = columns.find(options_.reading.label);
            layout_.label < 0 && !options_.reading.label.empty() && label != columns.end() &&
            !label->second.empty()) {
            if (wants_no_label())
                take(label->second.front());
            else
                take_label(label->second.front());
        }
        for (const std::string& other : options_.reading.others)
            if (const auto column = columns.find(other); column != columns.end())
                for (const Index j : column->second) take(j);
        std::vector<std::string> unknown;
        for (Index j = 0; j < layout_.width; ++j)
            if (!is_taken(j)) unknown.push_back(layout_.name(j));
        tell(missing, unknown);
        if (options_.labels_required && layout_.label < 0 && !wants_no_label())
            throw InputError(path_, line_, "labels are needed; which column has them? (`label-column`)");
    }

    void tell(const std::vector<std::string>& missing, const std::vector<std::string>& unknown) const {
        std::string text;
        if (!missing.empty()) text = "the model has columns that are not here: " + some_of(missing, true);
        if (!unknown.empty())
            text += (text.empty() ? "" : "; ") +
                    fmt::format("columns that the model does not know: {} (`drop` leaves columns out)",
                                some_of(unknown, true));
        if (!text.empty()) throw InputError(path_, line_, text);
    }

    void assign_by_position() {
        const Index left = layout_.width - std::count(taken_.begin(), taken_.end(), true);
        if (expects_label(left)) {
            if (!options_.label_column.empty()) {
                take_label_given();
            } else {
                Index last = layout_.width - 1;
                while (is_taken(last)) --last;
                take_label(last);
            }
        }
        for (Index j = 0; j < layout_.width; ++j)
            if (!is_taken(j)) add_place(j);
        if (layout_.places() == 0) throw InputError(path_, 0, "no feature columns");
        if (sources_.empty() && !options_.categories)
            check_feature_count(path_, line_, layout_.places(), options_);
        else if (!sources_.empty() && layout_.places() != std::ssize(sources_))
            throw InputError(path_, line_,
                             fmt::format("{} columns of features, but the model has {}", layout_.places(),
                                         sources_.size()));
    }

    // Of so many columns that are left.
    [[nodiscard]] bool expects_label(Index left) const {
        if (wants_no_label()) return false;
        if (options_.labels_required) {
            if (left < 2)
                throw InputError(
                    path_, line_,
                    "only one column; features and a label need two or more (separators: , ; tab | blank)");
            return true;
        }
        const Index features = sources_.empty() ? options_.features : std::ssize(sources_);
        if (features == 0) return left > 1;
        if (left == features || left == features + 1) return left > features;
        throw InputError(path_, line_,
                         fmt::format("{} columns, but {} features (and perhaps a label) are expected; `drop` "
                                     "leaves columns out",
                                     left, features));
    }

    const std::string& path_;
    Index line_;
    const ReadOptions& options_;
    CsvLayout& layout_;
    std::vector<CsvSource> sources_;
    std::vector<bool> taken_;  // columns that have a role
};

}  // namespace

std::vector<CsvSource> sources_of(const ReadOptions& options) {
    std::vector<CsvSource> sources;
    const std::vector<std::string>& given = options.reading.sources;
    for (std::size_t f = 0; f < options.names.size(); ++f) {
        const std::string& source = given.empty() ? options.names[f] : given[f];
        const bool words = source != options.names[f];
        if (words && !sources.empty() && sources.back().words && sources.back().name == source)
            ++sources.back().count;
        else
            sources.push_back({source, static_cast<Index>(f), 1, words});
    }
    return sources;
}

bool names_a_column(const ReadOptions& options) {
    const std::string& label = options.label_column;
    if (!label.empty() && label != "none" && !whole_number(label)) return true;
    if (!options.drop.empty()) {
        const std::vector<std::string> dropped = split_list(options.drop);
        if (std::any_of(dropped.begin(), dropped.end(), [](const auto& name) { return !whole_number(name); }))
            return true;
    }
    std::error_code ignored;
    return !options.weights.empty() && !whole_number(options.weights) &&
           !std::filesystem::exists(options.weights, ignored);
}

Index find_column(const std::string& path, Index line, const CsvLayout& layout, const std::string& text,
                  const std::string& what) {
    const bool named = std::find(layout.names.begin(), layout.names.end(), text) != layout.names.end();
    const auto number = whole_number(text);
    if (named || !number) return position_by_name(path, line, layout, text);
    const Index position = *number < 0 ? layout.width + *number : *number;
    if (position < 0 || position >= layout.width)
        throw InputError(path, line,
                         fmt::format("{} {} does not exist: the columns are 0 .. {}, or -1 .. -{}", what,
                                     text, layout.width - 1, layout.width));
    return position;
}

void assign_columns(const std::string& path, Index line, const ReadOptions& options, CsvLayout& layout) {
    Assignment(path, line, options, layout).run();
}

}  // namespace alfcg
