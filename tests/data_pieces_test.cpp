// Text is read in pieces by several threads: nothing of that shows in the result or in what is reported.

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "data/csv.hpp"
#include "data/libsvm.hpp"
#include "data_files.hpp"

namespace alfcg {
namespace {

// Everything about a data set, exactly.
template <class Real>
std::string written_out(const Dataset<Real>& data) {
    std::string text = fmt::format("{} x {}", rows(data.features), cols(data.features));
    const auto add = [&](const auto* values, std::size_t count) {
        text += '\n';
        for (std::size_t k = 0; k < count; ++k) text += fmt::format(" {}", values[k]);
    };
    if (const auto* dense = std::get_if<DenseFeatures<Real>>(&data.features)) {
        add(dense->data(), static_cast<std::size_t>(dense->rows() * dense->cols()));
    } else {
        const auto& sparse = std::get<SparseFeatures<Real>>(data.features);
        add(sparse.start.data(), sparse.start.size());
        add(sparse.column.narrow().data(), sparse.column.size());
        add(sparse.value.data(), sparse.value.size());
    }
    text += data.labels.numeric() ? "\nnumbers" : "\nnames";
    for (Index i = 0; i < data.labels.size(); ++i) text += " '" + data.labels.text(i) + "'";
    return text;
}

class PiecesTest : public DataTest {
  protected:
    // The data set, or the message of the error.
    template <class Real = double>
    [[nodiscard]] static std::string outcome(const std::string& path, ReadOptions options, int threads,
                                             const TextSizes& sizes) {
        options.threads = threads;
        try {
            ByteSource source(path);
            TextBuffer text(source, sizes);
            text.sample();
            return written_out(options.format == "csv" ? read_csv<Real>(text, options)
                                                       : read_libsvm<Real>(text, options));
        } catch (const Error& error) {
            return error.what();
        }
    }

    // However the text is cut, the outcome is that of one thread with all of it at once.
    void expect_same(const std::string& bytes, const ReadOptions& options, bool tiny_windows = true) const {
        const std::string path = write("data", bytes);
        const std::string whole = outcome(path, options, 1, {1U << 20U, 1U << 20U});
        for (const std::size_t window : {1, 17, 64, 1000}) {
            if (window < 1000 && !tiny_windows) continue;
            for (const std::size_t piece : {1, 3, 7, 50})
                for (const int threads : {1, 2, 5})
                    EXPECT_EQ(outcome(path, options, threads, {window, piece}), whole)
                        << bytes << "\nwindow " << window << ", piece " << piece << ", threads " << threads;
        }
    }
};

ReadOptions of_format(const std::string& format) {
    ReadOptions options;
    options.format = format;
    return options;
}

const char* const libsvm_texts[] = {
    "1 1:0.5 3:-2\n-1 2:1e-3\n",
    "1 1:2 2:3\r\n0\r\n2 2:5\r\n",
    "\n\n 1\t1:2   2:3 \t\n\n0 \n#all comment\n2 2:+5 # 9:9\n\n",
    "1 1:2.0 2:3.\n0\n2 2:.5e1",
    "\xef\xbb\xbf"
    "1 1:2 2:3\n0\n2 2:5#",
    "1 1:1\n2 1:1\n1 2:1\nspam 1:1\n2 1:7\nham 3:1\n2.50 1:1\nspam 5:5\n9007199254740993 1:1\n",
    "0.1 1:0.1 2147483647:1\n0.30000000000000004 7:123456789012345678901234567890\n-0 1:-0 2:-0.0\n",
    "1 1:1 2:2\n1 1:1\n2 0:1\n3 x\n",
    "1 1:1\n\n2 2:1 2:2\n1 -3:1\n",
    "1 1:1\n2 3:1 2:2\n",
    "1 1:1\n2 1:1\n3 99999999999999999999999999:1\n",
    "1 1:1\n2 1:1\n# no\n\n3 1:1 qid:5\n4 1:1",
    "1 1:1\n2 1:nan\n3 1:inf\n",
    "1 1:1\n2 1:1\n1e999 1:1\n",
    "1 1:1\n2 1:1\n3 1:x",
    "1 1:1\n1:1 2:2\n",
    "1\n2\n3\n",
    "#\n\n  \n# nothing",
};

TEST_F(PiecesTest, LibsvmDoesNotDependOnTheCuts) {
    for (const char* text : libsvm_texts) {
        expect_same(text, of_format("libsvm"));
        for (const Index wanted : {2, 5}) {
            ReadOptions options = of_format("libsvm");
            options.rows = wanted;
            options.features = 3;
            expect_same(text, options);
        }
    }
}

TEST_F(PiecesTest, LabelsThatComeAndGoAreToldWhereTheyDo) {
    ReadOptions options = of_format("libsvm");
    options.labels_required = false;
    for (const char* text :
         {"1:2 3:4\n2:1\n1:1\n", "1:2 3:4\n2:1\n\n5 2:1\n", "5 3:4\n6 1:1\n#\n2:1\n7 1:1\n",
          "1:2\n2:1\nnan 2:1\n", "3 1:2\n4 2:1\n1:x\n", "1:1\n1:1\n1:1 1:1\n2 1:1\n"})
        expect_same(text, options);
    const std::string path = write("data", "1:2\n2:1\n\nnan 2:1\n");
    EXPECT_EQ(outcome(path, options, 3, {64, 1}), path + ":4: a label, but the rows before have none");
}

TEST_F(PiecesTest, TheFirstErrorOfTheTextIsTold) {
    std::string text;
    for (int i = 1; i <= 400; ++i) text += i % 100 == 0 ? "1 1:wrong\n" : "1 1:1 2:0.25\n";
    const std::string path = write("data", text);
    for (int repetition = 0; repetition < 20; ++repetition)
        EXPECT_EQ(outcome(path, of_format("libsvm"), 4, {256, 16}),
                  path + ":100: value of '1:wrong': 'wrong' is not a number");
}

TEST_F(PiecesTest, CsvDoesNotDependOnTheCuts) {
    for (const char* text : {
             "1,2,a\n3,4,b\n",
             "1,2,a\r\n3,4,b\r\n5,6,\"c\"\r\n",
             "1;2.5e3;7\n-3;.5;8\n+4;5.;9",
             "1 2 a\n  3   4\tb \n\n5\t6 c \n7\r 8 d",
             "\xef\xbb\xbf"
             "x,y,l\n1,2,a\n3,4,b\n",
             "1,\"a,b\"\n2,\"c\nd\"\n3,\"say \"\"hi\"\"\"\n4,\"\"\"\"\n5,e\"f\n6,\"\n\n\n\"",
             "1|2|3\n4|5|6\n\n\n7|8|nine\n1|2|10\n",
             "1,2,a\n3,4,b\n5,c\n7,8,9,d\n",
             "1,2,a\n3,4,b\n\n5,,c\n",
             "1,2,a\n3,4,b\n5,?,c\n6,!,d\n",
             "1,2,a\n3,4,b\n5,NaN,c\n",
             "1,2,a\n3,4,b\n5,1 2,c\n",
             "1,2,a\n3,4,b\n5,6,nan\n",
             "1,2,a\n3,4,b\n5,6,\n",
             "1,2,a\n3,4,b\n5,6,\"c\n7,8,d\n",
             "1,2,a\n3,4,b\n5,6,\"c\"x\"\n7,8,d\n",
             "1 2 a\n3 4 b\n5\r6 c\n",
             "1 2 a\n3 4 b\n5 \"6\" \"c\" \n\"7\"\t8 \"d\nd\"",
         }) {
        expect_same(text, of_format("csv"));
        for (const Index wanted : {1, 3}) {
            ReadOptions options = of_format("csv");
            options.rows = wanted;
            expect_same(text, options);
        }
    }
    // What a table looks like is judged by its beginning, so here the beginning stays.
    for (const char* text : {"\n\n\n\"x\n1\",y,l\n1,2,a\n\n3,4,b\n", "x,y,l\n", "x,y,l\n1,2,a\n3,b,c\n",
                             "\n \n\"a \"\"b\"\"\",\"y\nz\",class\n1,2,a\n3,4,5,6\n"})
        expect_same(text, of_format("csv"), false);
}

TEST_F(PiecesTest, LongTextsAreTheSameForEveryThreadCountAndCompression) {
    std::string libsvm;
    std::string table;
    std::uint64_t state = 7;
    const auto random = [&](std::uint64_t below) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        return (state >> 33U) % below;
    };
    for (int i = 0; i < 40000; ++i) {
        libsvm += std::to_string(random(5));
        for (std::uint64_t j = 1 + random(9); j < 90; j += 1 + random(20))
            libsvm += fmt::format(" {}:{}", j, static_cast<double>(random(1000000)) / 1e4);
        libsvm += random(10) == 0 ? " # why\r\n" : "\n";
        for (int j = 0; j < 9; ++j) table += fmt::format("{:.{}f},", static_cast<double>(random(100)) / 7, j);
        table += random(20) == 0 ? "\"a\n,b\"\n" : "c\n";
    }
    for (const auto& [text, format] : {std::pair(libsvm, "libsvm"), std::pair(table, "csv")}) {
        ASSERT_GT(text.size(), std::size_t{2} << 20U);
        const auto expected =
            outcome<float>(write("data", text), of_format(format), 1, {text.size() + 1, text.size() + 1});
        for (const int threads : {1, 2, 5}) {
            EXPECT_TRUE(outcome<float>(write("data", text), of_format(format), threads, {}) == expected);
            for (const Packer& archive : archives)
                EXPECT_TRUE(outcome<float>(write("data", archive.compress(text)), of_format(format), threads,
                                           {}) == expected)
                    << archive.kind;
        }
    }
}

TEST_F(PiecesTest, WhatIsWrongBeforeTheDamageOfAnArchiveIsToldFirst) {
    std::string text;
    for (int i = 0; i < 200000; ++i) text += fmt::format("{} 1:{} 2:{}\n", i % 3, i, (i * 7919) % 100003);
    for (const Packer& archive : archives) {
        const std::string whole = archive.compress(text);
        const std::string wrong = archive.compress("1 1:1\n1 1:wrong\n" + text);
        const std::string good_path = write("good", whole.substr(0, whole.size() - 5));
        const std::string wrong_path = write("wrong", wrong.substr(0, wrong.size() - 5));
        for (const int threads : {1, 2, 5}) {
            EXPECT_EQ(outcome(good_path, of_format("libsvm"), threads, {}),
                      good_path + ": truncated " + archive.kind + " archive");
            EXPECT_EQ(outcome(wrong_path, of_format("libsvm"), threads, {}),
                      wrong_path + ":2: value of '1:wrong': 'wrong' is not a number");
        }
    }
}

TEST_F(PiecesTest, EnoughRowsOfAPipeAreReadWithoutWaitingForMore) {
    const std::string path = folder_.file("pipe");
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    std::atomic<bool> done = false;
    std::thread writer([&] {
        const int pipe = open(path.c_str(), O_WRONLY);
        std::string text;
        while (text.size() < 2000) text += "1 1:1\n";
        // At once: the reader may be gone before a second write.
        EXPECT_EQ(::write(pipe, text.data(), text.size()), static_cast<ssize_t>(text.size()));
        while (!done) std::this_thread::yield();
        close(pipe);
    });
    ReadOptions options = of_format("libsvm");
    options.rows = 2;
    EXPECT_EQ(outcome(path, options, 4, {500, 100}), "2 x 1\n 1 1\nnumbers '1' '1'");
    done = true;
    writer.join();
}

}  // namespace
}  // namespace alfcg
