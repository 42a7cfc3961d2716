#include <limits>
#include <utility>
#include <vector>

#include "alfcg/core/error.hpp"
#include "core/parallel.hpp"
#include "data/builtin.hpp"
#include "data/memory.hpp"
#include "data/page_files.hpp"
#include "data/random_stream.hpp"

namespace alfcg {

template <class Real>
Dataset<Real> make_randn(const Builtin& builtin, const ReadOptions& options) {
    constexpr Index most_classes = std::numeric_limits<std::int32_t>::max();
    if (options.classes < 2 || options.classes > most_classes)
        throw Error(builtin.name + ": the number of classes must be at least 2 and at most " +
                    std::to_string(most_classes) + ", not " + std::to_string(options.classes));
    // The first rows of a larger set are the smaller set: no need to make the others.
    const Index all = options.rows > 0 ? std::min(options.rows, builtin.rows) : builtin.rows;
    const Ranks* ranks = options.ranks;
    const auto [begin, end] =
        ranks == nullptr ? std::pair(Index{0}, all) : range_of_part(all, ranks->rank(), ranks->size());
    const Index rows = end - begin;
    const Index cols = builtin.cols;
    const double entries = static_cast<double>(rows) * static_cast<double>(cols);
    if (options.pages == nullptr)
        check_memory(builtin.name, entries + 2 * static_cast<double>(rows), sizeof(Real));

    auto buffer = buffer_of_entries<Real>(options);
    Real* const data = buffer.extend(static_cast<std::size_t>(rows * cols));
    std::vector<std::int32_t> classes(static_cast<std::size_t>(rows));
    const auto class_count = static_cast<std::uint64_t>(options.classes);
    const int threads = resolve_threads(options.threads);
    parallel(threads, [&, before = begin](int thread) {
        const auto [first, last] = range_of_part(rows, thread, threads);
        for (Index i = first; i < last; ++i) {
            RandomStream stream(options.data_seed, static_cast<std::uint64_t>(before + i));
            classes[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(stream.below(class_count));
            Real* row = data + i * cols;
            for (Index j = 0; j < cols; j += 2) {
                const auto [one, other] = stream.normal_pair();
                row[j] = static_cast<Real>(one);
                if (j + 1 < cols) row[j + 1] = static_cast<Real>(other);
            }
        }
    });

    Dataset<Real> result;
    result.classes = true;
    result.features = DenseFeatures<Real>(std::move(buffer), rows, cols);
    for (const std::int32_t label : classes) result.labels.push(static_cast<double>(label));
    return result;
}

template Dataset<float> make_randn(const Builtin& builtin, const ReadOptions& options);
template Dataset<double> make_randn(const Builtin& builtin, const ReadOptions& options);

}  // namespace alfcg
