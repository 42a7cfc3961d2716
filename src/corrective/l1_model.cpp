#include "corrective/l1_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace alfcg {

namespace {

using Vector = std::vector<double>;

// Conjugate gradients end when what is left of the slope is this share of what it was.
constexpr double face_accuracy = 1e-2;
// What rounding leaves of slopes.
constexpr double rounding = 1e-15;
// Products with H that a walk costs as much as.
constexpr int walk_products = 4;
// One that brings the gap down to this share is followed by another; else conjugate gradients are.
constexpr double good_walk = 0.7;
// Accelerated steps that find the same entries to be zero, after which conjugate gradients take over; what the diagonal is stretched by
// beyond the curvature met, and what is left of that for the next ones.
constexpr int steady_steps = 4;
constexpr double stretched = 1.1;
constexpr double relaxed = 0.9;
// Of the norm: what entries have at most that may be dropped.
constexpr double dust = 1e-4;

double dot(const Vector& a, const Vector& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

void add(double factor, const Vector& from, Vector& to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * from[i];
}

/// Where the search for a minimum is: u, the gradient there, and what has been spent.
class Search {
  public:
    Search(const L1Model& model, const Vector& point, int budget, Vector& u)
        : model_(model), point_(point), u_(u), q_(model.gradient), product_(u.size()), left_(budget) {}

    [[nodiscard]] double gap() const { return model_.gap(q_, u_); }
    [[nodiscard]] int left() const { return left_; }
    // The gradient anew, without the rounding of many steps.
    void refresh();
    // Whether the gap is small, and stays so when the free entries are the best for the others: as long as they are not, slopes of the others
    // say little.
    bool within(double tolerance);
    // Each says whether the model has gone down.
    bool projected_step();
    bool accelerated_steps(double tolerance);
    bool face_step();
    // Small entries that a step of their own would make zero become so, where the gap does not grow by it.
    void drop_idle_entries();

  private:
    [[nodiscard]] double norm(const Vector& u) const {
        double sum = 0;
        for (std::size_t i = 0; i < u.size(); ++i)
            if (model_.free[i] == 0) sum += std::abs(u[i]);
        return sum;
    }
    const Vector& curve(const Vector& d) {
        --left_;
        model_.curve(d, product_);
        return product_;
    }
    double project(double l1, Vector& z, double scale = 1) {
        return projection_(model_.diagonal, model_.free, model_.radius, l1, z, scale);
    }
    // The model, less what it is where the search began.
    [[nodiscard]] double value() const {
        double sum = model_.l1 * norm(u_);
        for (std::size_t i = 0; i < u_.size(); ++i)
            sum += (u_[i] - point_[i]) * (q_[i] + model_.gradient[i]) / 2;
        return sum;
    }
    [[nodiscard]] bool same_signs(const Vector& a, const Vector& b) const {
        for (std::size_t i = 0; i < a.size(); ++i)
            if (model_.free[i] == 0 && ((a[i] > 0) != (b[i] > 0) || (a[i] < 0) != (b[i] < 0))) return false;
        return true;
    }
    // The best point between u and w.
    double step_towards(const Vector& w);
    [[nodiscard]] bool in_face(std::size_t i) const { return model_.free[i] != 0 || u_[i] != 0; }
    // In the metric of the diagonal, within the face.
    void precondition(const Vector& residual, Vector& to) const;
    void find_face_minimum();

    const L1Model& model_;
    const Vector& point_;
    Vector& u_;
    Vector q_;
    Vector product_;
    int left_;
    int steps_ = 0;       // projected ones
    bool binds_ = false;  // the ball holds u back
    // The way to the minimum on the face of u, and H times it.
    Vector way_;
    Vector way_product_;
    Vector residual_;
    Vector first_residual_;
    Vector scaled_;
    Vector ray_;
    Vector trial_;
    // Of accelerated steps: the last point, where they look, and by how much the diagonal must be stretched to lie above H.
    Vector last_u_;
    Vector last_q_;
    Vector ahead_u_;
    Vector ahead_q_;
    double steepness_ = 1;
    L1Projection projection_;
};

double Search::step_towards(const Vector& w) {
    Vector& d = ray_;
    d = w;
    add(-1, u_, d);
    const double slope = dot(q_, d) + model_.l1 * (norm(w) - norm(u_));
    if (!(slope < 0)) return 0;
    const Vector& product = curve(d);
    const double curvature = dot(d, product);
    const double step = curvature > -slope ? -slope / curvature : 1;
    if (step == 1) {
        u_ = w;
    } else {
        add(step, d, u_);
    }
    add(step, product, q_);
    return step * slope + step * step * curvature / 2;
}

void Search::refresh() {
    ray_ = u_;
    add(-1, point_, ray_);
    q_ = curve(ray_);
    add(1, model_.gradient, q_);
}

bool Search::within(double tolerance) {
    if (gap() > tolerance) return false;
    trial_ = u_;
    for (std::size_t i = 0; i < u_.size(); ++i)
        if (model_.free[i] != 0) trial_[i] -= q_[i] / model_.diagonal[i];
    return trial_ == u_ || !(step_towards(trial_) < 0) || gap() <= tolerance;
}

// With a walk, which every third time is left out: the plain step knows the multiplier exactly, and says where a walk's begins.
bool Search::projected_step() {
    trial_ = u_;
    for (std::size_t i = 0; i < u_.size(); ++i) trial_[i] -= q_[i] / model_.diagonal[i];
    const double tau = project(model_.l1, trial_);
    binds_ = tau > model_.l1;
    if (++steps_ % 3 != 0) {
        trial_ = u_;
        binds_ = model_.walk(tau, trial_) > model_.l1;
        left_ -= walk_products;
        if (norm(trial_) > model_.radius) project(0, trial_);
    }
    return step_towards(trial_) < 0;
}

// The model's gradient is linear: where they look it is made of those at the last two points, and a step costs one product.
bool Search::accelerated_steps(double tolerance) {
    const double before = value();
    const Vector start = u_;
    const Vector start_q = q_;
    last_u_ = u_;
    last_q_ = q_;
    double share = 1;
    int same = 0;
    while (left_ > 0 && same < steady_steps && gap() > tolerance) {
        double next_share = (1 + std::sqrt(1 + 4 * share * share)) / 2;
        const double ahead = (share - 1) / next_share;
        ahead_u_ = u_;
        add(ahead, u_, ahead_u_);
        add(-ahead, last_u_, ahead_u_);
        ahead_q_ = q_;
        add(ahead, q_, ahead_q_);
        add(-ahead, last_q_, ahead_q_);
        do {
            trial_ = ahead_u_;
            for (std::size_t i = 0; i < u_.size(); ++i)
                trial_[i] -= ahead_q_[i] / (steepness_ * model_.diagonal[i]);
            binds_ = project(model_.l1, trial_, steepness_) > model_.l1;
            ray_ = trial_;
            add(-1, ahead_u_, ray_);
            double size = 0;
            for (std::size_t i = 0; i < u_.size(); ++i) size += model_.diagonal[i] * ray_[i] * ray_[i];
            const double curvature = dot(ray_, curve(ray_));
            if (curvature <= steepness_ * size) break;
            steepness_ = stretched * curvature / size;
        } while (left_ > 0);
        double turn = 0;
        for (std::size_t i = 0; i < u_.size(); ++i)
            turn -= model_.diagonal[i] * ray_[i] * (trial_[i] - u_[i]);
        if (turn > 0) next_share = 1;
        same = same_signs(trial_, u_) ? same + 1 : 0;
        std::swap(last_u_, u_);
        std::swap(last_q_, q_);
        u_ = trial_;
        q_ = ahead_q_;
        add(1, product_, q_);
        share = next_share;
    }
    steepness_ *= relaxed;
    if (value() < before) return true;
    u_ = start;
    q_ = start_q;
    return false;
}

void Search::precondition(const Vector& residual, Vector& to) const {
    double along = 0;
    double size = 0;
    for (std::size_t i = 0; i < u_.size(); ++i) {
        to[i] = in_face(i) ? residual[i] / model_.diagonal[i] : 0;
        if (model_.free[i] != 0 || u_[i] == 0) continue;
        along += std::copysign(to[i], to[i] * u_[i]);
        size += 1 / model_.diagonal[i];
    }
    if (!binds_ || size == 0) return;
    for (std::size_t i = 0; i < u_.size(); ++i)
        if (model_.free[i] == 0 && u_[i] != 0)
            to[i] -= std::copysign(1.0, u_[i]) * along / size / model_.diagonal[i];
}

void Search::find_face_minimum() {
    const std::size_t n = u_.size();
    way_.assign(n, 0);
    way_product_.assign(n, 0);
    residual_.resize(n);
    scaled_.resize(n);
    double along = 0;
    double scale = 0;
    double slopes = 0;
    for (std::size_t i = 0; i < n; ++i) {
        residual_[i] = in_face(i) ? -q_[i] - (model_.free[i] != 0 ? 0 : std::copysign(model_.l1, u_[i])) : 0;
        slopes += residual_[i] * residual_[i] / model_.diagonal[i];
        if (model_.free[i] != 0 || u_[i] == 0) continue;
        along += std::copysign(residual_[i], residual_[i] * u_[i]) / model_.diagonal[i];
        scale += 1 / model_.diagonal[i];
    }
    // Without the multiplier of the ball, which no way along the face minds: what is left may be far smaller.
    if (binds_ && scale > 0)
        for (std::size_t i = 0; i < n; ++i)
            if (model_.free[i] == 0 && u_[i] != 0) residual_[i] -= std::copysign(1.0, u_[i]) * along / scale;
    first_residual_ = residual_;
    precondition(residual_, scaled_);
    ray_ = scaled_;
    double size = dot(residual_, scaled_);
    const double enough = std::max(face_accuracy * face_accuracy * size, rounding * rounding * slopes);
    for (std::size_t turn = 0; turn < n && size > enough && left_ > 0; ++turn) {
        const Vector& product = curve(ray_);
        const double curvature = dot(ray_, product);
        if (!(curvature > 0)) {
            // Flat: as far as the face goes.
            if (turn == 0) add(1e6, ray_, way_), add(1e6, product, way_product_);
            return;
        }
        const double step = size / curvature;
        add(step, ray_, way_);
        add(step, product, way_product_);
        for (std::size_t i = 0; i < n; ++i)
            if (in_face(i)) residual_[i] -= step * product[i];
        precondition(residual_, scaled_);
        const double next = dot(residual_, scaled_);
        const double keep = next / size;
        size = next;
        for (std::size_t i = 0; i < n; ++i) ray_[i] = scaled_[i] + keep * ray_[i];
    }
}

bool Search::face_step() {
    find_face_minimum();
    // As far as the face goes: entries must not change their signs, nor u leave the ball.
    double longest = std::numeric_limits<double>::infinity();
    double growth = 0;
    for (std::size_t i = 0; i < u_.size(); ++i) {
        if (model_.free[i] != 0 || u_[i] == 0) continue;
        growth += std::copysign(way_[i], way_[i] * u_[i]);
        if (way_[i] * u_[i] < 0) longest = std::min(longest, -u_[i] / way_[i]);
    }
    if (!binds_ && growth > 0) longest = std::min(longest, std::max(model_.radius - norm(u_), 0.0) / growth);
    const double slope = -dot(first_residual_, way_);
    const double curvature = dot(way_, way_product_);
    if (!(slope < 0)) return false;
    const double step = std::min({1.0, longest, curvature > -slope ? -slope / curvature : 1.0});
    const double change = step * slope + step * step * curvature / 2;
    if (step < 1 && left_ > 0) {
        // Several entries may be zero at the end.
        trial_ = u_;
        add(1, way_, trial_);
        project(0, trial_);
        const Vector before = u_;
        const Vector gradient = q_;
        if (step_towards(trial_) <= change) return true;
        u_ = before;
        q_ = gradient;
    }
    for (std::size_t i = 0; i < u_.size(); ++i) {
        if (!in_face(i)) continue;
        const double old = u_[i];
        u_[i] += step * way_[i];
        if (model_.free[i] == 0 && (u_[i] * old < 0 || std::abs(u_[i]) <= 1e-15 * std::abs(old))) u_[i] = 0;
    }
    add(step, way_product_, q_);
    // Rounding may have led out of the ball.
    if (const double reached = norm(u_); reached > model_.radius)
        for (std::size_t i = 0; i < u_.size(); ++i)
            if (model_.free[i] == 0) u_[i] *= model_.radius / reached;
    return change < 0;
}

void Search::drop_idle_entries() {
    const double size = norm(u_);
    double slope = 0;
    for (std::size_t i = 0; i < u_.size(); ++i)
        if (model_.free[i] == 0) slope -= q_[i] * u_[i];
    const bool full = binds_ || size >= (1 - 1e-12) * model_.radius;
    const double multiplier = full ? std::max(slope / size, model_.l1) : model_.l1;
    trial_ = u_;
    for (std::size_t i = 0; i < u_.size(); ++i)
        if (model_.free[i] == 0 && std::abs(u_[i]) <= dust * size &&
            std::abs(model_.diagonal[i] * u_[i] - q_[i]) <= multiplier)
            trial_[i] = 0;
    const double left = norm(trial_);
    if (left == size || left == 0) return;
    if (full)
        for (std::size_t i = 0; i < u_.size(); ++i)
            if (model_.free[i] == 0) trial_[i] *= size / left;
    const Vector before = u_;
    const Vector gradient = q_;
    const double gap_before = gap();
    if (step_towards(trial_) < 0 && gap() <= gap_before) return;
    u_ = before;
    q_ = gradient;
}

}  // namespace

double L1Model::gap(const std::vector<double>& q, const std::vector<double>& u) const {
    double peak = 0;
    double gap = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
        if (free[i] != 0) {
            gap += q[i] * q[i] / diagonal[i];
        } else {
            peak = std::max(peak, std::abs(q[i]));
            gap += q[i] * u[i] + l1 * std::abs(u[i]);
        }
    }
    return gap + radius * std::max(peak - l1, 0.0);
}

double L1Projection::operator()(const Vector& diagonal, const std::vector<char>& free, double radius,
                                double l1, Vector& z, double scale) {
    // |z_i| − τ/d_i is what is left of an entry until τ reaches its level d_i |z_i|. Far outside of the ball that is nearly nothing of it: seen
    // from the highest level, it is (t − depth_i)/d_i with t = highest − τ. All that is left is a convex function of t, whose tangents
    // lead down to where it is the radius.
    const auto own = [&](std::size_t i) { return scale * diagonal[i]; };
    double highest = l1;
    for (std::size_t i = 0; i < z.size(); ++i)
        if (free[i] == 0) highest = std::max(highest, own(i) * std::abs(z[i]));
    depths_.clear();
    double sum = 0;
    double slope = 0;
    const auto add = [&](double depth, std::size_t i) {
        sum += depth / own(i);
        slope += 1 / own(i);
    };
    for (std::size_t i = 0; i < z.size(); ++i) {
        const double level = own(i) * std::abs(z[i]);
        if (free[i] != 0 || level <= l1) continue;
        depths_.emplace_back(highest - level, i);
        add(highest - level, i);
    }
    double left = highest - l1;
    while (left * slope - sum > radius) {
        const double next = (radius + sum) / slope;
        if (!(next < left)) break;
        left = next;
        sum = slope = 0;
        std::erase_if(depths_, [&](const auto& one) {
            if (one.first >= left) return true;
            add(one.first, one.second);
            return false;
        });
    }
    const double tau = left == highest - l1 ? l1 : highest - left;
    const bool outside = tau > left;
    for (std::size_t i = 0; i < z.size(); ++i) {
        if (free[i] != 0) continue;
        const double size = std::abs(z[i]);
        const double kept = outside ? (left - (highest - own(i) * size)) / own(i) : size - tau / own(i);
        z[i] = kept > 0 ? std::copysign(kept, z[i]) : 0;
    }
    // Entries are known to so much that they may add up to more.
    double all = 0;
    for (std::size_t i = 0; i < z.size(); ++i)
        if (free[i] == 0) all += std::abs(z[i]);
    if (all > radius)
        for (std::size_t i = 0; i < z.size(); ++i)
            if (free[i] == 0) z[i] *= radius / all;
    return tau;
}

double minimize(const L1Model& model, const std::vector<double>& point, double tolerance, int budget,
                std::vector<double>& u) {
    Search search(model, point, budget, u);
    if (u != point) search.refresh();
    for (bool first = true; !search.within(tolerance) && search.left() > 0; first = false) {
        if (!first) search.refresh();
        const double before = search.gap();
        const bool lower = model.walk ? search.projected_step() : search.accelerated_steps(tolerance);
        if (search.left() <= 0 || search.within(tolerance)) break;
        if (model.walk && search.gap() < good_walk * before) continue;
        if (!search.face_step() && !lower) break;
    }
    search.drop_idle_entries();
    return search.gap();
}

}  // namespace alfcg
