#pragma once

#include <map>
#include <set>
#include <span>
#include <string>

#include "alfcg/core/error.hpp"
#include "alfcg/core/matrix.hpp"

namespace alfcg::bench {

/// The settings of a case, given as key=value.
class Arguments {
  public:
    explicit Arguments(std::span<char* const> words) {
        for (const std::string word : words) {
            const std::size_t equals = word.find('=');
            if (equals == std::string::npos) throw Error("'" + word + "': expected key=value");
            values_[word.substr(0, equals)] = word.substr(equals + 1);
        }
    }

    [[nodiscard]] bool has(const std::string& key) { return values_.contains(asked(key)); }
    std::string text(const std::string& key, const std::string& otherwise) {
        return has(key) ? values_.at(key) : otherwise;
    }
    Index integer(const std::string& key, Index otherwise) {
        return has(key) ? std::stoll(values_.at(key)) : otherwise;
    }
    double number(const std::string& key, double otherwise) {
        return has(key) ? std::stod(values_.at(key)) : otherwise;
    }

    /// Throws Error for a key that nobody asked for: it was misspelt.
    void verify() const {
        for (const auto& [key, value] : values_) {
            if (!asked_.contains(key)) throw Error("this case has no setting '" + key + "'");
        }
    }

  private:
    const std::string& asked(const std::string& key) { return *asked_.insert(key).first; }

    std::map<std::string, std::string> values_;
    std::set<std::string> asked_;
};

}  // namespace alfcg::bench
