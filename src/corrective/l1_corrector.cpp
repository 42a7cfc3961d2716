#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "corrective/corrector.hpp"
#include "corrective/l1_model.hpp"

namespace alfcg {

namespace {

// Columns beside those in use, at least, that join the part.
constexpr Index least_columns = 64;
// Inner work ends when the part's gap is this share of the whole one's.
constexpr double inner_share = 0.1;
constexpr int most_models = 8;
// Of the part's gap: how exactly a model is minimised.
constexpr double model_share = 0.03;
constexpr int most_products = 200;
// Share of the promised decrease that a step must keep.
constexpr double least_descent = 1e-4;
constexpr int most_trials = 30;

/// f + h on the columns in play, and where it has got to.
template <class Real>
class L1Part {
  public:
    L1Part(Part<Real>& part, const Ball& ball) : part_(part), ball_(ball), free_(part.free_columns()) {
        const Shape shape = part.shape();
        minds_.reserve(static_cast<std::size_t>(shape.size()));
        for (Index i = 0; i < shape.size(); ++i)
            minds_.push_back(i % shape.cols < shape.cols - free_ ? 0 : 1);
    }

    void start(const Matrix<Real>& s) {
        s_ = s;
        value_ = part_.evaluate(s_, gradient_);
        ++calls_;
        look();
    }
    [[nodiscard]] double objective() const { return objective_; }
    [[nodiscard]] double gap() const { return gap_; }
    [[nodiscard]] const Matrix<Real>& s() const { return s_; }
    [[nodiscard]] Index calls() const { return calls_; }
    [[nodiscard]] Index trials() const { return trials_; }
    /// A step to the minimum of the model there; false where it leads nowhere.
    bool improve(double tolerance);

  private:
    // h of the entries that count, and the gap of f + h.
    void look();
    [[nodiscard]] double composite(const Matrix<Real>& s) const {
        double sum = 0;
        double squares = 0;
        for (Index i = 0; i < s.size(); ++i) {
            if (minds_[static_cast<std::size_t>(i)] != 0) continue;
            const auto entry = static_cast<double>(s.data()[i]);
            sum += std::abs(entry);
            squares += entry * entry;
        }
        return ball_.composite.l1 * sum + ball_.composite.l2 / 2 * squares;
    }
    [[nodiscard]] L1Model model(FunctionRef<void(const std::vector<double>&, std::vector<double>&)> curve);
    bool search_line(const Matrix<Real>& way, double slope);

    Part<Real>& part_;
    const Ball& ball_;
    Index free_;
    std::vector<char> minds_;  // entries that no norm minds
    Matrix<Real> s_;
    Matrix<Real> gradient_;
    Matrix<Real> way_;
    Matrix<Real> product_;
    Matrix<double> diagonal_;
    Matrix<double> matrix_;
    std::vector<double> slopes_;  // of f and the square of h
    double value_ = 0;
    double objective_ = 0;
    double gap_ = 0;
    Index calls_ = 0;
    Index trials_ = 0;
};

template <class Real>
void L1Part<Real>::look() {
    objective_ = value_ + composite(s_);
    part_.curvatures(diagonal_);
    const double largest = *std::max_element(diagonal_.span().begin(), diagonal_.span().end());
    const double least = largest > 0 ? 1e-10 * largest : 1;
    slopes_.resize(minds_.size());
    std::vector<double> u(minds_.size());
    for (std::size_t i = 0; i < minds_.size(); ++i) {
        const bool minded = minds_[i] == 0;
        double& own = diagonal_.data()[i];
        own = std::max(own, least) + (minded ? ball_.composite.l2 : 0);
        u[i] = static_cast<double>(s_.data()[i]);
        slopes_[i] = static_cast<double>(gradient_.data()[i]) + (minded ? ball_.composite.l2 * u[i] : 0);
    }
    const auto nothing = [](const std::vector<double>&, std::vector<double>&) {};
    gap_ = model(nothing).gap(slopes_, u);
}

template <class Real>
L1Model L1Part<Real>::model(FunctionRef<void(const std::vector<double>&, std::vector<double>&)> curve) {
    return {.radius = ball_.radius,
            .l1 = ball_.composite.l1,
            .free = minds_,
            .gradient = slopes_,
            .diagonal = {diagonal_.span().begin(), diagonal_.span().end()},
            .curve = curve};
}

template <class Real>
bool L1Part<Real>::improve(double tolerance) {
    const auto n = static_cast<Index>(minds_.size());
    const bool whole = part_.curvature_matrix(matrix_);
    way_.reshape(s_.shape());
    const auto curve = [&](const std::vector<double>& d, std::vector<double>& product) {
        if (whole) {
            for (Index a = 0; a < n; ++a) {
                const double* line = matrix_.data() + a * n;
                double sum = 0;
#pragma omp simd reduction(+ : sum)
                for (Index b = 0; b < n; ++b) sum += line[b] * d[static_cast<std::size_t>(b)];
                product[static_cast<std::size_t>(a)] = sum;
            }
        } else {
            std::transform(d.begin(), d.end(), way_.data(),
                           [](double entry) { return static_cast<Real>(entry); });
            part_.curve(way_, product_);
            ++calls_;
            std::copy(product_.span().begin(), product_.span().end(), product.begin());
        }
        for (std::size_t i = 0; i < d.size(); ++i)
            if (minds_[i] == 0) product[i] += ball_.composite.l2 * d[i];
    };
    if (whole) {
        ++calls_;
        for (Index a = 0; a < n; ++a) {
            double& own = diagonal_.data()[a];
            own = std::max(matrix_(a, a), 1e-6 * own);
            if (minds_[static_cast<std::size_t>(a)] == 0) own += ball_.composite.l2;
        }
    }
    std::vector<double> u(s_.span().begin(), s_.span().end());
    minimize(model(curve), tolerance * gap_, most_products, u);
    double slope = 0;
    double norms = 0;
    for (Index i = 0; i < n; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const auto old = static_cast<double>(s_.data()[i]);
        way_.data()[i] = static_cast<Real>(static_cast<Real>(u[at]) - s_.data()[i]);
        slope += slopes_[at] * (u[at] - old);
        if (minds_[at] == 0) norms += std::abs(u[at]) - std::abs(old);
    }
    slope += ball_.composite.l1 * norms;
    if (!(slope < 0)) return false;
    part_.curve(way_, product_);
    ++calls_;
    return search_line(way_, slope);
}

template <class Real>
bool L1Part<Real>::search_line(const Matrix<Real>& way, double slope) {
    Matrix<Real> end = s_;
    double step = 1;
    for (int trial = 0; trial < most_trials; ++trial) {
        for (Index i = 0; i < end.size(); ++i)
            end.data()[i] = static_cast<Real>(s_.data()[i] + static_cast<Real>(step) * way.data()[i]);
        ++trials_;
        const double reached = part_.value_after(step) + composite(end);
        if (reached <= objective_ + least_descent * step * slope) {
            s_ = end;
            ++calls_;
            value_ = part_.advance(step, gradient_);
            look();
            return true;
        }
        // Where the parabola through both ends has its lowest point.
        const double bend = reached - objective_ - step * slope;
        step *= std::clamp(bend > 0 ? -step * slope / (2 * bend) : 0.5, 0.1, 0.5);
    }
    return false;
}

template <class Real>
class L1Corrector final : public Corrector<Real> {
  public:
    explicit L1Corrector(const Ball& ball) : ball_(ball) {}

    bool correct(Run<Real>& run, const Proposal<Real>& seen, Vertex<Real>& better) override {
        const Matrix<Real>& x = run.x().matrix();
        choose_columns(x, seen.gradient, run.objective());
        Matrix<Real> s(part_->shape());
        for (Index l = 0; l < x.rows(); ++l)
            for (std::size_t k = 0; k < columns_.size(); ++k) s(l, static_cast<Index>(k)) = x(l, columns_[k]);
        part_->take_intercept(run.x(), s);
        L1Part<Real> work(*part_, ball_);
        work.start(s);
        const double before = work.objective();
        for (int turn = 0; turn < most_models; ++turn) {
            if (turn > 0 && work.gap() <= inner_share * seen.gap) break;
            if (!work.improve(model_share)) break;
        }
        const auto passes = static_cast<double>(work.calls()) * part_->share();
        run.account().counters.component_gradients +=
            static_cast<Index>(passes * static_cast<double>(run.objective().samples()));
        run.account().counters.function_evaluations += work.trials();
        write(work.s(), x.shape(), better);
        better.composite = run.region().composite(better.to_matrix());
        part_->leave_intercept(work.s(), run.x());
        return work.objective() < before;
    }

  private:
    void choose_columns(const Matrix<Real>& x, const Matrix<Real>& gradient, Objective<Real>& objective);
    void write(const Matrix<Real>& s, Shape shape, Vertex<Real>& to) const;

    Ball ball_;
    std::vector<Index> columns_;
    std::unique_ptr<Part<Real>> part_;
};

template <class Real>
void L1Corrector<Real>::choose_columns(const Matrix<Real>& x, const Matrix<Real>& gradient,
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
    const Index more = std::min(std::max(support, least_columns), cols - support);
    std::vector<Index> others;
    for (Index j = 0; j < cols; ++j)
        if (used[static_cast<std::size_t>(j)] == 0) others.push_back(j);
    std::nth_element(others.begin(), others.begin() + more, others.end(), [&](Index a, Index b) {
        return steepness[static_cast<std::size_t>(a)] > steepness[static_cast<std::size_t>(b)];
    });
    std::vector<Index> columns(others.begin(), others.begin() + more);
    for (Index j = 0; j < cols; ++j)
        if (used[static_cast<std::size_t>(j)] != 0) columns.push_back(j);
    std::sort(columns.begin(), columns.end());
    if (part_ && std::includes(columns_.begin(), columns_.end(), columns.begin(), columns.end())) return;
    columns_ = std::move(columns);
    part_ = objective.part(columns_);
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
std::unique_ptr<Corrector<Real>> l1_corrector(const Ball& ball) {
    return std::make_unique<L1Corrector<Real>>(ball);
}

template std::unique_ptr<Corrector<float>> l1_corrector(const Ball&);
template std::unique_ptr<Corrector<double>> l1_corrector(const Ball&);

}  // namespace alfcg
