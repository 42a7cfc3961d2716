#pragma once

#include <span>

#include "region/group_map.hpp"

/// The norms of groups, as GroupBall (group_ball.hpp) sees them. Each knows, of magnitudes a ≥ 0 (Sizes):
///
///   norm(x), length()         Ω(x), and the longest Euclidean length that Ω ≤ 1 allows
///   dual(a)                   max <a, v> over Ω(v) ≤ 1, and remembers where: `best()` where it is one group
///   vertex(group, a)          an entry of that v
///   shrink(a, own, radius)    prepares argmin ½‖u − a‖² + own Ω(u) over Ω(u) ≤ radius, which is not the origin and where own > 0
///                             or Ω(a) > radius; after dual(a). Whether Ω(u) = radius
///   shrunk(group, a)          an entry of that u
namespace alfcg::region {

/// Σ_g w_g ‖x_g‖₂.
class SumOfLengths {
  public:
    static constexpr const char* title = "l_1,2";
    static constexpr bool one_group = true;

    template <class Real>
    double dual(const GroupMap& map, const Matrix<Real>& x, const Sizes& sizes, int threads);
    [[nodiscard]] Index best() const { return best_; }
    [[nodiscard]] double vertex(Index /*group*/, double a) const { return a * factor_; }

    template <class Real>
    bool shrink(const GroupMap& map, const Matrix<Real>& x, const Sizes& sizes, double own, double radius,
                int threads);
    [[nodiscard]] double shrunk(Index group, double a) const {
        return a * factors_[static_cast<std::size_t>(group)];
    }

    template <class Real>
    double norm(const GroupMap& map, const Matrix<Real>& x, const Sizes& sizes, int threads);
    [[nodiscard]] static double length(const GroupMap& map);

  private:
    Index best_ = 0;
    double dual_ = 0;
    double factor_ = 0;
    AlignedVector<double> factors_;
    AlignedVector<double> heights_;
    AlignedVector<double> squares_;
};

/// Σ_g w_g ‖x_g‖_∞.
class SumOfPeaks {
  public:
    static constexpr const char* title = "l_1,inf";
    static constexpr bool one_group = true;

    template <class Real>
    double dual(const GroupMap& map, const Matrix<Real>& x, const Sizes& sizes, int threads);
    [[nodiscard]] Index best() const { return best_; }
    [[nodiscard]] double vertex(Index /*group*/, double a) const { return a > 0 ? factor_ : 0; }

    template <class Real>
    bool shrink(const GroupMap& map, const Matrix<Real>& x, const Sizes& sizes, double own, double radius,
                int threads);
    [[nodiscard]] double shrunk(Index group, double a) const {
        return std::min(a, caps_[static_cast<std::size_t>(group)]);
    }

    template <class Real>
    double norm(const GroupMap& map, const Matrix<Real>& x, const Sizes& sizes, int threads);
    [[nodiscard]] static double length(const GroupMap& map);

  private:
    struct Caps {
        double norm = 0;   // Ω(u)
        double slope = 0;  // its derivative
    };
    /// The caps of the groups when the dual norm of what is taken away is `level` below dual(a).
    Caps caps(const GroupMap& map, double level);

    Index best_ = 0;
    double dual_ = 0;
    double factor_ = 0;
    AlignedVector<double> caps_;
    AlignedVector<double> totals_;
    AlignedVector<double> sorted_;  // magnitudes, group by group, increasing in each
    AlignedVector<double> before_;  // and what those before them in the group add up to
};

/// max_g w_g ‖x_g‖₂.
class LargestLength {
  public:
    static constexpr const char* title = "l_inf,2";
    static constexpr bool one_group = false;

    template <class Real>
    double dual(const GroupMap& map, const Matrix<Real>& x, const Sizes& sizes, int threads);
    [[nodiscard]] double vertex(Index group, double a) const {
        return a * factors_[static_cast<std::size_t>(group)];
    }

    template <class Real>
    bool shrink(const GroupMap& map, const Matrix<Real>& x, const Sizes& sizes, double own, double radius,
                int threads);
    [[nodiscard]] double shrunk(Index group, double a) const { return vertex(group, a); }

    template <class Real>
    double norm(const GroupMap& map, const Matrix<Real>& x, const Sizes& sizes, int threads);
    [[nodiscard]] static double length(const GroupMap& map);

  private:
    AlignedVector<double> lengths_;
    AlignedVector<double> factors_;
};

/// ratio ‖x‖₁ + (1 − ratio) Σ_g w_g ‖x_g‖₂.
class SparseGroupNorm {
  public:
    static constexpr const char* title = "sparse group";
    static constexpr bool one_group = true;

    explicit SparseGroupNorm(double ratio) : ratio_(ratio) {}

    template <class Real>
    double dual(const GroupMap& map, const Matrix<Real>& x, const Sizes& sizes, int threads);
    [[nodiscard]] Index best() const { return best_; }
    [[nodiscard]] double vertex(Index /*group*/, double a) const {
        return factor_ * std::max(a - ratio_ * dual_, 0.0);
    }

    template <class Real>
    bool shrink(const GroupMap& map, const Matrix<Real>& x, const Sizes& sizes, double own, double radius,
                int threads);
    [[nodiscard]] double shrunk(Index group, double a) const {
        return std::max(a - threshold_, 0.0) * factors_[static_cast<std::size_t>(group)];
    }

    template <class Real>
    double norm(const GroupMap& map, const Matrix<Real>& x, const Sizes& sizes, int threads);
    [[nodiscard]] double length(const GroupMap& map) const;

  private:
    /// What is left of a group when ratio · multiplier has been taken off every entry.
    struct Rest {
        double sum = 0;
        double length = 0;
        double count = 0;
    };
    template <class Real>
    Rest rest(const GroupMap& map, const Matrix<Real>& x, const Sizes& sizes, Index group,
              double multiplier) const;
    template <class Real>
    double group_dual(const GroupMap& map, const Matrix<Real>& x, const Sizes& sizes, Index group,
                      double from) const;

    double ratio_;
    Index best_ = 0;
    double dual_ = 0;
    double factor_ = 0;
    double threshold_ = 0;
    AlignedVector<double> factors_;
};

/// Sums of z_g, each zero outside its group, with the least Σ_g w_g ‖z_g‖₂; groups may overlap (Obozinski, Jacob and Vert 2011).
/// Its ball is the hull of those of the groups, so that answers are those of the sum of lengths.
class LatentNorm {
  public:
    static constexpr const char* title = "latent group";
    static constexpr bool one_group = true;

    template <class Real>
    double dual(const GroupMap& map, const Matrix<Real>& x, const Sizes& sizes, int threads) {
        return lengths_.dual(map, x, sizes, threads);
    }
    [[nodiscard]] Index best() const { return lengths_.best(); }
    [[nodiscard]] double vertex(Index group, double a) const { return lengths_.vertex(group, a); }

    template <class Real>
    double norm(const GroupMap& map, const Matrix<Real>& x, const Sizes& sizes, int threads);
    [[nodiscard]] static double length(const GroupMap& map) { return SumOfLengths::length(map); }

  private:
    SumOfLengths lengths_;
};

/// Pouring `volume` > 0 over ground of heights b_i ≥ 0, of which at least one is 0, and areas q_i > 0 gives the level δ with
/// Σ q_i max(δ − b_i, 0) = volume. Exact to rounding; overwrites both.
double water_level(std::span<double> heights, std::span<double> areas, double volume);

}  // namespace alfcg::region
