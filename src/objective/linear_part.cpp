#include "objective/linear_part.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/parallel.hpp"
#include "kernels/vector.hpp"

namespace alfcg {

namespace {

// Directions up to which the matrix of second derivatives is worth its making.
constexpr Index most_gram_columns = 1024;
// Samples whose products are added up in the precision of the data.
constexpr Index gram_rows = 512;

// Copies that speed passes up are worth their making where sums of few columns do not do without.
template <class Real>
Use use_of(const Features<Real>& products) {
    constexpr Index few_columns = 2048;
    return std::holds_alternative<SparseFeatures<Real>>(products) && cols(products) > few_columns ? Use::often
                                                                                                  : Use::once;
}

template <class Real>
std::vector<double> column_squares(const Features<Real>& features) {
    std::vector<double> squares(static_cast<std::size_t>(cols(features)));
    const auto add = [&](Index j, Real value) {
        squares[static_cast<std::size_t>(j)] += static_cast<double>(value) * static_cast<double>(value);
    };
    if (const auto* sparse = std::get_if<SparseFeatures<Real>>(&features)) {
        for (Index k = 0; k < sparse->nonzeros(); ++k) add(sparse->column.data()[k], sparse->value.data()[k]);
    } else {
        const auto& dense = std::get<DenseFeatures<Real>>(features);
        for (Index i = 0; i < dense.rows(); ++i)
            for (Index j = 0; j < dense.cols(); ++j) add(j, dense.row(i)[j]);
    }
    return squares;
}

template <class Real>
using Rows = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// upper triangle += Σ_i weights[i] row_i ⊗ row_i over rows first .. last-1.
template <class Real>
void add_gram(const DenseFeatures<Real>& rows, const Real* weights, Index first, Index last,
              Matrix<double>& sum) {
    const Index cols = rows.cols();
    Rows<Real> scaled(gram_rows, cols);
    Rows<Real> product(cols, cols);
    Eigen::Map<Rows<double>> total(sum.data(), cols, cols);
    for (Index begin = first; begin < last; begin += gram_rows) {
        const Index count = std::min(gram_rows, last - begin);
        for (Index i = 0; i < count; ++i)
            kernels::scale_to(cols, std::sqrt(static_cast<double>(weights[begin + i])), rows.row(begin + i),
                              scaled.row(i).data());
        product.setZero();
        product.template selfadjointView<Eigen::Upper>().rankUpdate(scaled.topRows(count).transpose());
        for (Index a = 0; a < cols; ++a)
            total.row(a).tail(cols - a) += product.row(a).tail(cols - a).template cast<double>();
    }
}

template <class Real>
void add_gram(const SparseFeatures<Real>& rows, const Real* weights, Index first, Index last,
              Matrix<double>& sum) {
    for (Index i = first; i < last; ++i) {
        const Index end = rows.start.data()[i + 1];
        for (Index a = rows.start.data()[i]; a < end; ++a) {
            const double factor = static_cast<double>(weights[i]) * static_cast<double>(rows.value.data()[a]);
            double* line = sum.data() + rows.column.data()[a] * sum.cols();
            for (Index b = a; b < end; ++b)
                line[rows.column.data()[b]] += factor * static_cast<double>(rows.value.data()[b]);
        }
    }
}

}  // namespace

template <class Real>
LinearPart<Real>::LinearPart(Features<Real> products, Index entries, const BlockLoss<Real>& loss,
                             Index outputs, const InterceptRule* intercept, int threads)
    : products_(std::move(products)),
      loss_(loss),
      shape_{outputs, cols(products_)},
      intercept_(intercept),
      threads_(threads),
      share_(static_cast<double>(entries_of(products_)) / static_cast<double>(std::max<Index>(entries, 1))),
      samples_(rows(products_)),
      engine_(row_engine(products_, outputs, threads, use_of(products_))),
      bends_(static_cast<std::size_t>(samples_ * outputs)),
      squares_(column_squares(products_)),
      scratch_(static_cast<std::size_t>(threads)) {}

template <class Real>
void LinearPart<Real>::prepare_scratch(int threads) {
    const auto size = static_cast<std::size_t>(engine_->score_size(shape_.rows));
    for (int part = 0; part < threads; ++part) {
        Scratch& scratch = scratch_[static_cast<std::size_t>(part)];
        scratch.scores.resize(std::max(size, scratch.scores.size()));
        scratch.raw.resize(std::max(size, scratch.raw.size()));
    }
}

template <class Real>
double LinearPart<Real>::judge(RowRange range, Real* scores, Real* raw, double* bends) {
    const auto layout = engine_->layout(shape_.rows);
    const Index outputs = shape_.rows;
    const Truth<Real> truth = loss_.truth(range.first);
    const auto weight_of = [&](Index i) {
        return truth.weights == nullptr ? 1.0 : static_cast<double>(truth.weights[i]);
    };
    Real* own = bends_.data() + range.first * outputs;
    if (loss_.bends()) std::copy_n(scores, range.count, raw);
    const double loss = loss_.apply(scores, range.count, layout, truth, 1);
    if (loss_.bends()) {
        for (Index i = 0; i < range.count; ++i) {
            double bend = loss_.bend(static_cast<double>(raw[i]), static_cast<double>(scores[i]),
                                     static_cast<double>(truth.targets[i]), weight_of(i));
            bend += stiffness_ * (weight_of(i) * loss_.most_bend() - bend);
            own[i] = static_cast<Real>(bend);
            bends[0] += bend;
        }
    } else {
        for (Index i = 0; i < range.count; ++i) {
            const double weight = weight_of(i);
            const auto target = static_cast<Index>(truth.targets[i]);
            for (Index l = 0; l < outputs; ++l) {
                double share =
                    weight > 0
                        ? static_cast<double>(scores[i * layout.sample_stride + l * layout.output_stride]) /
                              weight
                        : 0;
                if (l == target) share += 1;
                own[i * outputs + l] = static_cast<Real>(share);
                bends[l] +=
                    weight * ((1 - stiffness_) * share * (1 - share) + stiffness_ * loss_.most_bend());
            }
        }
    }
    kernels::scale_to(engine_->score_size(outputs), 1 / static_cast<double>(samples_), scores, scores);
    return loss;
}

template <class Real>
void LinearPart<Real>::bend(RowRange range, Real* scores) const {
    const auto layout = engine_->layout(shape_.rows);
    const Index outputs = shape_.rows;
    const Real* own = bends_.data() + range.first * outputs;
    const double mean = 1 / static_cast<double>(samples_);
    if (loss_.bends()) {
        const Real factor = static_cast<Real>(mean);
        for (Index i = 0; i < range.count; ++i) scores[i] *= own[i] * factor;
        return;
    }
    const Truth<Real> truth = loss_.truth(range.first);
    for (Index i = 0; i < range.count; ++i, own += outputs) {
        Real* sample = scores + i * layout.sample_stride;
        Real mixed = 0;
        Real plain = 0;
        for (Index l = 0; l < outputs; ++l) {
            const Real score = sample[l * layout.output_stride];
            mixed += own[l] * score;
            plain += score;
        }
        plain /= static_cast<Real>(outputs);
        const double weight = mean * (truth.weights == nullptr ? 1 : static_cast<double>(truth.weights[i]));
        const Real factor = static_cast<Real>(weight * (1 - stiffness_));
        const Real most = static_cast<Real>(weight * stiffness_ * loss_.most_bend());
        for (Index l = 0; l < outputs; ++l) {
            Real& score = sample[l * layout.output_stride];
            score = factor * own[l] * (score - mixed) + most * (score - plain);
        }
    }
}

template <class Real>
double LinearPart<Real>::judge_all(Source source, const Real* weights, Matrix<Real>& gradient) {
    gradient.reshape(shape_);
    const int threads = engine_->begin({nullptr, samples_}, {shape_.rows, loss_.relative()}, threads_);
    prepare_scratch(threads);
    if (source == Source::data) {
        engine_->prepare(0, weights, shape_.rows);
        scores_.resize(samples_, shape_.rows, engine_->layout(shape_.rows));
    }
    engine_->open_gradient(gradient.data(), 0);
    const auto layout = engine_->layout(shape_.rows);
    const auto outputs = static_cast<std::size_t>(shape_.rows);
    std::vector<double> losses(static_cast<std::size_t>(engine_->pieces()));
    std::vector<double> bends(losses.size() * outputs);
    engine_->for_each_piece(threads, [&](int part, int piece, int next) {
        Scratch& scratch = scratch_[static_cast<std::size_t>(part)];
        Real* scores = scratch.scores.data();
        const auto [first, last] = engine_->piece(piece);
        engine_->open_partial_sum(part, piece);
        double loss = 0;
        const auto judge_block = [&](RowRange range) {
            if (source == Source::data) {
                scores_.store(range, scores, layout);
            } else {
                scores_.load(range, scores, layout);
            }
            loss += judge(range, scores, scratch.raw.data(),
                          bends.data() + static_cast<std::size_t>(piece) * outputs);
        };
        if (source == Source::data && engine_->walks()) {
            engine_->walk(part, {first, last - first}, scores, judge_block);
        } else {
            const Index block = engine_->block();
            const auto range_at = [&](Index begin, Index end) {
                return RowRange{begin, std::min(block, end - begin)};
            };
            RowRange after;
            if (next < engine_->pieces()) after = std::apply(range_at, engine_->piece(next));
            for (Index begin = first; begin < last; begin += block) {
                const RowRange range = range_at(begin, last);
                if (source == Source::data) engine_->score(part, 0, range, scores);
                judge_block(range);
                engine_->add(part, range, scores, layout,
                             begin + block < last ? range_at(begin + block, last) : after);
            }
        }
        losses[static_cast<std::size_t>(piece)] = loss;
    });
    engine_->close_gradient();
    diagonal_.clear();
    bend_sums_.assign(outputs, 0);
    for (std::size_t at = 0; at < bends.size(); ++at) bend_sums_[at % outputs] += bends[at];
    return std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(samples_);
}

template <class Real>
double LinearPart<Real>::evaluate(const Matrix<Real>& s, Matrix<Real>& gradient) {
    return judge_all(Source::data, s.data(), gradient);
}

template <class Real>
void LinearPart<Real>::curve(const Matrix<Real>& d, Matrix<Real>& product) {
    product.reshape(shape_);
    const int threads = engine_->begin({nullptr, samples_}, {shape_.rows, loss_.relative()}, threads_);
    prepare_scratch(threads);
    engine_->prepare(0, d.data(), shape_.rows);
    scores_.prepare_towards();
    engine_->open_gradient(product.data(), 0);
    const auto layout = engine_->layout(shape_.rows);
    engine_->for_each_piece(threads, [&](int part, int piece, int next) {
        Real* scores = scratch_[static_cast<std::size_t>(part)].scores.data();
        const auto [first, last] = engine_->piece(piece);
        engine_->open_partial_sum(part, piece);
        const auto bend_block = [&](RowRange range) {
            scores_.store_towards(range, scores, layout);
            bend(range, scores);
        };
        if (engine_->walks()) {
            engine_->walk(part, {first, last - first}, scores, bend_block);
            return;
        }
        const Index block = engine_->block();
        const auto range_at = [&](Index begin, Index end) {
            return RowRange{begin, std::min(block, end - begin)};
        };
        RowRange after;
        if (next < engine_->pieces()) after = std::apply(range_at, engine_->piece(next));
        for (Index begin = first; begin < last; begin += block) {
            const RowRange range = range_at(begin, last);
            engine_->score(part, 0, range, scores);
            bend_block(range);
            engine_->add(part, range, scores, layout,
                         begin + block < last ? range_at(begin + block, last) : after);
        }
    });
    engine_->close_gradient();
}

template <class Real>
double LinearPart<Real>::value_after(double step) {
    const auto layout = engine_->layout(shape_.rows);
    const int threads = parts_of(samples_ * shape_.rows, Index{1} << 13, threads_);
    prepare_scratch(threads);
    std::vector<double> losses(static_cast<std::size_t>(threads));
    parallel(threads, [&](int part) {
        Real* scores = scratch_[static_cast<std::size_t>(part)].scores.data();
        const auto [first, last] = range_of_part(samples_, part, threads);
        for (Index begin = first; begin < last; begin += engine_->block()) {
            const RowRange range{begin, std::min(engine_->block(), last - begin)};
            scores_.load_mixed(range, {1, step, false}, scores, layout);
            losses[static_cast<std::size_t>(part)] +=
                loss_.apply(scores, range.count, layout, loss_.truth(range.first), 1);
        }
    });
    return std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(samples_);
}

template <class Real>
double LinearPart<Real>::advance(double step, Matrix<Real>& gradient) {
    const int threads = parts_of(samples_ * shape_.rows, threads_);
    parallel(threads, [&](int part) {
        const auto [first, last] = range_of_part(samples_, part, threads);
        scores_.advance({first, last - first}, {1, step, false});
    });
    return judge_all(Source::moved, nullptr, gradient);
}

template <class Real>
void LinearPart<Real>::curvatures(Matrix<double>& diagonal) {
    diagonal.reshape(shape_);
    const double mean = 1 / static_cast<double>(samples_);
    for (Index l = 0; l < shape_.rows; ++l)
        for (Index k = 0; k < shape_.cols; ++k)
            diagonal(l, k) =
                bend_sums_[static_cast<std::size_t>(l)] * mean * squares_[static_cast<std::size_t>(k)] * mean;
}

template <class Real>
bool LinearPart<Real>::curvature_matrix(Matrix<double>& matrix) {
    if (!loss_.bends() || shape_.cols > most_gram_columns) return false;
    const Index k = shape_.cols;
    const int threads = parts_of(entries_of(products_) * k, Index{1} << 20, threads_);
    std::vector<Matrix<double>> sums(static_cast<std::size_t>(threads), Matrix<double>(k, k));
    parallel(threads, [&](int part) {
        const auto [first, last] = range_of_part(samples_, part, threads);
        Matrix<double>& sum = sums[static_cast<std::size_t>(part)];
        std::visit([&](const auto& rows) { add_gram(rows, bends_.data(), first, last, sum); }, products_);
    });
    matrix.reshape({k, k});
    const double mean = 1 / static_cast<double>(samples_);
    for (Index a = 0; a < k; ++a) {
        for (Index b = a; b < k; ++b) {
            double entry = 0;
            for (const Matrix<double>& sum : sums) entry += sum(a, b);
            matrix(a, b) = matrix(b, a) = entry * mean;
        }
        if (!std::isfinite(matrix(a, a))) return false;  // products of large features overflow
    }
    return true;
}

template <class Real>
void LinearPart<Real>::take_intercept(const Iterate<Real>& x, Matrix<Real>& s) const {
    if (intercept_ == nullptr) return;
    const std::vector<double>& at = x.intercept().at.empty() ? intercept_->start() : x.intercept().at;
    for (Index l = 0; l < shape_.rows; ++l)
        s(l, shape_.cols - 1) = static_cast<Real>(at[static_cast<std::size_t>(l)]);
}

template <class Real>
void LinearPart<Real>::leave_intercept(const Matrix<Real>& s, const Iterate<Real>& x) const {
    if (intercept_ == nullptr) return;
    std::vector<double>& next = x.intercept().next;
    next.clear();
    for (Index l = 0; l < shape_.rows; ++l) next.push_back(static_cast<double>(s(l, shape_.cols - 1)));
}

template class LinearPart<float>;
template class LinearPart<double>;

}  // namespace alfcg
