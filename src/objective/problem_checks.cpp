#include "objective/problem_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "alfcg/core/error.hpp"
#include "core/parallel.hpp"
#include "core/range_advice.hpp"
#include "objective/loss_table.hpp"

namespace alfcg {

namespace {

// The squares of numbers up to here can be added up.
constexpr double largest_number = 1e150;

// A row of the targets, or one that comes behind those of other ranks.
[[noreturn]] void fail(std::size_t row, const RowShare& rows, const std::string& what) {
    throw Error(fmt::format("row {} (from 0) {}", rows.first + static_cast<Index>(row), what));
}

void check_classes(const Targets& targets, const RowShare& rows) {
    for (std::size_t i = 0; i < targets.classes.size(); ++i)
        if (const std::int32_t number = targets.classes[i]; number < 0 || number >= targets.outputs)
            fail(i, rows,
                 fmt::format("is of class {}; with {} outputs, classes go from 0 to {}", number,
                             targets.outputs, targets.outputs - 1));
}

void check_signs(const Targets& targets, const RowShare& rows) {
    for (std::size_t i = 0; i < targets.values.size(); ++i)
        if (const double value = targets.values[i]; value != 1 && value != -1)
            fail(i, rows, fmt::format("has the target {}; of two classes one is -1, the other 1", value));
}

template <class Real>
void check_numbers(const Targets& targets, const RowShare& rows) {
    for (std::size_t i = 0; i < targets.values.size(); ++i) {
        const double value = targets.values[i];
        if (!(std::abs(value) <= largest_number))
            fail(
                i, rows,
                fmt::format("has the target {}; targets are numbers of at most {:g}", value, largest_number));
        if (!std::isfinite(static_cast<Real>(value)))
            fail(i, rows,
                 fmt::format("has the target {}, which is too large: {}", value, range_advice<Real>()));
    }
}

template <class Real>
void check_lines(const DenseFeatures<Real>& /*features*/, int /*threads*/) {}

template <class Real>
void check_lines(const SparseFeatures<Real>& features, int threads) {
    const Index rows = features.rows();
    const Index entries = features.nonzeros();
    const Index* start = features.start.data();
    if (static_cast<Index>(features.start.size()) != rows + 1 ||
        static_cast<Index>(features.column.size()) != entries)
        throw Error(
            fmt::format("sparse data of {} rows and {} values need {} starts and as many columns as values",
                        rows, entries, rows + 1));
    if (features.on_disk()) return;  // what is mapped was looked at when it was opened
    const bool good = start[0] == 0 && start[rows] == entries && std::is_sorted(start, start + rows + 1);
    if (!good) throw Error("the starts of sparse rows go from 0 to the number of values, and never decrease");
    std::atomic<bool> all = true;
    const int parts = parts_of(entries, threads);
    parallel(parts, [&](int part) {
        const auto [first, last] = range_of_part(rows, part, parts);
        for (Index i = first; i < last; ++i) {
            Index before = -1;
            bool right = true;
            for (Index k = start[i]; k < start[i + 1]; ++k) {
                const Index column = features.column.data()[k];
                right &= column > before;
                before = column;
            }
            if (!right || before >= features.cols()) all = false;
        }
    });
    if (!all)
        throw Error(
            fmt::format("columns of sparse rows increase, from 0 to {} at most", features.cols() - 1));
}

}  // namespace

template <class Real>
void check_features(const Features<Real>& features, int threads) {
    std::visit([threads](const auto& some) { check_lines(some, threads); }, features);
}

template <class Real>
void check_problem(const Features<Real>& features, const Targets& targets, const LossSpec& loss, int threads,
                   const RowShare& share) {
    const TargetKind kind = find_loss(loss.name).target;
    const auto labelled =
        static_cast<Index>(kind == TargetKind::classes ? targets.classes.size() : targets.values.size());
    const Index samples = rows(features);
    if (cols(features) < 1) throw Error("the data have no features");
    if (labelled != samples)
        throw Error(fmt::format("the data have {} rows but {} labels", samples, labelled));
    if (const auto weighted = std::ssize(targets.weights); weighted > 0 && weighted != samples)
        throw Error(fmt::format("the data have {} rows but {} weights", samples, weighted));
    if (targets.outputs < 1 || (kind != TargetKind::classes && targets.outputs != 1))
        throw Error(fmt::format("the {} loss cannot have {} outputs", loss.name, targets.outputs));
    if (kind == TargetKind::classes) check_classes(targets, share);
    if (kind == TargetKind::two_classes) check_signs(targets, share);
    if (kind == TargetKind::numbers) check_numbers<Real>(targets, share);
    if (samples > 0) check_features(features, threads);
}

template void check_features(const Features<float>&, int);
template void check_features(const Features<double>&, int);
template void check_problem(const Features<float>&, const Targets&, const LossSpec&, int, const RowShare&);
template void check_problem(const Features<double>&, const Targets&, const LossSpec&, int, const RowShare&);

}  // namespace alfcg
