// NPY and IDX arrays: every type, byte order and axis order gives the same numbers; damaged files are
// refused.

#include <cmath>
#include <fstream>
#include <limits>

#include "data_files.hpp"

namespace alfcg {
namespace {

class ArrayTest : public DataTest {
  protected:
    static ReadOptions unlabelled() {
        ReadOptions options;
        options.labels_required = false;
        return options;
    }
    std::vector<double> numbers(const std::string& bytes) const {
        return entries(load(bytes, unlabelled()).features);
    }
    std::string npy_problem(const std::string& bytes) const { return problem(bytes, unlabelled()); }
};

double small_entry(Index i, Index j) {
    return static_cast<double>((7 * i + 3 * j) % 101);
}

std::vector<double> table(Index n, Index d, const std::function<double(Index, Index)>& entry) {
    std::vector<double> values;
    for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < d; ++j) values.push_back(entry(i, j));
    return values;
}

template <class T>
struct Kind {
    const char* name;
    using type = T;
};

template <class Body>
void for_each_kind(const Body& body) {
    body(Kind<float>{"f4"}), body(Kind<double>{"f8"});
    body(Kind<std::int8_t>{"i1"}), body(Kind<std::int16_t>{"i2"}), body(Kind<std::int32_t>{"i4"});
    body(Kind<std::int64_t>{"i8"}), body(Kind<std::uint8_t>{"u1"}), body(Kind<std::uint16_t>{"u2"});
    body(Kind<std::uint32_t>{"u4"}), body(Kind<std::uint64_t>{"u8"});
}

TEST_F(ArrayTest, EveryNpyTypeAndOrderGivesTheSameNumbers) {
    constexpr Index n = 13;
    constexpr Index d = 5;
    const auto expected = table(n, d, small_entry);
    for_each_kind([&](auto kind) {
        using T = typename decltype(kind)::type;
        for (const bool big : {false, true})
            for (const bool fortran : {false, true}) {
                const std::string bytes = npy_file<T>(kind.name, big, fortran, n, d, small_entry);
                EXPECT_EQ(numbers(bytes), expected) << kind.name << big << fortran;
                EXPECT_EQ(numbers(gzip(bytes)), expected) << kind.name << big << fortran;
                EXPECT_EQ(entries(load<float>(bytes, unlabelled()).features), expected) << kind.name;
            }
    });
    const auto parity = [](Index i, Index j) { return static_cast<double>((i + j) % 2); };
    EXPECT_EQ(numbers(npy_file<bool>("b1", false, false, n, d, parity)), table(n, d, parity));
}

TEST_F(ArrayTest, SignsAndExtremesSurvive) {
    const auto corner = [](auto low, auto high) {
        return [=](Index i, Index) { return i == 0 ? static_cast<double>(low) : static_cast<double>(high); };
    };
    for_each_kind([&](auto kind) {
        using T = typename decltype(kind)::type;
        if (sizeof(T) == 8) return;  // does not pass through double
        const auto entry = corner(std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max());
        for (const bool big : {false, true})
            EXPECT_EQ(numbers(npy_file<T>(kind.name, big, false, 2, 1, entry)), table(2, 1, entry))
                << kind.name;
    });
}

TEST_F(ArrayTest, LargeFortranArraysAreTransposedInPieces) {
    // Columns of more than the 4 MiB window, of about it, and many short ones.
    const auto entry = [](Index i, Index j) { return static_cast<double>((31 * i + 17 * j) % 251); };
    for (const auto& [n, d] :
         {std::pair<Index, Index>{5000000, 2}, {700000, 3}, {1000, 3001}, {3, 1}, {1, 3}}) {
        const std::string path = write("large.npy", npy_file<std::uint8_t>("u1", false, true, n, d, entry));
        for (const Index limit : {Index{0}, n / 2}) {
            ReadOptions options = unlabelled();
            options.rows = limit;
            const auto data = load_dataset<float>(path, options);
            const auto& dense = std::get<DenseFeatures<float>>(data.features);
            ASSERT_EQ(dense.rows(), limit > 0 ? limit : n);
            Index wrong = 0;
            for (Index i = 0; i < dense.rows(); ++i)
                for (Index j = 0; j < d; ++j)
                    wrong += static_cast<double>(dense.row(i)[j]) != entry(i, j) ? 1 : 0;
            EXPECT_EQ(wrong, 0) << n << " x " << d;
        }
    }
}

TEST_F(ArrayTest, HigherDimensionsFlattenInCOrderWhateverTheStorage) {
    constexpr Index a = 2;
    constexpr Index b = 3;
    constexpr Index c = 4;
    const auto value = [](Index i, Index j, Index k) {
        return static_cast<std::int32_t>(100 * i + 10 * j + k);
    };
    std::string c_order;
    std::string fortran;
    std::vector<double> expected;
    for (Index i = 0; i < a; ++i)
        for (Index j = 0; j < b; ++j)
            for (Index k = 0; k < c; ++k) {
                c_order += element(value(i, j, k), false);
                expected.push_back(value(i, j, k));
            }
    for (Index k = 0; k < c; ++k)
        for (Index j = 0; j < b; ++j)
            for (Index i = 0; i < a; ++i) fortran += element(value(i, j, k), false);
    EXPECT_EQ(numbers(npy_prefix(npy_dictionary("<i4", false, "(2, 3, 4)")) + c_order), expected);
    EXPECT_EQ(numbers(npy_prefix(npy_dictionary("<i4", true, "(2, 3, 4)")) + fortran), expected);
}

TEST_F(ArrayTest, AllFormatVersionsAndHeaderSpellingsAreRead) {
    const std::string body = element(1.5, false) + element(-2.0, false);
    for (const int version : {1, 2, 3})
        EXPECT_EQ(numbers(npy_prefix(npy_dictionary("<f8", false, "(2, 1)"), version) + body),
                  (std::vector<double>{1.5, -2}));
    for (const char* dictionary : {"{\"shape\":(2,1),\"fortran_order\":False,\"descr\":\"<f8\"}",
                                   "{ 'descr' : '<f8' , 'fortran_order' : False , 'shape' : (2L, 1L) }"})
        EXPECT_EQ(numbers(npy_prefix(dictionary) + body), (std::vector<double>{1.5, -2})) << dictionary;
}

TEST_F(ArrayTest, AMappedArrayEqualsACopiedOne) {
    const auto entry = [](Index i, Index j) { return std::sin(static_cast<double>(i * 31 + j)); };
    const std::string mapped = write("mapped.npy", npy_file<double>("f8", false, false, 300, 40, entry));
    const std::string packed = write("packed.npy.gz", gzip(read_bytes(mapped)));
    // One byte more of header: the entries are not aligned, and must be copied.
    std::string crooked = npy_prefix(npy_dictionary("<f8", false, "(300, 40)") + " ", 1, 1);
    if (crooked.size() % 8 == 0) crooked = npy_prefix(npy_dictionary("<f8", false, "(300, 40)") + "  ", 1, 1);
    ASSERT_NE(crooked.size() % 8, 0U);
    crooked = write("crooked.npy", crooked + read_bytes(mapped).substr(read_bytes(mapped).size() - 96000));
    const auto expected = table(300, 40, entry);
    for (const std::string& path : {mapped, packed, crooked})
        EXPECT_EQ(entries(load_dataset<double>(path, unlabelled()).features), expected) << path;
}

TEST_F(ArrayTest, ChangingMappedDataLeavesTheFileAlone) {
    const std::string bytes = npy_file<float>("f4", false, false, 50, 7, small_entry);
    const std::string path = write("x.npy", bytes);
    auto data = load_dataset<float>(path, unlabelled());
    auto& dense = std::get<DenseFeatures<float>>(data.features);
    float* own = dense.own();
    EXPECT_EQ(own, dense.data());  // nobody else looks at it
    for (Index k = 0; k < 350; ++k) own[k] += 1;
    EXPECT_EQ(read_bytes(path), bytes);
    EXPECT_EQ(dense.row(49)[6], static_cast<float>(small_entry(49, 6)) + 1);
}

TEST_F(ArrayTest, AMappedArrayTakesNoMemoryOfItsOwn) {
    // The pages between the first and the last entry belong to the file: /proc names it.
    const std::string path = write("x.npy", npy_file<float>("f4", false, false, 5000, 7, small_entry));
    const auto data = load_dataset<float>(path, unlabelled());
    std::ifstream maps("/proc/self/maps");
    if (!maps) GTEST_SKIP() << "no /proc here";
    const std::string text((std::istreambuf_iterator<char>(maps)), std::istreambuf_iterator<char>());
    EXPECT_NE(text.find(path), std::string::npos);
}

TEST_F(ArrayTest, RowsTakesTheFirstRowsAndDoesNotLookAtTheRest) {
    std::string bytes = npy_file<float>("f4", false, false, 10, 3, small_entry);
    bytes.resize(bytes.size() - 60);  // the last five rows are missing
    ReadOptions options = unlabelled();
    options.rows = 5;
    for (const std::string& file : {bytes, gzip(bytes)}) {
        EXPECT_EQ(entries(load<float>(file, options).features), table(5, 3, small_entry));
        EXPECT_EQ(entries(load<double>(file, options).features), table(5, 3, small_entry));
    }
    options.rows = 50;
    EXPECT_EQ(rows(load(npy_file<float>("f4", false, false, 10, 3, small_entry), options).features), 10);
}

TEST_F(ArrayTest, DamagedNpyFilesAreRefused) {
    const std::string body = element(1.5, false) + element(-2.0, false);
    const auto with = [&](const std::string& dictionary, const std::string& rest) {
        return npy_prefix(dictionary) + rest;
    };
    const std::string good = npy_dictionary("<f8", false, "(2, 1)");
    EXPECT_EQ(numbers(with(good, body)).size(), 2U);
    const std::pair<std::string, const char*> cases[] = {
        {with(good, body.substr(1)), "truncated"},
        {with(good, ""), "truncated"},
        {with(good, body + "x"), "more data than"},
        {gzip(with(good, body.substr(1))), "truncated"},
        {gzip(with(good, body + "x")), "more data than"},
        {with(npy_dictionary("<f8", false, "(2,)"), body), "one dimension"},
        {with(npy_dictionary("<f8", false, "()"), body.substr(8)), "single number"},
        {with(npy_dictionary("<f8", false, "(0, 4)"), ""), "no data rows"},
        {with(npy_dictionary("<f8", false, "(4, 0)"), ""), "no features"},
        {with(npy_dictionary("<f8", false, "(4294967296, 4294967296)"), body), "shape is too large"},
        {with(npy_dictionary("<f8", false, "(4294967296, 2147483647)"), body),
         "more bytes than can be counted"},
        {with(npy_dictionary("<f8", false, "(99999999999999999999, 2)"), body), "damaged NPY header"},
        {with(npy_dictionary("<f8", false, "(-2, 1)"), body), "damaged NPY header"},
        {with(npy_dictionary("|O", false, "(2, 1)"), body), "not plain numbers"},
        {with(npy_dictionary("<f2", false, "(2, 1)"), "1234"), "'<f2' is not supported"},
        {with(npy_dictionary("<c16", false, "(2, 1)"), body), "'<c16' is not supported"},
        {with(npy_dictionary("<U4", false, "(2, 1)"), body), "'<U4' is not supported"},
        {with("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2, 1)}", body), "structured"},
        {with("{'descr': '<f8', 'shape': (2, 1)}", body), "lacks"},
        {with("{'descr': '<f8', 'fortran_order': Maybe, 'shape': (2, 1)}", body), "damaged NPY header"},
        {with("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1)", body), "damaged NPY header"},
        {with("no dictionary", body), "damaged NPY header"},
        {npy_prefix(good, 7) + body, "version 7"},
        {npy_prefix(good).substr(0, 30), "cut short"},
        {std::string("\x93NUMPY\x01\x00", 8), "cut short"},
        {std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12) + body, "more than a mebibyte"},
    };
    for (const auto& [bytes, what] : cases) {
        const std::string message = npy_problem(bytes);
        EXPECT_NE(message.find(what), std::string::npos) << message << "\nexpected: " << what;
    }
    ReadOptions options = unlabelled();
    options.format = "npy";
    EXPECT_NE(problem("1,2,3\n4,5,6\n", options).find("not an NPY"), std::string::npos);
}

TEST_F(ArrayTest, EveryPrefixAndEveryFlippedByteOfAnNpyFileIsReadOrRefused) {
    const std::string good = npy_file<std::int16_t>("i2", false, true, 3, 2, small_entry);
    for (std::size_t length = 1; length < good.size(); ++length)
        EXPECT_THROW(numbers(good.substr(0, length)), Error) << length;
    for (std::size_t k = 0; k < good.size(); ++k)
        for (const int flip : {0x01, 0x10, 0x80}) {
            std::string bytes = good;
            bytes[k] = static_cast<char>(bytes[k] ^ flip);
            try {
                static_cast<void>(load(bytes, unlabelled()));
            } catch (const Error&) {  // the other permitted outcome
            }
        }
}

TEST_F(ArrayTest, NumbersThatAreNotFiniteAreNamedByRowAndColumn) {
    const auto with = [](double bad) {
        return [bad](Index i, Index j) { return i == 2 && j == 1 ? bad : 1.0; };
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    for (const bool fortran : {false, true})
        for (const bool big : {false, true}) {
            EXPECT_EQ(npy_problem(npy_file<double>("f8", big, fortran, 4, 3, with(nan))),
                      " row 2, column 1 (from 0): the value is NaN; finite numbers are needed");
            EXPECT_EQ(npy_problem(npy_file<float>("f4", big, fortran, 4, 3, with(-infinity))),
                      " row 2, column 1 (from 0): the value is infinite; finite numbers are needed");
        }
    EXPECT_EQ(
        problem<float>(npy_file<double>("f8", false, false, 4, 3, with(1e39)), unlabelled()),
        " row 2, column 1 (from 0): the value is infinite, or too large for f32; finite numbers are needed");
}

TEST_F(ArrayTest, ArraysBeyondTheMemoryAreRefusedBeforeAnythingIsRead) {
    const std::string header = npy_prefix(npy_dictionary("<f4", false, "(1000000000, 100000)"));
    EXPECT_NE(npy_problem(header + "few").find("truncated"), std::string::npos);
    EXPECT_NE(npy_problem(gzip(header + "few")).find("GiB of memory"), std::string::npos);
}

TEST_F(ArrayTest, EveryIdxTypeIsReadBigEndianAndRaw) {
    const auto check = [&](int type, auto sample) {
        using T = decltype(sample);
        std::string bytes = idx_header(type, {2, 2, 3});
        std::vector<double> expected;
        for (int k = 0; k < 12; ++k) {
            const auto value = static_cast<T>(std::is_signed_v<T> ? 9 * k - 50 : 9 * k);
            bytes += element(value, true);
            expected.push_back(static_cast<double>(value));
        }
        const auto data = load(bytes, unlabelled());
        EXPECT_EQ(cols(data.features), 6) << type;
        EXPECT_EQ(entries(data.features), expected) << type;
    };
    check(0x08, std::uint8_t{}), check(0x09, std::int8_t{}), check(0x0B, std::int16_t{});
    check(0x0C, std::int32_t{}), check(0x0D, float{}), check(0x0E, double{});
    EXPECT_EQ(cols(load(idx_header(8, {3}) + "abc", unlabelled()).features), 1);
}

TEST_F(ArrayTest, DamagedIdxFilesAreRefused) {
    const std::pair<std::string, const char*> cases[] = {
        {idx_header(8, {2, 2}) + "abc", "truncated"},
        {idx_header(8, {2, 2}) + "abcde", "more data than"},
        {idx_header(8, {2, 2}).substr(0, 9), "truncated IDX header"},
        {idx_header(0x0A, {2, 2}) + "abcd", "unknown IDX element type 0x0A"},
        {idx_header(8, {}) + "abcd", "no dimensions"},
        {idx_header(8, {0, 2}), "no data rows"},
        {idx_header(8, {2, 0}), "no features"},
        {idx_header(8, {4294967295U, 4294967295U, 4294967295U}), "more bytes than can be counted"},
        {idx_header(0x0D, {1, 1}) + element(std::numeric_limits<float>::quiet_NaN(), true),
         "row 0, column 0"},
    };
    for (const auto& [bytes, what] : cases) {
        const std::string message = npy_problem(bytes);
        EXPECT_NE(message.find(what), std::string::npos) << message << "\nexpected: " << what;
    }
}

TEST_F(ArrayTest, ArraysNeedALabelFileWhenLabelsAreRequired) {
    EXPECT_EQ(problem(idx_header(8, {2, 2}) + "abcd"),
              " IDX files hold no labels; give them with `labels` FILE");
    EXPECT_EQ(problem(npy_file<float>("f4", false, false, 2, 2, small_entry)),
              " NPY files hold no labels; give them with `labels` FILE");
    ReadOptions options = unlabelled();
    options.features = 5;
    EXPECT_EQ(problem(idx_header(8, {2, 2}) + "abcd", options), " 2 features, but the model has 5");
}

}  // namespace
}  // namespace alfcg
