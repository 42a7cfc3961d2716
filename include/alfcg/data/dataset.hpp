#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "alfcg/core/ranks.hpp"
#include "alfcg/data/features.hpp"
#include "alfcg/data/labels.hpp"

namespace alfcg {

/// How features came out of a file, beyond their names: what another file must be read by to mean the same.
struct Reading {
    std::vector<std::string> sources;  // the column that each feature comes from; empty: the one of its name.
        // Feature "colour=red" of column "colour" marks the rows with that word
    std::vector<double> fill;         // what stands for a missing value of each feature; empty: nothing does
    std::string label;                // the name of the column of labels; empty: it has none
    std::vector<std::string> others;  // the names of columns that are no features: dropped, or weights
    double scale = 1;                 // features were divided by it

    bool operator==(const Reading&) const = default;
};

template <class Real>
struct Dataset {
    std::string name;  // where it came from, for messages
    Features<Real> features;
    Labels labels;                   // empty when the source has none
    bool classes = false;            // the labels are classes for certain, also where they are numbers
    std::vector<double> weights;     // of the rows; empty: all alike
    std::vector<std::string> names;  // of the features; empty: they have none
    Index last_feature = 0;  // the last one that occurs, from 1, where rows number theirs; 0: they do not
    bool bytes = false;      // the features were stored as bytes
    bool header = false;     // the first line of a table was taken for the names of its columns
    Reading reading;
    std::vector<std::string> notes;  // what a reader should know about the reading, a line each
};

/// Where the labels of a file are.
enum class LabelPlace {
    own,       // every row has one
    column,    // one of its columns, if any
    elsewhere  // in a file of their own
};

/// One row of the table of file formats, in words.
struct FormatInfo {
    std::string_view name;
    std::string_view title;  // the name in sentences
    std::string_view description;
    LabelPlace labels;
};
std::vector<FormatInfo> formats();
/// "LIBSVM, CSV, NPY or IDX", with that word before the last one; and those whose labels may be in a file of their own.
std::string format_titles(std::string_view word);
std::string format_titles_with_label_file(std::string_view word);

class PageFiles;

struct ReadOptions {
    std::string format = "auto";  // a name from formats(), or auto: recognised by content
    std::string labels;           // file with the labels, where they are not in the data
    std::string label_column;     // CSV: a name, a position (negative: from the end), "none"; default last
    std::string drop;             // CSV: names or positions of columns to leave out, between commas
    std::string weights;          // of the rows: a file of numbers, or a column of a CSV file
    std::string missing;          // CSV: "mean" or "zero" stands for missing values; empty: they are wrong
    bool categories = false;      // CSV: every word of a column of words becomes a feature
    double scale = 1;             // divide the features by it (built-in sets stay as they are)
    Index rows = 0;               // keep the first rows only; 0: all
    Index features = 0;           // fix the number of features; 0: as found
    bool labels_required = true;  // false: a file without labels is fine (prediction)
    Index classes = 10;           // built-in randn: number of classes
    std::uint64_t data_seed = 0;  // built-in randn
    std::string data_dir;         // built-in mnist: folder of the IDX files; then $ALFCG_DATA
    int threads = 0;              // 0: all cores
    std::uint64_t max_unpacked =
        0;  // bytes that an archive may unpack to; 0: a gigabyte, or 200 times its size where that is more
    Ranks* ranks = nullptr;  // each is to have its share of the rows; all make the same calls
    // What a model knows (see options_for): features are found by name where both have names, and made as its own were.
    std::vector<std::string> names;
    Reading reading;
    std::shared_ptr<PageFiles> pages;  // what is read goes to these files, see convert(); none: memory
};

/// Throws Error when there is no such format, or a number is negative.
void verify(const ReadOptions& options);

/// Reads a file (LIBSVM, CSV, NPY, IDX, or what convert() has written; plain, gzip, bzip2 or xz), or makes a built-in set: "randn-N-d",
/// "mnist-N-d". Throws Error with file and line when something is wrong; non-finite numbers are wrong. With ranks, each has
/// rows that lie side by side, in the order of ranks, or none; of plain LIBSVM, CSV and NPY files, and of randn, a rank looks
/// at no more than those (and the beginning), of all others at everything.
template <class Real>
Dataset<Real> load_dataset(const std::string& source, const ReadOptions& options = {});

/// The rows of several files of one form, one after the other. With ranks, files are dealt out whole, by their size.
template <class Real>
Dataset<Real> load_dataset(const std::vector<std::string>& sources, const ReadOptions& options = {});

/// Moves a random `fraction` of the rows (rounded, at least one, never all) out of `data` and returns them. Memory that
/// somebody else looks at stays as it is: `data` then has a copy of the rows that are left.
/// With ranks, of the rows of all of them: the same that one process would take.
template <class Real>
Dataset<Real> hold_out(Dataset<Real>& data, double fraction, std::uint64_t seed, Ranks* ranks = nullptr);
/// The same with rows chosen by the caller, one entry per row; some must be chosen, and some not, unless `any` will do.
template <class Real>
Dataset<Real> take_rows(Dataset<Real>& data, const std::vector<bool>& chosen, bool any = false);

}  // namespace alfcg
