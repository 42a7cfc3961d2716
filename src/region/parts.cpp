#include "region/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "alfcg/core/error.hpp"
#include "alfcg/region/combined.hpp"

namespace alfcg::region {

namespace {

[[noreturn]] void refuse_part(std::size_t part, const std::string& what) {
    throw QuantityError("of", fmt::format("part {}: {}", part, what));
}

// Words between blanks, parts between semicolons; quotes keep both together.
std::vector<std::vector<std::string>> words_of(std::string_view text) {
    std::vector<std::vector<std::string>> parts(1);
    std::string word;
    bool begun = false;
    char quote = 0;
    const auto end_word = [&] {
        if (begun) parts.back().push_back(std::exchange(word, {}));
        begun = false;
    };
    for (const char c : text) {
        if (quote != 0) {
            if (c == quote)
                quote = 0;
            else
                word += c;
        } else if (c == '\'' || c == '"') {
            quote = c;
            begun = true;
        } else if (c == ';') {
            end_word();
            parts.emplace_back();
        } else if (c == ' ' || c == '\t' || c == '\n') {
            end_word();
        } else {
            word += c;
            begun = true;
        }
    }
    if (quote != 0) refuse_part(parts.size(), "a quote is not closed");
    end_word();
    if (parts.back().empty() && parts.size() > 1) parts.pop_back();  // a semicolon at the end
    return parts;
}

// "1-100,105", from 1.
std::vector<Index> numbers_of(std::size_t part, const std::string& name, const std::string& text) {
    std::vector<Index> all;
    const char* at = text.data();
    const char* const end = at + text.size();
    const auto fail = [&] {
        refuse_part(part,
                    fmt::format("{} must be numbers or ranges from 1, like 1-100,105, not '{}'", name, text));
    };
    const auto number = [&] {
        Index value = 0;
        const auto [next, problem] = std::from_chars(at, end, value);
        if (problem != std::errc() || value < 1 || value > (Index{1} << 40)) fail();
        at = next;
        return value;
    };
    for (;;) {
        const Index first = number();
        Index last = first;
        if (at != end && *at == '-') {
            ++at;
            last = number();
        }
        if (last < first) fail();
        for (Index i = first; i <= last; ++i) all.push_back(i - 1);
        if (at == end) return all;
        if (*at++ != ',') fail();
    }
}

void set_parameter(std::size_t part, RegionSpec& spec, const std::string& name, const std::string& value) {
    const RegionInfo info = region_info(spec.name);
    const auto row = std::find_if(info.parameters.begin(), info.parameters.end(),
                                  [&](const Parameter& parameter) { return parameter.info.name == name; });
    if (row == info.parameters.end())
        refuse_part(part, fmt::format("{} is not a parameter of {}, which has {}", name, spec.name,
                                      describe(info.parameters)));
    std::visit([&](const auto& parsed) { spec.parameters.set(name, parsed); }, parse(row->info, value));
}

RegionPart part_of(std::size_t number, const std::vector<std::string>& words, bool blocks) {
    if (words.empty()) refuse_part(number, "is empty; expected the name of a region and its parameters");
    RegionPart part;
    try {
        part.spec.name = std::string(region_info(words.front()).name);
        for (std::size_t k = 1; k < words.size(); ++k) {
            const std::size_t equals = words[k].find('=');
            if (equals == std::string::npos)
                refuse_part(number, fmt::format("expected NAME=VALUE, not '{}'", words[k]));
            const std::string name = words[k].substr(0, equals);
            const std::string value = words[k].substr(equals + 1);
            if (blocks && name == "columns")
                part.columns = numbers_of(number, name, value);
            else if (blocks && name == "rows")
                part.rows = numbers_of(number, name, value);
            else
                set_parameter(number, part.spec, name, value);
        }
        verify(part.spec);
    } catch (const QuantityError& error) {
        if (error.quantity() == "of") throw;
        refuse_part(number, error.what());
    }
    return part;
}

}  // namespace

std::vector<RegionPart> parse_parts(std::string_view text, bool blocks) {
    std::vector<RegionPart> parts;
    for (const std::vector<std::string>& words : words_of(text))
        parts.push_back(part_of(parts.size() + 1, words, blocks));
    return parts;
}

template <class Real>
std::unique_ptr<Region<Real>> make_part(const RegionPart& part, double factor, const Composite& composite,
                                        const RegionSetting& setting) {
    RegionSpec spec = part.spec;
    spec.composite = composite;
    const RegionInfo info = region_info(spec.name);
    const auto radius =
        std::find_if(info.parameters.begin(), info.parameters.end(),
                     [](const Parameter& parameter) { return parameter.info.name == "radius"; });
    if (radius == info.parameters.end() && factor != 1) {
        if (!composite.zero())
            throw QuantityError(
                "radius",
                fmt::format("must be 1 with a composite term: {} has no radius of its own", spec.name));
        return shifted<Real>(make_region<Real>(spec, setting), {}, factor);
    }
    if (factor != 1)
        spec.parameters.set(
            "radius", factor * resolve(spec.name, info.parameters, spec.parameters).number("radius").value());
    return make_region<Real>(spec, setting);
}

template std::unique_ptr<Region<float>> make_part(const RegionPart&, double, const Composite&,
                                                  const RegionSetting&);
template std::unique_ptr<Region<double>> make_part(const RegionPart&, double, const Composite&,
                                                   const RegionSetting&);

}  // namespace alfcg::region
