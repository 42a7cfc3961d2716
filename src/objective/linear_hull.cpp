// The part of the linear model that looks around in the hull of a few points, from their scores alone.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <vector>

#include "objective/linear.hpp"

namespace alfcg {

namespace {

// Scores, and samples, that second derivatives are taken from: the weights are few, and these know how f bends along them.
constexpr Index curved_scores = 16384;
constexpr Index least_curved = 512;
constexpr Index most_curved = 4096;
// So many at a time, from all over the data.
constexpr Index curved_together = 64;

}  // namespace

/// The scores of Σ w_k p_k are Σ w_k Z_k: products with the data are made when a point comes, and never again.
template <class Real>
class LinearObjective<Real>::HullOfScores final : public Hull<Real> {
  public:
    explicit HullOfScores(LinearObjective& objective) : f_(objective) {}

    [[nodiscard]] Index point_bytes() const override {
        const Index outputs = f_.shape_.rows;
        const Index padded = outputs > kernels::few_outputs ? kernels::padded<Real>(outputs) : outputs;
        return (f_.rows_.total * padded + f_.shape_.size()) * static_cast<Index>(sizeof(Real));
    }
    [[nodiscard]] double share() const override {
        return static_cast<double>(f_.rows_.total * this->count()) /
               static_cast<double>(std::max<Index>(f_.entries(), 1));
    }
    void add(const Vertex<Real>& point) override {
        Hull<Real>::add(point);
        score(point.to_matrix(), scores_.emplace_back());
    }
    void remove(Index k) override {
        Hull<Real>::remove(k);
        scores_.erase(scores_.begin() + k);
    }
    void set_first(const Iterate<Real>& x, bool here) override {
        if (scores_.empty()) scores_.emplace_back();
        this->write_first(x);
        if (here) {
            std::swap(scores_.front(), at_);
        } else {
            score(x.matrix(), scores_.front());
        }
        if (f_.intercept_) intercept_ = f_.intercept_at(x);
    }
    void merge(Index k, double weight_of_first, double weight_of_k) override {
        this->merge_points(k, weight_of_first, weight_of_k);
        const double sum = weight_of_first + weight_of_k;
        std::vector<double> weights(scores_.size());
        weights.front() = weight_of_first / sum;
        weights[static_cast<std::size_t>(k)] = weight_of_k / sum;
        begin();
        f_.for_each_block([&](int part, RowRange range) {
            scores_.front().store(range, mix(part, range, weights), layout());
        });
        remove(k);
    }

    double evaluate(std::span<const double> weights, std::span<double> gradient) override {
        begin();
        at_.resize(f_.samples_, f_.shape_.rows, layout());
        f_.for_each_block([&](int part, RowRange range) {
            Real* scores = mix(part, range, weights);
            at_.store(range, scores, layout());
        });
        return judge(gradient);
    }
    void aim(std::span<const double> d) override {
        begin();
        at_.prepare_towards();
        f_.for_each_block(
            [&](int part, RowRange range) { at_.store_towards(range, mix(part, range, d), layout()); });
    }
    double value_after(double step) override {
        begin();
        const auto load = [&](RowRange range, Real* scores) {
            at_.load_mixed(range, {1, step, false}, scores, layout());
        };
        if (f_.intercept_) {
            std::vector<double> tried = intercept_;
            return f_.best_intercept(load, tried, nullptr).loss;
        }
        return f_.loss_of(load);
    }
    double advance(double step, std::span<double> gradient) override {
        begin();
        f_.for_each_block([&](int /*part*/, RowRange range) { at_.advance(range, {1, step, false}); });
        return judge(gradient);
    }
    void curvatures(Matrix<double>& matrix) override;

    void leave_intercept(const Iterate<Real>& x) const override {
        if (f_.intercept_) x.intercept().next = intercept_;
    }
    void archive(Archive& state) override {
        Hull<Real>::archive(state);
        state.visit_count(scores_);
        for (FollowedScores<Real>& scores : scores_) scores.archive(state, false);
        at_.archive(state, false);
        state(intercept_);
    }

  private:
    [[nodiscard]] kernels::ScoreLayout layout() const { return f_.engine_->layout(f_.shape_.rows); }
    void begin() {
        f_.engine_->begin({nullptr, f_.samples_}, f_.scoring(), f_.threads_);
        f_.prepare_scratch(f_.threads_, {});
        for (Scratch& scratch : f_.scratch_) scratch.change.resize(scratch.scores.size());
    }
    void score(const Matrix<Real>& point, FollowedScores<Real>& to) {
        const Iterate<Real> at(point);
        Pass pass = f_.full(&at);
        pass.source = Source::data_and_remember;
        pass.scores = &to;
        pass.judges = false;
        f_.run(pass);
    }
    Real* mix(int part, RowRange range, std::span<const double> weights) const {
        AlignedVector<Real>& scores = f_.scratch_[static_cast<std::size_t>(part)].scores;
        std::fill(scores.begin(), scores.end(), Real(0));
        for (std::size_t k = 0; k < weights.size(); ++k)
            if (weights[k] != 0) scores_[k].add_to(range, weights[k], scores.data(), layout());
        return scores.data();
    }
    // f at the scores at hand, with the best intercept; and its derivatives by the weights.
    double judge(std::span<double> gradient) {
        if (f_.intercept_)
            f_.best_intercept([&](RowRange range, Real* scores) { at_.load(range, scores, layout()); },
                              intercept_, nullptr);
        const auto count = static_cast<std::size_t>(this->count());
        f_.losses_.assign(static_cast<std::size_t>(f_.threads_), 0);
        std::vector<double> sums(f_.losses_.size() * count);
        f_.for_each_block([&](int part, RowRange range) {
            Real* scores = f_.scratch_[static_cast<std::size_t>(part)].scores.data();
            at_.load(range, scores, layout());
            if (f_.intercept_) f_.add_intercept(intercept_, range.count, layout(), scores);
            f_.losses_[static_cast<std::size_t>(part)] +=
                f_.loss_.apply(scores, range.count, layout(), f_.loss_.truth(range.first), 1);
            for (std::size_t k = 0; k < count; ++k)
                sums[static_cast<std::size_t>(part) * count + k] +=
                    scores_[k].product(range, scores, layout());
        });
        std::fill(gradient.begin(), gradient.end(), 0.0);
        for (std::size_t at = 0; at < sums.size(); ++at)
            gradient[at % count] += sums[at] / static_cast<double>(f_.rows_.total);
        sum_over(f_.rows_.ranks, gradient);
        return f_.mean_loss();
    }
    // q: how much the loss of a sample bends, by output; of classes, scores count less their mean by q then.
    void bend(RowRange range, Real* scores, Real* raw, Eigen::ArrayXXd& q) const;

    LinearObjective& f_;
    std::vector<FollowedScores<Real>> scores_;  // of the points
    FollowedScores<Real> at_;                   // at the weights, and along d
    std::vector<double> intercept_;             // there
};

template <class Real>
void LinearObjective<Real>::HullOfScores::bend(RowRange range, Real* scores, Real* raw,
                                               Eigen::ArrayXXd& q) const {
    const auto at = layout();
    const Truth<Real> truth = f_.loss_.truth(range.first);
    std::copy_n(scores, f_.engine_->score_size(f_.shape_.rows), raw);
    f_.loss_.apply(scores, range.count, at, truth, 1);
    for (Index i = 0; i < range.count; ++i) {
        const double weight = truth.weights == nullptr ? 1 : static_cast<double>(truth.weights[i]);
        if (f_.loss_.bends()) {
            q(i, 0) = f_.loss_.bend(static_cast<double>(raw[i]), static_cast<double>(scores[i]),
                                    static_cast<double>(truth.targets[i]), weight);
            continue;
        }
        // Residuals are the shares of the classes, less 1 for a sample's own.
        for (Index l = 0; l < f_.shape_.rows; ++l)
            q(i, l) = static_cast<double>(scores[i * at.sample_stride + l * at.output_stride]);
        q(i, static_cast<Index>(truth.targets[i])) += weight;
        q.row(i) = q.row(i).max(0.0);
    }
}

template <class Real>
void LinearObjective<Real>::HullOfScores::curvatures(Matrix<double>& matrix) {
    begin();
    const auto at = layout();
    const Index outputs = f_.shape_.rows;
    const Index count = this->count();
    const Index together = std::min(curved_together, f_.engine_->block());
    const Index ranges = (f_.samples_ + together - 1) / together;
    const Index rows = std::clamp(curved_scores / outputs, least_curved, most_curved);
    const Index used = std::min(ranges, rows / together);
    Eigen::ArrayXXd q(together, outputs);
    Eigen::ArrayXXd centred(together, outputs);
    Eigen::MatrixXd panel(together * outputs, count);
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(count, count);
    Eigen::MatrixXd crossed = Eigen::MatrixXd::Zero(outputs, count);  // with the intercepts
    Eigen::VectorXd bends = Eigen::VectorXd::Zero(outputs);
    Real* scores = f_.scratch_.front().scores.data();
    Real* raw = f_.scratch_.front().change.data();
    Index samples = 0;
    for (Index block = 0; block < used; ++block) {
        const Index first = ranges * block / used * together;
        const RowRange range{first, std::min(together, f_.samples_ - first)};
        samples += range.count;
        at_.load(range, scores, at);
        if (f_.intercept_) f_.add_intercept(intercept_, range.count, at, scores);
        q.setZero();
        bend(range, scores, raw, q);
        bends += q.colwise().sum().matrix().transpose();
        const Eigen::ArrayXXd roots = q.sqrt();
        const Eigen::ArrayXd weights = q.rowwise().sum().max(1e-300);
        using Strides = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
        const Eigen::Map<const Eigen::Array<Real, Eigen::Dynamic, Eigen::Dynamic>, 0, Strides> own(
            scores, range.count, outputs, Strides(at.output_stride, at.sample_stride));
        centred.setZero();
        for (Index k = 0; k < count; ++k) {
            scores_[static_cast<std::size_t>(k)].load(range, scores, at);
            centred.topRows(range.count) = own.template cast<double>();
            if (!f_.loss_.bends()) centred.colwise() -= (q * centred).rowwise().sum() / weights;
            panel.col(k) = (roots * centred).matrix().reshaped();
            crossed.col(k) += (q * centred).colwise().sum().matrix().transpose();
        }
        sum.selfadjointView<Eigen::Lower>().rankUpdate(panel.transpose());
    }
    if (f_.rows_.ranks != nullptr) {
        // Those that a rank has looked at stand for all of its own.
        const double share = static_cast<double>(f_.rows_.own) / static_cast<double>(samples);
        sum *= share;
        crossed *= share;
        bends *= share;
        f_.rows_.ranks->sum(std::span(sum.data(), static_cast<std::size_t>(sum.size())));
        f_.rows_.ranks->sum(std::span(crossed.data(), static_cast<std::size_t>(crossed.size())),
                            std::span(bends.data(), static_cast<std::size_t>(bends.size())));
        samples = f_.rows_.total;
    }
    // f is the least over the intercepts, which are taken one by one: along several at a time f bends less than so.
    if (f_.intercept_)
        for (Index l = 0; l < outputs; ++l)
            if (bends(l) > 0)
                sum.selfadjointView<Eigen::Lower>().rankUpdate(crossed.row(l).transpose(), -1 / bends(l));
    matrix.reshape({count, count});
    for (Index k = 0; k < count; ++k)
        for (Index l = 0; l <= k; ++l) matrix(k, l) = matrix(l, k) = sum(k, l) / static_cast<double>(samples);
}

template <class Real>
std::unique_ptr<Hull<Real>> LinearObjective<Real>::hull() {
    if (!loss_.bends() && !loss_.relative()) return Objective<Real>::hull();
    return std::make_unique<HullOfScores>(*this);
}

template std::unique_ptr<Hull<float>> LinearObjective<float>::hull();
template std::unique_ptr<Hull<double>> LinearObjective<double>::hull();

}  // namespace alfcg
