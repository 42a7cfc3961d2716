// Observations from .npz archives: the same matrix in every form that SciPy writes, and whatever is wrong in one line.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "alfcg/data/observations.hpp"
#include "bad_input_files.hpp"

namespace alfcg {
namespace {

using I32 = std::vector<std::int32_t>;
using I64 = std::vector<std::int64_t>;
using F64 = std::vector<double>;

std::string list(const I32& numbers) {
    return array<std::int32_t>("<i4", {std::ssize(numbers)}, numbers);
}
std::string list(const I64& numbers) {
    return array<std::int64_t>("<i8", {std::ssize(numbers)}, numbers);
}
std::string list(const F64& numbers) {
    return array<double>("<f8", {std::ssize(numbers)}, numbers);
}
std::string word(const std::string& text) {
    return array<char>("|S" + std::to_string(text.size()), {}, {text.begin(), text.end()});
}

// [ . 2 . ]
// [ 1 . 0 ]  the zero is stored
// [ . . . ]
// [ . . 5 ]
Entries coo() {
    return {{"format", word("coo")},
            {"shape", list(I64{4, 3})},
            {"row", list(I32{3, 0, 1, 1})},
            {"col", list(I32{2, 1, 2, 0})},
            {"data", list(F64{5, 2, 0, 1})}};
}
Entries csr() {
    return {{"format", word("csr")},
            {"shape", list(I64{4, 3})},
            {"indptr", list(I64{0, 1, 3, 3, 4})},
            {"indices", list(I64{1, 2, 0, 2})},
            {"data", list(F64{2, 0, 1, 5})}};
}
Entries csc() {
    return {{"format", word("csc")},
            {"shape", list(I64{4, 3})},
            {"indptr", list(I32{0, 1, 2, 4})},
            {"indices", list(I32{1, 0, 1, 3})},
            {"data", list(F64{1, 2, 0, 5})}};
}

class RatingsArchive : public testing::Test {
  protected:
    template <class Real>
    Ratings<Real> load(const Entries& entries, const RatingOptions& options = {}) {
        pack(entries, path_);
        return load_ratings<Real>(path_, options);
    }
    TemporaryFolder folder_;
    std::string path_ = folder_.file("ratings.npz");
};

template <class Real>
void expect_the_matrix(const Ratings<Real>& ratings) {
    EXPECT_EQ(ratings.rows, (Words{"0", "1", "2", "3"}));
    EXPECT_EQ(ratings.columns, (Words{"0", "1", "2"}));
    const Observations<Real>& known = ratings.known;
    EXPECT_EQ(known.pattern.shape, (Shape{4, 3}));
    EXPECT_EQ(I64(known.pattern.starts.begin(), known.pattern.starts.end()), (I64{0, 1, 3, 3, 4}));
    EXPECT_EQ(I32(known.pattern.columns.begin(), known.pattern.columns.end()), (I32{1, 0, 2, 2}));
    EXPECT_EQ(std::vector<Real>(known.values.begin(), known.values.end()), (std::vector<Real>{2, 1, 0, 5}));
    EXPECT_TRUE(known.weights.empty());
}

TEST_F(RatingsArchive, EveryFormGivesTheSameObservations) {
    for (const Entries& entries : {coo(), csr(), csc()}) {
        expect_the_matrix(load<float>(entries));
        expect_the_matrix(load<double>(entries));
    }
    Entries others = coo();  // NumPy's own: without a format, in other types and the other order of bytes
    others.erase("format");
    others["row"] = array<std::uint8_t>("|u1", {4}, {3, 0, 1, 1});
    others["col"] = array<std::uint16_t>(">u2", {4}, {0x200, 0x100, 0x200, 0});
    others["data"] = array<std::int8_t>("|i1", {4}, {5, 2, 0, 1});
    expect_the_matrix(load<double>(others));
    others.erase("shape");  // as small as may be
    expect_the_matrix(load<float>(others));
}

TEST_F(RatingsArchive, ArraysMayBeLongerThanWhatLinesUse) {
    Entries entries = csr();
    entries["indices"] = list(I64{1, 2, 0, 2, 1});
    entries["data"] = list(F64{2, 0, 1, 5, 9});
    expect_the_matrix(load<double>(entries));
}

TEST_F(RatingsArchive, WeightsAndTheFirstOnes) {
    Entries entries = coo();
    entries["weights"] = list(F64{1, 2, 3, 4});
    const auto all = load<double>(entries, {true, 0});
    EXPECT_EQ(F64(all.known.weights.begin(), all.known.weights.end()), (F64{2, 4, 3, 1}));
    const auto some = load<double>(entries, {true, 2});
    EXPECT_EQ(F64(some.known.values.begin(), some.known.values.end()), (F64{2, 5}));
    EXPECT_EQ(F64(some.known.weights.begin(), some.known.weights.end()), (F64{2, 1}));
    EXPECT_EQ(some.known.pattern.shape, (Shape{4, 3}));
}

TEST_P(BadInputTest, IsRefusedInOneLineAndTouchesNothing) {
    expect_refusal(GetParam());
}

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<BadInput> damaged() {
    TemporaryFolder folder;
    const std::string path = folder.file("r.npz");
    const auto bytes_of = [&](const Entries& entries) {
        pack(entries, path);
        return read_bytes(path);
    };
    const auto with = [](Entries entries, const std::string& changed, const std::string& array) {
        entries[changed] = array;
        return entries;
    };
    const auto without = [](Entries entries, const std::string& left_out) {
        entries.erase(left_out);
        return entries;
    };
    const auto bad = [&](const std::string& name, const Entries& entries, Words says, Words options = {}) {
        options.insert(options.begin(), {"complete", "r.npz", "--radius", "2", "--model", "new"});
        says.insert(says.begin(), "r.npz: ");
        return BadInput{name, std::move(options), std::move(says), {{"r.npz", bytes_of(entries)}}};
    };
    const std::string whole = bytes_of(coo());
    const auto file = [](const std::string& name, const std::string& bytes, Words says) {
        return BadInput{name,
                        {"complete", "r.npz", "--radius", "2", "--model", "new"},
                        std::move(says),
                        {{"r.npz", bytes}}};
    };
    Entries cut = coo();
    cut["data"].resize(cut["data"].size() - 3);
    Entries empty = coo();
    for (const char* name : {"row", "col"}) empty[name] = list(I32{});
    empty["data"] = list(F64{});
    Entries twice = coo();
    twice["row"] = list(I32{3, 0, 1, 3});
    twice["col"] = list(I32{2, 1, 2, 2});
    return {
        file("HalfAnArchive", first_half(whole), {"r.npz: ", "damaged .npz archive", "cut short"}),
        file("AnArchiveInAnArchive", gzip(whole), {"r.npz: an .npz archive inside a compressed file"}),
        file("AModel", read_bytes(wide_archive), {"r.npz: holds neither a matrix by SciPy's save_npz"}),
        bad("OtherFormat", with(coo(), "format", word("bsr")),
            {"format: 'bsr' is not supported", "coo, csr or csc"}),
        bad("NoData", without(csr(), "data"), {"has no array 'data'"}),
        bad("NoStarts", without(csr(), "indptr"), {"has no array 'indptr'"}),
        bad("NoShape", without(csr(), "shape"), {"has no array 'shape'"}),
        bad("ShapeOfThree", with(coo(), "shape", list(I64{4, 3, 2})), {"shape: has 3 numbers, not 2"}),
        bad("ShapeTooLarge", with(coo(), "shape", list(I64{std::int64_t{1} << 31, 3})),
            {"shape: entry 0", "2147483648", "from 1 to 2147483647"}),
        bad("ShapeOfNothing", with(coo(), "shape", list(I64{4, 0})), {"shape: entry 1", "is 0", "from 1"}),
        bad("DataCutShort", cut, {"data: 29 bytes for 4 entries of type '<f8'"}),
        bad("DataOfTwoDimensions", with(coo(), "data", array<double>("<f8", {2, 2}, {5, 2, 0, 1})),
            {"data: has 2 dimensions, not 1"}),
        bad("DataOfTexts", with(coo(), "data", array<char>("|S1", {4}, {'5', '2', '0', '1'})),
            {"data", "'|S1' is not supported"}),
        bad("DataComplex", with(coo(), "data", array<double>("<c16", {2}, {5, 2, 0, 1})), {"data", "'<c16'"}),
        bad("DataNan", with(coo(), "data", list(F64{5, nan, 0, 1})),
            {"data: entry 1", "is nan", "leave such"}),
        bad("DataInfinite", with(coo(), "data", list(F64{5, 2, 0, HUGE_VAL})), {"data: entry 3", "is inf"}),
        bad("DataTooLarge", with(coo(), "data", list(F64{5, 2, 0, 1e300})),
            {"data: entry 3", "too large for f32", "--precision"}),
        bad("DataTooFew", with(coo(), "data", list(F64{5, 2})), {"row: has 4 entries, data has 2"}),
        bad("RowsOfFractions", with(coo(), "row", list(F64{3, 0, 1, 1})),
            {"row: entries of type '<f8'", "whole numbers"}),
        bad("RowNegative", with(coo(), "row", list(I32{3, -1, 1, 1})),
            {"row: entry 1", "is -1", "from 0 to 3"}),
        bad("RowTooLarge", with(coo(), "row", list(I32{3, 4, 1, 1})),
            {"row: entry 1", "is 4", "from 0 to 3"}),
        bad("RowBeyondNumbers", with(coo(), "row", array<std::uint64_t>("<u8", {4}, {3, ~0ULL, 1, 1})),
            {"row: entry 1", "is 18446744073709551615", "from 0 to 3"}),
        bad("ColumnBeyondNumbers", with(coo(), "col", list(I64{2, 1, 2, std::int64_t{1} << 40})),
            {"col: entry 3", "is 1099511627776", "from 0 to 2"}),
        bad("ColumnsTooFew", with(coo(), "col", list(I32{2, 1, 2})), {"col: has 3 entries, data has 4"}),
        bad("IndexTooLarge", with(csr(), "indices", list(I32{1, 2, 0, 3})),
            {"indices: entry 3", "is 3", "from 0 to 2"}),
        bad("IndicesTooFew", with(csr(), "indices", list(I32{1, 2})), {"indices: has 2 entries, data has 4"}),
        bad("StartsTooFew", with(csr(), "indptr", list(I32{0, 1, 3, 4})), {"indptr: has 4 entries, not 5"}),
        bad("StartsFall", with(csr(), "indptr", list(I32{0, 3, 1, 3, 4})),
            {"indptr: must begin with 0 and never fall"}),
        bad("StartsBeyondTheEnd", with(csr(), "indptr", list(I32{0, 1, 3, 3, 5})),
            {"indptr: entry 4", "is 5", "from 0 to 4"}),
        bad("Twice", twice, {"row '3' and column '2' are there twice"}),
        bad("Nothing", empty, {"has no observations"}),
        bad("NoWeights", without(coo(), "weights"), {"has no array 'weights'"}, {"--weights"}),
        bad("WeightZero", with(coo(), "weights", list(F64{1, 0, 1, 1})),
            {"weights: entry 1", "is 0", "above 0"}, {"--weights"}),
        bad("WeightsTooFew", with(coo(), "weights", list(F64{1, 1})), {"weights: has 2 entries, data has 4"},
            {"--weights"}),
    };
}
INSTANTIATE_TEST_SUITE_P(RatingsArchives, BadInputTest, testing::ValuesIn(damaged()), case_name);

// Sizes are looked at before anything is unpacked.
TEST_F(RatingsArchive, WhatUnpacksBeyondMeasureIsRefused) {
    const auto number = [](std::uint64_t value, int bytes) {
        std::string text;
        for (int k = 0; k < bytes; ++k) text += static_cast<char>(value >> (8 * k));
        return text;
    };
    std::string archive;
    std::string list;
    for (const std::string name : {"row.npy", "col.npy", "data.npy"}) {
        const std::uint64_t packed = 3000000;
        const std::string facts = number(20, 2) + number(0, 2) + number(8, 2) + number(0, 8) +
                                  number(packed, 4) + number(1000 * packed, 4) + number(name.size(), 2) +
                                  number(0, 2);
        list += "PK\1\2" + number(20, 2) + facts + number(0, 10) + number(archive.size(), 4) + name;
        archive += "PK\3\4" + facts + name + std::string(packed, '\0');
    }
    const std::size_t at = archive.size();
    archive += list + "PK\5\6" + number(0, 4) + number(3, 2) + number(3, 2) + number(list.size(), 4) +
               number(at, 4) + number(0, 2);
    write_bytes(path_, archive);
    const std::string message =
        message_of<InputError>([&] { static_cast<void>(load_ratings<float>(path_)); });
    EXPECT_NE(message.find("data.npy unpacks to 2.86e+03 MB, 1000 times its size"), std::string::npos)
        << message;
}

}  // namespace
}  // namespace alfcg
