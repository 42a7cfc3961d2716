#include "objective/linear.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "alfcg/core/error.hpp"
#include "core/parallel.hpp"
#include "kernels/instruction_sets.hpp"
#include "kernels/vector.hpp"
#include "objective/device_linear.hpp"
#include "objective/few_features.hpp"
#include "objective/leading_moments.hpp"
#include "objective/problem_checks.hpp"
#include "objective/scores.hpp"

namespace alfcg {

namespace {

// Where a rank has no rows, a row of zeros that counts for nothing stands in for them: passes need no other way to go.
template <class Real>
Features<Real> never_empty(const Features<Real>& features) {
    if (rows(features) > 0) return features;
    if (const auto* dense = std::get_if<DenseFeatures<Real>>(&features)) {
        Buffer<Real> zeros;
        std::fill_n(zeros.extend(static_cast<std::size_t>(dense->cols())), dense->cols(), Real(0));
        return DenseFeatures<Real>(std::move(zeros), 1, dense->cols());
    }
    SparseFeatures<Real> empty;
    Buffer<Index> start;
    std::fill_n(start.extend(2), 2, Index{0});
    empty.start = std::move(start);
    empty.row_count = 1;
    empty.col_count = cols(features);
    return empty;
}

Targets never_empty(Targets targets, const LossSpec& loss) {
    const bool classes = find_loss(loss.name).target == TargetKind::classes;
    if (!(classes ? targets.classes.empty() : targets.values.empty())) return targets;
    if (classes) {
        targets.classes.assign(1, 0);
    } else {
        targets.values.assign(1, 1);
    }
    targets.weights.assign(1, 0);
    return targets;
}

// Scores may always take this much memory, or a tenth of what the data take.
template <class Real>
bool scores_are_modest(Index samples, Index outputs, Index data_bytes, Index memory) {
    constexpr Index modest_size = Index{64} << 20;
    const Index bytes = samples * kernels::padded<Real>(outputs) * static_cast<Index>(sizeof(Real));
    return bytes <= std::min(memory, std::max(modest_size, data_bytes / 10));
}

// What copies may take: what was asked for, or half of what is free. Small data are not worth the look.
Index room_for_copies(std::optional<Index> asked, Index data_bytes) {
    constexpr Index small = Index{16} << 20;
    return asked ? *asked : data_bytes <= small ? any_copy : static_cast<Index>(free_memory() / 2);
}

}  // namespace

template <class Real>
LinearObjective<Real>::LinearObjective(const Features<Real>& features, const Targets& targets,
                                       const LossSpec& loss, int threads, bool intercept,
                                       std::optional<Index> memory, const RowShare& share)
    : rows_(share),
      intercept_(intercept ? std::make_optional<FollowedIntercept<Real>>(targets, loss, rows_)
                           : std::nullopt),
      loss_(never_empty(targets, loss), loss, intercept ? intercept_->shift() : 0, rows_),
      threads_(resolve_threads(threads)),
      samples_(std::max<Index>(rows_.own, 1)),
      shape_{targets.outputs, cols(features)},
      features_(never_empty(features)),
      pages_(features_),
      entries_(static_cast<Index>(sum_over(rows_.ranks, static_cast<double>(entries_of(features))))),
      room_(room_for_copies(memory, bytes_of(features))),
      engine_(row_engine(features_, targets.outputs, threads_, Use::often, room_)),
      scratch_(static_cast<std::size_t>(threads_)),
      may_remember_(scores_are_modest<Real>(samples_, shape_.rows, bytes_of(features), room_)) {
    if (rows_.ranks != nullptr) may_remember_ = rows_.ranks->all(may_remember_);
    if (intercept) begin_intercept(targets.weights);
}

template <class Real>
Selection LinearObjective<Real>::own_rows(std::span<const Index> rows, std::vector<Index>& list) const {
    if (rows_.ranks == nullptr) return {rows.data(), static_cast<Index>(rows.size())};
    list.clear();
    for (const Index row : rows)
        if (row >= rows_.first && row < rows_.first + rows_.own) list.push_back(row - rows_.first);
    list.reserve(1);  // no list at all would be all rows
    return {list.data(), std::ssize(list)};
}

template <class Real>
void LinearObjective<Real>::sum_ranks(Matrix<Real>* gradient, std::span<double> few) const {
    if (rows_.ranks == nullptr) return;
    if (gradient != nullptr) gradient->share_by(keeps_shares_ ? rows_.ranks : nullptr);
    const bool whole = gradient != nullptr && !keeps_shares_;
    if (whole || !few.empty()) rows_.ranks->sum(whole ? gradient->span() : std::span<Real>(), few);
}

template <class Real>
double LinearObjective<Real>::evaluate(const Iterate<Real>& x, Matrix<Real>& gradient) {
    gradient.reshape(shape_);
    return full_pass(x, &gradient);
}

template <class Real>
double LinearObjective<Real>::value(const Iterate<Real>& x) {
    return full_pass(x, nullptr);
}

template <class Real>
void LinearObjective<Real>::batch_gradient(std::span<const Index> rows, const Iterate<Real>& x,
                                           Matrix<Real>& gradient) {
    gradient.reshape(shape_);
    run({.selection = own_rows(rows, own_list_),
         .count = std::ssize(rows),
         .points = {.x = &x},
         .gradient = &gradient});
}

template <class Real>
void LinearObjective<Real>::blend(std::span<const Index> rows, const Blend<Real>& blend,
                                  Matrix<Real>& gradient, Matrix<Real>& /*scratch*/) {
    gradient.reshape(shape_);
    Pass pass{.selection = own_rows(rows, own_list_),
              .count = std::ssize(rows),
              .points = blend,
              .gradient = &gradient};
    if (blend.y != nullptr) {
        pass.move = factored_move(*blend.x, blend.y->version(), blend.x->version());
        if (pass.move != nullptr) pass.source = Source::second_and_moved;
    }
    run(pass);
}

template <class Real>
std::unique_ptr<Part<Real>> LinearObjective<Real>::part(std::span<const Index> columns) {
    if (!loss_.bends() && !loss_.relative()) return Objective<Real>::part(columns);
    const bool whole = !intercept_ && std::ssize(columns) == shape_.cols;
    auto part = whole && loss_.bends() && std::holds_alternative<SparseFeatures<Real>>(features_)
                    ? std::make_unique<LinearPart<Real>>(features_, *engine_, prepared_at_, DrawnRows<Real>{},
                                                         loss_, shape_.rows, nullptr, rows_, threads_)
                    : few_features(some_columns(features_, columns, intercept_.has_value(), threads_));
    if (may_remember_ && shape_.rows == 1) part->leave_to(&left_, whole);
    return part;
}

template <class Real>
std::unique_ptr<Part<Real>> LinearObjective<Real>::part(const Matrix<Real>& directions) {
    if (!loss_.bends() && !loss_.relative()) return Objective<Real>::part(directions);
    return few_features(products_with(features_, directions, intercept_.has_value(), threads_));
}

template <class Real>
Index LinearObjective<Real>::column_bytes(Index column) {
    const auto* sparse = std::get_if<SparseFeatures<Real>>(&features_);
    if (sparse == nullptr) return Objective<Real>::column_bytes(column);
    if (column_entries_.empty()) {
        column_entries_.resize(static_cast<std::size_t>(shape_.cols));
        for (Index k = 0; k < sparse->nonzeros(); ++k)
            ++column_entries_[static_cast<std::size_t>(sparse->column.data()[k])];
        sum_over<double>(rows_.ranks, column_entries_);
    }
    return static_cast<Index>(column_entries_[static_cast<std::size_t>(column)]) *
           static_cast<Index>(sizeof(Real) + sizeof(std::int32_t));
}

template <class Real>
std::vector<double> LinearObjective<Real>::most_curvatures() {
    if (!std::holds_alternative<SparseFeatures<Real>>(features_) || !loss_.bends() || shape_.rows != 1)
        return {};
    std::vector<double> squares = column_squares(features_, {nullptr, samples_}, threads_);
    if (rows_.own == 0) std::fill(squares.begin(), squares.end(), 0.0);
    sum_over<double>(rows_.ranks, squares);
    for (double& square : squares) square *= loss_.most_bend() / static_cast<double>(rows_.total);
    return squares;
}

template <class Real>
std::optional<SecondMoments<Real>> LinearObjective<Real>::second_moments() {
    const Index room = rows_.ranks == nullptr ? room_ : rows_.ranks->told(room_);
    return leading_moments(features_, loss_.truth().weights,
                           intercept_ ? intercept_->centre() : std::vector<double>(), entries_, rows_,
                           threads_, room);
}

template <class Real>
std::unique_ptr<LinearPart<Real>> LinearObjective<Real>::few_features(Features<Real> products) const {
    return std::make_unique<LinearPart<Real>>(std::move(products), entries_, loss_, shape_.rows,
                                              intercept_ ? &*intercept_ : nullptr, rows_, threads_);
}

template <class Real>
void LinearObjective<Real>::expect(std::span<const Index> rows) {
    const Selection own = own_rows(rows, next_list_);
    // Rows side by side are asked for together.
    for (Index i = 0; pages_.on() && i < own.count;) {
        Index next = i + 1;
        while (next < own.count && own.list[next] == own.list[next - 1] + 1) ++next;
        pages_.soon(own.list[i], own.list[next - 1] + 1);
        i = next;
    }
    engine_->expect(own);
}

template <class Real>
void LinearObjective<Real>::prepare_scratch(int threads, const Blend<Real>& points) {
    const auto scores = static_cast<std::size_t>(engine_->score_size(shape_.rows));
    for (int part = 0; part < threads; ++part) {
        Scratch& scratch = scratch_[static_cast<std::size_t>(part)];
        scratch.scores.resize(std::max(scratch.scores.size(), scores));
        if (points.y != nullptr) scratch.second.resize(scores);
        if (points.y != nullptr) scratch.projection.resize(scores);
        if (points.slopes != nullptr || keeps_bends_) scratch.change.resize(scores);
        scratch.targets.resize(static_cast<std::size_t>(kernels::padded<Real>(engine_->block())));
        if (loss_.truth().weights != nullptr) scratch.weights.resize(scratch.targets.size());
    }
}

template <class Real>
double LinearObjective<Real>::own_loss() const {
    return std::accumulate(losses_.begin(), losses_.end(), 0.0);
}

template <class Real>
double LinearObjective<Real>::mean_loss() const {
    return sum_over(rows_.ranks, own_loss()) / static_cast<double>(rows_.total);
}

template <class Real>
std::vector<double> LinearObjective<Real>::residual_sums() const {
    std::vector<double> sums(static_cast<std::size_t>(shape_.rows));
    for (std::size_t at = 0; at < residuals_.size(); ++at) sums[at % sums.size()] += residuals_[at];
    return sums;
}

template <class Real>
Truth<Real> LinearObjective<Real>::truth_of(const Selection& selection, RowRange range,
                                            Scratch& scratch) const {
    if (selection.list == nullptr) return loss_.truth(range.first);
    const Truth<Real> all = loss_.truth();
    const auto gather = [&](const Real* from, AlignedVector<Real>& to) -> const Real* {
        if (from == nullptr) return nullptr;
        for (Index i = 0; i < range.count; ++i)
            to[static_cast<std::size_t>(i)] = from[selection.row(range.first + i)];
        return to.data();
    };
    return {gather(all.targets, scratch.targets), gather(all.weights, scratch.weights)};
}

template <class Real>
void LinearObjective<Real>::prepare_weights(const Pass& pass) {
    const Blend<Real>& points = pass.points;
    switch (pass.source) {
        case Source::second_and_moved:
            prepare_point(pass.selection, 1, *points.y, *points.x);
            prepare_projection(pass.selection, 0, pass.move->vertex);
            return;
        case Source::remembered_and_moved:
            pass.scores->prepare_projection();
            prepare_projection(pass.selection, 0, pass.move->vertex);
            return;
        case Source::remembered:
            return;
        case Source::data_and_remember:
            pass.scores->resize(samples_, shape_.rows, engine_->layout(shape_.rows));
            break;
        case Source::data:
            break;
    }
    prepare_point(pass.selection, 0, *points.x, *points.x);
    if (points.y != nullptr) prepare_point(pass.selection, 1, *points.y, *points.x);
}

// X w is scored as a set of its own.
template <class Real>
void LinearObjective<Real>::prepare_projection(const Selection& selection, std::size_t set,
                                               const VertexFactors<Real>& vertex) {
    if (selection.list != nullptr) prepared_at_[set] = Version::none;
    if (vertex.scale != 0) engine_->prepare(set, vertex.right.data(), 1);
}

template <class Real>
const FactoredMove<Real>* LinearObjective<Real>::factored_move(const Iterate<Real>& x, Version from,
                                                               Version to) {
    if (from == Version::none) return nullptr;
    for (std::size_t back = 0; const MadeMove<Real>* made = x.last_move(back); ++back) {
        if (made->from != from || made->to != to) continue;
        for (const LedTo& known : led_to_)
            if (known.to == to) return &known.move;
        LedTo& entry = led_to_[next_led_to_];
        entry.to = Version::none;
        if (!entry.move.take(*made)) return nullptr;
        entry.to = to;
        next_led_to_ = (next_led_to_ + 1) % led_to_.size();
        return &entry.move;
    }
    return nullptr;
}

// `x` is the iterate that may have moved from where the set's weights were to the point.
template <class Real>
void LinearObjective<Real>::prepare_point(const Selection& selection, std::size_t set,
                                          const Iterate<Real>& point, const Iterate<Real>& x) {
    const bool batch = selection.list != nullptr;
    engine_->prepare(set, point.matrix().data(), shape_.rows,
                     batch ? factored_move(x, prepared_at_[set], point.version()) : nullptr);
    if (batch) prepared_at_[set] = point.version();
}

template <class Real>
double LinearObjective<Real>::run(const Pass& pass) {
    const bool several = rows_.ranks != nullptr && (pass.judges || pass.gradient != nullptr);
    const bool moves_intercept = intercept_ && pass.selection.list != nullptr && pass.points.at_x != 0;
    run_own(pass, moves_intercept);
    // The loss, the slopes, and the sums of the residuals.
    few_.assign(1, own_loss());
    Slopes sums;
    for (const Slopes& piece : slopes_) {
        sums.at_x += piece.at_x;
        sums.at_y += piece.at_y;
    }
    if (pass.points.slopes != nullptr) few_.insert(few_.end(), {sums.at_x, sums.at_y});
    if (moves_intercept) {
        const std::vector<double> residuals = residual_sums();
        few_.insert(few_.end(), residuals.begin(), residuals.end());
    }
    if (several) sum_ranks(pass.gradient, few_);
    if (moves_intercept)
        intercept_->move(*pass.points.x, pass.count,
                         std::span(few_).last(static_cast<std::size_t>(shape_.rows)),
                         pass.points.slopes != nullptr ? 1 : pass.points.at_x);
    if (pass.points.slopes != nullptr) *pass.points.slopes = {few_[1], few_[2]};
    return few_.front() / static_cast<double>(pass.count);
}

// What a gradient keeps that is summed up, rank 0 does; the others add to it.
template <class Real>
void LinearObjective<Real>::run_own(const Pass& pass, bool sums_residuals) {
    const double keep = rows_.leads() || keeps_shares_ ? pass.points.keep : 0;
    if (pass.selection.count == 0) {
        losses_.clear();
        slopes_.clear();
        residuals_.clear();
        if (keep == 0) {
            pass.gradient->fill(0);
        } else {
            kernels::scale_to(pass.gradient->size(), keep, pass.gradient->data(), pass.gradient->data());
        }
        return;
    }
    if (pass.selection.list == nullptr)
        pages_.in_order();
    else
        pages_.listed(pass.selection.list, pass.selection.count);
    const int threads = engine_->begin(pass.selection, scoring(), threads_);
    prepare_scratch(threads, pass.points);
    prepare_weights(pass);
    if (pass.gradient != nullptr) engine_->open_gradient(pass.gradient->data(), keep);
    losses_.assign(static_cast<std::size_t>(engine_->pieces()), 0);
    slopes_.assign(losses_.size(), {});
    if (sums_residuals) residuals_.assign(losses_.size() * static_cast<std::size_t>(shape_.rows), 0);
    engine_->for_each_piece(threads, [&](int part, int piece, int next) {
        losses_[static_cast<std::size_t>(piece)] = pass_piece(pass, part, piece, next);
    });
    if (pass.gradient != nullptr) engine_->close_gradient();
}

template <class Real>
bool LinearObjective<Real>::scores_rows(const Pass& pass) const {
    switch (pass.source) {
        case Source::remembered:
            return false;
        case Source::remembered_and_moved:
        case Source::second_and_moved:
            return pass.move->vertex.scale != 0;
        case Source::data:
        case Source::data_and_remember:
            return true;
    }
    return true;
}

template <class Real>
void LinearObjective<Real>::score_block(const Pass& pass, int part, RowRange range, Scratch& scratch) {
    if (pass.points.y != nullptr) engine_->score(part, 1, range, scratch.second.data());
    if (scores_rows(pass)) engine_->score(part, 0, range, scratch.scores.data());
}

// What set 0 has given, if it was asked, becomes the scores at the first point.
template <class Real>
void LinearObjective<Real>::complete_scores(const Pass& pass, RowRange range, Scratch& scratch) {
    const auto layout = engine_->layout(shape_.rows);
    Real* scores = scratch.scores.data();
    switch (pass.source) {
        case Source::data:
            break;
        case Source::data_and_remember:
            pass.scores->store(range, scores, layout);
            break;
        case Source::remembered_and_moved:
            if (pass.scores->needs_projection())
                std::copy_n(scores, range.count, pass.scores->projection(range));
            pass.scores->advance(range, {pass.move->keep, pass.move->coefficient});
            pass.scores->load(range, scores, layout);
            break;
        case Source::remembered:
            pass.scores->load(range, scores, layout);
            break;
        case Source::second_and_moved: {
            const FactoredMove<Real>& move = *pass.move;
            std::copy_n(scores, range.count, scratch.projection.data());
            std::copy_n(scratch.second.data(), engine_->score_size(shape_.rows), scores);
            move.vertex.mix(move.keep, move.coefficient, scratch.projection.data(), range.count, shape_.rows,
                            scores, layout);
            break;
        }
    }
}

// Scores become residuals, at two points their combination; returns the sum of the losses at the first.
template <class Real>
double LinearObjective<Real>::apply_loss(const Pass& pass, RowRange range, Scratch& scratch, int piece) {
    const auto layout = engine_->layout(shape_.rows);
    const double weight = 1 / static_cast<double>(pass.count);
    const Blend<Real>& points = pass.points;
    const Truth<Real> truth = truth_of(pass.selection, range, scratch);
    const Index size = engine_->score_size(shape_.rows);
    Real* scores = scratch.scores.data();
    Real* second = scratch.second.data();
    const bool slopes = points.y != nullptr && points.slopes != nullptr;
    if (slopes) {
        std::copy_n(scores, size, scratch.change.data());
        kernels::axpby(size, -1, second, 1, scratch.change.data());
    }
    if (intercept_) add_intercept(intercept_at(*points.x), range.count, layout, scores);
    const bool bends = keeps_bends_ && pass.selection.list == nullptr && pass.gradient != nullptr;
    if (bends && loss_.bends()) std::copy_n(scores, range.count, scratch.change.data());
    const double loss =
        loss_.apply(scores, range.count, layout, truth, slopes ? weight : weight * points.at_x);
    if (bends) keep_bends(range, scores, scratch.change.data());
    if (intercept_ && pass.selection.list != nullptr)
        add_residuals(scores, range.count, layout, residuals_.data() + piece * shape_.rows);
    if (points.y == nullptr) return loss;
    if (intercept_) add_intercept(intercept_at(*points.y), range.count, layout, second);
    loss_.apply(second, range.count, layout, truth, slopes ? weight : weight * points.at_y);
    if (!slopes) {
        kernels::axpby(size, 1, second, 1, scores);
        return loss;
    }
    const Real* change = scratch.change.data();
    Slopes& sums = slopes_[static_cast<std::size_t>(piece)];
    sums.at_x += block_product(scores, change, range.count, shape_.rows, layout);
    sums.at_y += block_product(second, change, range.count, shape_.rows, layout);
    kernels::axpby(size, points.at_y, second, points.at_x, scores);
    return loss;
}

template <class Real>
double LinearObjective<Real>::pass_piece(const Pass& pass, int part, int piece, int next) {
    Scratch& scratch = scratch_[static_cast<std::size_t>(part)];
    Real* scores = scratch.scores.data();
    const auto [first, last] = engine_->piece(piece);
    if (pass.gradient != nullptr) engine_->open_partial_sum(part, piece);
    double loss = 0;
    const auto judge = [&](RowRange range) {
        complete_scores(pass, range, scratch);
        if (pass.judges) loss += apply_loss(pass, range, scratch, piece);
    };
    if (engine_->walks() && scores_rows(pass) && pass.points.y == nullptr) {
        engine_->walk(part, {first, last - first}, scores, judge);
        return loss;
    }
    const auto layout = engine_->layout(shape_.rows);
    const Index block = engine_->block();
    const auto range_at = [&](Index begin, Index end) {
        return RowRange{begin, std::min(block, end - begin)};
    };
    RowRange after;
    if (next < engine_->pieces()) after = std::apply(range_at, engine_->piece(next));
    for (Index begin = first; begin < last; begin += block) {
        const RowRange range = range_at(begin, last);
        score_block(pass, part, range, scratch);
        judge(range);
        if (pass.gradient != nullptr) {
            engine_->add(part, range, scores, layout,
                         begin + block < last ? range_at(begin + block, last) : after);
        }
    }
    return loss;
}

// Scores that follow an iterate, and weights that have been moved along, are not those that come from the data again, to the last bit.
template <class Real>
void LinearObjective<Real>::archive(Archive& state) {
    state(scores_at_, full_at_, followed_, moves_, along_, factored_, left_);
    const bool along = along_ != Version::none;
    if (may_remember_) scores_.archive(state, along);
    if (intercept_) state(*intercept_);
    state(keeps_bends_, row_bends_, bends_at_);
    state(led_to_, next_led_to_, prepared_at_);
    state(*engine_);
    if (!state.loading()) return;
    // Scores may be moved along before the first pass, block by block.
    engine_->begin({nullptr, samples_}, scoring(), threads_);
    prepare_scratch(threads_, {});
}

template <class Real>
void linear_scores(const Features<Real>& features, Index first, Index last, const Matrix<Real>& weights,
                   Real* scores, int threads) {
    const Index outputs = weights.rows();
    threads = resolve_threads(threads);
    const auto engine = row_engine(features, outputs, threads, Use::once);
    std::vector<Index> rows(static_cast<std::size_t>(last - first));
    for (Index i = first; i < last; ++i) rows[static_cast<std::size_t>(i - first)] = i;
    threads = engine->begin({rows.data(), last - first}, {outputs}, threads);
    engine->prepare(0, weights.data(), outputs);
    PageAdvice<Real>(features).in_order();
    const auto layout = engine->layout(outputs);
    std::vector<AlignedVector<Real>> blocks(static_cast<std::size_t>(threads));
    for (auto& block : blocks) block.resize(static_cast<std::size_t>(engine->score_size(outputs)));
    engine->for_each_piece(threads, [&](int part, int piece, int /*next*/) {
        Real* block = blocks[static_cast<std::size_t>(part)].data();
        const auto [begin, end] = engine->piece(piece);
        for (Index at = begin; at < end; at += engine->block()) {
            const RowRange range{at, std::min(engine->block(), end - at)};
            engine->score(part, 0, range, block);
            for (Index i = 0; i < range.count; ++i)
                for (Index l = 0; l < outputs; ++l)
                    scores[(at + i) * outputs + l] =
                        block[i * layout.sample_stride + l * layout.output_stride];
        }
    });
}

namespace {

// What every rank computes for itself, the oracle's answers above all, is to be the same to the bit.
void use_common_instructions(Ranks& ranks) {
    const std::int64_t own = kernels::instruction_sets();
    std::int64_t common = own;
    for (const std::int64_t sets : ranks.gather(own)) common &= sets;
    if (common != own) kernels::use_instruction_sets(common);
}

}  // namespace

template <class Real>
std::unique_ptr<Objective<Real>> linear_objective(const Features<Real>& features, Targets targets,
                                                  const LossSpec& loss, int threads, bool intercept,
                                                  std::optional<Index> memory, Ranks* ranks,
                                                  std::shared_ptr<Device> device) {
    if (ranks != nullptr && ranks->size() == 1) ranks = nullptr;
    if (ranks != nullptr) use_common_instructions(*ranks);
    const RowShare share(ranks, rows(features), !targets.weights.empty());
    agree(ranks, [&] { check_problem(features, targets, loss, resolve_threads(threads), share); });
    if (device != nullptr && ranks != nullptr) throw QuantityError("device", "must be cpu on several ranks");
    if (device != nullptr)
        return std::make_unique<DeviceObjective<Real>>(features, std::move(targets), loss, threads, intercept,
                                                       memory, std::move(device));
    return std::make_unique<LinearObjective<Real>>(features, targets, loss, threads, intercept, memory,
                                                   share);
}

template class LinearObjective<float>;
template class LinearObjective<double>;
template void linear_scores(const Features<float>&, Index, Index, const Matrix<float>&, float*, int);
template void linear_scores(const Features<double>&, Index, Index, const Matrix<double>&, double*, int);
template std::unique_ptr<Objective<float>> linear_objective(const Features<float>&, Targets, const LossSpec&,
                                                            int, bool, std::optional<Index>, Ranks*,
                                                            std::shared_ptr<Device>);
template std::unique_ptr<Objective<double>> linear_objective(const Features<double>&, Targets,
                                                             const LossSpec&, int, bool, std::optional<Index>,
                                                             Ranks*, std::shared_ptr<Device>);

}  // namespace alfcg
