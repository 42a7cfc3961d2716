// The short way to read a number gives the same bits as the C library, or steps aside.

#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <random>
#include <string>
#include <type_traits>

#include "alfcg/data/labels.hpp"
#include "data/plain_number.hpp"

namespace alfcg {
namespace {

template <class Real>
class PlainNumber : public ::testing::Test {
  protected:
    using Bits = std::conditional_t<std::is_same_v<Real, float>, std::uint32_t, std::uint64_t>;

    static Real reference(const std::string& text) {
        if constexpr (std::is_same_v<Real, float>) return std::strtof(text.c_str(), nullptr);
        return static_cast<Real>(std::strtod(text.c_str(), nullptr));
    }

    // Whether the short way took the number; if it did, it must be right.
    static bool taken(const std::string& text) {
        const std::string ended = text + " ";
        Real value = 99;
        const char* const behind = read_plain_number(ended.c_str(), value);
        if (behind == nullptr) return false;
        EXPECT_EQ(behind, ended.c_str() + text.size()) << text;
        EXPECT_EQ(std::bit_cast<Bits>(value), std::bit_cast<Bits>(reference(text))) << text;
        return true;
    }
};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PlainNumber, Reals);

TYPED_TEST(PlainNumber, UsualNumbersAreTaken) {
    for (const char* text : {"0", "1", "-1", "+1", "0.5", ".5", "5.", "-0", "-0.0", "+.25", "00012", "123456",
                             "0.000000001", "549", "0.498039", "1234567.5", "0.1", "123.456789"})
        EXPECT_TRUE(this->taken(text)) << text;
}

TYPED_TEST(PlainNumber, OtherFormsAreNotItsBusiness) {
    TypeParam value = 0;
    for (const char* text : {"", ".", "+", "-", "-.", "x", "nan", "inf", "--1", "+-1", " 1", "#",
                             "1234567890123456789", "0.1234567890123456789", "99999999999999999999999999"})
        EXPECT_EQ(read_plain_number((std::string(text) + "\n").c_str(), value), nullptr) << text;
    // It stops where the digits do; the caller looks at what follows.
    for (const char* text : {"1e5", "1.5.2", "1x", "1:2"}) {
        const char* const behind = read_plain_number(text, value);
        ASSERT_NE(behind, nullptr);
        EXPECT_NE(*behind, '\0') << text;
    }
}

TYPED_TEST(PlainNumber, RandomDigitsAreReadExactlyOrLeft) {
    std::mt19937_64 random(1);
    int taken = 0;
    constexpr int count = 400000;
    for (int k = 0; k < count; ++k) {
        const std::size_t digits = 1 + random() % 18;
        std::string text;
        for (std::size_t i = 0; i < digits; ++i) text += static_cast<char>('0' + random() % 10);
        if (random() % 4 != 0) text.insert(random() % (digits + 1), ".");
        if (random() % 2 != 0) text.insert(0, "-");
        taken += static_cast<int>(this->taken(text));
    }
    EXPECT_GT(taken, count / 2);
}

// The middle between two floats, and its neighbours in the 18th digit, are where rounding twice goes wrong.
TYPED_TEST(PlainNumber, NumbersNearTheMiddleOfTwoAreReadExactlyOrLeft) {
    std::mt19937_64 random(2);
    for (int k = 0; k < 200000; ++k) {
        const bool narrow = random() % 2 != 0;
        const int bits = narrow ? 24 : 53;
        const auto shift = static_cast<int>(1 + random() % static_cast<std::uint64_t>(59 - bits));
        const std::uint64_t lower = (std::uint64_t{1} << (bits - 1)) + random() % (1ULL << (bits - 1));
        const std::uint64_t middle = (2 * lower + 1) << (shift - 1);
        for (const std::uint64_t number : {middle - 1, middle, middle + 1}) {
            std::string text = std::to_string(number);
            this->taken(text);
            if (text.size() > 18) continue;
            // The same middle further down: halves of it are exact decimals too.
            text.insert(1 + random() % text.size(), ".");
            this->taken(text);
        }
        const double fraction = static_cast<double>(2 * lower + 1) / static_cast<double>(1ULL << 25U);
        char decimal[64];
        const int length = std::snprintf(decimal, sizeof decimal, "%.17f", fraction);
        this->taken(std::string(decimal, static_cast<std::size_t>(length)));
        this->taken(std::string(decimal, static_cast<std::size_t>(length - 1)));
    }
}

TEST(LabelsInParts, AppendingIsPushingOneByOne) {
    const char* const words[] = {"1", "2.50", "-0", "a", "b", "9007199254740993", "1e0", "7"};
    std::mt19937_64 random(3);
    for (int k = 0; k < 2000; ++k) {
        Labels whole;
        Labels joined;
        const std::uint64_t kinds = 1 + random() % std::size(words);
        for (std::uint64_t parts = random() % 5; parts > 0; --parts) {
            Labels part;
            for (std::uint64_t length = random() % 4; length > 0; --length) {
                const char* const word = words[random() % kinds];
                part.push(std::string_view(word));
                whole.push(std::string_view(word));
            }
            joined.append(part);
        }
        ASSERT_EQ(joined.size(), whole.size());
        EXPECT_EQ(joined.numeric(), whole.numeric());
        for (Index i = 0; i < whole.size(); ++i) EXPECT_EQ(joined.text(i), whole.text(i));
    }
}

}  // namespace
}  // namespace alfcg
