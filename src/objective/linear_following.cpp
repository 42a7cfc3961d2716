// The part of the linear model that remembers the scores of an iterate from step to step.
#include <algorithm>

#include "core/parallel.hpp"
#include "objective/linear.hpp"

namespace alfcg {

namespace {

// Scores may always take this much memory, or a tenth of what the data take.
constexpr Index modest_bytes = Index{64} << 20;
// Moves after which the scores are computed from the data again: rounding errors never pile up.
constexpr int most_moves = 64;
// Scores below which waking other threads costs more than it saves.
constexpr Index serial_scores = Index{1} << 13;

}  // namespace

template <class Real>
void LinearObjective<Real>::follow(const Matrix<Real>* x) {
    const Index bytes = samples_ * kernels::padded<Real>(shape_.rows) * static_cast<Index>(sizeof(Real));
    followed_ = bytes <= std::max(modest_bytes, data_bytes_ / 10) ? x : nullptr;
    known_ = Knowledge::nothing;
    aimed_ = false;
    noting_moves_ = false;
    moves_noted_ = 0;
    prepared_at_ = {nowhere, nowhere};
}

template <class Real>
double LinearObjective<Real>::followed_pass(const Matrix<Real>& x, Matrix<Real>* gradient) {
    Pass pass{{nullptr, samples_}, {.x = &x}, gradient, Source::remembered};
    switch (known_) {
        case Knowledge::nothing:
            pass.source = Source::data_and_remember;
            moves_ = 0;
            break;
        case Knowledge::scores_before_a_move:
            pass.source = Source::remembered_and_moved;
            break;
        case Knowledge::scores:
            break;
    }
    const double value = run(pass);
    known_ = Knowledge::scores;
    return value;
}

template <class Real>
template <class Body>
void LinearObjective<Real>::for_each_block(const Body& body) {
    const int threads = samples_ * shape_.rows < serial_scores ? 1 : threads_;
    const Index block = engine_->block();
    parallel(threads, [&](int part) {
        const auto [first, last] = alfcg::share(samples_, part, threads);
        for (Index begin = first; begin < last; begin += block)
            body(part, Stretch{begin, std::min(block, last - begin)});
    });
}

template <class Real>
void LinearObjective<Real>::aim(const Vertex<Real>& vertex) {
    aimed_ = false;
    if (followed_ == nullptr || known_ != Knowledge::scores) return;
    factored_ = scores_.take_factors(vertex);
    const bool look = !factored_ || scores_.needs_projection();
    const Selection all{nullptr, samples_};
    const int threads = engine_->begin(all, scoring(), threads_);
    prepare_scratch(threads, {});
    if (factored_) {
        scores_.prepare_projection();
        if (look) prepare_projection(all, 0, scores_.vertex());
    } else {
        scores_.prepare_towards();
        prepare_point(all, 0, vertex.dense, nowhere);
    }
    const auto layout = engine_->layout(shape_.rows);
    if (look) {
        engine_->for_each_piece(threads, [&](int part, int piece, int /*next*/) {
            Real* scores = scratch_[static_cast<std::size_t>(part)].scores.data();
            const auto [first, last] = engine_->piece(piece);
            for (Index begin = first; begin < last; begin += engine_->block()) {
                const Stretch stretch{begin, std::min(engine_->block(), last - begin)};
                engine_->score(part, 0, stretch, scores);
                if (factored_) {
                    std::copy_n(scores, stretch.count, scores_.projection(stretch));
                } else {
                    scores_.store_towards(stretch, scores, layout);
                }
            }
        });
    }
    aimed_ = true;
}

template <class Real>
std::optional<double> LinearObjective<Real>::value_along(double step) {
    if (!aimed_) return std::nullopt;
    losses_.assign(static_cast<std::size_t>(threads_), 0);
    prepare_scratch(threads_, {});
    const auto layout = engine_->layout(shape_.rows);
    for_each_block([&](int part, Stretch stretch) {
        Scratch& scratch = scratch_[static_cast<std::size_t>(part)];
        scores_.load_along(stretch, step, factored_, scratch.scores.data(), layout);
        losses_[static_cast<std::size_t>(part)] +=
            loss_.apply(scratch.scores.data(), stretch.count, layout, loss_.targets() + stretch.first, 1);
    });
    return mean_loss(samples_);
}

template <class Real>
void LinearObjective<Real>::note_move(const Vertex<Real>& vertex, double step) {
    FactoredMove<Real>& move = last_moves_[static_cast<std::size_t>(moves_noted_ % 2)];
    if (move.vertex.take(vertex)) {
        move.step = step;
        ++moves_noted_;
    } else {
        moves_noted_ = 0;
        prepared_at_ = {nowhere, nowhere};
    }
}

template <class Real>
void LinearObjective<Real>::moved(const Vertex<Real>& vertex, double step) {
    if (noting_moves_) note_move(vertex, step);
    if (followed_ == nullptr || known_ == Knowledge::nothing) return;
    const bool second_move = known_ == Knowledge::scores_before_a_move;
    if (second_move || ++moves_ > most_moves || (!aimed_ && !scores_.take_factors(vertex))) {
        known_ = Knowledge::nothing;
    } else if (aimed_) {
        for_each_block([&](int /*part*/, Stretch stretch) { scores_.advance(stretch, step, factored_); });
    } else {
        step_ = step;
        known_ = Knowledge::scores_before_a_move;
    }
    aimed_ = false;
}

template void LinearObjective<float>::follow(const Matrix<float>*);
template void LinearObjective<double>::follow(const Matrix<double>*);
template void LinearObjective<float>::aim(const Vertex<float>&);
template void LinearObjective<double>::aim(const Vertex<double>&);
template std::optional<double> LinearObjective<float>::value_along(double);
template std::optional<double> LinearObjective<double>::value_along(double);
template void LinearObjective<float>::moved(const Vertex<float>&, double);
template void LinearObjective<double>::moved(const Vertex<double>&, double);
template double LinearObjective<float>::followed_pass(const Matrix<float>&, Matrix<float>*);
template double LinearObjective<double>::followed_pass(const Matrix<double>&, Matrix<double>*);

}  // namespace alfcg
