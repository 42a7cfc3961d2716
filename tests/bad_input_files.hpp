// Bad input as a table: what is typed, which files lie there, and what the program must say to it.
#pragma once

#include <algorithm>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "data_files.hpp"
#include "model_examples.hpp"
#include "program.hpp"

namespace alfcg {

using Words = std::vector<std::string>;

struct BadInput {
    std::string name;                               // of the test
    Words arguments;                                // after "alfcg"
    Words says;                                     // all of it in the message
    std::map<std::string, std::string> files = {};  // in the working folder, besides the usual ones
    bool late = false;  // shows only when the run is under way, or help is printed: stdout is not empty
};

inline void PrintTo(const BadInput& input, std::ostream* out) {
    *out << input.name;
}

/// Bad data in a file named "data", which `train` is to read.
inline BadInput bad_data(const std::string& name, const std::string& bytes, Words says, Words options = {}) {
    options.insert(options.begin(), {"train", "data"});
    says.emplace_back("data:");
    return {name, std::move(options), std::move(says), {{"data", bytes}}};
}

/// A bad option on good data.
inline BadInput bad_option(const std::string& name, Words options, Words says) {
    options.insert(options.begin(), {"train", "good.svm"});
    return {name, std::move(options), std::move(says)};
}

inline std::string rows_of_numbers(const std::string& dtype, const std::string& shape, std::size_t bytes) {
    return npy_prefix(npy_dictionary(dtype, false, shape)) + std::string(bytes, '\0');
}

/// A 4 x 3 array, with one entry of choice in row 2, column 1.
inline std::string array_with(double entry) {
    return npy_file<double>("f8", false, false, 4, 3, [&](Index i, Index j) {
        return i == 2 && j == 1 ? entry : static_cast<double>(i - j);
    });
}

inline std::string first_half(const std::string& bytes) {
    return bytes.substr(0, bytes.size() / 2);
}

/// Text that no compressor can make much shorter, so that half an archive holds some of it.
inline std::string long_libsvm() {
    std::string text;
    unsigned number = 1;
    for (int i = 0; i < 500; ++i) {
        number = number * 1664525U + 1013904223U;
        text += std::to_string(i % 2) + " 1:" + std::to_string(number) + " 2:0.5\n";
    }
    return text;
}

/// A folder with good files to misuse and with outputs of an earlier run, which must stay as they are.
class BadInputFolder : public testing::Test {
  protected:
    void SetUp() override {
        unsetenv("ALFCG_DATA");
        std::filesystem::create_directory(folder_.file("folder"));
        write("good.svm", "1 1:1 2:2\n-1 1:2 3:1\n1 2:1\n-1 3:2\n");
        write("good.csv", "a,b,kind\n1,2,u\n3,4,v\n5,6,w\n");
        write("good.npy", array_with(7));
        write("labels.txt", "0\n1\n0\n1\n");
        write("images.idx", idx_header(0x08, {4, 2, 2}) + std::string(16, '\1'));
        write("labels.idx", idx_header(0x08, {4}) + std::string("\0\1\0\1", 4));
        for (const char* name : {"old.npz", "old.csv", "old.txt"}) write(name, "of an earlier run");
        save_model(example_model<float>(), folder_.file("classes.npz"));
        Model<double> regression;
        regression.weights = Matrix<double>(1, 3);
        regression.loss.name = "squared";
        regression.region = {"lp", {{"p", 1}, {"radius", 1}}, {}};
        save_model(regression, folder_.file("numbers.npz"));
    }

    void write(const std::string& name, const std::string& bytes) const {
        write_bytes(folder_.file(name), bytes);
    }

    /// Everything in the working folder, by name.
    [[nodiscard]] std::map<std::string, std::string> contents() const {
        std::map<std::string, std::string> found;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path())) {
            const std::string path = entry.path().string();
            found[path] = entry.is_regular_file() ? read_bytes(path) : "no file";
        }
        return found;
    }

    /// The outputs of the earlier run are asked for again, unless the case names its own.
    static Words with_outputs(Words arguments) {
        if (arguments.empty()) return arguments;
        const auto add = [&](const std::string& option, const std::string& path) {
            if (std::find(arguments.begin(), arguments.end(), option) == arguments.end())
                arguments.insert(arguments.begin() + 1, {option, path});
        };
        if (arguments.front() == "train") {
            add("--model", "old.npz");
            add("--trace", "old.csv");
        } else if (arguments.front() == "predict") {
            add("--output", "old.txt");
        }
        return arguments;
    }

    void expect_refusal(const BadInput& input, const Words& arguments) const {
        const auto before = contents();
        const ProgramResult result = run_program(arguments, folder_.path());
        EXPECT_EQ(result.status, 2);
        EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
        EXPECT_TRUE(result.err.ends_with('\n')) << result.err;
        EXPECT_TRUE(result.err.starts_with("alfcg: ")) << result.err;
        for (const std::string& words : input.says)
            EXPECT_NE(result.err.find(words), std::string::npos) << result.err << "lacks: " << words;
        if (input.late) {
            EXPECT_EQ(result.out.find("status "), std::string::npos) << result.out;
        } else {
            EXPECT_EQ(result.out, "");
        }
        EXPECT_TRUE(contents() == before) << "a file was made, changed or removed";
    }

    void expect_refusal(const BadInput& input) const {
        for (const auto& [name, bytes] : input.files) write(name, bytes);
        Words arguments = with_outputs(input.arguments);
        expect_refusal(input, arguments);
        // Who reads the summary by program sees the same.
        const bool summary = !arguments.empty() && (arguments[0] == "train" || arguments[0] == "predict");
        if (!summary || input.late) return;
        arguments.insert(arguments.begin() + 1, "--json");
        expect_refusal(input, arguments);
    }

    TemporaryFolder folder_;
};

class BadInputTest : public BadInputFolder, public testing::WithParamInterface<BadInput> {};

inline std::string case_name(const testing::TestParamInfo<BadInput>& input) {
    return input.param.name;
}

}  // namespace alfcg
