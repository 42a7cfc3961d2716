#include "objective/linear.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "alfcg/core/error.hpp"
#include "core/parallel.hpp"
#include "kernels/dense.hpp"
#include "kernels/sparse.hpp"
#include "kernels/vector.hpp"
#include "objective/residual.hpp"
#include "objective/scores.hpp"

namespace alfcg {

namespace {

// Multiply-adds below which waking other threads costs more than it saves.
constexpr Index serial_work = Index{1} << 21;
constexpr Index sparse_serial_work = Index{1} << 18;  // a scattered entry costs several times a dense one

// Rows per block: about 256 KiB of data, which stays in the second-level cache between the two halves of a
// pass.
template <class Real>
Index block_rows(Index cols) {
    const Index bytes = Index{256} << 10;
    return std::clamp<Index>(bytes / (std::max<Index>(cols, 1) * static_cast<Index>(sizeof(Real))) / 4 * 4, 8,
                             256);
}

template <class Real>
kernels::SparseRow<Real> sparse_row(const SparseFeatures<Real>& features, Index i) {
    const Index first = features.start[static_cast<std::size_t>(i)];
    const Index last = features.start[static_cast<std::size_t>(i + 1)];
    return {features.column.data() + first, features.value.data() + first, last - first};
}

// First row of `part` when all rows are shared out so that every part has about the same number of non-zeros.
template <class Real>
Index balanced_row(const SparseFeatures<Real>& features, int part, int parts) {
    if (part == parts) return features.rows();
    const Index goal = features.nonzeros() * part / parts;
    const Index* start = features.start.data();
    return std::lower_bound(start, start + features.rows(), goal) - start;
}

}  // namespace

template <class Real>
LinearObjective<Real>::LinearObjective(const Features<Real>& features, Targets targets,
                                       const LossOptions& loss, int threads)
    : features_(features),
      targets_(std::move(targets)),
      loss_(loss),
      threads_(resolve_threads(threads)),
      samples_(rows(features)),
      shape_{targets_.outputs, cols(features)},
      scratch_(static_cast<std::size_t>(threads_)) {
    const std::size_t labelled =
        loss_.kind == Loss::multinomial ? targets_.classes.size() : targets_.values.size();
    if (samples_ == 0) throw Error("the data have no rows");
    if (shape_.cols == 0) throw Error("the data have no features");
    if (static_cast<Index>(labelled) != samples_) {
        throw Error("the data have " + std::to_string(samples_) + " rows but " + std::to_string(labelled) +
                    " labels");
    }
    if (!(loss_.threshold > 0) || !std::isfinite(loss_.threshold))
        throw Error("the huber threshold must be positive");
    if (!(loss_.width > 0) || !std::isfinite(loss_.width)) throw Error("the welsch width must be positive");
}

template <class Real>
double LinearObjective<Real>::evaluate(const Matrix<Real>& x, Matrix<Real>& gradient) {
    return pass({nullptr, samples_}, x, &gradient);
}

template <class Real>
double LinearObjective<Real>::value(const Matrix<Real>& x) {
    return pass({nullptr, samples_}, x, nullptr);
}

template <class Real>
void LinearObjective<Real>::batch_gradient(std::span<const Index> rows, const Matrix<Real>& x,
                                           Matrix<Real>& gradient) {
    pass({rows.data(), static_cast<Index>(rows.size())}, x, &gradient);
}

template <class Real>
double LinearObjective<Real>::pass(const Selection& selection, const Matrix<Real>& x,
                                   Matrix<Real>* gradient) {
    if (gradient != nullptr) gradient->reshape(shape_);
    if (const auto* dense = std::get_if<DenseFeatures<Real>>(&features_)) {
        return dense_pass(*dense, selection, x, gradient);
    }
    return sparse_pass(std::get<SparseFeatures<Real>>(features_), selection, x, gradient);
}

template <class Real>
double LinearObjective<Real>::residual(Index row, Real* scores, double weight) const {
    const auto i = static_cast<std::size_t>(row);
    if (loss_.kind == Loss::multinomial) {
        return multinomial_residual(scores, shape_.rows, targets_.classes[i], weight);
    }
    return scalar_residual(*scores, targets_.values[i], loss_, weight);
}

template <class Real>
double LinearObjective<Real>::total_loss(int threads) const {
    double total = 0;
    for (int part = 0; part < threads; ++part) total += scratch_[static_cast<std::size_t>(part)].loss;
    return total;
}

template <class Real>
void LinearObjective<Real>::add_shares(int threads, Real* gradient) {
    if (threads == 1) return;
    parallel(threads, [&](int part) {
        const auto [first, last] = share(shape_.size(), part, threads);
        for (int other = 1; other < threads; ++other) {
            const Real* from = scratch_[static_cast<std::size_t>(other)].gradient.data();
            kernels::axpby(last - first, 1, from + first, 1, gradient + first);
        }
    });
}

template <class Real>
void LinearObjective<Real>::prepare(int threads, Index block, bool gradient, bool own_share_of_first) {
    for (int part = 0; part < threads; ++part) {
        Scratch& scratch = scratch_[static_cast<std::size_t>(part)];
        scratch.scores.resize(static_cast<std::size_t>(block * shape_.rows));
        scratch.rows.resize(static_cast<std::size_t>(block));
        if (gradient && (part > 0 || own_share_of_first)) {
            scratch.gradient.resize(static_cast<std::size_t>(shape_.size()));
        }
    }
}

template <class Real>
double LinearObjective<Real>::dense_pass(const DenseFeatures<Real>& features, const Selection& selection,
                                         const Matrix<Real>& x, Matrix<Real>* gradient) {
    const Index outputs = shape_.rows;
    const Index columns = shape_.cols;
    const int threads = selection.count * shape_.size() < serial_work ? 1 : threads_;
    const double weight = 1.0 / static_cast<double>(selection.count);
    const Index block = block_rows<Real>(columns);
    prepare(threads, block, gradient != nullptr, false);
    parallel(threads, [&](int part) {
        Scratch& scratch = scratch_[static_cast<std::size_t>(part)];
        Real* share_of_gradient = nullptr;
        if (gradient != nullptr) {
            share_of_gradient = part == 0 ? gradient->data() : scratch.gradient.data();
            std::fill(share_of_gradient, share_of_gradient + shape_.size(), Real(0));
        }
        double loss = 0;
        const auto [first, last] = share(selection.count, part, threads);
        for (Index begin = first; begin < last; begin += block) {
            const Index count = std::min(block, last - begin);
            for (Index i = 0; i < count; ++i) {
                scratch.rows[static_cast<std::size_t>(i)] = features.row(selection.row(begin + i));
            }
            Real* scores = scratch.scores.data();
            kernels::forward(scratch.rows.data(), count, x.data(), outputs, columns, scores);
            for (Index i = 0; i < count; ++i)
                loss += residual(selection.row(begin + i), scores + i * outputs, weight);
            if (gradient != nullptr) {
                kernels::backward(scratch.rows.data(), count, scores, outputs, columns, share_of_gradient);
            }
        }
        scratch.loss = loss;
    });
    if (gradient != nullptr) add_shares(threads, gradient->data());
    return total_loss(threads) * weight;
}

template <class Real>
double LinearObjective<Real>::sparse_pass(const SparseFeatures<Real>& features, const Selection& selection,
                                          const Matrix<Real>& x, Matrix<Real>* gradient) {
    const Index outputs = shape_.rows;
    const Index columns = shape_.cols;
    Index nonzeros = features.nonzeros();
    if (selection.list != nullptr) {
        nonzeros = 0;
        for (Index i = 0; i < selection.count; ++i) nonzeros += sparse_row(features, selection.row(i)).count;
    }
    const int threads = nonzeros * outputs < sparse_serial_work ? 1 : threads_;
    const double weight = 1.0 / static_cast<double>(selection.count);

    // Outputs side by side for each feature suit a pass over much data; a small batch is not worth the
    // transposition.
    const bool transposed = outputs > 1 && 2 * nonzeros > columns;
    const kernels::Layout layout =
        transposed ? kernels::Layout{outputs, 1, outputs} : kernels::Layout{outputs, columns, 1};
    const Real* weights = x.data();
    if (transposed) {
        transposed_weights_.resize(static_cast<std::size_t>(shape_.size()));
        parallel(threads, [&](int part) {
            const auto [first, last] = share(columns, part, threads);
            kernels::transpose(x.data(), outputs, columns, first, last, transposed_weights_.data());
        });
        weights = transposed_weights_.data();
    }
    prepare(threads, 1, gradient != nullptr, transposed);
    parallel(threads, [&](int part) {
        Scratch& scratch = scratch_[static_cast<std::size_t>(part)];
        Real* share_of_gradient = nullptr;
        if (gradient != nullptr) {
            const bool direct = part == 0 && !transposed;
            share_of_gradient = direct ? gradient->data() : scratch.gradient.data();
            std::fill(share_of_gradient, share_of_gradient + shape_.size(), Real(0));
        }
        auto [first, last] = share(selection.count, part, threads);
        if (selection.list == nullptr) {
            first = balanced_row(features, part, threads);
            last = balanced_row(features, part + 1, threads);
        }
        double loss = 0;
        for (Index i = first; i < last; ++i) {
            const auto row = sparse_row(features, selection.row(i));
            Real* scores = scratch.scores.data();
            kernels::sparse_forward(row, weights, layout, scores);
            loss += residual(selection.row(i), scores, weight);
            if (gradient != nullptr) kernels::sparse_backward(row, scores, layout, share_of_gradient);
        }
        scratch.loss = loss;
    });
    if (gradient != nullptr) {
        if (transposed) {
            Real* sum = scratch_.front().gradient.data();
            add_shares(threads, sum);
            // features x outputs back to outputs x features
            parallel(threads, [&](int part) {
                const auto [first, last] = share(outputs, part, threads);
                kernels::transpose(sum, columns, outputs, first, last, gradient->data());
            });
        } else {
            add_shares(threads, gradient->data());
        }
    }
    return total_loss(threads) * weight;
}

template <class Real>
void LinearObjective<Real>::residuals(std::span<const Index> rows, const Matrix<Real>& x, Real* residuals) {
    const Index outputs = shape_.rows;
    const auto count = static_cast<Index>(rows.size());
    if (const auto* dense = std::get_if<DenseFeatures<Real>>(&features_)) {
        auto& pointers = scratch_.front().rows;
        pointers.resize(rows.size());
        std::transform(rows.begin(), rows.end(), pointers.begin(),
                       [&](Index row) { return dense->row(row); });
        kernels::forward(pointers.data(), count, x.data(), outputs, shape_.cols, residuals);
    } else {
        const auto& sparse = std::get<SparseFeatures<Real>>(features_);
        for (Index k = 0; k < count; ++k) {
            kernels::sparse_forward(sparse_row(sparse, rows[static_cast<std::size_t>(k)]), x.data(),
                                    {outputs, shape_.cols, 1}, residuals + k * outputs);
        }
    }
    for (Index k = 0; k < count; ++k) residual(rows[static_cast<std::size_t>(k)], residuals + k * outputs, 1);
}

template <class Real>
void LinearObjective<Real>::combine(std::span<const Index> rows, const Real* residuals,
                                    Matrix<Real>& gradient) {
    const Index outputs = shape_.rows;
    const auto count = static_cast<Index>(rows.size());
    gradient.reshape(shape_);
    gradient.fill(0);
    if (const auto* dense = std::get_if<DenseFeatures<Real>>(&features_)) {
        auto& pointers = scratch_.front().rows;
        pointers.resize(rows.size());
        std::transform(rows.begin(), rows.end(), pointers.begin(),
                       [&](Index row) { return dense->row(row); });
        kernels::backward(pointers.data(), count, residuals, outputs, shape_.cols, gradient.data());
        return;
    }
    const auto& sparse = std::get<SparseFeatures<Real>>(features_);
    for (Index k = 0; k < count; ++k) {
        kernels::sparse_backward(sparse_row(sparse, rows[static_cast<std::size_t>(k)]),
                                 residuals + k * outputs, {outputs, shape_.cols, 1}, gradient.data());
    }
}

template <class Real>
void linear_scores(const Features<Real>& features, Index first, Index last, const Matrix<Real>& weights,
                   Real* scores, int threads) {
    const Index outputs = weights.rows();
    const Index columns = weights.cols();
    threads = resolve_threads(threads);
    parallel(threads, [&](int part) {
        const auto [begin, end] = share(last - first, part, threads);
        if (const auto* sparse = std::get_if<SparseFeatures<Real>>(&features)) {
            for (Index i = begin; i < end; ++i) {
                kernels::sparse_forward(sparse_row(*sparse, first + i), weights.data(), {outputs, columns, 1},
                                        scores + i * outputs);
            }
            return;
        }
        const auto& dense = std::get<DenseFeatures<Real>>(features);
        constexpr Index block = 64;
        const Real* rows[block];
        for (Index i = begin; i < end; i += block) {
            const Index count = std::min(block, end - i);
            for (Index k = 0; k < count; ++k) rows[k] = dense.row(first + i + k);
            kernels::forward(rows, count, weights.data(), outputs, columns, scores + i * outputs);
        }
    });
}

template <class Real>
std::unique_ptr<Objective<Real>> linear_objective(const Features<Real>& features, Targets targets,
                                                  const LossOptions& loss, int threads) {
    return std::make_unique<LinearObjective<Real>>(features, std::move(targets), loss, threads);
}

template class LinearObjective<float>;
template class LinearObjective<double>;
template void linear_scores(const Features<float>&, Index, Index, const Matrix<float>&, float*, int);
template void linear_scores(const Features<double>&, Index, Index, const Matrix<double>&, double*, int);
template std::unique_ptr<Objective<float>> linear_objective(const Features<float>&, Targets,
                                                            const LossOptions&, int);
template std::unique_ptr<Objective<double>> linear_objective(const Features<double>&, Targets,
                                                             const LossOptions&, int);

}  // namespace alfcg
