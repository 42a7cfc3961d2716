// What `convert` writes: the same data as the source, in a file that is looked at where it lies; and nothing else is taken for one.
#include <cstring>
#include <random>

#include "alfcg/data/convert.hpp"
#include "core/memory.hpp"
#include "core/npy.hpp"
#include "data/mapped_file.hpp"
#include "data/page_advice.hpp"
#include "data_files.hpp"

namespace alfcg {
namespace {

// Text in which rows are sparse, and of which some pieces are parsed by every thread.
std::string sparse_text(int rows, int cols, int entries) {
    std::mt19937 random(5);
    std::string text;
    for (int i = 0; i < rows; ++i) {
        text += i % 3 == 0 ? "one" : i % 3 == 1 ? "2" : "-1.5";
        for (int k = 0; k < entries; ++k)
            text += " " + std::to_string(k * (cols / entries) + 1 + static_cast<int>(random() % 7)) + ":" +
                    std::to_string(static_cast<double>(random() % 100000) / 333);
        text += '\n';
    }
    return text;
}

struct Source {
    std::string name;
    std::string bytes;
    ReadOptions options;
    bool sparse = false;
};

class MappedTest : public DataTest {
  protected:
    [[nodiscard]] std::vector<Source> sources() const {
        std::vector<Source> all;
        all.push_back({"sparse", sparse_text(300, 10000, 9), {}, true});
        all.push_back({"one sparse row", "1 100:0.5\n", {}, true});
        all.push_back({"dense libsvm", "-1 1:1 3:1\n1 2:-2 3:4\n", {}});
        Source table{
            "table", "age,name,w,colour,y\n1,2.5,1,red,a\n,0.5,0,blue,b\n3,,2,red,a\n-4,1,1,,b\n", {}};
        table.options.missing = "mean";
        table.options.categories = true;
        table.options.weights = "w";
        all.push_back(table);
        Source words = table;
        words.name = "table of words";
        words.bytes = "colour,b,y\n";
        for (int i = 0; i < 400; ++i)
            words.bytes +=
                "c" + std::to_string(i % 150) + "," + std::to_string(i) + "," + std::to_string(i % 2) + "\n";
        words.options.weights.clear();
        words.sparse = true;
        all.push_back(words);
        all.push_back({"plain table", "1,0,-1\n0,-2,1\n3,4,1\n", {}});
        const auto entry = [](Index i, Index j) { return static_cast<double>(7 * i - 3 * j); };
        ReadOptions labels;
        labels.labels = write("labels", "9007199254740993\nx\n2\n");
        all.push_back({"npy", npy_file<float>("f4", false, false, 3, 2, entry), labels});
        all.push_back({"npy, columns first", npy_file<double>("f8", true, true, 3, 2, entry), labels});
        Source bytes{"idx", idx_header(0x08, {3, 2}) + std::string("\x01\x02\xff\x00\x07\x09", 6), labels};
        bytes.options.scale = 255;
        all.push_back(bytes);
        return all;
    }

    template <class Real>
    std::string converted(const Source& source, const std::string& name = "mapped") const {
        convert<Real>(write("source", source.bytes), folder_.file(name), source.options);
        return folder_.file(name);
    }

    template <class Real>
    static void expect_alike(const Dataset<Real>& one, const Dataset<Real>& other) {
        ASSERT_EQ(one.features.index(), other.features.index());
        EXPECT_EQ(rows(one.features), rows(other.features));
        EXPECT_EQ(cols(one.features), cols(other.features));
        EXPECT_EQ(entries(one.features), entries(other.features));
        EXPECT_EQ(texts(one.labels), texts(other.labels));
        EXPECT_EQ(one.labels.numeric(), other.labels.numeric());
        EXPECT_EQ(find_classes(one.labels).names, find_classes(other.labels).names);
        EXPECT_EQ(one.classes, other.classes);
        EXPECT_EQ(one.weights, other.weights);
        EXPECT_EQ(one.names, other.names);
        EXPECT_EQ(one.last_feature, other.last_feature);
        EXPECT_EQ(one.bytes, other.bytes);
        EXPECT_EQ(one.reading, other.reading);
    }

    // Whether reading it fails as bad input does.
    static bool is_refused(const std::string& path) {
        try {
            ReadOptions options;
            options.labels_required = false;
            static_cast<void>(load_dataset<float>(path, options));
            return false;
        } catch (const Error& error) {
            EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
            return true;
        }
    }
};

TEST_F(MappedTest, HoldsWhatTheSourceHolds) {
    const auto check = [&]<class Real>(const Source& source) {
        const auto expected = load_dataset<Real>(write("source", source.bytes), source.options);
        EXPECT_EQ(std::holds_alternative<SparseFeatures<Real>>(expected.features), source.sparse);
        const std::string path = converted<Real>(source);
        const auto found = load_dataset<Real>(path);
        expect_alike(found, expected);
        EXPECT_TRUE(std::visit([](const auto& f) { return f.on_disk(); }, found.features));
        // And so does one that is made of it.
        convert<Real>(path, folder_.file("again"));
        EXPECT_EQ(read_bytes(folder_.file("again")), read_bytes(path));
    };
    for (const Source& source : sources()) {
        SCOPED_TRACE(source.name);
        check.template operator()<float>(source);
        check.template operator()<double>(source);
    }
}

TEST_F(MappedTest, DoesNotDependOnThreadsAndIsReadByAnyNumber) {
    Source source{"", sparse_text(20000, 3000, 12), {}, true};  // several pieces
    source.options.threads = 1;
    const std::string one = converted<float>(source, "one");
    source.options.threads = 3;
    EXPECT_EQ(read_bytes(converted<float>(source, "three")), read_bytes(one));
    ReadOptions options;
    for (const int threads : {1, 2, 5}) {
        options.threads = threads;
        expect_alike(load_dataset<float>(one, options),
                     load_dataset<float>(write("text", source.bytes), source.options));
    }
}

TEST_F(MappedTest, TheFirstRowsAndTheOtherPrecisionCanBeHad) {
    for (const Source& source : sources()) {
        SCOPED_TRACE(source.name);
        const std::string path = converted<float>(source);
        const auto whole = load_dataset<float>(path);
        EXPECT_EQ(entries(load_dataset<double>(path).features), entries(whole.features));
        ReadOptions options;
        options.rows = 2;
        const auto first = load_dataset<float>(path, options);
        const Index count = std::min<Index>(2, rows(whole.features));
        ASSERT_EQ(rows(first.features), count);
        auto expected = entries(whole.features);
        expected.resize(static_cast<std::size_t>(count * cols(whole.features)));
        EXPECT_EQ(entries(first.features), expected);
        EXPECT_EQ(first.labels.size(), count);
        EXPECT_EQ(first.weights.size(), whole.weights.empty() ? 0 : static_cast<std::size_t>(count));
    }
}

TEST_F(MappedTest, DenseDataAreANumpyArray) {
    const Source source{"", "1,0,-1\n0,-2,1\n3,4,1\n", {}};
    const std::string bytes = read_bytes(converted<double>(source));
    const NpyHeader header =
        parse_npy_header({reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()}, "");
    EXPECT_EQ(header.dtype, "<f8");
    EXPECT_EQ(header.shape, (std::vector<std::int64_t>{3, 2}));
    EXPECT_FALSE(header.fortran_order);
    EXPECT_EQ(header.header_bytes % 4096, 0U);
    double entry = 0;
    std::memcpy(&entry, bytes.data() + header.header_bytes + 5 * sizeof entry, sizeof entry);
    EXPECT_EQ(entry, 4);
}

TEST_F(MappedTest, AppearsWholeOrNotAtAll) {
    const std::string bad = write("bad", "1 1:1\n1 2:x\n");
    const std::string out = folder_.file("out");
    EXPECT_EQ(message_of<Error>([&] { convert<float>(bad, out); }),
              bad + ":2: value of '2:x': 'x' is not a number");
    EXPECT_EQ(folder_.count(), 1) << "something was left";
    write("out", "older");
    message_of<Error>([&] { convert<float>(bad, out); });
    EXPECT_EQ(read_bytes(out), "older");
    EXPECT_EQ(folder_.count(), 2);
    EXPECT_NE(message_of<Error>([&] { convert<float>("randn-3-2", "/dev/stdout"); }).find("needs a file"),
              std::string::npos);
}

// Every shorter file is refused, but for a NumPy array that has lost all that stands behind it.
TEST_F(MappedTest, FilesThatEndEarlyAreRefused) {
    for (const bool sparse : {true, false}) {
        const std::string path =
            converted<float>({"", sparse ? "1 100:0.5\n-1 7:2 90:1\n" : "1,0,-1\n0,-2,1\n", {}});
        const std::string bytes = read_bytes(path);
        const std::size_t array_end = 4096 + 4 * sizeof(float);
        for (std::size_t size = sparse ? 8 : 4000; size < bytes.size(); ++size) {
            if (!sparse && size == array_end) continue;
            write_bytes(path, bytes.substr(0, size));
            ASSERT_TRUE(is_refused(path)) << size << " of " << bytes.size();
        }
        write_bytes(path, bytes + "x");
        EXPECT_TRUE(is_refused(path));
    }
    EXPECT_EQ(problem(read_bytes(converted<float>({"", "1 100:0.5\n", {}})).substr(0, 4200)),
              " truncated: the end of the converted file is missing");
}

// Whatever bytes change, reading ends, with data or with a complaint. Nothing of what is described can change unnoticed.
TEST_F(MappedTest, DamageIsFoundOrHarmless) {
    for (const bool sparse : {true, false}) {
        const std::string path =
            converted<float>({"", sparse ? "a 100:0.5\nb 7:2 90:1\n" : "1,0,-1\n0,-2,1\n", {}});
        const std::string bytes = read_bytes(path);
        std::uint64_t description = 0;  // where it begins, as the end of the file says
        std::memcpy(&description, bytes.data() + bytes.size() - 16, sizeof description);
        ASSERT_LT(description, bytes.size());
        for (std::size_t at = 4096; at < bytes.size(); ++at) {
            for (const int mask : {0x01, 0x80, 0xff}) {
                std::string changed = bytes;
                changed[at] = static_cast<char>(changed[at] ^ mask);
                write_bytes(path, changed);
                const bool refused = is_refused(path);
                ASSERT_TRUE(refused || at < description) << at;
            }
        }
    }
}

TEST_F(MappedTest, SaysWhatIsWrongAndWhere) {
    const std::string path = converted<float>({"", "1 100:0.5\n-1 7:2 90:1\n", {}});
    const std::string bytes = read_bytes(path);
    const MappedLayout layout =
        read_description(path, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    const auto with = [&](std::uint64_t offset, auto value) {
        std::string changed = bytes;
        std::memcpy(changed.data() + offset, &value, sizeof value);
        return problem<float>(changed);
    };
    const std::uint64_t columns = layout.columns.offset;
    EXPECT_EQ(with(columns + 8, std::int32_t{100}),
              " damaged: row 1 (from 0) has feature 100 after 6, of 100: they must increase");
    EXPECT_EQ(with(columns + 8, std::int32_t{6}),
              " damaged: row 1 (from 0) has feature 6 after 6, of 100: they must increase");
    EXPECT_EQ(with(columns, std::int32_t{-1}),
              " damaged: row 0 (from 0) has feature -1 after none, of 100: they must increase");
    EXPECT_EQ(with(layout.starts.offset + 8, Index{4}),
              " damaged: row 1 (from 0) does not begin where the one before ends");
    EXPECT_EQ(with(layout.entries.offset + 4, std::numeric_limits<float>::quiet_NaN()),
              " row 1, column 6 (from 0): the value is NaN; finite numbers are needed");
    EXPECT_EQ(with(layout.labels.offset, std::numeric_limits<double>::infinity()),
              " damaged: label 0 (from 0) is not finite");
    EXPECT_EQ(with(bytes.size() - 24, std::uint32_t{2}),
              " a converted file of version 2; this program reads version 1: convert the data again");
    EXPECT_EQ(with(bytes.size() - 16, ~std::uint64_t{0}),
              " damaged: the description at the end of the converted file is not whole");
    ReadOptions named;
    named.format = "mapped";
    EXPECT_EQ(problem("1 1:1\n", named), " not a converted file (what alfcg convert writes)");
}

TEST_F(MappedTest, OptionsMustFitWhatWasConverted) {
    Source weighted{"", "w,x,y\n1,2,0\n2,3,1\n", {}};
    weighted.options.weights = "w";
    const std::string path = converted<float>(weighted);
    const auto complaint = [&](const ReadOptions& options) {
        return message_of<Error>([&] { load_dataset<float>(path, options); });
    };
    ReadOptions options;
    options.weights = write("weights", "1\n2\n");
    EXPECT_EQ(complaint(options), path + ": has weights of its own; `weights` is for data without");
    options = {};
    options.names = {"z"};
    EXPECT_EQ(
        complaint(options),
        path + ": the features are not those of the model in its order; convert the data with `model` MODEL");
    options = {};
    options.features = 3;
    EXPECT_EQ(complaint(options), path + ": 1 features, but 3 are asked for");
    options = {};
    options.scale = 255;
    EXPECT_EQ(complaint(options), path + ": `scale` copies all data; it is for converting them");
}

// An archive of sparse data is read into memory; nothing is gained, and nothing goes wrong.
TEST_F(MappedTest, AnArchiveIsReadToo) {
    const Source source{"", sparse_text(30, 1000, 4), {}, true};
    const auto expected = load_dataset<float>(converted<float>(source));
    const auto found = load_dataset<float>(write("packed", gzip(read_bytes(folder_.file("mapped")))));
    expect_alike(found, expected);
    EXPECT_FALSE(std::get<SparseFeatures<float>>(found.features).on_disk());
}

TEST_F(MappedTest, AdviceChangesNothing) {
    for (const Source& source : sources()) {
        const auto data = load_dataset<float>(converted<float>(source));
        const auto before = entries(data.features);
        PageAdvice<float> pages(data.features, true);
        EXPECT_TRUE(pages.on());
        for (int k = 0; k < 2; ++k) {
            pages.in_order();
            EXPECT_EQ(entries(data.features), before);
            const Index ends[] = {rows(data.features) - 1, 0};  // not in order
            pages.listed(ends, 2);
            for (Index i = 0; i < rows(data.features); ++i) pages.soon(i, i + 1);
            EXPECT_EQ(entries(data.features), before);
            pages.usual();
        }
        EXPECT_FALSE(PageAdvice<float>(data.features).on()) << "it all fits";
    }
    const Features<float> in_memory = dense_features<float>({1, 2}, 1, 2);
    EXPECT_FALSE(PageAdvice<float>(in_memory, true).on());
}

TEST(Memory, IsWhatTheSystemSays) {
    EXPECT_GT(memory_limit(), 0);
    EXPECT_GT(free_memory(), 0);
    EXPECT_LE(free_memory(), memory_limit());
    const double before = peak_memory();
    EXPECT_GT(before, 1e6);
    Buffer<char> touched;
    touched.resize(std::size_t{64} << 20);
    EXPECT_GE(peak_memory(), before);
    EXPECT_GE(peak_memory(), 64e6);
}

}  // namespace
}  // namespace alfcg
