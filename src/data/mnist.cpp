#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <utility>
#include <vector>

#include "alfcg/core/error.hpp"
#include "data/builtin.hpp"
#include "data/byte_source.hpp"
#include "data/idx.hpp"
#include "data/label_file.hpp"

namespace alfcg {

namespace {

constexpr std::size_t pixel_count = 784;

// Looks in the folder given, then in $ALFCG_DATA, in each also in a subfolder "mnist", compressed or not.
std::string find_file(const std::string& builtin, const std::string& data_dir, const std::string& file) {
    std::vector<std::string> folders;
    if (!data_dir.empty()) folders.push_back(data_dir);
    if (const char* folder = std::getenv("ALFCG_DATA"); folder != nullptr && *folder != '\0')
        folders.emplace_back(folder);
    std::string searched;
    for (const std::string& folder : folders)
        for (const std::string& place : {folder, (std::filesystem::path(folder) / "mnist").string()}) {
            for (const char* suffix : {"", ".gz", ".bz2", ".xz"}) {
                const std::string path = (std::filesystem::path(place) / (file + suffix)).string();
                std::error_code ignored;
                if (std::filesystem::exists(path, ignored)) return path;
            }
            searched += (searched.empty() ? "" : ", ") + place;
        }
    if (searched.empty())
        throw Error(
            fmt::format("{}: where is {}? Give its folder with `data-dir` or in $ALFCG_DATA", builtin, file));
    throw Error(
        fmt::format("{}: no {} (or .gz, .bz2, .xz) in {}; give its folder with `data-dir` or in $ALFCG_DATA",
                    builtin, file, searched));
}

// The first `rows` images as they are in the file, one byte per pixel; the rest is not read.
Buffer<std::uint8_t> read_images(const std::string& path, Index rows) {
    ByteSource source(path);
    const ArrayLayout layout = read_idx_header(source);
    if (layout.type != ElementType::u8 || layout.cols != static_cast<Index>(pixel_count))
        throw InputError(path, 0, "not the MNIST images: 28 x 28 bytes each are needed");
    if (layout.rows < rows)
        throw InputError(path, 0, fmt::format("{} images, but {} are needed", layout.rows, rows));
    Buffer<std::uint8_t> pixels;
    const std::size_t bytes = static_cast<std::size_t>(rows) * pixel_count;
    if (source.read(pixels.extend(bytes), bytes) != bytes)
        throw InputError(path, 0, "truncated: images are missing");
    return pixels;
}

// The `count` pixels of largest variance, in pixel order. N^2 times the variance is an integer, so that equal
// variances are equal; among them the lower pixel is taken.
std::vector<std::size_t> select_pixels(const Buffer<std::uint8_t>& images, Index rows, std::size_t count) {
    std::array<std::uint64_t, pixel_count> sum{};
    std::array<std::uint64_t, pixel_count> squares{};
    for (Index i = 0; i < rows; ++i) {
        const std::uint8_t* image = images.data() + static_cast<std::size_t>(i) * pixel_count;
        for (std::size_t j = 0; j < pixel_count; ++j) {
            const std::uint64_t value = image[j];
            sum[j] += value;
            squares[j] += value * value;
        }
    }
    const auto variance = [&](std::size_t j) {
        return static_cast<std::uint64_t>(rows) * squares[j] - sum[j] * sum[j];
    };
    std::vector<std::size_t> order(pixel_count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return variance(a) > variance(b); });
    order.resize(count);
    std::sort(order.begin(), order.end());
    return order;
}

}  // namespace

template <class Real>
Dataset<Real> make_mnist(const Builtin& builtin, const ReadOptions& options) {
    const std::string image_file = find_file(builtin.name, options.data_dir, "train-images-idx3-ubyte");
    const std::string label_file = find_file(builtin.name, options.data_dir, "train-labels-idx1-ubyte");
    const Buffer<std::uint8_t> images = read_images(image_file, builtin.rows);
    const std::vector<std::size_t> pixels =
        select_pixels(images, builtin.rows, static_cast<std::size_t>(builtin.cols));

    std::array<Real, 256> brightness{};
    for (std::size_t value = 0; value < brightness.size(); ++value)
        brightness[value] = static_cast<Real>(static_cast<double>(value) / 255);
    const Index rows = options.rows > 0 ? std::min(options.rows, builtin.rows) : builtin.rows;
    Buffer<Real> entries;
    Real* out = entries.extend(static_cast<std::size_t>(rows * builtin.cols));
    for (Index i = 0; i < rows; ++i) {
        const std::uint8_t* image = images.data() + static_cast<std::size_t>(i) * pixel_count;
        for (const std::size_t pixel : pixels) *out++ = brightness[image[pixel]];
    }
    Dataset<Real> data;
    data.features = DenseFeatures<Real>(std::move(entries), rows, builtin.cols);
    data.labels = read_label_file(label_file, rows, rows, builtin.name);
    return data;
}

template Dataset<float> make_mnist(const Builtin& builtin, const ReadOptions& options);
template Dataset<double> make_mnist(const Builtin& builtin, const ReadOptions& options);

}  // namespace alfcg
