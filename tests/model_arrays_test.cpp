#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "alfcg/core/error.hpp"
#include "core/npy.hpp"
#include "model/code_points.hpp"
#include "model_examples.hpp"
#include "temporary_folder.hpp"

namespace alfcg {
namespace {

std::span<const unsigned char> as_bytes(const std::string& text) {
    return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
}

NpyHeader parse(const std::string& bytes) {
    return parse_npy_header(as_bytes(bytes), "file");
}

/// A version 1 header around the dictionary.
std::string header_of(const std::string& dictionary) {
    std::string bytes("\x93NUMPY\1\0", 8);
    bytes += static_cast<char>(dictionary.size());
    bytes += '\0';
    return bytes + dictionary;
}

TEST(NpyHeader, ReadsBackWhatItWrites) {
    const std::vector<std::vector<std::int64_t>> shapes{{},     {0},       {7},
                                                        {3, 5}, {2, 3, 4}, {1, std::int64_t{1} << 40}};
    for (const auto& shape : shapes) {
        for (const std::string dtype : {"<f4", ">i8", "|u1", "<U123456"}) {
            for (const bool fortran_order : {false, true}) {
                const std::string bytes = encode_npy_header({dtype, fortran_order, shape, 0});
                EXPECT_EQ(bytes.size() % 64, 0U);
                EXPECT_EQ(bytes.back(), '\n');
                const NpyHeader header = parse(bytes + "entries");
                EXPECT_EQ(header.dtype, dtype);
                EXPECT_EQ(header.fortran_order, fortran_order);
                EXPECT_EQ(header.shape, shape);
                EXPECT_EQ(header.header_bytes, bytes.size());
            }
        }
    }
}

TEST(NpyHeader, IsTheBytesThatNumPyWrites) {
    const std::string expected =
        std::string("\x93NUMPY\1\0v\0", 10) + "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }";
    EXPECT_EQ(encode_npy_header({"<f8", false, {2}, 0}),
              expected + std::string(127 - expected.size(), ' ') + "\n");
    EXPECT_NE(encode_npy_header({"<f8", false, {}, 0}).find("'shape': (), }"), std::string::npos);
    EXPECT_NE(encode_npy_header({"<f8", false, {2, 3}, 0}).find("'shape': (2, 3), }"), std::string::npos);
}

TEST(NpyHeader, ALongOneUsesVersionTwo) {
    const std::vector<std::int64_t> shape(30000, 1);
    const std::string bytes = encode_npy_header({"<f4", false, shape, 0});
    EXPECT_EQ(bytes[6], '\2');
    EXPECT_EQ(bytes.size() % 64, 0U);
    EXPECT_EQ(parse(bytes).shape, shape);
    EXPECT_EQ(parse(bytes).header_bytes, bytes.size());
}

TEST(NpyHeader, OtherSpellingsOfTheDictionaryAreRead) {
    const NpyHeader header = parse(header_of("{\"shape\":(3L,4),'fortran_order':True,\n'descr':'>f4'}"));
    EXPECT_EQ(header.shape, (std::vector<std::int64_t>{3, 4}));
    EXPECT_TRUE(header.fortran_order);
    EXPECT_EQ(header.dtype, ">f4");
    EXPECT_EQ(header.entries(), 12);
    EXPECT_EQ(header.item_bytes(), 4);
}

TEST(NpyHeader, SizesOfEntries) {
    EXPECT_EQ((NpyHeader{"<U3", false, {}, 0}.item_bytes()), 12);
    EXPECT_EQ((NpyHeader{"|b1", false, {}, 0}.item_bytes()), 1);
    EXPECT_EQ((NpyHeader{"<fx", false, {}, 0}.item_bytes()), 0);
    EXPECT_EQ((NpyHeader{"<f8", false, {}, 0}.entries()), 1);
    EXPECT_EQ((NpyHeader{"<f8", false, {5, 0}, 0}.entries()), 0);
}

TEST(NpyHeader, WhatIsWrongIsSaid) {
    const auto complaint = [](const std::string& bytes) {
        return message_of<InputError>([&] { parse(bytes); });
    };
    EXPECT_EQ(complaint(""), "file: not an NPY array");
    EXPECT_EQ(complaint("\x93NUMPZ"), "file: not an NPY array");
    EXPECT_EQ(complaint("\x93NUMPY"), "file: the NPY header is cut short");
    EXPECT_EQ(complaint(std::string("\x93NUMPY\4\0\0\0\0\0\0", 13)),
              "file: NPY format version 4; expected 1, 2 or 3");
    EXPECT_EQ(complaint(header_of("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}")),
              "file: NPY entries are not plain numbers or text");
    EXPECT_EQ(complaint(header_of("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}")),
              "file: a structured NPY array; expected plain numbers or text");
    EXPECT_EQ(complaint(header_of("{'descr': '<f4', 'fortran_order': False}")),
              "file: the NPY header lacks one of descr, fortran_order and shape");
    EXPECT_EQ(complaint(header_of("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}")),
              "file: damaged NPY header, the shape is not made of sizes");
    EXPECT_EQ(
        complaint(header_of("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}")),
        "file: the NPY array's shape is too large");
}

TEST(NpyHeader, EveryDamageIsAnErrorOrAnotherHeader) {
    const std::string bytes = encode_npy_header({"<f4", false, {3, 5}, 0});
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        EXPECT_THROW(parse(bytes.substr(0, i)), InputError);
        for (unsigned change = 1; change < 256; ++change) {
            std::string damaged = bytes;
            damaged[i] = static_cast<char>(static_cast<unsigned char>(damaged[i]) ^ change);
            try {
                EXPECT_GE(parse(damaged).entries(), 0);
            } catch (const InputError&) {
                continue;
            }
        }
    }
}

TEST(CodePoints, EveryUnicodeCharacterSurvives) {
    for (char32_t point = 1; point <= 0x10FFFF; point += point < 0x11000 ? 1 : 251) {
        if (point >= 0xD800 && point <= 0xDFFF) continue;
        const auto bytes = to_bytes(std::u32string(1, point));
        ASSERT_TRUE(bytes.has_value());
        ASSERT_EQ(to_code_points(*bytes), std::u32string(1, point));
    }
    EXPECT_EQ(to_bytes(U"\u00E9\u20AC\U0001F600"), "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
}

TEST(CodePoints, AnyBytesSurvive) {
    for (unsigned a = 0; a < 256; ++a) {
        for (unsigned b = 0; b < 256; ++b) {
            for (const unsigned c : {0x00U, 0x41U, 0x80U, 0xBFU, 0xC3U, 0xEDU, 0xF4U}) {
                const std::string bytes{static_cast<char>(a), static_cast<char>(b), static_cast<char>(c)};
                ASSERT_EQ(to_bytes(to_code_points(bytes)), bytes);
            }
        }
    }
    EXPECT_EQ(to_code_points("\xE9"), std::u32string(1, 0xDCE9));
}

TEST(CodePoints, WhatIsNoCharacterIsRefused) {
    EXPECT_FALSE(to_bytes(std::u32string(1, 0x110000)).has_value());
    EXPECT_FALSE(to_bytes(std::u32string(1, 0xD800)).has_value());
    EXPECT_FALSE(to_bytes(std::u32string(1, 0xDC7F)).has_value());
    EXPECT_FALSE(to_bytes(std::u32string(1, 0xFFFFFFFF)).has_value());
}

TEST(Archive, EntriesComeBack) {
    const TemporaryFolder folder;
    const Entries entries{{"p", ""}, {"weights", "some bytes"}, {"classes", std::string(300000, 'x')}};
    pack(entries, folder.file("a.npz"));
    EXPECT_EQ(unpack(folder.file("a.npz")), entries);
}

TEST(Archive, EntriesWithWideFieldsAreTheSame) {
    const TemporaryFolder folder;
    save_model(example_model<float>(), folder.file("a.npz"));
    Entries expected = unpack(folder.file("a.npz"));
    Entries wide = unpack(wide_archive);
    expected.erase("alfcg_version");  // the one that wrote the file
    EXPECT_EQ(wide.erase("alfcg_version"), 1U);
    // It is of format 1, which has less.
    std::erase_if(expected, [&](const auto& entry) { return !wide.contains(entry.first); });
    EXPECT_EQ(expected.size(), 15U);
    expected["format_version"] = array<std::int64_t>("<i8", {}, {1});
    // Parameters of losses that are not the model's, which its writer still kept.
    expected["loss_threshold"] = array<double>("<f8", {}, {2.5});
    expected["loss_width"] = array<double>("<f8", {}, {0.75});
    EXPECT_EQ(wide, expected);
}

TEST(Archive, TwoPartsAreOneEntry) {
    const TemporaryFolder folder;
    const std::string rest(1000000, 'y');
    OutputFile file(folder.file("a.npz"));
    ArchiveWriter archive(file);
    archive.add("weights.npy", "header", std::as_bytes(std::span(rest)));
    archive.add("p.npy", "", std::as_bytes(std::span(rest)));
    archive.finish();
    file.commit();
    EXPECT_EQ(unpack(folder.file("a.npz")), (Entries{{"weights", "header" + rest}, {"p", rest}}));
}

TEST(Archive, TheBeginningOfAnEntryCanBeReadAlone) {
    const TemporaryFolder folder;
    pack({{"weights", "0123456789"}}, folder.file("a.npz"));
    const ArchiveReader archive(folder.file("a.npz"));
    const std::uint64_t entry = archive.find("weights.npy").value();
    const Buffer<unsigned char> beginning = archive.read_beginning(entry, 4);
    EXPECT_EQ(std::string(beginning.begin(), beginning.end()), "0123");
    EXPECT_EQ(archive.read_beginning(entry, 40).size(), 10U);
    EXPECT_FALSE(archive.find("weights").has_value());
}

}  // namespace
}  // namespace alfcg
