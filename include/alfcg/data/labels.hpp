#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "alfcg/core/matrix.hpp"
#include "alfcg/core/ranks.hpp"

namespace alfcg {

/// One label per row: numbers as long as every label is one, names from the first that is not.
class Labels {
  public:
    void push(std::string_view token);
    void push(double number);
    /// The same as pushing the other labels one by one.
    void append(const Labels& other);

    [[nodiscard]] Index size() const;
    [[nodiscard]] bool empty() const { return size() == 0; }
    [[nodiscard]] bool numeric() const { return names_.empty(); }
    [[nodiscard]] bool integers() const;  // numeric, and every number is whole
    /// Numbers become names: somebody else has some.
    void name_numbers();

    /// Label of row i as a number (numeric labels only).
    [[nodiscard]] double number(Index i) const { return numbers_[static_cast<std::size_t>(i)]; }
    /// Label of row i as text, numbers in their shortest exact form.
    [[nodiscard]] std::string text(Index i) const;

    /// Keeps the rows listed, in that order (used to split data).
    void keep(const std::vector<Index>& rows);
    [[nodiscard]] Labels select(const std::vector<Index>& rows) const;

  private:
    std::int32_t code(std::string_view name);

    std::vector<double> numbers_;                           // numeric labels
    std::vector<std::int32_t> codes_;                       // text labels: positions in names_
    std::vector<std::string> names_;                        // distinct names, in order of appearance
    std::unordered_map<std::string, std::int32_t> lookup_;  // name -> code
};

/// The sorted distinct labels of a classification problem: by value when they are numbers, else by text.
struct Classes {
    std::vector<std::string> names;
    std::vector<double> values;  // as long as names when the labels are numbers, else empty

    [[nodiscard]] Index size() const { return static_cast<Index>(names.size()); }
    [[nodiscard]] bool numeric() const { return !values.empty(); }
    /// Position of each row's label in `names`; -1 for a label that is not among them.
    [[nodiscard]] std::vector<std::int32_t> encode(const Labels& labels) const;
};

/// With ranks: those of the labels of all ranks, which are numbers on all or on none.
Classes find_classes(const Labels& labels, Ranks* ranks = nullptr);

}  // namespace alfcg
