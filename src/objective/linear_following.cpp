// The part of the linear model that remembers the scores of an iterate from move to move.
#include <algorithm>

#include "core/parallel.hpp"
#include "kernels/vector.hpp"
#include "objective/linear.hpp"

namespace alfcg {

namespace {

// Moves after which the scores are computed from the data again: rounding errors never pile up.
constexpr int most_moves = 64;
// Moves from one full look to the next, one after another, that make it worth while.
constexpr int often = 2;
// Scores below which waking other threads costs more than it saves.
constexpr Index serial_scores = Index{1} << 13;

}  // namespace

template <class Real>
void LinearObjective<Real>::for_each_block(FunctionRef<void(int part, RowRange range)> body) {
    const int threads = samples_ * shape_.rows < serial_scores ? 1 : threads_;
    const Index block = engine_->block();
    parallel(threads, [&](int part) {
        const auto [first, last] = range_of_part(samples_, part, threads);
        for (Index begin = first; begin < last; begin += block)
            body(part, RowRange{begin, std::min(block, last - begin)});
    });
}

// They are followed by the part, which makes them anew now and then.
template <class Real>
bool LinearObjective<Real>::take_left(const Iterate<Real>& x) {
    const MadeMove<Real>* made = x.last_move();
    if (made == nullptr || made->move != left_.move || made->step != 1) return false;
    left_.move = Version::none;
    left_.at = x.version();
    if (intercept_) scores_.shift(-intercept_at(x).front());
    scores_at_ = x.version();
    moves_ = 0;
    return true;
}

// Scores are worth their memory where an iterate is looked at in full after every move: after two of them. A point that
// is looked at in between (a probe, a metric) leaves them as they are.
template <class Real>
typename LinearObjective<Real>::Source LinearObjective<Real>::source_of(const Iterate<Real>& x) {
    if (!may_remember_) return Source::data;
    if (scores_at_ == x.version() || take_left(x)) return Source::remembered;
    const MadeMove<Real>* made = x.last_move();
    if (made == nullptr) return Source::data;
    const bool near = made->from == scores_at_;
    if (near && moves_ < most_moves) {
        if (made->move == along_) {
            for_each_block([&](int /*part*/, RowRange range) {
                scores_.advance(range, {made->keep, made->coefficient[0], factored_});
            });
            ++moves_;
            return Source::remembered;
        }
        if (scores_.move().take(*made)) {
            ++moves_;
            return Source::remembered_and_moved;
        }
    }
    return near || followed_ >= often ? Source::data_and_remember : Source::data;
}

template <class Real>
double LinearObjective<Real>::full_pass(const Iterate<Real>& x, Matrix<Real>* gradient) {
    const bool follows = x.last_move() != nullptr && x.last_move()->from == full_at_;
    followed_ = follows ? followed_ + 1 : 0;
    const Source source = source_of(x);
    if (source == Source::data_and_remember) moves_ = 0;
    if (source != Source::data) {
        along_ = Version::none;
        scores_at_ = x.version();
    }
    full_at_ = x.version();
    if (left_.whole && left_.at == x.version()) {
        if (gradient != nullptr) *gradient = left_.gradient;
        return left_.value;
    }
    if (keeps_bends_ && gradient != nullptr) bends_at_ = x.version();
    if (intercept_) return full_pass_with_intercept(x, gradient, source);
    Pass pass = full(&x);
    pass.gradient = gradient;
    pass.source = source;
    pass.move = &scores_.move();
    pass.scores = &scores_;
    return run(pass);
}

template <class Real>
bool LinearObjective<Real>::prepare_line(const Iterate<Real>& x, const Move<Real>& move) {
    if (scores_at_ == x.version() && along_ == move.version()) return true;
    if (!may_remember_) return false;
    along_ = Version::none;
    const bool single = move.atoms() == 1;
    factored_ = single && scores_.move().vertex.take(move.atom());
    const Matrix<Real>* towards = &together_;
    if (single && !factored_) {
        if (move.atom().kind != Vertex<Real>::Kind::dense) return false;
        towards = &move.atom().dense;
    } else if (!single) {
        // One pass for d scores both atoms, and the move counts as one towards their sum.
        together_.reshape(shape_);
        together_.fill(0);
        for (std::size_t k = 0; k < move.atoms(); ++k)
            add(move.coefficient(k) / move.coefficient(), move.atom(k), together_);
    }
    if (scores_at_ != x.version()) {
        moves_ = 0;
        scores_at_ = x.version();
        const auto entries = x.matrix().span();
        if (std::all_of(entries.begin(), entries.end(), [](Real entry) { return entry == 0; })) {
            scores_.resize(samples_, shape_.rows, engine_->layout(shape_.rows));
            scores_.clear();
        } else {
            Pass pass = full(&x);
            pass.source = Source::data_and_remember;
            pass.scores = &scores_;
            pass.judges = false;
            run(pass);
        }
    }
    const bool needs_scores = !factored_ || scores_.needs_projection();
    const Selection all{nullptr, samples_};
    const int threads = engine_->begin(all, scoring(), threads_);
    prepare_scratch(threads, {});
    if (factored_) {
        scores_.prepare_projection();
        if (needs_scores) prepare_projection(all, 0, scores_.move().vertex);
    } else {
        scores_.prepare_towards();
        engine_->prepare(0, towards->data(), shape_.rows);
    }
    const auto layout = engine_->layout(shape_.rows);
    if (needs_scores) {
        engine_->for_each_piece(threads, [&](int part, int piece, int /*next*/) {
            Real* scores = scratch_[static_cast<std::size_t>(part)].scores.data();
            const auto [first, last] = engine_->piece(piece);
            for (Index begin = first; begin < last; begin += engine_->block()) {
                const RowRange range{begin, std::min(engine_->block(), last - begin)};
                engine_->score(part, 0, range, scores);
                if (factored_) {
                    std::copy_n(scores, range.count, scores_.projection(range));
                } else {
                    scores_.store_towards(range, scores, layout);
                }
            }
        });
    }
    along_ = move.version();
    return true;
}

template <class Real>
void LinearObjective<Real>::load_after(const Move<Real>& move, double step, RowRange range,
                                       Real* scores) const {
    scores_.load_mixed(range, {move.keep(step), step * move.coefficient(), factored_}, scores,
                       engine_->layout(shape_.rows));
}

template <class Real>
void LinearObjective<Real>::load_direction(const Move<Real>& move, RowRange range, Real* scores) const {
    scores_.load_mixed(range, {move.along_x(), move.coefficient(), factored_}, scores,
                       engine_->layout(shape_.rows));
}

template <class Real>
double LinearObjective<Real>::loss_of(LoadScores load) {
    const auto layout = engine_->layout(shape_.rows);
    losses_.assign(static_cast<std::size_t>(threads_), 0);
    prepare_scratch(threads_, {});
    for_each_block([&](int part, RowRange range) {
        Real* scores = scratch_[static_cast<std::size_t>(part)].scores.data();
        load(range, scores);
        losses_[static_cast<std::size_t>(part)] +=
            loss_.apply(scores, range.count, layout, loss_.truth(range.first), 1);
    });
    return mean_loss();
}

template <class Real>
double LinearObjective<Real>::value_after(const Iterate<Real>& x, const Move<Real>& move, double step) {
    if (!prepare_line(x, move)) return Objective<Real>::value_after(x, move, step);
    const auto load = [&](RowRange range, Real* scores) { load_after(move, step, range, scores); };
    if (intercept_) {
        std::vector<double> at = intercept_at(x);
        return best_intercept(load, at, nullptr).loss;
    }
    return loss_of(load);
}

// <∇f, d> = (1/N) Σ <residual, score along d>: no look at the data. With an intercept f is a minimum over it, whose
// derivative is that with the best one held.
template <class Real>
double LinearObjective<Real>::slope_after(const Iterate<Real>& x, const Move<Real>& move, double step) {
    if (!prepare_line(x, move)) return Objective<Real>::slope_after(x, move, step);
    const auto layout = engine_->layout(shape_.rows);
    std::vector<double> at;
    if (intercept_) {
        at = intercept_at(x);
        best_intercept([&](RowRange range, Real* scores) { load_after(move, step, range, scores); }, at,
                       nullptr);
    }
    const bool by_output = layout.sample_stride == 1;
    losses_.assign(static_cast<std::size_t>(threads_), 0);
    prepare_scratch(threads_, {});
    for (Scratch& scratch : scratch_) scratch.change.resize(scratch.scores.size());
    for_each_block([&](int part, RowRange range) {
        Scratch& scratch = scratch_[static_cast<std::size_t>(part)];
        Real* residuals = scratch.scores.data();
        load_after(move, step, range, residuals);
        if (intercept_) add_intercept(at, range.count, layout, residuals);
        loss_.apply(residuals, range.count, layout, loss_.truth(range.first), 1);
        load_direction(move, range, scratch.change.data());
        const Index runs = by_output ? shape_.rows : range.count;
        const Index stride = by_output ? layout.output_stride : layout.sample_stride;
        for (Index k = 0; k < runs; ++k)
            losses_[static_cast<std::size_t>(part)] -=
                kernels::direction(by_output ? range.count : shape_.rows, residuals + k * stride,
                                   scratch.change.data() + k * stride, 0, static_cast<const Real*>(nullptr))
                    .slope;
    });
    return mean_loss();
}

template void LinearObjective<float>::for_each_block(FunctionRef<void(int, RowRange)>);
template void LinearObjective<double>::for_each_block(FunctionRef<void(int, RowRange)>);
template double LinearObjective<float>::full_pass(const Iterate<float>&, Matrix<float>*);
template double LinearObjective<double>::full_pass(const Iterate<double>&, Matrix<double>*);
template double LinearObjective<float>::loss_of(LoadScores);
template double LinearObjective<double>::loss_of(LoadScores);
template double LinearObjective<float>::value_after(const Iterate<float>&, const Move<float>&, double);
template double LinearObjective<double>::value_after(const Iterate<double>&, const Move<double>&, double);
template double LinearObjective<float>::slope_after(const Iterate<float>&, const Move<float>&, double);
template double LinearObjective<double>::slope_after(const Iterate<double>&, const Move<double>&, double);

}  // namespace alfcg
