#include "objective/device_linear.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <numeric>
#include <utility>

#include "alfcg/core/error.hpp"
#include "core/threads.hpp"
#include "kernels/vector.hpp"
#include "objective/loss_table.hpp"

namespace alfcg {

template <class Real>
template <class Body>
decltype(auto) DeviceObjective<Real>::on_device(const Body& body) const {
    try {
        return body();
    } catch (const std::exception& error) {
        throw QuantityError("device", fmt::format("{}: {}", device_->name(), error.what()));
    }
}

template <class Real>
DeviceObjective<Real>::DeviceObjective(const Features<Real>& features, Targets targets, const LossSpec& loss,
                                       int threads, bool intercept, std::optional<Index> memory,
                                       std::shared_ptr<Device> device)
    : share_(nullptr, alfcg::rows(features), !targets.weights.empty()),
      features_(features),
      targets_(std::move(targets)),
      spec_(loss),
      threads_(resolve_threads(threads)),
      memory_(memory),
      shape_{targets_.outputs, cols(features)},
      entries_(entries_of(features)),
      intercept_(intercept ? std::make_optional<FollowedIntercept<Real>>(targets_, loss, share_)
                           : std::nullopt),
      device_(std::move(device)) {
    const LossRow& row = find_loss(loss.name);
    if (!row.device)
        throw QuantityError("device",
                            fmt::format("{} does not know the {} loss: use cpu", device_->name(), loss.name));
    const BlockLoss<Real> judged(targets_, loss, intercept_ ? intercept_->shift() : 0, share_);
    DeviceProblem<Real> problem;
    problem.rows = share_.own;
    problem.cols = shape_.cols;
    problem.outputs = shape_.rows;
    if (const auto* dense = std::get_if<DenseFeatures<Real>>(&features_)) {
        problem.dense = dense->data();
        problem.stride = dense->stride();
    } else {
        auto& sparse = std::get<SparseFeatures<Real>>(features_);
        sparse.column = sparse.column.narrow();  // which stay: rows may be sent again
        problem.start = sparse.start.data();
        problem.column = sparse.column.narrow().data();
        problem.value = sparse.value.data();
    }
    problem.on_disk = std::visit([](const auto& own) { return own.on_disk(); }, features_);
    problem.targets = judged.truth().targets;
    problem.weights = judged.truth().weights;
    problem.loss = *row.device;
    problem.parameter = row.parameter(loss.parameters);
    on_device([&] { rows_ = device_->hold(problem); });
    if (!intercept_) return;
    intercept_->find_centre(features_, targets_.weights, threads_);
    measure_scale();
}

// Residuals without features.
template <class Real>
void DeviceObjective<Real>::measure_scale() {
    constexpr Index together = Index{1} << 16;
    const Matrix<Real> zero(shape_);
    std::vector<Index> list;
    AlignedVector<Real> residuals;
    double squares = 0;
    on_device([&] { rows_->place(0, zero.data()); });
    for (Index first = 0; first < share_.own; first += together) {
        list.resize(static_cast<std::size_t>(std::min(together, share_.own - first)));
        std::iota(list.begin(), list.end(), first);
        residuals.resize(list.size() * static_cast<std::size_t>(shape_.rows));
        on_device([&] {
            rows_->residuals(list.data(), std::ssize(list), {0, intercept_->start().data()}, residuals.data(),
                             nullptr);
        });
        for (const Real residual : residuals)
            squares += static_cast<double>(residual) * static_cast<double>(residual);
    }
    intercept_->set_scale(std::sqrt(squares / static_cast<double>(share_.own)));
}

template <class Real>
Objective<Real>& DeviceObjective<Real>::host() {
    if (!host_)
        host_ = linear_objective(features_, targets_, spec_, threads_, intercept_.has_value(), memory_);
    return *host_;
}

template <class Real>
int DeviceObjective<Real>::place_by_step(const Iterate<Real>& x, int other) {
    using Kind = typename Vertex<Real>::Kind;
    constexpr int most = 64;  // where the host rounds otherwise than the device, that does not pile up
    const MadeMove<Real>* const made = x.last_move();
    if (made == nullptr || made->atoms != 1 || made->keep != 1 - made->step ||
        made->coefficient[0] != made->step)
        return -1;
    const int from = placed_[0] == made->from ? 0 : placed_[1] == made->from ? 1 : -1;
    if (from < 0 || steps_[static_cast<std::size_t>(from)] == most) return -1;
    const Vertex<Real>& atom = made->atom[0];
    DeviceStep<Real> step;
    step.size = made->step;
    step_positions_.clear();
    step_values_.clear();
    const auto entry = [&](Index position, double value) {
        step_positions_.push_back(position);
        step_values_.push_back(static_cast<Real>(made->step * value));
    };
    switch (atom.kind) {
        case Kind::zero:
            break;
        case Kind::one_hot:
            entry(atom.index, atom.scale);
            break;
        case Kind::sparse:
            if (4 * std::ssize(atom.positions) > shape_.size()) return -1;
            for (std::size_t k = 0; k < atom.positions.size(); ++k)
                entry(atom.positions[k], static_cast<double>(atom.values[k]));
            break;
        case Kind::rank_one:
            if (shape_.rows == 1) return -1;
            for (const Real number : atom.left)
                step_values_.push_back(static_cast<Real>(atom.scale * static_cast<double>(number)));
            step.left = step_values_.data();
            step.right = atom.right.data();
            break;
        default:
            return -1;
    }
    if (step.left == nullptr) {
        step.positions = step_positions_.data();
        step.values = step_values_.data();
        step.count = std::ssize(step_positions_);
    }
    const int slot = 1 - from == other ? from : 1 - from;
    const int steps = steps_[static_cast<std::size_t>(from)] + 1;
    placed_[static_cast<std::size_t>(slot)] = Version::none;
    on_device([&] { rows_->step(from, slot, step); });
    steps_[static_cast<std::size_t>(slot)] = steps;
    return slot;
}

template <class Real>
int DeviceObjective<Real>::place(const Iterate<Real>& x, int other) {
    for (int slot = 0; slot < 2; ++slot)
        if (placed_[static_cast<std::size_t>(slot)] == x.version()) return slot;
    int slot = place_by_step(x, other);
    if (slot < 0) {
        slot = oldest_ == other ? 1 - oldest_ : oldest_;
        placed_[static_cast<std::size_t>(slot)] = Version::none;
        on_device([&] { rows_->place(slot, x.matrix().data()); });
        steps_[static_cast<std::size_t>(slot)] = 0;
    }
    oldest_ = 1 - slot;
    placed_[static_cast<std::size_t>(slot)] = x.version();
    return slot;
}

template <class Real>
double DeviceObjective<Real>::evaluate(const Iterate<Real>& x, Matrix<Real>& gradient) {
    gradient.reshape(shape_);
    if (intercept_) return evaluate_with_intercept(x, &gradient);
    const int slot = place(x);
    return on_device([&] { return rows_->evaluate(slot, gradient.data()); }) /
           static_cast<double>(share_.total);
}

template <class Real>
double DeviceObjective<Real>::value(const Iterate<Real>& x) {
    if (intercept_) return evaluate_with_intercept(x, nullptr);
    const int slot = place(x);
    return on_device([&] { return rows_->evaluate(slot, nullptr); }) / static_cast<double>(share_.total);
}

template <class Real>
InterceptFound DeviceObjective<Real>::best_intercept(std::vector<double>& at, const Iterate<Real>* x) {
    const auto count = static_cast<double>(share_.total);
    const auto loss = [&](double /*share*/, std::span<const double> tried, std::span<double> gradient) {
        const double sum = on_device([&] { return rows_->judge(tried.data(), gradient.data()); });
        for (double& derivative : gradient) derivative /= count;
        return sum / count;
    };
    return intercept_->best(loss, at, x, {});
}

// The scores stay on the device while the best intercept is looked for, and are what the gradient is made from.
template <class Real>
double DeviceObjective<Real>::evaluate_with_intercept(const Iterate<Real>& x, Matrix<Real>* gradient) {
    if (scores_at_ != x.version()) {
        const int slot = place(x);
        scores_at_ = Version::none;
        on_device([&] { rows_->score(slot); });
        scores_at_ = x.version();
    }
    Intercept& own = x.intercept();
    own.at = intercept_->at(x);
    own.next.clear();
    const InterceptFound found = best_intercept(own.at, &x);
    if (!own.best) own.going = found.going;
    own.best = true;
    if (gradient == nullptr) return found.loss;
    on_device([&] { rows_->add_up(own.at.data(), gradient->data()); });
    if (!own.going) intercept_->take_off(found, *gradient);
    return found.loss;
}

template <class Real>
std::vector<double> DeviceObjective<Real>::score_after(const Iterate<Real>& x, const Move<Real>& move,
                                                       double step) {
    after_.stand_at(x);
    after_.make(move, step);
    const int slot = place(after_);
    scores_at_ = Version::none;
    on_device([&] { rows_->score(slot); });
    return intercept_->at(x);
}

// Points along a line teach the search for the intercept nothing about the points that a run goes to.
template <class Real>
double DeviceObjective<Real>::value_after(const Iterate<Real>& x, const Move<Real>& move, double step) {
    if (!intercept_) return Objective<Real>::value_after(x, move, step);
    std::vector<double> at = score_after(x, move, step);
    return best_intercept(at, nullptr).loss;
}

template <class Real>
double DeviceObjective<Real>::slope_after(const Iterate<Real>& x, const Move<Real>& move, double step) {
    if (!intercept_) return Objective<Real>::slope_after(x, move, step);
    std::vector<double> at = score_after(x, move, step);
    best_intercept(at, nullptr);
    along_.reshape(shape_);
    on_device([&] { rows_->add_up(at.data(), along_.data()); });
    return direction(move, along_, x).slope;
}

template <class Real>
DevicePoint DeviceObjective<Real>::point(const Iterate<Real>& x, int slot) const {
    return {slot, intercept_ ? intercept_->at(x).data() : nullptr};
}

template <class Real>
void DeviceObjective<Real>::batch_gradient(std::span<const Index> rows, const Iterate<Real>& x,
                                           Matrix<Real>& gradient) {
    blend(rows, {.x = &x}, gradient, along_);
}

template <class Real>
void DeviceObjective<Real>::blend(std::span<const Index> rows, const Blend<Real>& blend,
                                  Matrix<Real>& gradient, Matrix<Real>& scratch) {
    DeviceBatch batch;
    batch.rows = rows.data();
    batch.count = std::ssize(rows);
    batch.at_x = blend.at_x;
    batch.at_y = blend.at_y;
    // The one that is there already first: the other goes where it is not.
    if (blend.y != nullptr) {
        const int slot = place(*blend.y);
        batch.y = point(*blend.y, slot);
        batch.second = true;
        batch.slopes = blend.slopes != nullptr;
        batch.x = point(*blend.x, place(*blend.x, slot));
    } else {
        batch.x = point(*blend.x, place(*blend.x));
    }
    const bool moves = intercept_ && blend.at_x != 0;
    sums_.resize(static_cast<std::size_t>(shape_.rows));
    if (moves) batch.residual_sums = sums_.data();
    const bool keeps = blend.keep != 0;
    Matrix<Real>& to = keeps ? scratch : gradient;
    to.reshape(shape_);
    const DeviceBatchSums sums = on_device([&] { return rows_->batch(batch, to.data()); });
    if (keeps) kernels::axpby(shape_.size(), 1, to.data(), blend.keep, gradient.data());
    if (moves) intercept_->move(*blend.x, batch.count, sums_, static_cast<double>(batch.count));
    if (blend.slopes != nullptr) *blend.slopes = {sums.slope_at_x, sums.slope_at_y};
}

template <class Real>
void DeviceObjective<Real>::make_residuals(std::span<const Index> rows, const Iterate<Real>& x,
                                           Real* residuals, double* sums) {
    const int slot = place(x);
    on_device([&] { rows_->residuals(rows.data(), std::ssize(rows), point(x, slot), residuals, sums); });
}

template <class Real>
void DeviceObjective<Real>::own_residuals(std::span<const Index> rows, const Iterate<Real>& x,
                                          Real* residuals) {
    make_residuals(rows, x, residuals, nullptr);
}

template <class Real>
void DeviceObjective<Real>::residuals(std::span<const Index> rows, const Iterate<Real>& x, Index count,
                                      Real* residuals) {
    const bool moves = intercept_ && !x.intercept().best;
    sums_.resize(static_cast<std::size_t>(shape_.rows));
    make_residuals(rows, x, residuals, moves ? sums_.data() : nullptr);
    if (moves) intercept_->move(x, count, sums_, static_cast<double>(count));
}

template <class Real>
void DeviceObjective<Real>::combine(std::span<const Index> rows, const Real* residuals,
                                    Matrix<Real>& gradient) {
    gradient.reshape(shape_);
    on_device([&] { rows_->combine(rows.data(), std::ssize(rows), residuals, gradient.data()); });
}

template <class Real>
std::vector<double> DeviceObjective<Real>::intercept(const Iterate<Real>& x) {
    if (!intercept_) return {};
    if (!x.intercept().best) value(x);
    std::vector<double> intercept = x.intercept().at;
    for (double& entry : intercept) entry += intercept_->shift();
    return intercept;
}

// What lies on the device is made anew, with the same bits; the CPU's part goes on from where it was.
template <class Real>
void DeviceObjective<Real>::archive(Archive& state) {
    if (intercept_) state(*intercept_);
    bool on_host = host_ != nullptr;
    state(on_host);
    if (on_host) host().archive(state);
}

template class DeviceObjective<float>;
template class DeviceObjective<double>;

}  // namespace alfcg
