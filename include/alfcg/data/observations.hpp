#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "alfcg/core/buffer.hpp"
#include "alfcg/core/error.hpp"
#include "alfcg/core/pattern.hpp"
#include "alfcg/core/shared_array.hpp"

namespace alfcg {

/// Entries of a matrix that are known, row by row, each at least once.
template <class Real>
struct Observations {
    Pattern pattern;
    SharedArray<Real> values;
    SharedArray<Real> weights;  // empty: all alike

    [[nodiscard]] Index size() const { return pattern.size(); }
    [[nodiscard]] double weight(Index k) const {
        return weights.empty() ? 1 : static_cast<double>(weights[static_cast<std::size_t>(k)]);
    }
};

/// Entries as they come: three (or four) numbers each.
template <class Real>
struct Triples {
    Buffer<std::int32_t> rows;
    Buffer<std::int32_t> columns;
    Buffer<Real> values;
    Buffer<Real> weights;  // empty, or one each

    [[nodiscard]] Index size() const { return static_cast<Index>(values.size()); }
};

/// A place that is there twice, counted from 0.
struct RepeatedPlace : Error {
    RepeatedPlace(std::int32_t in_row, std::int32_t in_column)
        : Error("row " + std::to_string(in_row) + " and column " + std::to_string(in_column) +
                " (counted from 0) are there twice: one value each is needed"),
          row(in_row),
          column(in_column) {}
    std::int32_t row;
    std::int32_t column;
};

/// Sorts them by rows and columns; the triples are used up. Throws RepeatedPlace.
template <class Real>
Observations<Real> observations(Shape shape, Triples<Real> triples);

/// The same with names for rows and columns.
template <class Real>
struct Ratings {
    std::string name;  // of the file
    Observations<Real> known;
    std::vector<std::string> rows;     // users
    std::vector<std::string> columns;  // items
};

/// How a file of triples is to be read.
struct RatingOptions {
    bool weights = false;            // the fourth column has them
    Index rows = 0;                  // the first ones only; 0: all
    std::uint64_t max_unpacked = 0;  // as in ReadOptions
};

/// Triples "row column value [weight]" as CSV, TSV or with blanks, whose first two fields are names of any kind, with a header or without;
/// Matrix Market; plain or compressed. An .npz archive by SciPy's save_npz, or with arrays row, col, data (and weights), whose rows and columns
/// are named by their positions from 0. Throws InputError.
template <class Real>
Ratings<Real> load_ratings(const std::string& path, const RatingOptions& options = {});

/// Pairs of names, a line each, and their values where there are some.
struct Pairs {
    std::vector<std::string> rows;
    std::vector<std::string> columns;
    std::vector<double> values;  // empty, or one each
};
Pairs load_pairs(const std::string& path);

/// So much of the observations, drawn at random, goes to `held_out`, the rest stays.
template <class Real>
Observations<Real> hold_out(Observations<Real>& known, double share, std::uint64_t seed);
/// And back: as if it had never been taken out.
template <class Real>
void put_back(Observations<Real>& known, Observations<Real> held_out);

}  // namespace alfcg
