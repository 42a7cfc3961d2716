#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>

#include "alfcg/core/error.hpp"
#include "core/parallel.hpp"
#include "data/feature_count.hpp"
#include "data/finite.hpp"
#include "data/mapped_file.hpp"
#include "data/mapped_pages.hpp"
#include "data/memory.hpp"
#include "data/page_advice.hpp"
#include "data/page_files.hpp"

namespace alfcg {

namespace {

// All of a file: its pages, or what came out of an archive or a pipe.
struct WholeFile {
    std::shared_ptr<void> owner;
    unsigned char* bytes = nullptr;
    std::uint64_t size = 0;
    bool mapped = false;
};

// The system keeps count, by open file, of how far it has read ahead: threads that walk through different parts of one would confuse it.
// Parts of a large file are therefore mapped from files opened for them, side by side where `pages` are. What fails changes nothing.
void map_parts(const std::string& path, unsigned char* pages, std::size_t bytes) {
    constexpr std::size_t least_part = std::size_t{64} << 20;
    constexpr std::size_t most_parts = 64;
    const std::size_t part = std::max(least_part, bytes / most_parts / least_part * least_part + least_part);
    for (std::size_t at = part; at < bytes; at += part) {
        const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (file < 0) return;
        mmap(pages + at, std::min(part, bytes - at), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED, file, static_cast<off_t>(at));
        close(file);
    }
}

WholeFile whole_file(ByteSource& source) {
    WholeFile file;
    if (const long long size = source.plain_size(); size > 0) {
        const auto bytes = static_cast<std::size_t>(size);
        // Writing to the pages makes copies of them, which never reach the file.
        std::shared_ptr<void> pages = map_file(source.descriptor(), bytes, source.path());
        if (pages == nullptr)
            throw InputError(source.path(), 0,
                             fmt::format("cannot be mapped, {} bytes: is the address space limited "
                                         "(ulimit -v)? A limit of memory does no harm",
                                         bytes));
        auto* const start = static_cast<unsigned char*>(pages.get());
        // The same file, also when another has taken its name meanwhile.
        map_parts(fmt::format("/proc/self/fd/{}", source.descriptor()), start, bytes);
        return {std::move(pages), start, bytes, true};
    }
    auto held = std::make_shared<Buffer<unsigned char>>();
    constexpr std::size_t piece = std::size_t{1} << 20;
    for (std::size_t got = piece; got == piece;) {
        const std::size_t before = held->size();
        got = source.read(held->extend(piece), piece);
        held->resize(before + got);
    }
    file.bytes = held->data();
    file.size = held->size();
    file.owner = std::move(held);
    return file;
}

// The smallest number below `count` for which is_wrong(number) holds; `count` if there is none.
template <class IsWrong>
Index first_wrong(Index count, Index work, int threads, const IsWrong& is_wrong) {
    const int parts = parts_of(work, threads);
    std::vector<Index> found(static_cast<std::size_t>(parts), count);
    parallel(parts, [&](int part) {
        auto [at, last] = range_of_part(count, part, parts);
        while (at < last && !is_wrong(at)) ++at;
        if (at < last) found[static_cast<std::size_t>(part)] = at;
    });
    return *std::min_element(found.begin(), found.end());
}

template <class Real>
class MappedReader {
  public:
    MappedReader(ByteSource& source, const ReadOptions& options)
        : path_(source.path()),
          options_(options),
          threads_(resolve_threads(options.threads)),
          file_(whole_file(source)),
          layout_(read_description(path_, file_.bytes, file_.size)),
          rows_(static_cast<Index>(layout_.rows)),
          cols_(static_cast<Index>(layout_.cols)) {
        if (options.rows > 0) rows_ = std::min(rows_, options.rows);
    }

    Dataset<Real> read() {
        check_options();
        Dataset<Real> data;
        data.classes = layout_.classes;
        data.bytes = layout_.bytes;
        data.last_feature = static_cast<Index>(layout_.last_feature);
        data.names = layout_.names;
        data.reading = layout_.reading;
        read_labels(data.labels);
        if (const double* weights = at<double>(layout_.weights); layout_.weights.count > 0)
            data.weights.assign(weights, weights + rows_);
        for (std::size_t i = 0; i < data.weights.size(); ++i)
            if (!(data.weights[i] >= 0) || !std::isfinite(data.weights[i]))
                damaged(fmt::format("the weight of row {} (from 0) is {}", i, data.weights[i]));
        if (layout_.sparse)
            data.features = sparse();
        else
            data.features = dense();
        return data;
    }

  private:
    [[noreturn]] void damaged(const std::string& what) const {
        throw InputError(path_, 0, "damaged: " + what);
    }
    template <class T>
    T* at(const MappedArray& array) const {
        return reinterpret_cast<T*>(file_.bytes + array.offset);
    }
    template <class T>
    SharedArray<T> shared(const MappedArray& array, Index count) const {
        const auto size = static_cast<std::size_t>(count);
        return file_.mapped ? SharedArray<T>::mapped(at<T>(array), size, file_.owner)
                            : SharedArray<T>::handed_over(at<T>(array), size, file_.owner);
    }

    void check_options() {
        if (!options_.weights.empty() && layout_.weights.count > 0)
            throw Error(path_ + ": has weights of its own; `weights` is for data without");
        if (options_.labels_required && layout_.labels.count == 0)
            throw InputError(path_, 0, "was converted without labels; convert the data with them");
        if (!options_.names.empty() && !layout_.names.empty() && options_.names != layout_.names)
            throw InputError(path_, 0,
                             "the features are not those of the model in its order; convert the data with "
                             "`model` MODEL");
        const double scale = layout_.reading.scale;
        if (options_.scale != scale && (scale != 1 || options_.labels_required) &&
            !(options_.scale == 1 && options_.labels_required))
            throw Error(
                scale == 1
                    ? path_ + ": `scale` copies all data; it is for converting them"
                    : fmt::format(
                          "{}: was divided by {:g} when it was converted, and is to be divided by {:g}",
                          path_, scale, options_.scale));
        // Rows that number their features may lack the last ones.
        if (options_.features > cols_ && layout_.sparse && layout_.last_feature > 0)
            cols_ = options_.features;
        check_feature_count(path_, 0, cols_, options_);
    }

    void read_labels(Labels& labels) const {
        if (layout_.labels.count == 0) return;
        if (layout_.words.empty()) {
            const double* numbers = at<double>(layout_.labels);
            for (Index i = 0; i < rows_; ++i) {
                if (!std::isfinite(numbers[i])) damaged(fmt::format("label {} (from 0) is not finite", i));
                labels.push(numbers[i]);
            }
            return;
        }
        const std::int32_t* codes = at<std::int32_t>(layout_.labels);
        for (Index i = 0; i < rows_; ++i) {
            if (codes[i] < 0 || codes[i] >= std::ssize(layout_.words))
                damaged(
                    fmt::format("label {} (from 0) is none of the {} there are", i, layout_.words.size()));
            labels.push(layout_.words[static_cast<std::size_t>(codes[i])]);
        }
    }

    // Of the entries in the file, converted where they are of the other precision.
    SharedArray<Real> entries(Index count) const {
        const bool as_is = (layout_.type == ElementType::f32) == std::is_same_v<Real, float>;
        if (as_is) return shared<Real>(layout_.entries, count);
        if (options_.pages == nullptr) check_memory(path_, static_cast<double>(count), sizeof(Real));
        auto copy = buffer_of_entries<Real>(options_);
        convert_elements(file_.bytes + layout_.entries.offset, static_cast<std::size_t>(count), layout_.type,
                         false, copy.extend(static_cast<std::size_t>(count)), 1);
        return copy;
    }

    Features<Real> dense() const {
        const Index width = static_cast<Index>(layout_.cols);
        const SharedArray<Real> values = entries(rows_ * width);
        const Features<Real> features = DenseFeatures<Real>(values, rows_, width, width);
        PageAdvice<Real> pages(features, true);
        pages.in_order();
        const Real* all = values.data();
        const Index row = first_wrong(rows_, rows_ * width, threads_, [&](Index i) {
            return !all_finite(all + i * width, static_cast<std::size_t>(width));
        });
        if (row < rows_)
            for (Index j = 0; j < width; ++j)
                if (!std::isfinite(all[row * width + j]))
                    fail_not_finite(path_, row, j, all[row * width + j]);
        pages.usual();
        return features;
    }

    Features<Real> sparse() const {
        const Index* starts = at<Index>(layout_.starts);
        const auto all = static_cast<Index>(layout_.entries.count);
        const auto total = static_cast<Index>(layout_.rows);
        Index row = first_wrong(total, total, threads_,
                                [&](Index i) { return starts[i] < 0 || starts[i] > starts[i + 1]; });
        if (row < total || starts[0] != 0 || starts[total] != all)
            damaged(fmt::format("row {} (from 0) does not begin where the one before ends",
                                std::min(row, total - 1)));
        const Index count = starts[rows_];
        const SharedArray<Real> values = entries(count);
        const Features<Real> features =
            SparseFeatures<Real>{shared<Index>(layout_.starts, rows_ + 1),
                                 shared<std::int32_t>(layout_.columns, count), values, rows_, cols_};
        PageAdvice<Real> pages(features, true);
        pages.in_order();
        const std::int32_t* columns = at<std::int32_t>(layout_.columns);
        const auto wrong_entry = [&](Index i) {
            Index before = -1;
            for (Index k = starts[i]; k < starts[i + 1]; ++k) {
                const Index column = columns[k];
                const bool finite = std::abs(values.data()[k]) <= std::numeric_limits<Real>::max();
                if (column <= before || column >= cols_ || !finite) return k;
                before = column;
            }
            return Index{-1};
        };
        row = first_wrong(rows_, count, threads_, [&](Index i) { return wrong_entry(i) >= 0; });
        if (row < rows_) {
            const Index k = wrong_entry(row);
            if (const Real value = values.data()[k]; !std::isfinite(value))
                fail_not_finite(path_, row, columns[k], value);
            damaged(fmt::format("row {} (from 0) has feature {} after {}, of {}: they must increase", row,
                                columns[k], k > starts[row] ? fmt::to_string(columns[k - 1]) : "none",
                                cols_));
        }
        pages.usual();
        return features;
    }

    std::string path_;
    const ReadOptions& options_;
    int threads_;
    WholeFile file_;
    MappedLayout layout_;
    Index rows_;
    Index cols_;
};

}  // namespace

template <class Real>
Dataset<Real> read_mapped(ByteSource& source, const ReadOptions& options) {
    return MappedReader<Real>(source, options).read();
}

template Dataset<float> read_mapped(ByteSource& source, const ReadOptions& options);
template Dataset<double> read_mapped(ByteSource& source, const ReadOptions& options);

}  // namespace alfcg
