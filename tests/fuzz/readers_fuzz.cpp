// Data files of every format, whatever is in them: they are read, or refused in one line; what is read is sound.
#include <memory>
#include <variant>

#include "alfcg/core/error.hpp"
#include "alfcg/data/dataset.hpp"
#include "alfcg/data/observations.hpp"
#include "fuzz.hpp"

namespace alfcg::fuzz {
namespace {

template <class Real>
void check_entries(const DenseFeatures<Real>& features) {
    for (Index i = 0; i < features.rows(); ++i)
        for (Index j = 0; j < features.cols(); ++j)
            require(std::isfinite(features.row(i)[j]), "entry ({}, {}) is not finite", i, j);
}

template <class Real>
void check_entries(const SparseFeatures<Real>& features) {
    const auto& start = features.start;
    require(static_cast<Index>(start.size()) == features.rows() + 1 && start[0] == 0, "starts are missing");
    for (Index i = 0; i < features.rows(); ++i) {
        std::int32_t before = -1;
        const auto row = static_cast<std::size_t>(i);
        require(start[row] <= start[row + 1] && start[row + 1] <= features.nonzeros(), "starts decrease");
        for (Index k = start[row]; k < start[row + 1]; ++k) {
            const auto at = static_cast<std::size_t>(k);
            require(features.column[at] > before && features.column[at] < features.cols(),
                    "row {}: a column is {}", i, features.column[at]);
            require(std::isfinite(features.value[at]), "row {}: a value is not finite", i);
            before = features.column[at];
        }
    }
}

template <class Real>
void read(const std::string& path, const ReadOptions& options) {
    try {
        const Dataset<Real> data = load_dataset<Real>(path, options);
        const Index count = rows(data.features);
        require(count >= 1 && cols(data.features) >= 1, "{} x {} entries were accepted", count,
                cols(data.features));
        require(options.rows == 0 || count <= options.rows, "{} rows, asked for {}", count, options.rows);
        require(data.labels.empty() || data.labels.size() == count, "{} labels of {} rows",
                data.labels.size(), count);
        require(data.names.empty() || std::ssize(data.names) == cols(data.features), "{} names",
                data.names.size());
        std::visit([](const auto& features) { check_entries(features); }, data.features);
    } catch (const Error& error) {
        check_message(error.what());
    }
}

void read_ratings(const std::string& path, Index most, bool weights) {
    try {
        const Ratings<float> ratings = load_ratings<float>(path, {weights, most});
        require(ratings.known.size() >= 1, "no entries were accepted");
        for (const float value : ratings.known.values) require(std::isfinite(value), "a value is not finite");
    } catch (const Error& error) {
        check_message(error.what());
    }
    try {
        const Pairs pairs = load_pairs(path);
        require(pairs.rows.size() == pairs.columns.size(), "half a pair");
    } catch (const Error& error) {
        check_message(error.what());
    }
}

}  // namespace
}  // namespace alfcg::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace alfcg;
    fuzz::Input input(data, size);
    const std::uint8_t kind = input.byte();
    const std::uint8_t more = input.byte();
    ReadOptions options;
    static const std::string formats[]{"auto", "libsvm", "csv", "npy", "idx"};
    options.format = formats[kind % 8 % 5];
    options.labels_required = (kind & 8U) != 0;
    options.categories = (kind & 16U) != 0;
    if ((kind & 32U) != 0) options.missing = "mean";
    if ((kind & 64U) != 0) options.rows = 1 + more % 4;
    if ((more & 16U) != 0) options.label_column = (more & 32U) != 0 ? "0" : "none";
    if ((more & 64U) != 0) options.features = 1 + more % 8;
    options.max_unpacked = 1 << 22;
    options.threads = more % 16 == 15 ? 2 : 1;  // starting threads takes longer than most inputs
    const fuzz::MemoryFile file(input.rest());
    if (kind % 8 >= 6)
        fuzz::read_ratings(file.path(), options.rows, (kind & 8U) != 0);
    else if ((kind & 128U) != 0)
        fuzz::read<double>(file.path(), options);
    else
        fuzz::read<float>(file.path(), options);
    return 0;
}
