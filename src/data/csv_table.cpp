#include "data/csv_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "alfcg/core/error.hpp"
#include "data/feature_count.hpp"
#include "data/memory.hpp"
#include "data/page_files.hpp"

namespace alfcg {

namespace {

// What a column of words becomes.
struct WordFeatures {
    std::vector<std::string> words;   // a feature each
    std::vector<std::int32_t> codes;  // of the rows: the position of their word, or CsvWords::none
    Index unknown = 0;                // rows with a word that is no feature
};

// Numbers by value and before words, words by their bytes.
bool comes_before(const std::string& one, const std::string& other) {
    double a = 0;
    double b = 0;
    const bool first = parse_number(one, a) == NumberStatus::ok;
    const bool second = parse_number(other, b) == NumberStatus::ok;
    if (first != second) return first;
    return first ? a < b : one < other;
}

template <class Real>
class FeatureMaker {
  public:
    FeatureMaker(const std::string& path, const CsvLayout& layout, const ReadOptions& options,
                 CsvTable<Real>& table)
        : path_(path), layout_(layout), options_(options), table_(table), sources_(sources_of(options)) {}

    void make(Dataset<Real>& data) {
        for (Index k = 0; k < layout_.places(); ++k)
            if (layout_.words[static_cast<std::size_t>(k)]) words_[k];
        for (const auto& piece : table_.pieces)
            for (const auto& [place, ignored] : piece.words) words_[place];
        for (auto& [place, words] : words_) collect_words(place, words);
        find_fill(data.weights);
        if (table_.missing) fill();
        name_features(data);
        if (words_.empty())
            data.features = DenseFeatures<Real>(std::move(table_.entries), table_.rows, layout_.places());
        else
            expand(data);
        tell_unknown(data);
    }

  private:
    [[nodiscard]] std::string column(Index place) const {
        return layout_.describe(layout_.column[static_cast<std::size_t>(place)]);
    }
    [[nodiscard]] std::string name(Index place) const {
        return layout_.name(layout_.column[static_cast<std::size_t>(place)]);
    }
    [[nodiscard]] const Real& entry(Index row, Index place) const {
        return table_.entries[static_cast<std::size_t>(row * layout_.places() + place)];
    }

    // The words of all rows as one column: those of numbers where a piece of the text had nothing else.
    [[nodiscard]] CsvWords whole_column(Index place) const {
        CsvWords all;
        all.codes.reserve(static_cast<std::size_t>(table_.rows));
        const auto add_numbers = [&](Index last) {
            for (auto i = std::ssize(all.codes); i < last; ++i) {
                const Real value = entry(i, place);
                if (std::isnan(value))
                    all.codes.push_back(CsvWords::none);
                else
                    all.push_word(fmt::format("{}", value));
            }
        };
        for (const auto& piece : table_.pieces) {
            const auto found = piece.words.find(place);
            if (found == piece.words.end()) continue;
            add_numbers(piece.first_row);
            for (const std::int32_t code : found->second.codes) {
                if (code == CsvWords::none)
                    all.codes.push_back(code);
                else
                    all.push_word(found->second.words[static_cast<std::size_t>(code)]);
            }
        }
        add_numbers(table_.rows);
        return all;
    }

    void collect_words(Index place, WordFeatures& features) {
        CsvWords all = whole_column(place);
        std::vector<std::int32_t> position(all.words.size(),
                                           CsvWords::none);  // of each word among the features
        if (sources_.empty()) {
            check_words(place, all);
            std::vector<std::int32_t> order(all.words.size());
            std::iota(order.begin(), order.end(), 0);
            std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
                return comes_before(all.words[static_cast<std::size_t>(a)],
                                    all.words[static_cast<std::size_t>(b)]);
            });
            for (const std::int32_t code : order) {
                position[static_cast<std::size_t>(code)] = static_cast<std::int32_t>(features.words.size());
                features.words.push_back(all.words[static_cast<std::size_t>(code)]);
            }
        } else {
            const CsvSource& source = sources_[static_cast<std::size_t>(place)];
            for (Index f = 0; f < source.count; ++f) {
                const std::string& feature = options_.names[static_cast<std::size_t>(source.first + f)];
                features.words.push_back(feature.substr(source.name.size() + 1));
                if (const auto found = all.lookup.find(features.words.back()); found != all.lookup.end())
                    position[static_cast<std::size_t>(found->second)] = static_cast<std::int32_t>(f);
            }
        }
        for (std::int32_t& code : all.codes) {
            if (code == CsvWords::none) continue;
            code = position[static_cast<std::size_t>(code)];
            if (code == CsvWords::none) ++features.unknown;
        }
        features.codes = std::move(all.codes);
    }

    void check_words(Index place, const CsvWords& all) const {
        constexpr Index many = 20;
        if (all.words.empty())
            throw InputError(path_, 0, column(place) + " has no value at all; `drop` leaves it out");
        if (table_.rows >= many && std::ssize(all.words) == table_.rows)
            throw InputError(
                path_, 0,
                fmt::format("{}: {} different words in {} rows are no categories; `drop` leaves the "
                            "column out",
                            column(place), all.words.size(), table_.rows));
        if (std::count(layout_.names.begin(), layout_.names.end(), name(place)) > 1)
            throw InputError(
                path_, 0,
                column(place) + ": another column has this name; columns of words need one of their own");
    }

    // What stands for missing values, by place. A row of weight 2 counts as two; no weights: all count once.
    void find_fill(const std::vector<double>& weights) {
        if (!layout_.fills) return;
        fill_.assign(static_cast<std::size_t>(layout_.places()), 0);
        if (!options_.reading.fill.empty()) {
            for (Index k = 0; k < layout_.places(); ++k)
                fill_[static_cast<std::size_t>(k)] = options_.reading.fill[static_cast<std::size_t>(
                    sources_.empty() ? k : sources_[static_cast<std::size_t>(k)].first)];
            return;
        }
        if (options_.missing != "mean") return;
        std::vector<double> count(fill_.size());
        for (Index i = 0; i < table_.rows; ++i) {
            const double weight = weights.empty() ? 1 : weights[static_cast<std::size_t>(i)];
            if (weight == 0) continue;
            for (Index k = 0; k < layout_.places(); ++k) {
                const auto value = static_cast<double>(entry(i, k));
                if (std::isnan(value)) continue;
                auto& known = count[static_cast<std::size_t>(k)];
                auto& mean = fill_[static_cast<std::size_t>(k)];
                known += weight;
                mean += (value - mean) / (known / weight);  // no sum that could overflow
            }
        }
        for (Index k = 0; k < layout_.places(); ++k) {
            if (words_.contains(k))
                fill_[static_cast<std::size_t>(k)] = 0;
            else if (count[static_cast<std::size_t>(k)] == 0)
                throw InputError(path_, 0,
                                 column(k) + " has no value at all, so no mean; `drop` leaves it out");
        }
    }

    void fill() {
        for (Index i = 0; i < table_.rows; ++i)
            for (Index k = 0; k < layout_.places(); ++k) {
                Real& value = table_.entries[static_cast<std::size_t>(i * layout_.places() + k)];
                if (std::isnan(value)) value = static_cast<Real>(fill_[static_cast<std::size_t>(k)]);
            }
    }

    void name_features(Dataset<Real>& data) {
        Reading& reading = data.reading;
        if (!options_.names.empty()) {
            data.names = options_.names;
            reading = options_.reading;
            return;
        }
        reading.fill.clear();
        for (Index k = 0; k < layout_.places(); ++k) {
            const auto words = words_.find(k);
            const Index count = words == words_.end() ? 1 : std::ssize(words->second.words);
            for (Index f = 0; f < count; ++f) {
                if (layout_.fills) reading.fill.push_back(fill_[static_cast<std::size_t>(k)]);
                if (!layout_.header && words_.empty()) continue;
                const std::string source = name(k);
                data.names.push_back(words == words_.end()
                                         ? source
                                         : source + "=" + words->second.words[static_cast<std::size_t>(f)]);
                if (!words_.empty()) reading.sources.push_back(source);
            }
        }
        if (!layout_.header) return;
        if (layout_.label >= 0) reading.label = layout_.name(layout_.label);
        for (Index j = 0; j < layout_.width; ++j)
            if (layout_.place[static_cast<std::size_t>(j)] < 0 && j != layout_.label)
                reading.others.push_back(layout_.name(j));
    }

    // Numbers stay, words become a feature each; sparse when that is smaller.
    void expand(Dataset<Real>& data) {
        std::vector<Index> first;  // feature of each place
        Index features = 0;
        Index filled = 0;  // entries that are not zero
        for (Index k = 0; k < layout_.places(); ++k) {
            const auto words = words_.find(k);
            first.push_back(features);
            features += words == words_.end() ? 1 : std::ssize(words->second.words);
            for (Index i = 0; i < table_.rows; ++i)
                filled += words == words_.end() ? entry(i, k) != 0
                                                : words->second.codes[static_cast<std::size_t>(i)] >= 0;
        }
        if (sources_.empty()) check_feature_count(path_, 0, features, options_);
        const double dense = static_cast<double>(table_.rows) * static_cast<double>(features) * sizeof(Real);
        const double sparse = static_cast<double>(filled) * (sizeof(Real) + sizeof(std::int32_t)) +
                              static_cast<double>(table_.rows + 1) * sizeof(Index);
        if (options_.pages == nullptr) check_memory(path_, std::min(dense, sparse), 1);
        if (sparse < dense)
            data.features = sparse_features(first, features, filled);
        else
            data.features = dense_features(first, features);
    }

    // Calls put(feature, value) for what is not zero in a row, in order.
    template <class Put>
    void for_each_feature(Index row, const std::vector<Index>& first, const Put& put) const {
        auto words = words_.begin();
        for (Index k = 0; k < layout_.places(); ++k) {
            const Index feature = first[static_cast<std::size_t>(k)];
            if (words != words_.end() && words->first == k) {
                const std::int32_t code = words->second.codes[static_cast<std::size_t>(row)];
                if (code >= 0) put(feature + code, Real{1});
                ++words;
            } else if (entry(row, k) != 0) {
                put(feature, entry(row, k));
            }
        }
    }

    DenseFeatures<Real> dense_features(const std::vector<Index>& first, Index features) const {
        auto entries = buffer_of_entries<Real>(options_);
        entries.resize(static_cast<std::size_t>(table_.rows * features));
        for (Index i = 0; i < table_.rows; ++i)
            for_each_feature(i, first, [&](Index feature, Real value) {
                entries[static_cast<std::size_t>(i * features + feature)] = value;
            });
        return {std::move(entries), table_.rows, features};
    }

    SparseFeatures<Real> sparse_features(const std::vector<Index>& first, Index features,
                                         Index filled) const {
        auto start = buffer_beside<Index>(options_);
        auto columns = buffer_beside<std::int32_t>(options_);
        auto values = buffer_of_entries<Real>(options_);
        start.reserve(static_cast<std::size_t>(table_.rows + 1));
        columns.reserve(static_cast<std::size_t>(filled));
        values.reserve(static_cast<std::size_t>(filled));
        start.push_back(0);
        for (Index i = 0; i < table_.rows; ++i) {
            for_each_feature(i, first, [&](Index feature, Real value) {
                columns.push_back(static_cast<std::int32_t>(feature));
                values.push_back(value);
            });
            start.push_back(static_cast<Index>(values.size()));
        }
        return {std::move(start), std::move(columns), std::move(values), table_.rows, features};
    }

    void tell_unknown(Dataset<Real>& data) const {
        for (const auto& [place, words] : words_)
            if (words.unknown > 0)
                data.notes.push_back(
                    fmt::format("{}: {}: {} of {} rows have a word that the model does not know; "
                                "it counts as none",
                                path_, column(place), words.unknown, table_.rows));
    }

    const std::string& path_;
    const CsvLayout& layout_;
    const ReadOptions& options_;
    CsvTable<Real>& table_;
    std::vector<CsvSource> sources_;       // of a model, by place
    std::map<Index, WordFeatures> words_;  // by place
    std::vector<double> fill_;             // by place
};

}  // namespace

template <class Real>
void make_features(const std::string& path, const CsvLayout& layout, const ReadOptions& options,
                   CsvTable<Real> table, Dataset<Real>& data) {
    FeatureMaker<Real>(path, layout, options, table).make(data);
}

template void make_features(const std::string&, const CsvLayout&, const ReadOptions&, CsvTable<float>,
                            Dataset<float>&);
template void make_features(const std::string&, const CsvLayout&, const ReadOptions&, CsvTable<double>,
                            Dataset<double>&);

}  // namespace alfcg
