// "Did you mean": every slip finds its way back, and what is no slip is left alone.
#include <gtest/gtest.h>

#include <set>

#include "alfcg/core/text.hpp"
#include "alfcg/method/catalogue.hpp"
#include "program.hpp"

namespace alfcg {
namespace {

// All words one slip away, by trying them: a letter left out, put in, replaced, or swapped with the next.
std::set<std::string> one_slip(const std::string& word) {
    std::set<std::string> words;
    for (std::size_t i = 0; i <= word.size(); ++i) {
        for (const char letter : std::string("abcdefghijklmnopqrstuvwxyz-12")) {
            words.insert(std::string(word).insert(i, 1, letter));
            if (i < word.size()) words.insert(std::string(word).replace(i, 1, 1, letter));
        }
        if (i < word.size()) words.insert(std::string(word).erase(i, 1));
        if (i + 1 < word.size()) {
            std::string swapped = word;
            std::swap(swapped[i], swapped[i + 1]);
            words.insert(swapped);
        }
    }
    return words;
}

TEST(Suggestion, OneSlipFindsItsWayBack) {
    std::vector<std::string> names;
    for (const MethodInfo& method : methods()) names.emplace_back(method.name);
    std::vector<std::set<std::string>> near;
    for (const std::string& name : names) near.push_back(one_slip(name));
    for (std::size_t k = 0; k < names.size(); ++k) {
        if (names[k].size() < 5) continue;
        for (const std::string& typed : near[k]) {
            const std::string meant = suggestion(typed, names);
            bool right = false;  // a word may be one slip away from several
            for (std::size_t other = 0; other < names.size(); ++other)
                right |= near[other].contains(typed) && meant == "; did you mean " + names[other] + "?";
            EXPECT_TRUE(right) << typed << meant << ", from " << names[k];
        }
    }
}

TEST(Suggestion, CasesAndPartsAreSeenAndOtherWordsLeftAlone) {
    const std::vector<std::string> names{"nuclear", "lp", "l1", "fw-armijo", "max-epochs"};
    EXPECT_EQ(suggestion("L1", names), "; did you mean l1?");
    EXPECT_EQ(suggestion("armijo", names), "; did you mean fw-armijo?");
    EXPECT_EQ(suggestion("Max_Epoch", names, "--"), "; did you mean --max-epochs?");
    EXPECT_EQ(suggestion("nuklaer", names), "; did you mean nuclear?");
    for (const std::string other : {"", "l3", "l", "adam", "clear-sky", "zebra"})
        EXPECT_EQ(suggestion(other, names), "") << other;
}

TEST(Suggestion, TheProgramSaysWhatWasMeantInOneLine) {
    const auto message = [](const std::vector<std::string>& arguments) {
        TemporaryFolder folder;
        const auto result = run_program(arguments, folder.path());
        EXPECT_EQ(result.status, 2);
        EXPECT_EQ(result.out, "");
        EXPECT_EQ(folder.count(), 0);
        return result.err;
    };
    EXPECT_EQ(message({"trian", "a9a"}),
              "alfcg: unknown command 'trian'; did you mean train? (see alfcg --help)\n");
    EXPECT_EQ(message({"--verison"}),
              "alfcg: unknown option --verison; did you mean --version? (see alfcg --help)\n");
    EXPECT_EQ(message({"train", "a9a", "--radus=5"}),
              "alfcg: unknown option --radus; did you mean --radius? (see alfcg train --help)\n");
    EXPECT_EQ(
        message({"train", "--iterations"}),
        "alfcg: unknown option --iterations; did you mean --max-iterations? (see alfcg train --help)\n");
    EXPECT_EQ(message({"path", "a9a", "--trace", "t"}),
              "alfcg: unknown option --trace, which is for train (see alfcg path --help)\n");
    const std::string method = message({"train", "randn-9-3", "--method", "alfcg-fd"});
    EXPECT_TRUE(
        method.starts_with("alfcg: unknown method 'alfcg-fd'; did you mean alfcg-d? There are fw-openloop, "))
        << method;
    for (const auto& [option, typed, meant] : std::vector<std::tuple<std::string, std::string, std::string>>{
             {"--loss", "hubber", "huber"}, {"--region", "nuklear", "nuclear"}}) {
        const std::string text = message({"train", "randn-9-3", option, typed});
        EXPECT_TRUE(text.ends_with(", not '" + typed + "'; did you mean " + meant + "?\n")) << text;
        EXPECT_TRUE(text.starts_with("alfcg: " + option + " must be one of ")) << text;
    }
    const std::string text = message({"compare", "randn-9-3", "--methods", "all,determinstic"});
    EXPECT_TRUE(text.ends_with("; did you mean deterministic?\n")) << text;
}

TEST(Version, IsOneLine) {
    const auto result = run_program({"--version"});
    EXPECT_EQ(result.status, 0);
    std::size_t at = 0;
    int dots = 0;
    ASSERT_TRUE(result.out.starts_with("alfcg ")) << result.out;
    for (at = 6; at < result.out.size() && result.out[at] != '\n'; ++at) {
        EXPECT_NE(std::string("0123456789.").find(result.out[at]), std::string::npos) << result.out;
        dots += result.out[at] == '.' ? 1 : 0;
    }
    EXPECT_EQ(dots, 2);
    EXPECT_EQ(at + 1, result.out.size());
}

}  // namespace
}  // namespace alfcg
