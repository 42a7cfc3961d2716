// Measures one case, on demand, so that another process can take its turn in between.
//
//   alfcg-bench CASE [precision=f64] [key=value ...]
//
// sets the case up and prints its facts as one line of JSON. Then each line "MEASURE SECONDS" on standard input is
// answered with one line, {"seconds": [...], "notes": {...}}: a number for each repetition that fitted into the
// time, but at least one.
#include <fmt/format.h>

#include <iostream>
#include <span>
#include <sstream>

#include "case.hpp"

namespace {

using namespace alfcg::bench;

template <class Real>
Case make_case(const std::string& name, Arguments& arguments) {
    if (name == "gradient") return gradient_case<Real>(arguments);
    if (name == "solve") return solve_case<Real>(arguments);
    if (name == "oracle") return oracle_case<Real>(arguments);
    if (name == "region") return region_case<Real>(arguments);
    if (name == "reading") return reading_case<Real>(arguments);
    throw alfcg::Error("unknown case '" + name + "': expected gradient, solve, oracle, region or reading");
}

void answer(const nlohmann::json& reply) {
    std::cout << reply.dump() << '\n' << std::flush;
}

void serve(Case& measured) {
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words(line);
        std::string name;
        double limit = 0;
        words >> name >> limit;
        const auto found = measured.measures.find(name);
        if (found == measured.measures.end()) throw alfcg::Error("this case has no measure '" + name + "'");
        nlohmann::json reply{{"seconds", nlohmann::json::array()}};
        const auto start = std::chrono::steady_clock::now();
        do {
            const Timing timing = found->second();
            reply["seconds"].push_back(timing.seconds);
            reply["notes"] = timing.notes;
        } while (std::chrono::steady_clock::now() - start < std::chrono::duration<double>(limit));
        answer(reply);
    }
}

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc < 2) throw alfcg::Error("usage: alfcg-bench CASE [key=value ...]");
        Arguments arguments(std::span<char* const>(argv + 2, argv + argc));
        const std::string precision = arguments.text("precision", "f32");
        if (precision != "f32" && precision != "f64")
            throw alfcg::Error("precision=" + precision + ": expected f32 or f64");
        Case measured =
            precision == "f64" ? make_case<double>(argv[1], arguments) : make_case<float>(argv[1], arguments);
        arguments.verify();
        nlohmann::json facts = measured.facts;
        for (const auto& [name, measure] : measured.measures) facts["measures"].push_back(name);
        answer(facts);
        serve(measured);
    } catch (const std::exception& error) {
        fmt::print(stderr, "alfcg-bench: {}\n", error.what());
        return 2;
    }
    return 0;
}
