#include "alfcg/data/convert.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>
#include <unordered_map>

#include "alfcg/core/error.hpp"
#include "alfcg/core/output_file.hpp"
#include "core/npy.hpp"
#include "data/mapped_file.hpp"
#include "data/page_files.hpp"

namespace alfcg {

namespace {

constexpr std::uint64_t array_alignment = 64;

// Entries begin with a page, so that a buffer can have its memory there.
std::size_t first_page() {
    constexpr long least = 4096;
    return static_cast<std::size_t>(std::max(sysconf(_SC_PAGESIZE), least));
}

// Arrays one after the other, at the end of the file.
class ArrayWriter {
  public:
    ArrayWriter(OutputFile& file, std::uint64_t at) : file_(file), at_(at) { file.go_to_end(); }

    template <class T>
    MappedArray write(const T* values, std::size_t count) {
        const MappedArray array = begin(count);
        append(values, count);
        return array;
    }
    // The same of an array that comes in parts, which append() writes.
    MappedArray begin(std::size_t count) {
        const std::string padding((array_alignment - at_ % array_alignment) % array_alignment, '\0');
        append(padding.data(), padding.size());
        return {at_, count};
    }
    template <class T>
    void append(const T* values, std::size_t count) {
        file_.write(values, count * sizeof(T));
        at_ += count * sizeof(T);
    }
    [[nodiscard]] std::uint64_t at() const { return at_; }

  private:
    OutputFile& file_;
    std::uint64_t at_;
};

// Numbers as they are, words by their numbers, which go to `words`.
MappedArray write_labels(const Labels& labels, std::vector<std::string>& words, ArrayWriter& to) {
    const auto count = static_cast<std::size_t>(labels.size());
    const MappedArray array = to.begin(count);
    if (labels.numeric()) {
        for (Index i = 0; i < labels.size(); ++i) {
            const double number = labels.number(i);
            to.append(&number, 1);
        }
        return array;
    }
    std::unordered_map<std::string, std::int32_t> codes;
    for (Index i = 0; i < labels.size(); ++i) {
        const auto [code, added] = codes.try_emplace(labels.text(i), static_cast<std::int32_t>(words.size()));
        if (added) words.push_back(code->first);
        to.append(&code->second, 1);
    }
    return array;
}

template <class Real>
class MappedWriter {
  public:
    MappedWriter(const Dataset<Real>& data, OutputFile& file, const PageFiles& pages, std::size_t page)
        : data_(data), file_(file), pages_(pages), page_(page) {}

    // Returns the size of the file.
    std::uint64_t write() {
        layout_.type = std::is_same_v<Real, float> ? ElementType::f32 : ElementType::f64;
        layout_.rows = static_cast<std::uint64_t>(alfcg::rows(data_.features));
        layout_.cols = static_cast<std::uint64_t>(cols(data_.features));
        layout_.classes = data_.classes;
        layout_.bytes = data_.bytes;
        layout_.last_feature = static_cast<std::uint64_t>(data_.last_feature);
        layout_.names = data_.names;
        layout_.reading = data_.reading;
        std::visit([&](const auto& features) { write_features(features); }, data_.features);
        layout_.labels = write_labels(data_.labels, layout_.words, *to_);
        layout_.weights = to_->write(data_.weights.data(), data_.weights.size());
        write_description(layout_, to_->at(), file_);
        file_.go_to_end();
        return static_cast<std::uint64_t>(lseek(file_.descriptor(), 0, SEEK_END));
    }

  private:
    // Entries that have been read into the file are there.
    template <class PutEntries>
    void write_entries(const Real* entries, std::uint64_t count, const PutEntries& put) {
        layout_.entries = {page_, count};
        const bool there = pages_.is_in_main(entries);
        const std::uint64_t end = page_ + (there ? count * sizeof(Real) : 0);
        if (ftruncate(file_.descriptor(), static_cast<off_t>(end)) != 0)
            throw std::system_error(errno, std::generic_category());
        to_.emplace(file_, end);
        if (!there) put();
    }
    void write_features(const DenseFeatures<Real>& dense) {
        const auto width = static_cast<std::size_t>(dense.cols());
        write_entries(dense.data(), static_cast<std::uint64_t>(dense.rows()) * width, [&] {
            for (Index i = 0; i < dense.rows(); ++i) to_->append(dense.row(i), width);
        });
        NpyHeader header;
        header.dtype = std::string(std::endian::native == std::endian::little ? "<" : ">") +
                       (sizeof(Real) == sizeof(float) ? "f4" : "f8");
        header.shape = {dense.rows(), dense.cols()};
        file_.replace(0, encode_npy_header(header, page_));
    }
    void write_features(const SparseFeatures<Real>& sparse) {
        layout_.sparse = true;
        const auto count = static_cast<std::size_t>(sparse.nonzeros());
        write_entries(sparse.value.data(), count, [&] { to_->append(sparse.value.data(), count); });
        layout_.columns = to_->write(sparse.column.narrow().data(), count);
        layout_.starts = to_->write(sparse.start.data(), static_cast<std::size_t>(sparse.rows()) + 1);
        file_.replace(0, sparse_magic);
    }

    const Dataset<Real>& data_;
    OutputFile& file_;
    const PageFiles& pages_;
    std::size_t page_;
    std::optional<ArrayWriter> to_;
    MappedLayout layout_;
};

std::string folder_beside(const std::string& path) {
    const std::string folder = std::filesystem::path(path).parent_path().string();
    return folder.empty() ? "." : folder;
}

}  // namespace

template <class Real>
Converted convert(const std::string& source, const std::string& path, ReadOptions options) {
    OutputFile file(path);
    const std::size_t page = first_page();
    const auto pages = std::make_shared<PageFiles>(PageFile{file.descriptor(), page}, folder_beside(path));
    options.pages = pages;
    Converted converted;
    try {
        const Dataset<Real> data = load_dataset<Real>(source, options);
        converted = {rows(data.features),
                     cols(data.features),
                     entries_of(data.features),
                     std::holds_alternative<SparseFeatures<Real>>(data.features),
                     !data.labels.empty(),
                     0,
                     data.notes};
        converted.bytes = static_cast<Index>(MappedWriter<Real>(data, file, *pages, page).write());
    } catch (const std::system_error& error) {
        throw Error(path + ": cannot write: " + error.code().message());
    }
    file.commit();
    return converted;
}

template Converted convert<float>(const std::string&, const std::string&, ReadOptions);
template Converted convert<double>(const std::string&, const std::string&, ReadOptions);

}  // namespace alfcg
