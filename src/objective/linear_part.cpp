#include "objective/linear_part.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/parallel.hpp"
#include "kernels/vector.hpp"
#include "objective/few_features.hpp"

namespace alfcg {

namespace {

// Copies that speed passes up are worth their making where sums of few columns do not do without.
template <class Real>
Use use_of(const Features<Real>& products) {
    constexpr Index few_columns = 2048;
    return std::holds_alternative<SparseFeatures<Real>>(products) && cols(products) > few_columns ? Use::often
                                                                                                  : Use::once;
}

}  // namespace

template <class Real>
LinearPart<Real>::LinearPart(Features<Real> products, Index entries, const BlockLoss<Real>& loss,
                             Index outputs, const InterceptRule* intercept, const RowShare& rows, int threads)
    : products_(std::move(products)),
      loss_(loss),
      truth_(loss.truth()),
      rows_(rows),
      samples_(alfcg::rows(products_)),
      all_(rows.total),
      shape_{outputs, cols(products_)},
      intercept_(intercept),
      apart_(false),
      threads_(threads),
      share_(sum_over(rows.ranks, static_cast<double>(entries_of(products_))) /
             static_cast<double>(std::max<Index>(entries, 1))),
      own_engine_(row_engine(products_, outputs, threads, use_of(products_))),
      engine_(own_engine_.get()),
      bends_(static_cast<std::size_t>(samples_ * outputs)),
      scratch_(static_cast<std::size_t>(threads)) {}

template <class Real>
LinearPart<Real>::LinearPart(const Features<Real>& features, RowEngine<Real>& engine,
                             std::span<Version> prepared, DrawnRows<Real> drawn, const BlockLoss<Real>& loss,
                             Index outputs, const InterceptRule* intercept, const RowShare& rows, int threads)
    : products_(features),
      drawn_(std::move(drawn)),
      loss_(loss),
      truth_(drawn_.list.empty() ? loss.truth() : Truth<Real>{drawn_.targets.data(), drawn_.weights.data()}),
      rows_(rows),
      samples_(drawn_.list.empty() ? alfcg::rows(features) : std::ssize(drawn_.list)),
      all_(drawn_.list.empty() ? rows.total : drawn_.count),
      shape_{outputs, cols(features) + (intercept != nullptr ? 1 : 0)},
      intercept_(intercept),
      apart_(intercept != nullptr),
      threads_(threads),
      share_(static_cast<double>(all_) / static_cast<double>(rows.total)),
      engine_(&engine),
      prepared_(prepared),
      bends_(static_cast<std::size_t>(samples_ * outputs)),
      scratch_(static_cast<std::size_t>(threads)) {}

template <class Real>
Index LinearPart<Real>::entries() {
    if (entries_ < 0)
        entries_ = static_cast<Index>(sum_over(rows_.ranks, static_cast<double>(entries_of(products_))));
    return entries_;
}

template <class Real>
void LinearPart<Real>::prepare_scratch(int threads, Index outputs) {
    const auto size = static_cast<std::size_t>(engine_->score_size(outputs));
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
    const Truth<Real> truth = this->truth(range.first);
    const auto samples = static_cast<double>(all_);
    if (loss_.bends()) {
        std::copy_n(scores, range.count, raw);
        const double loss = loss_.apply(scores, range.count, layout, truth, 1);
        Real* own = bends_of(range.first, 0);
        for (Index i = 0; i < range.count; ++i) {
            const double weight = weight_of(range.first + i);
            double bend = loss_.bend(static_cast<double>(raw[i]), static_cast<double>(scores[i]),
                                     static_cast<double>(truth.targets[i]), weight);
            bend += stiffness_ * (weight * loss_.most_bend() - bend);
            own[i] = static_cast<Real>(bend);
            bends[0] += bend;
        }
        kernels::scale_to(engine_->score_size(outputs), 1 / samples, scores, scores);
        return loss;
    }
    const double loss = loss_.apply(scores, range.count, layout, truth, 1 / samples);
    // What is left of the residuals without the weights are the shares, less 1 for a sample's own class.
    for (Index i = 0; i < range.count; ++i) {
        const double weight = weight_of(range.first + i);
        raw[i] = static_cast<Real>(weight > 0 ? samples / weight : 0);
    }
    if (by_output_) {
        for (Index l = 0; l < outputs; ++l) {
            Real* own = bends_of(range.first, l);
            const Real* residuals = scores + l * layout.output_stride;
            for (Index i = 0; i < range.count; ++i) own[i] = raw[i] * residuals[i];
        }
    } else {
        for (Index i = 0; i < range.count; ++i) {
            Real* own = bends_of(range.first + i, 0);
            const Real* residuals = scores + i * layout.sample_stride;
            for (Index l = 0; l < outputs; ++l) own[l] = raw[i] * residuals[l];
        }
    }
    for (Index i = 0; i < range.count; ++i)
        *bends_of(range.first + i, static_cast<Index>(truth.targets[i])) += 1;
    const auto count = [&](Index i, Index l) {
        const auto share = static_cast<double>(*bends_of(range.first + i, l));
        const double bend = (1 - stiffness_) * share * (1 - share) + stiffness_ * loss_.most_bend();
        bends[l] += weight_of(range.first + i) * bend;
    };
    if (by_output_) {
        for (Index l = 0; l < outputs; ++l)
            for (Index i = 0; i < range.count; ++i) count(i, l);
    } else {
        for (Index i = 0; i < range.count; ++i)
            for (Index l = 0; l < outputs; ++l) count(i, l);
    }
    return loss;
}

template <class Real>
void LinearPart<Real>::bend(RowRange range, Real* scores, Real* sums) const {
    const auto layout = engine_->layout(shape_.rows);
    const Index outputs = shape_.rows;
    const Truth<Real> truth = this->truth(range.first);
    const auto mean = static_cast<Real>(1 / static_cast<double>(all_));
    if (loss_.bends()) {
        const Real* own = bends_of(range.first, 0);
        for (Index i = 0; i < range.count; ++i) scores[i] *= own[i] * mean;
        return;
    }
    // A share times what its score is above their mean, and the score above the plain mean where it is to be stiff.
    const auto stiff = static_cast<Real>(stiffness_ * loss_.most_bend());
    const auto own_part = static_cast<Real>(1 - stiffness_);
    const auto weight = [&](Index i) { return truth.weights == nullptr ? mean : mean * truth.weights[i]; };
    if (by_output_) {
        Real* plain = sums + range.count;
        std::fill_n(sums, 2 * range.count, Real(0));
        for (Index l = 0; l < outputs; ++l) {
            const Real* own = bends_of(range.first, l);
            const Real* output = scores + l * layout.output_stride;
            for (Index i = 0; i < range.count; ++i) sums[i] += own[i] * output[i];
            if (stiff == 0) continue;
            for (Index i = 0; i < range.count; ++i) plain[i] += output[i] / static_cast<Real>(outputs);
        }
        for (Index l = 0; l < outputs; ++l) {
            const Real* own = bends_of(range.first, l);
            Real* output = scores + l * layout.output_stride;
            for (Index i = 0; i < range.count; ++i)
                output[i] =
                    weight(i) * (own_part * own[i] * (output[i] - sums[i]) + stiff * (output[i] - plain[i]));
        }
        return;
    }
    for (Index i = 0; i < range.count; ++i) {
        const Real* own = bends_of(range.first + i, 0);
        Real* sample = scores + i * layout.sample_stride;
        Real mixed = 0;
        Real plain = 0;
        for (Index l = 0; l < outputs; ++l) {
            mixed += own[l] * sample[l];
            plain += sample[l];
        }
        plain /= static_cast<Real>(outputs);
        const Real factor = weight(i);
        for (Index l = 0; l < outputs; ++l)
            sample[l] = factor * (own_part * own[l] * (sample[l] - mixed) + stiff * (sample[l] - plain));
    }
}

template <class Real>
std::vector<double> LinearPart<Real>::pass(const Matrix<Real>* weights, Make make, Matrix<Real>* sums) {
    const Index outputs = shape_.rows;
    const Selection selection = this->selection();
    const int threads = engine_->begin(selection, {outputs, loss_.relative()}, threads_);
    const auto layout = engine_->layout(outputs);
    by_output_ = layout.sample_stride == 1;
    prepare_scratch(threads, shape_.rows);
    if (weights != nullptr) {
        if (selection.list != nullptr) std::fill(prepared_.begin(), prepared_.end(), Version::none);
        if (apart_) {
            weights_.reshape({outputs, features()});
            for (Index l = 0; l < outputs; ++l)
                std::copy_n(weights->data() + l * shape_.cols, features(), weights_.data() + l * features());
        }
        engine_->prepare(0, (apart_ ? weights_ : *weights).data(), outputs);
        scores_.resize(samples_, outputs, layout);
    }
    if (sums != nullptr) {
        sums->reshape(shape_);
        if (apart_) sums_.reshape({outputs, features()});
        engine_->open_gradient((apart_ ? sums_ : *sums).data(), 0);
    }
    const Index each = 1 + 2 * outputs;  // the last are sums of residuals, for an intercept
    std::vector<double> totals(static_cast<std::size_t>(engine_->pieces() * each));
    engine_->for_each_piece(threads, [&](int part, int piece, int next) {
        Real* scores = scratch_[static_cast<std::size_t>(part)].scores.data();
        const auto [first, last] = engine_->piece(piece);
        if (sums != nullptr) engine_->open_partial_sum(part, piece);
        const auto entry = [&](Index i, Index l) -> Real& {
            return scores[i * layout.sample_stride + l * layout.output_stride];
        };
        double* own = totals.data() + piece * each;
        const auto make_block = [&](RowRange range) {
            if (apart_ && weights != nullptr)
                for (Index l = 0; l < outputs; ++l)
                    for (Index i = 0; i < range.count; ++i) entry(i, l) += (*weights)(l, features());
            make(part, range, scores, own);
            if (!apart_ || sums == nullptr) return;
            for (Index l = 0; l < outputs; ++l)
                for (Index i = 0; i < range.count; ++i)
                    own[1 + outputs + l] += static_cast<double>(entry(i, l));
        };
        if (weights != nullptr && engine_->walks()) {
            engine_->walk(part, {first, last - first}, scores, make_block);
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
            if (weights != nullptr) engine_->score(part, 0, range, scores);
            make_block(range);
            if (sums == nullptr) continue;
            engine_->add(part, range, scores, layout,
                         begin + block < last ? range_at(begin + block, last) : after);
        }
    });
    if (sums != nullptr) engine_->close_gradient();
    std::vector<double> total(static_cast<std::size_t>(each));
    for (std::size_t at = 0; at < totals.size(); ++at) total[at % total.size()] += totals[at];
    if (rows_.ranks != nullptr)
        rows_.ranks->sum(sums == nullptr ? std::span<Real>() : (apart_ ? sums_ : *sums).span(), total);
    if (apart_ && sums != nullptr) {
        for (Index l = 0; l < outputs; ++l) {
            std::copy_n(sums_.data() + l * features(), features(), sums->data() + l * shape_.cols);
            (*sums)(l, features()) = static_cast<Real>(total[static_cast<std::size_t>(1 + outputs + l)]);
        }
    }
    return total;
}

template <class Real>
double LinearPart<Real>::judge_all(const Matrix<Real>* weights, Matrix<Real>& gradient) {
    const auto judge_block = [&](int part, RowRange range, Real* scores, double* totals) {
        const auto layout = engine_->layout(shape_.rows);
        if (weights != nullptr) {
            scores_.store(range, scores, layout);
        } else {
            scores_.load(range, scores, layout);
        }
        totals[0] += judge(range, scores, scratch_[static_cast<std::size_t>(part)].raw.data(), totals + 1);
    };
    const std::vector<double> totals = pass(weights, judge_block, &gradient);
    diagonal_.clear();
    walked_matrix_.clear();
    bend_sums_.assign(totals.begin() + 1, totals.begin() + 1 + shape_.rows);
    return totals.front() / static_cast<double>(all_);
}

template <class Real>
double LinearPart<Real>::evaluate(const Matrix<Real>& s, Matrix<Real>& gradient) {
    return judge_all(&s, gradient);
}

template <class Real>
void LinearPart<Real>::curve(const Matrix<Real>& d, Matrix<Real>& product) {
    scores_.prepare_towards();
    pass(
        &d,
        [&](int part, RowRange range, Real* scores, double* /*totals*/) {
            scores_.store_towards(range, scores, engine_->layout(shape_.rows));
            bend(range, scores, scratch_[static_cast<std::size_t>(part)].raw.data());
        },
        &product);
}

template <class Real>
double LinearPart<Real>::aim(const Matrix<Real>& d) {
    scores_.prepare_towards();
    const auto measure = [&](int part, RowRange range, Real* scores, double* totals) {
        const auto layout = engine_->layout(shape_.rows);
        Real* raw = scratch_[static_cast<std::size_t>(part)].raw.data();
        scores_.store_towards(range, scores, layout);
        bend(range, scores, raw);
        scores_.load_mixed(range, {0, 1, false}, raw, layout);
        totals[0] += block_product(scores, raw, range.count, shape_.rows, layout);
    };
    return pass(&d, measure, nullptr).front();
}

template <class Real>
double LinearPart<Real>::value_after(double step) {
    const auto layout = engine_->layout(shape_.rows);
    const int threads = parts_of(samples_ * shape_.rows, Index{1} << 13, threads_);
    prepare_scratch(threads, shape_.rows);
    std::vector<double> losses(static_cast<std::size_t>(threads));
    parallel(threads, [&](int part) {
        Real* scores = scratch_[static_cast<std::size_t>(part)].scores.data();
        const auto [first, last] = range_of_part(samples_, part, threads);
        for (Index begin = first; begin < last; begin += engine_->block()) {
            const RowRange range{begin, std::min(engine_->block(), last - begin)};
            scores_.load_mixed(range, {1, step, false}, scores, layout);
            losses[static_cast<std::size_t>(part)] +=
                loss_.apply(scores, range.count, layout, truth(range.first), 1);
        }
    });
    return sum_over(rows_.ranks, std::accumulate(losses.begin(), losses.end(), 0.0)) /
           static_cast<double>(all_);
}

template <class Real>
double LinearPart<Real>::advance(double step, Matrix<Real>& gradient) {
    const int threads = parts_of(samples_ * shape_.rows, threads_);
    parallel(threads, [&](int part) {
        const auto [first, last] = range_of_part(samples_, part, threads);
        scores_.advance({first, last - first}, {1, step, false});
    });
    return judge_all(nullptr, gradient);
}

template <class Real>
void LinearPart<Real>::curvatures(Matrix<double>& diagonal) {
    diagonal.reshape(shape_);
    if (squares_.empty()) {
        squares_ = column_squares(products_, selection(), threads_);
        if (rows_.own == 0) std::fill(squares_.begin(), squares_.end(), 0.0);
        sum_over<double>(rows_.ranks, squares_);
        if (apart_) squares_.push_back(static_cast<double>(all_));
    }
    const double mean = 1 / static_cast<double>(all_);
    for (Index l = 0; l < shape_.rows; ++l)
        for (Index k = 0; k < shape_.cols; ++k)
            diagonal(l, k) =
                bend_sums_[static_cast<std::size_t>(l)] * mean * squares_[static_cast<std::size_t>(k)] * mean;
}

template <class Real>
double LinearPart<Real>::spread(const Matrix<Real>& directions, Matrix<Real>& products,
                                std::vector<double>& mean_features) {
    const double mean = 1 / static_cast<double>(all_ * shape_.rows);
    AlignedVector<Real> weights(static_cast<std::size_t>(samples_));
    double sum = 0;
    for (Index i = 0; i < samples_; ++i) {
        double bend = 0;
        if (loss_.bends()) {
            bend = static_cast<double>(*bends_of(i, 0));
        } else {
            for (Index l = 0; l < shape_.rows; ++l) {
                const auto share = static_cast<double>(*bends_of(i, l));
                bend += share * (1 - share);
            }
            if (truth_.weights != nullptr) bend *= static_cast<double>(truth_.weights[i]);
        }
        weights[static_cast<std::size_t>(i)] = static_cast<Real>(mean * bend);
        sum += mean * bend;
    }
    sum = sum_over(rows_.ranks, sum);
    // Without the intercept, whether it is among the features or not.
    const Index cols = shape_.cols - free_columns();
    products.reshape({directions.rows(), cols});
    mean_features.assign(static_cast<std::size_t>(cols), 0);
    Matrix<Real> from;
    Matrix<Real> to;
    const Index most = kernels::few_outputs;
    const Index wanted =
        directions.rows() + 1;  // the last is not along a direction, but of all samples alike
    for (Index at = 0; at < wanted; at += most) {
        const Index count = std::min(most, wanted - at);
        from.reshape({count, features()});
        from.fill(0);
        to.reshape(from.shape());
        const Index along = std::min(count, directions.rows() - at);
        for (Index l = 0; l < along; ++l)
            std::copy_n(directions.data() + (at + l) * cols, cols, from.data() + l * features());
        const int threads = engine_->begin(selection(), {count}, threads_);
        prepare_scratch(threads, count);
        if (!drawn_.list.empty()) std::fill(prepared_.begin(), prepared_.end(), Version::none);
        engine_->prepare(0, from.data(), count);
        engine_->open_gradient(to.data(), 0);
        const auto layout = engine_->layout(count);
        engine_->for_each_piece(threads, [&](int part, int piece, int /*next*/) {
            Real* scores = scratch_[static_cast<std::size_t>(part)].scores.data();
            const auto [first, last] = engine_->piece(piece);
            engine_->open_partial_sum(part, piece);
            const auto weigh = [&](RowRange range) {
                const Real* own = weights.data() + range.first;
                for (Index l = 0; l < count; ++l)
                    for (Index i = 0; i < range.count; ++i) {
                        Real& score = scores[i * layout.sample_stride + l * layout.output_stride];
                        score = l < along ? score * own[i] : own[i];
                    }
            };
            if (engine_->walks()) {
                engine_->walk(part, {first, last - first}, scores, weigh);
                return;
            }
            for (Index begin = first; begin < last; begin += engine_->block()) {
                const RowRange range{begin, std::min(engine_->block(), last - begin)};
                engine_->score(part, 0, range, scores);
                weigh(range);
                engine_->add(part, range, scores, layout, {last, 0});
            }
        });
        engine_->close_gradient();
        sum_over(rows_.ranks, to.span());
        for (Index l = 0; l < along; ++l)
            std::copy_n(to.data() + l * features(), cols, products.data() + (at + l) * cols);
        if (along < count && sum > 0)
            for (Index j = 0; j < cols; ++j)
                mean_features[static_cast<std::size_t>(j)] = static_cast<double>(to(along, j)) / sum;
    }
    return sum;
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

template <class Real>
void LinearPart<Real>::leave(Version move, double value, const Matrix<Real>& gradient) const {
    if (left_ == nullptr || !by_output_) return;
    left_->move = move;
    left_->whole = whole_;
    left_->value = value;
    if (whole_) left_->gradient = gradient;
    left_->scores->take(scores_);
    *left_->scores_at = Version::none;
}

// What is at S. The next direction is aimed at before anything else is asked along it.
template <class Real>
void LinearPart<Real>::archive(Archive& state) {
    scores_.archive(state, false);
    state(stiffness_, bends_, by_output_, bend_sums_, draws_, diagonal_, shares_);
    if (own_engine_) state(*own_engine_);
    if (!state.loading()) return;
    engine_->begin(selection(), {shape_.rows, loss_.relative()}, threads_);
    prepare_scratch(threads_, shape_.rows);
}

template class LinearPart<float>;
template class LinearPart<double>;

}  // namespace alfcg
