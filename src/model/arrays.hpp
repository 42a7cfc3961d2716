#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "alfcg/core/matrix.hpp"
#include "data/archive.hpp"

namespace alfcg {

/// Doubles hold every whole number up to here.
constexpr std::int64_t largest_whole = std::int64_t{1} << 53;

/// The arrays of an .npz archive by name, written as NumPy writes them.
class ArrayWriter {
  public:
    explicit ArrayWriter(OutputFile& file) : archive_(file) {}

    /// The entries are borrowed until finish() has returned.
    template <class Real>
    void matrix(const std::string& name, const Matrix<Real>& entries);
    void integers(const std::string& name, std::span<const std::int64_t> numbers);
    void numbers(const std::string& name, std::span<const double> numbers);
    void texts(const std::string& name, std::span<const std::string> texts);
    void integer(const std::string& name, std::int64_t number);
    void number(const std::string& name, double number);
    void text(const std::string& name, const std::string& text);
    void finish() { archive_.finish(); }

  private:
    void add(const std::string& name, const std::string& dtype, const std::vector<std::int64_t>& shape,
             std::span<const std::byte> entries);
    void add_texts(const std::string& name, std::span<const std::string> texts,
                   const std::vector<std::int64_t>& shape);

    ArchiveWriter archive_;
};

/// Reads them back. An array that is missing, or not of the kind and shape asked for, throws InputError.
class ArrayReader {
  public:
    explicit ArrayReader(const std::string& path) : path_(path), archive_(path) {}

    [[nodiscard]] bool has(const std::string& name) const;
    /// Two-dimensional, of <f4 or <f8, in either order; converted.
    template <class Real>
    [[nodiscard]] Matrix<Real> matrix(const std::string& name, Index least_columns = 1) const;
    /// True for <f8, false for <f4.
    [[nodiscard]] bool matrix_is_double(const std::string& name) const;
    [[nodiscard]] bool holds_text(const std::string& name) const;
    /// One-dimensional lists; numbers may be <f4, <f8, <i4 or <i8, and whole ones beyond 2^53 are refused.
    [[nodiscard]] std::vector<double> numbers(const std::string& name) const;
    [[nodiscard]] std::vector<std::string> texts(const std::string& name) const;
    /// Arrays without dimensions.
    [[nodiscard]] double number(const std::string& name) const;
    [[nodiscard]] std::string text(const std::string& name) const;

    [[noreturn]] void fail(const std::string& name, const std::string& what) const;

  private:
    struct Array;
    [[nodiscard]] Array read(const std::string& name, std::size_t dimensions) const;
    [[nodiscard]] std::uint64_t entry(const std::string& name) const;
    [[nodiscard]] std::string dtype(const std::string& name) const;
    [[nodiscard]] std::vector<double> to_numbers(const std::string& name, const Array& array) const;
    [[nodiscard]] std::vector<std::string> to_texts(const std::string& name, const Array& array) const;

    std::string path_;
    ArchiveReader archive_;
};

}  // namespace alfcg
