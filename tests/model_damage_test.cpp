#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "alfcg/core/error.hpp"
#include "alfcg/model/model.hpp"
#include "model_examples.hpp"
#include "temporary_folder.hpp"

namespace alfcg {
namespace {

class DamagedModel : public testing::Test {
  protected:
    DamagedModel() { save_model(model_, path_); }

    /// Whether the file is refused with an Error of one line; what is accepted must be the model itself.
    bool refused() const {
        try {
            EXPECT_TRUE(same(load_model<float>(path_), model_));
            return false;
        } catch (const Error& error) {
            EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
            return true;
        }
    }
    bool refused(const std::string& bytes) const {
        write_bytes(path_, bytes);
        return refused();
    }
    /// Damages the file at every place in turn, then cuts it shorter and shorter.
    void damage_everywhere() const {
        const std::string bytes = read_bytes(path_);
        std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
        const auto put = [&](std::size_t place, char byte) {
            file.seekp(static_cast<std::streamoff>(place)).put(byte).flush();
        };
        for (std::size_t i = 0; i < bytes.size() && !HasFailure(); ++i) {
            for (const unsigned change : {0xFFU, 0x01U}) {
                put(i, static_cast<char>(static_cast<unsigned char>(bytes[i]) ^ change));
                refused();
            }
            put(i, bytes[i]);
        }
        EXPECT_FALSE(refused());
        for (std::size_t length = bytes.size(); length-- > 0;) {
            std::filesystem::resize_file(path_, length);
            EXPECT_TRUE(refused()) << "cut at " << length;
        }
    }
    Model<float> model_ = example_model<float>();
    TemporaryFolder folder_;
    std::string path_ = folder_.file("m.npz");
};

TEST_F(DamagedModel, AnyByteChangedAndAnyEndCutOffIsNoticedOrHarmless) {
    damage_everywhere();
}

TEST_F(DamagedModel, TheSameHoldsFor64BitArchives) {
    write_bytes(path_, read_bytes(wide_archive));
    model_.intercept = {};  // it is of format 1
    model_.names = {};
    model_.reading = {};
    model_.training = model_.held_out = {};
    model_.region.composite.norm = model_.region.composite.entropy = 0;
    EXPECT_FALSE(refused());
    damage_everywhere();
}

TEST_F(DamagedModel, TheSameHoldsForCompressedArchives) {
    const auto python = python_with_numpy();
    if (!python) GTEST_SKIP() << "no Python with NumPy to compress the model with";
    const std::string command = *python +
                                " -c 'import numpy, sys; p = sys.argv[1]; m = dict(numpy.load(p)); "
                                "numpy.savez_compressed(p, **m)' " +
                                path_;
    ASSERT_EQ(std::system(command.c_str()), 0);
    EXPECT_FALSE(refused());
    damage_everywhere();
}

TEST_F(DamagedModel, ContentsChangedBeneathARightChecksumGiveAValidModelOrAnError) {
    const Entries entries = unpack(path_);
    for (const auto& [name, bytes] : entries) {
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            if (bytes[i] == ' ') continue;  // padding, for the most part
            for (const unsigned change : {0xFFU, 0x01U}) {
                Entries changed = entries;
                char& place = changed[name][i];
                place = static_cast<char>(static_cast<unsigned char>(place) ^ change);
                pack(changed, path_);
                try {
                    const Model<float> loaded = load_model<float>(path_);
                    save_model(loaded, path_);  // refuses models that are not valid
                } catch (const InputError&) {
                    continue;
                }
            }
        }
    }
}

TEST_F(DamagedModel, FilesOfOtherKindsAreCalledWhatTheyAreNot) {
    const auto complaint = [&](const std::string& bytes) {
        write_bytes(path_, bytes);
        const std::string message = message_of<InputError>([&] { load_model<double>(path_); });
        EXPECT_EQ(message_of<InputError>([&] { model_is_double(path_); }), message);
        return message;
    };
    const std::string expected = path_ + ": not an alfcg model (an .npz archive)";
    EXPECT_EQ(complaint(""), expected);
    EXPECT_EQ(complaint("+1 1:0.5 2:0.25\n"), expected);
    EXPECT_EQ(complaint(std::string(100000, '\0')), expected);
    const std::string bytes = [&] {
        save_model(model_, path_);
        return read_bytes(path_);
    }();
    // In brackets follow the words of libzip, which has others in other versions.
    const std::string damaged =
        path_ + ": damaged .npz archive: it is cut short, or its entries are not as its list of them says (";
    for (const std::size_t length : {bytes.size() - 1, bytes.size() - 30, bytes.size() / 2, std::size_t{40}})
        EXPECT_TRUE(complaint(bytes.substr(0, length)).starts_with(damaged)) << length;
    const std::string empty_archive = "PK\5\6" + std::string(18, '\0');
    EXPECT_EQ(complaint(empty_archive),
              path_ + ": not an alfcg model: the archive has no entry \"format_version\"");
}

TEST_F(DamagedModel, WhatIsNotAFileIsRefused) {
    EXPECT_EQ(message_of<InputError>([&] { load_model<float>(folder_.file("none")); }),
              folder_.file("none") + ": cannot read: No such file or directory");
    EXPECT_EQ(message_of<InputError>([&] { load_model<float>(folder_.path()); }),
              folder_.path() + ": cannot read: not a regular file");
}

TEST_F(DamagedModel, ACommentAtTheEndIsAllowed) {
    std::string bytes = read_bytes(path_);
    bytes[bytes.size() - 2] = 5;
    EXPECT_FALSE(refused(bytes + "hello"));
    EXPECT_TRUE(refused(bytes + "hell"));
}

TEST_F(DamagedModel, ARunOfRandomBytesAnywhereIsNoticedOrHarmless) {
    const std::string bytes = read_bytes(path_);
    std::mt19937 random(7);
    for (int trial = 0; trial < 2000; ++trial) {
        std::string damaged = bytes;
        const std::size_t first = random() % bytes.size();
        const std::size_t last = std::min(bytes.size(), first + random() % 200);
        for (std::size_t i = first; i < last; ++i) damaged[i] = static_cast<char>(random() % 256);
        refused(damaged);
    }
}

/// The eight bytes of a number in a ZIP archive.
std::string eight_bytes(std::uint64_t number) {
    return {reinterpret_cast<const char*>(&number), sizeof number};
}

TEST_F(DamagedModel, SizesThatNothingCouldHoldAreRefused) {
    const std::string wide = read_bytes(wide_archive);
    const std::string size = eight_bytes(unpack(wide_archive).at("weights").size());
    std::vector<std::size_t> places;  // the two sizes, in front of the entry and in the list of entries
    for (std::size_t i = wide.find(size); i != std::string::npos; i = wide.find(size, i + 1))
        places.push_back(i);
    ASSERT_EQ(places.size(), 4U);
    const auto none = std::uint64_t{0};
    for (const std::uint64_t lie : {std::uint64_t{1} << 31, std::uint64_t{1} << 40, std::uint64_t{1} << 62,
                                    std::uint64_t{1} << 63, ~none, ~none - 29, ~none - 1000}) {
        for (unsigned chosen = 1; chosen < 16; ++chosen) {
            std::string bytes = wide;
            for (std::size_t i = 0; i < places.size(); ++i)
                if ((chosen >> i & 1U) != 0) bytes.replace(places[i], size.size(), eight_bytes(lie));
            EXPECT_TRUE(refused(bytes)) << lie << " " << chosen;
        }
    }
}

TEST_F(DamagedModel, AnEntryThatClaimsToUnpackIntoTooMuchIsRefused) {
    // The two headers of the entry: where its method, its name and its 64-bit sizes are.
    std::string bytes = read_bytes(wide_archive);
    const std::string name = "weights.npy";
    const std::size_t local = bytes.find(name);
    const std::size_t central = bytes.rfind(name);
    ASSERT_LT(local, central);
    bytes[local - 30 + 8] = bytes[central - 46 + 10] = 8;  // deflated
    const std::size_t size = unpack(wide_archive).at("weights").size();
    const std::string sizes = eight_bytes(size) + eight_bytes(size);
    for (const std::size_t start : {local, central}) {
        const std::size_t place = bytes.find(sizes, start);
        ASSERT_NE(place, std::string::npos);
        bytes.replace(place, 8, eight_bytes(std::uint64_t{1} << 40));
    }
    write_bytes(path_, bytes);
    EXPECT_EQ(message_of<InputError>([&] { load_model<float>(path_); }),
              path_ + ": damaged .npz archive: the sizes of weights.npy contradict each other");
}

TEST_F(DamagedModel, AWrongChecksumIsNamed) {
    std::string bytes = read_bytes(path_);
    const std::size_t weights = bytes.find("weights.npy");
    bytes[bytes.find("NUMPY", weights) + 130] ^= 1;  // past the header of the array
    write_bytes(path_, bytes);
    EXPECT_EQ(message_of<InputError>([&] { load_model<float>(path_); }),
              path_ + ": damaged .npz archive: the checksum of weights.npy is wrong");
}

}  // namespace
}  // namespace alfcg
