#include "model/arrays.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

#include "alfcg/core/error.hpp"
#include "core/npy.hpp"
#include "model/code_points.hpp"

namespace alfcg {
namespace {

static_assert(std::endian::native == std::endian::little,
              "model files are read and written on little-endian machines");

constexpr std::size_t longest_header = 1 << 16;

template <class Real>
constexpr const char* real_dtype = sizeof(Real) == 4 ? "<f4" : "<f8";

std::string file_name(const std::string& name) {
    return name + ".npy";
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
    std::string text = "(";
    for (const std::int64_t size : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(size);
    return text + ")";
}

}  // namespace

// ---- writing
// ----------------------------------------------------------------------------------------------------

void ArrayWriter::add(const std::string& name, const std::string& dtype,
                      const std::vector<std::int64_t>& shape, std::span<const std::byte> entries) {
    std::string array = encode_npy_header({dtype, false, shape, 0});
    array.append(reinterpret_cast<const char*>(entries.data()), entries.size());
    archive_.add(file_name(name), std::move(array));
}

template <class Real>
void ArrayWriter::matrix(const std::string& name, const Matrix<Real>& entries) {
    const std::string header =
        encode_npy_header({real_dtype<Real>, false, {entries.rows(), entries.cols()}, 0});
    archive_.add(file_name(name), header, std::as_bytes(entries.span()));
}

void ArrayWriter::integers(const std::string& name, std::span<const std::int64_t> numbers) {
    add(name, "<i8", {static_cast<std::int64_t>(numbers.size())}, std::as_bytes(numbers));
}

void ArrayWriter::numbers(const std::string& name, std::span<const double> numbers) {
    add(name, "<f8", {static_cast<std::int64_t>(numbers.size())}, std::as_bytes(numbers));
}

void ArrayWriter::texts(const std::string& name, std::span<const std::string> texts) {
    add_texts(name, texts, {static_cast<std::int64_t>(texts.size())});
}

void ArrayWriter::integer(const std::string& name, std::int64_t number) {
    add(name, "<i8", {}, std::as_bytes(std::span(&number, 1)));
}

void ArrayWriter::number(const std::string& name, double number) {
    add(name, "<f8", {}, std::as_bytes(std::span(&number, 1)));
}

void ArrayWriter::text(const std::string& name, const std::string& text) {
    add_texts(name, {&text, 1}, {});
}

void ArrayWriter::add_texts(const std::string& name, std::span<const std::string> texts,
                            const std::vector<std::int64_t>& shape) {
    std::vector<std::u32string> points;
    std::size_t longest = 1;
    for (const std::string& text : texts) {
        points.push_back(to_code_points(text));
        longest = std::max(longest, points.back().size());
    }
    std::u32string padded;  // every text fills `longest` places, the rest are zeros
    for (std::u32string& text : points) {
        text.resize(longest);
        padded += text;
    }
    add(name, "<U" + std::to_string(longest), shape, std::as_bytes(std::span(padded)));
}

// ---- reading
// ----------------------------------------------------------------------------------------------------

struct ArrayReader::Array {
    NpyHeader header;
    Buffer<unsigned char> bytes;  // header and entries

    template <class Number>
    [[nodiscard]] Number at(std::int64_t i) const {
        Number number{};
        std::memcpy(&number, bytes.data() + header.header_bytes + static_cast<std::size_t>(i) * sizeof number,
                    sizeof number);
        return number;
    }
};

void ArrayReader::fail(const std::string& name, const std::string& what) const {
    throw InputError(path_, 0, name + ": " + what);
}

bool ArrayReader::has(const std::string& name) const {
    return archive_.find(file_name(name)).has_value();
}

std::uint64_t ArrayReader::entry(const std::string& name) const {
    const std::optional<std::uint64_t> found = archive_.find(file_name(name));
    if (!found.has_value()) throw InputError(path_, 0, "the model has no entry \"" + name + "\"");
    return *found;
}

ArrayReader::Array ArrayReader::read(const std::string& name, std::size_t dimensions) const {
    Array array{{}, archive_.read(entry(name))};
    array.header = parse_npy_header(std::span(array.bytes.data(), array.bytes.size()), path_ + ": " + name);
    const std::vector<std::int64_t>& shape = array.header.shape;
    if (shape.size() != dimensions)
        fail(name, "shape " + shape_text(shape) + "; expected " + std::to_string(dimensions) + " dimensions");
    const std::int64_t item = array.header.item_bytes();
    const auto available = static_cast<std::int64_t>(array.bytes.size() - array.header.header_bytes);
    const std::int64_t entries = array.header.entries();
    const bool fits = item > 0 && available % item == 0 && available / item == entries;
    if (!fits) fail(name, "the entries do not fill the shape " + shape_text(shape));
    return array;
}

std::string ArrayReader::dtype(const std::string& name) const {
    const Buffer<unsigned char> beginning = archive_.read_beginning(entry(name), longest_header);
    return parse_npy_header(std::span(beginning.data(), beginning.size()), path_ + ": " + name).dtype;
}

bool ArrayReader::holds_text(const std::string& name) const {
    return dtype(name).starts_with("<U");
}

bool ArrayReader::matrix_is_double(const std::string& name) const {
    const std::string type = dtype(name);
    if (type != "<f4" && type != "<f8") fail(name, "entries of type " + type + "; expected <f4 or <f8");
    return type == "<f8";
}

template <class Real>
Matrix<Real> ArrayReader::matrix(const std::string& name, Index least_columns) const {
    const bool wide = matrix_is_double(name);
    const Array array = read(name, 2);
    const Index rows = array.header.shape[0];
    const Index cols = array.header.shape[1];
    if (rows == 0 || cols < least_columns)
        fail(name, "shape " + shape_text(array.header.shape) + "; expected at least one entry");
    Matrix<Real> matrix(rows, cols);
    for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < cols; ++j) {
            const Index place = array.header.fortran_order ? j * rows + i : i * cols + j;
            const double entry = wide ? array.at<double>(place) : static_cast<double>(array.at<float>(place));
            if (!std::isfinite(entry)) fail(name, "an entry is not a finite number");
            matrix(i, j) = static_cast<Real>(entry);
            if (!std::isfinite(matrix(i, j)))
                fail(name, "an entry is too large for single precision; use f64");
        }
    }
    return matrix;
}

std::vector<double> ArrayReader::to_numbers(const std::string& name, const Array& array) const {
    const std::string& type = array.header.dtype;
    std::vector<double> numbers;
    for (std::int64_t i = 0; i < array.header.entries(); ++i) {
        if (type == "<f8") {
            numbers.push_back(array.at<double>(i));
        } else if (type == "<f4") {
            numbers.push_back(static_cast<double>(array.at<float>(i)));
        } else if (type == "<i8") {
            const auto whole = array.at<std::int64_t>(i);
            if (whole < -largest_whole || whole > largest_whole) fail(name, "a whole number beyond 2^53");
            numbers.push_back(static_cast<double>(whole));
        } else if (type == "<i4") {
            numbers.push_back(static_cast<double>(array.at<std::int32_t>(i)));
        } else {
            fail(name, "entries of type " + type + "; expected numbers (<f8 or <i8)");
        }
    }
    return numbers;
}

std::vector<std::string> ArrayReader::to_texts(const std::string& name, const Array& array) const {
    if (!array.header.dtype.starts_with("<U"))
        fail(name, "entries of type " + array.header.dtype + "; expected text (<U)");
    const std::int64_t length = array.header.item_bytes() / 4;
    std::vector<std::string> texts;
    for (std::int64_t i = 0; i < array.header.entries(); ++i) {
        std::u32string points;
        for (std::int64_t k = 0; k < length; ++k) points += array.at<char32_t>(i * length + k);
        while (!points.empty() && points.back() == U'\0') points.pop_back();
        const std::optional<std::string> text = to_bytes(points);
        if (!text.has_value()) fail(name, "text that is not Unicode");
        texts.push_back(*text);
    }
    return texts;
}

std::vector<double> ArrayReader::numbers(const std::string& name) const {
    return to_numbers(name, read(name, 1));
}

std::vector<std::string> ArrayReader::texts(const std::string& name) const {
    return to_texts(name, read(name, 1));
}

double ArrayReader::number(const std::string& name) const {
    return to_numbers(name, read(name, 0)).front();
}

std::string ArrayReader::text(const std::string& name) const {
    return to_texts(name, read(name, 0)).front();
}

template void ArrayWriter::matrix(const std::string&, const Matrix<float>&);
template void ArrayWriter::matrix(const std::string&, const Matrix<double>&);
template Matrix<float> ArrayReader::matrix(const std::string&, Index) const;
template Matrix<double> ArrayReader::matrix(const std::string&, Index) const;

}  // namespace alfcg
