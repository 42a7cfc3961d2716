#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "corrective/corrector.hpp"
#include "corrective/face_inner.hpp"
#include "corrective/l1_part.hpp"
#include "corrective/l1_samples.hpp"

namespace alfcg {

namespace {

// Columns beside those in use, at least, that join the part.
constexpr Index least_columns = 64;
// So few are in play from the beginning, and as many as have no more entries together than so few without zeros: there, steps
// through all of them cost no more than telling them apart does.
constexpr Index few_columns = 256;
// Columns join whose slopes are this near to those in use, where they have few entries.
constexpr double near_level = 0.8;
// There, a part is made anew where the columns in play take less than this share of its memory.
constexpr double too_few = 2.0 / 3;
// Inner work ends when the part's gap is this share of the whole one's.
constexpr double inner_share = 0.3;
constexpr int most_models = 3;
// Where a model has led nowhere: how much more is done before that is put down to rounding.
constexpr int last_effort = 16;
// A part has its columns twice: by rows and by columns.
constexpr Index copies = 2;
// Rows for each column from which on data are tall.
constexpr double tall = 16;
constexpr double very_evenly = 1.5;

template <class Real>
class L1Corrector final : public Corrector<Real> {
  public:
    L1Corrector(const Ball& ball, Index memory) : ball_(ball), memory_(memory) {}

    bool correct(Run<Real>& run, const Proposal<Real>& seen, Move<Real>& move, double& step) override {
        // With several outputs, parts of columns have no matrix of second derivatives that could be made of some of the rows.
        if (run.x().shape().rows > 1 && has_many_rows(run.objective())) {
            if (!samples_) samples_ = on_samples<Real>(l1_sample_descent<Real>(ball_), memory_);
            return samples_->correct(run, seen, move, step);
        }
        Vertex<Real>& better = move.towards();
        step = 1;
        const Matrix<Real>& x = run.x().matrix();
        if (!choose_columns(x, seen.gradient, run.objective())) {
            // There is no room for the columns of x: steps that need none.
            if (!without_columns_) without_columns_ = smooth_corrector<Real>(memory_);
            work_.reset();
            part_.reset();
            return without_columns_->correct(run, seen, move, step);
        }
        Matrix<Real> s(part_->shape());
        for (Index l = 0; l < x.rows(); ++l)
            for (std::size_t k = 0; k < columns_.size(); ++k) s(l, static_cast<Index>(k)) = x(l, columns_[k]);
        part_->take_intercept(run.x(), s);
        L1Part<Real>& work = *work_;
        const Index calls = work.calls();
        const Index trials = work.trials();
        work.start(s);
        const double before = work.objective();
        const double gap_before = work.gap();
        run.require_finite(before + gap_before);
        // Where most of the data are in play, the slopes after one model tell better which columns are worth it.
        const bool wide = std::ssize(columns_) > few_columns && part_->share() > too_few;
        for (int turn = 0; turn < (wide ? 1 : most_models); ++turn) {
            if (turn > 0 && work.gap() <= inner_share * seen.gap) break;
            if (!work.improve() && (turn > 0 || !work.improve(last_effort))) break;
        }
        const auto passes = static_cast<double>(work.calls() - calls) * part_->share();
        run.account().counters.component_gradients +=
            static_cast<Index>(passes * static_cast<double>(run.objective().samples()));
        run.account().counters.function_evaluations += work.trials() - trials;
        write(work.lightest(), x.shape(), better);
        better.composite = run.region().composite(better.to_matrix());
        part_->leave_intercept(work.s(), run.x());
        if (!(work.objective() < before || work.gap() < gap_before)) return false;
        part_->leave(move.version(), work.value(), work.gradient());
        return true;
    }
    // Of many full rows every pass is dear, and steps on all of f need few of them.
    bool is_even(Run<Real>& run) override {
        // What several outputs have in common, inner steps alone take away.
        if (run.x().shape().rows > 1) return false;
        const auto samples = static_cast<double>(run.objective().samples());
        const auto cols = static_cast<double>(run.x().shape().cols);
        return samples >= tall * cols && static_cast<double>(run.objective().entries()) == samples * cols &&
               faces::bends_evenly(run, very_evenly);
    }
    void archive(Run<Real>& run, Archive& state) override {
        state(trust_, columns_, bytes_);
        if (state.has(part_, [&] { return run.objective().part(columns_); })) state(*part_);
        if (state.has(work_, [&] { return std::make_unique<L1Part<Real>>(*part_, ball_, trust_); }))
            state(*work_);
        if (state.has(without_columns_, [&] { return smooth_corrector<Real>(memory_); }))
            without_columns_->archive(run, state);
        if (state.has(samples_, [&] { return on_samples<Real>(l1_sample_descent<Real>(ball_), memory_); }))
            samples_->archive(run, state);
    }

  private:
    // The multiplier of the ball as far as it can be told at zero: that of a parabola for every column by itself. 0 where curvatures are not
    // known.
    [[nodiscard]] double first_level(const Matrix<Real>& gradient, Objective<Real>& objective) const;
    // False where those of x alone take too much memory.
    bool choose_columns(const Matrix<Real>& x, const Matrix<Real>& gradient, Objective<Real>& objective);
    void write(const Matrix<Real>& s, Shape shape, Vertex<Real>& to) const;

    Ball ball_;
    Index memory_;
    L1Trust trust_;
    std::vector<Index> columns_;
    Index bytes_ = 0;  // that they take
    std::unique_ptr<Part<Real>> part_;
    std::unique_ptr<L1Part<Real>> work_;  // on it
    std::unique_ptr<Corrector<Real>> without_columns_;
    std::unique_ptr<Corrector<Real>> samples_;
};

template <class Real>
double L1Corrector<Real>::first_level(const Matrix<Real>& gradient, Objective<Real>& objective) const {
    const std::vector<double> curvatures = objective.most_curvatures();
    if (curvatures.empty()) return 0;
    double steepest = 0;
    for (const Real slope : gradient.span())
        steepest = std::max(steepest, std::abs(static_cast<double>(slope)));
    // Columns that the multiplier is above stay where they are: those that are much less steep are looked at only where it is that low.
    for (double cut = steepest / 8;; cut = cut < 1e-6 * steepest ? 0 : cut / 8) {
        std::vector<double> z;
        std::vector<double> own;
        for (Index j = 0; j < gradient.size(); ++j) {
            const double curvature = curvatures[static_cast<std::size_t>(j)];
            const auto slope = static_cast<double>(gradient.data()[j]);
            if (std::abs(slope) < cut || curvature == 0) continue;
            z.push_back(-slope / curvature);
            own.push_back(curvature);
        }
        const double level =
            L1Projection()(own, std::vector<char>(z.size()), ball_.radius, ball_.composite.l1, z);
        if (level >= cut) return level;
    }
}

template <class Real>
bool L1Corrector<Real>::choose_columns(const Matrix<Real>& x, const Matrix<Real>& gradient,
                                       Objective<Real>& objective) {
    const Index cols = x.cols();
    std::vector<double> steepness(static_cast<std::size_t>(cols));
    std::vector<char> used(steepness.size());
    for (Index l = 0; l < x.rows(); ++l) {
        for (Index j = 0; j < cols; ++j) {
            const auto at = static_cast<std::size_t>(j);
            steepness[at] = std::max(steepness[at], std::abs(static_cast<double>(gradient(l, j))));
            if (x(l, j) != 0) used[at] = 1;
        }
    }
    const auto support = static_cast<Index>(std::count(used.begin(), used.end(), 1));
    // Columns that are steeper than those in use will come in, those nearly as steep may.
    double slope = 0;
    double norm = 0;
    for (Index i = 0; i < x.size(); ++i) {
        slope -= static_cast<double>(gradient.data()[i]) * static_cast<double>(x.data()[i]);
        norm += std::abs(static_cast<double>(x.data()[i]));
    }
    const bool light =
        x.rows() == 1 && objective.entries() <= few_columns * std::max<Index>(objective.samples(), 1);
    double level = 0;
    if (norm > 0) {
        level = std::max(slope / norm, ball_.composite.l1);
    } else if (light) {
        level = first_level(gradient, objective);
    }
    std::vector<Index> others;
    Index steeper = 0;
    for (Index j = 0; j < cols; ++j) {
        if (used[static_cast<std::size_t>(j)] != 0) continue;
        others.push_back(j);
        if (steepness[static_cast<std::size_t>(j)] >= (light ? near_level * level : level)) ++steeper;
    }
    if (!light) steeper = std::min(steeper, 4 * support);
    Index more = cols <= few_columns
                     ? cols - support
                     : std::min(std::max({steeper, support / 2, least_columns}), cols - support);
    const auto steeper_first = [&](Index a, Index b) {
        return steepness[static_cast<std::size_t>(a)] > steepness[static_cast<std::size_t>(b)];
    };
    if (more < std::ssize(others))
        std::nth_element(others.begin(), others.begin() + more, others.end(), steeper_first);
    const auto bytes_of = [&](Index sum, Index j) { return sum + copies * objective.column_bytes(j); };
    Index bytes = 0;
    for (Index j = 0; j < cols; ++j)
        if (used[static_cast<std::size_t>(j)] != 0) bytes = bytes_of(bytes, j);
    if (std::accumulate(others.begin(), others.begin() + more, bytes, bytes_of) > memory_)
        std::sort(others.begin(), others.begin() + more, steeper_first);
    for (Index k = 0; k < more; ++k) {
        bytes = bytes_of(bytes, others[static_cast<std::size_t>(k)]);
        if (bytes > memory_) more = k;
    }
    if (more == 0 && bytes > memory_) return false;
    for (Index k = 0; k < more; ++k) used[static_cast<std::size_t>(others[static_cast<std::size_t>(k)])] = 1;
    std::vector<Index> columns;
    columns.reserve(static_cast<std::size_t>(support + more));
    for (Index j = 0; j < cols; ++j)
        if (used[static_cast<std::size_t>(j)] != 0) columns.push_back(j);
    if (part_ && (!light || static_cast<double>(bytes) >= too_few * static_cast<double>(bytes_)) &&
        std::includes(columns_.begin(), columns_.end(), columns.begin(), columns.end()))
        return true;
    bytes_ = bytes;
    columns_ = std::move(columns);
    part_.reset();
    part_ = objective.part(columns_);
    work_ = std::make_unique<L1Part<Real>>(*part_, ball_, trust_);
    return true;
}

template <class Real>
void L1Corrector<Real>::write(const Matrix<Real>& s, Shape shape, Vertex<Real>& to) const {
    to.kind = Vertex<Real>::Kind::sparse;
    to.shape = shape;
    to.positions.clear();
    to.values.clear();
    for (Index l = 0; l < shape.rows; ++l) {
        for (std::size_t k = 0; k < columns_.size(); ++k) {
            const Real entry = s(l, static_cast<Index>(k));
            if (entry == 0) continue;
            to.positions.push_back(l * shape.cols + columns_[k]);
            to.values.push_back(entry);
        }
    }
}

}  // namespace

template <class Real>
std::unique_ptr<Corrector<Real>> l1_corrector(const Ball& ball, Index memory) {
    return std::make_unique<L1Corrector<Real>>(ball, memory);
}

template std::unique_ptr<Corrector<float>> l1_corrector(const Ball&, Index);
template std::unique_ptr<Corrector<double>> l1_corrector(const Ball&, Index);

}  // namespace alfcg
