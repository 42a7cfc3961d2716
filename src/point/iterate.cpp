#include "alfcg/point/iterate.hpp"

#include <cmath>
#include <numeric>

#include "core/parallel.hpp"
#include "kernels/pattern.hpp"
#include "kernels/vector.hpp"
#include "point/pairs.hpp"
#include "point/tall.hpp"

namespace alfcg {

namespace {

// Entries are computed anew after so many moves, so that rounding never piles up.
constexpr int longest_way = 64;

// Calls visit(first row, row after the last) for parts of a pattern with about as many places each, on all threads.
template <class Visit>
void for_each_part(const Pattern& pattern, int threads, const Visit& visit) {
    const int parts = parts_of(pattern.size() + pattern.shape.rows, threads);
    const auto rows = balanced_rows(pattern, parts);
    parallel(parts, [&](int part) {
        visit(part, rows[static_cast<std::size_t>(part)], rows[static_cast<std::size_t>(part) + 1]);
    });
}

// seen = x at the places of the pattern.
template <class Real>
void see(const Factors<Real>& x, const Pattern& pattern, int threads, Matrix<Real>& seen) {
    seen.reshape({1, pattern.size()});
    const Index width = x.width();
    for_each_part(pattern, threads, [&](int /*part*/, Index first, Index last) {
        AlignedVector<Real> row(static_cast<std::size_t>(x.stride()));
        std::vector<double> along(static_cast<std::size_t>(width));
        for (Index i = first; i < last; ++i) {
            std::fill(along.begin(), along.end(), 0.0);
            for (Index k = 0; k < width; ++k) {
                const auto entry = static_cast<double>(x.left(i)[k]);
                for (Index l = 0; l < width; ++l) along[static_cast<std::size_t>(l)] += entry * x.core(k, l);
            }
            for (Index l = 0; l < width; ++l)
                row[static_cast<std::size_t>(l)] = static_cast<Real>(along[static_cast<std::size_t>(l)]);
            const Index at = pattern.begin(i);
            kernels::row_dots(pattern.columns.data() + at, pattern.end(i) - at, row.data(), x.right(0),
                              x.stride(), width, seen.data() + at);
        }
    });
}

/// Entries of an atom, a sum of pairs, at the places of a row: from a table of the pairs' right vectors with a line for each column.
template <class Real>
class AtomEntries {
  public:
    AtomEntries(const Vertex<Real>& atom, double coefficient) {
        for_each_pair(atom, coefficient, [&](double scale, const Real* left, const Real* right) {
            scales_.push_back(scale);
            if (atom.kind == Vertex<Real>::Kind::one_hot) {
                kept_left_.assign(left, left + atom.shape.rows);
                kept_right_.assign(right, right + atom.shape.cols);
                left = kept_left_.data();
                right = kept_right_.data();
            }
            lefts_.push_back(left);
            rights_.push_back(right);
        });
        if (scales_.size() < 2) return;
        table_ = Matrix<Real>(atom.shape.cols, line_length<Real>(static_cast<Index>(scales_.size())));
        for (Index j = 0; j < table_.rows(); ++j)
            for (std::size_t k = 0; k < rights_.size(); ++k) table_(j, static_cast<Index>(k)) = rights_[k][j];
    }

    [[nodiscard]] bool none() const { return scales_.empty(); }
    /// out = the entries of the row; `line` is memory of the caller's.
    void of_row(const Pattern& pattern, Index row, AlignedVector<Real>& line, Real* out) const {
        const Index first = pattern.begin(row);
        const Index count = pattern.end(row) - first;
        const std::int32_t* columns = pattern.columns.data() + first;
        if (scales_.size() == 1) {
            const Real factor = static_cast<Real>(scales_[0] * static_cast<double>(lefts_[0][row]));
            for (Index k = 0; k < count; ++k) out[k] = factor * rights_[0][columns[k]];
            return;
        }
        line.resize(static_cast<std::size_t>(table_.cols()));
        for (std::size_t k = 0; k < scales_.size(); ++k)
            line[k] = static_cast<Real>(scales_[k] * static_cast<double>(lefts_[k][row]));
        kernels::row_dots(columns, count, line.data(), table_.data(), table_.cols(),
                          static_cast<Index>(scales_.size()), out);
    }

  private:
    std::vector<double> scales_;
    std::vector<const Real*> lefts_;
    std::vector<const Real*> rights_;
    AlignedVector<Real> kept_left_;  // of an atom that has none
    AlignedVector<Real> kept_right_;
    Matrix<Real> table_;
};

// visit(part, row, first place, entries of the atom at the places of the row) for all rows, on all threads.
template <class Real, class Visit>
void for_each_row(const AtomEntries<Real>& atom, const Pattern& pattern, int threads, const Visit& visit) {
    for_each_part(pattern, threads, [&](int part, Index first, Index last) {
        AlignedVector<Real> line;
        AlignedVector<Real> entries;
        for (Index i = first; i < last; ++i) {
            entries.resize(static_cast<std::size_t>(pattern.end(i) - pattern.begin(i)));
            atom.of_row(pattern, i, line, entries.data());
            visit(part, i, pattern.begin(i), entries);
        }
    });
}

// seen = keep · seen + Σ coefficient · (atom at the places of the pattern).
template <class Real>
void follow(const MadeMove<Real>& made, const Pattern& pattern, int threads, Matrix<Real>& seen) {
    kernels::scale_to(seen.size(), made.keep, seen.data(), seen.data());
    for (std::size_t a = 0; a < made.atoms; ++a) {
        const AtomEntries<Real> atom(made.atom[a], made.coefficient[a]);
        if (atom.none()) continue;
        for_each_row(atom, pattern, threads,
                     [&](int /*part*/, Index /*row*/, Index at, const AlignedVector<Real>& entries) {
                         for (std::size_t k = 0; k < entries.size(); ++k)
                             seen.data()[at + static_cast<Index>(k)] += entries[k];
                     });
    }
}

// <g, atom>, of a gradient on the pattern.
template <class Real>
double product_with(const Vertex<Real>& vertex, const Matrix<Real>& gradient, const Pattern& pattern,
                    int threads) {
    const AtomEntries<Real> atom(vertex, 1);
    if (atom.none()) return 0;
    std::vector<double> sums(static_cast<std::size_t>(threads));
    for_each_row(atom, pattern, threads,
                 [&](int part, Index /*row*/, Index at, const AlignedVector<Real>& entries) {
                     double sum = 0;
                     for (std::size_t k = 0; k < entries.size(); ++k)
                         sum += static_cast<double>(gradient.data()[at + static_cast<Index>(k)]) *
                                static_cast<double>(entries[k]);
                     sums[static_cast<std::size_t>(part)] += sum;
                 });
    return std::accumulate(sums.begin(), sums.end(), 0.0);
}

}  // namespace

namespace {

// A sum of few pairs is sooner brought along than computed anew.
template <class Real>
bool is_short(const MadeMove<Real>& made, Index width) {
    Index pairs = 0;
    for (std::size_t k = 0; k < made.atoms; ++k) {
        if (made.atom[k].kind == Vertex<Real>::Kind::dense) return false;
        pairs += made.atom[k].rank();
    }
    return 2 * pairs < width;
}

}  // namespace

template <class Real>
const Matrix<Real>& Iterate<Real>::matrix() const {
    if (!factors_) return x_;
    if (written_ != version_) {
        all_ = factors_->to_matrix();
        written_ = version_;
    }
    return all_;
}

template <class Real>
const Matrix<Real>& Iterate<Real>::seen() const {
    if (!factors_ || seen_ == version_) return x_;
    const MadeMove<Real>* last = last_move();
    if (last != nullptr && last->from == seen_ && followed_ < longest_way &&
        is_short(*last, factors_->width())) {
        follow(*last, pattern_, threads_, x_);
        ++followed_;
    } else {
        see(*factors_, pattern_, threads_, x_);
        followed_ = 0;
    }
    seen_ = version_;
    return x_;
}

template <class Real>
void Iterate<Real>::jump_to(const Vertex<Real>& point) {
    if (factors_) {
        const double one = 1;
        const Vertex<Real>* atom = &point;
        factors_->combine(0, {&one, 1}, {&atom, 1});
    } else if (point.kind == Vertex<Real>::Kind::dense) {
        x_ = point.dense;
    } else {
        x_ = point.to_matrix();
    }
    jumped();
}

template <class Real>
void Iterate<Real>::go_towards(const Vertex<Real>& vertex, double step) {
    if (factors_) {
        const Vertex<Real>* atom = &vertex;
        factors_->combine(1 - step, {&step, 1}, {&atom, 1});
    } else {
        move_towards(vertex, step, x_);
    }
    jumped();
}

template <class Real>
double Iterate<Real>::norm() const {
    if (factors_) return factors_->norm();
    return std::sqrt(kernels::direction(x_.size(), x_.data(), x_.data(), 0, static_cast<const Real*>(nullptr))
                         .length_squared);
}

template <class Real>
Direction direction(const Move<Real>& move, const Matrix<Real>& gradient, const Iterate<Real>& x) {
    if (x.factors() == nullptr) return direction(move, gradient, x.matrix());
    const Pattern& pattern = x.pattern();
    const Matrix<Real>& seen = x.seen();
    Direction found;
    if (move.along_x() != 0)
        found.slope = -move.along_x() * kernels::direction(seen.size(), gradient.data(), seen.data(), 0,
                                                           static_cast<const Real*>(nullptr))
                                            .slope;
    for (std::size_t k = 0; k < move.atoms(); ++k)
        found.slope += move.coefficient(k) * product_with(move.atom(k), gradient, pattern, x.threads());
    found.length_squared = x.factors()->length_squared(move);
    return found;
}

template <class Real>
Direction direction_to(const Vertex<Real>& vertex, const Matrix<Real>& gradient, const Iterate<Real>& x) {
    if (x.factors() == nullptr) return direction_to(vertex, gradient, x.matrix());
    Move<Real> move;
    move.towards() = vertex;
    return direction(move, gradient, x);
}

template <class Real>
void look_along(const Move<Real>& move, const Iterate<Real>& x, const RowsOfWay<Real>& visit) {
    const Pattern& pattern = x.pattern();
    const Matrix<Real>& seen = x.seen();
    std::vector<AtomEntries<Real>> atoms;
    atoms.reserve(move.atoms());
    for (std::size_t k = 0; k < move.atoms(); ++k) atoms.emplace_back(move.atom(k), move.coefficient(k));
    for_each_part(pattern, x.threads(), [&](int part, Index first, Index last) {
        AlignedVector<Real> line;
        AlignedVector<Real> entries;
        AlignedVector<Real> way;
        for (Index i = first; i < last; ++i) {
            const Index at = pattern.begin(i);
            const auto count = static_cast<std::size_t>(pattern.end(i) - at);
            way.resize(count);
            entries.resize(count);
            const Real along = static_cast<Real>(move.along_x());
            for (std::size_t k = 0; k < count; ++k) way[k] = along * seen.data()[at + static_cast<Index>(k)];
            for (const AtomEntries<Real>& atom : atoms) {
                if (atom.none()) continue;
                atom.of_row(pattern, i, line, entries.data());
                for (std::size_t k = 0; k < count; ++k) way[k] += entries[k];
            }
            visit(part, i, way);
        }
    });
}

template <class Real>
void remember(const Iterate<Real>& x, double composite, Vertex<Real>& point) {
    point.composite = composite;
    if (x.factors() != nullptr) return x.factors()->to_vertex(point);
    point.kind = Vertex<Real>::Kind::dense;
    point.shape = x.shape();
    point.dense = x.matrix();
}

template <class Real>
void Iterate<Real>::make(const Move<Real>& move, double step) {
    if (step == 0) return;
    bool lost = false;
    if (factors_) {
        std::array<double, 2> coefficients{};
        std::array<const Vertex<Real>*, 2> atoms{};
        for (std::size_t k = 0; k < move.atoms(); ++k) {
            coefficients[k] = step * move.coefficient(k);
            atoms[k] = &move.atom(k);
        }
        lost = factors_->combine(move.keep(step), {coefficients.data(), move.atoms()},
                                 {atoms.data(), move.atoms()});
    } else {
        apply(move, step, x_);
    }
    if (!intercept_.next.empty()) intercept_.at.swap(intercept_.next);
    intercept_.next.clear();
    intercept_.best = false;
    MadeMove<Real>& made = made_[next_];
    made.from = version_;
    made.to = version_ = new_version();
    made.move = move.version();
    made.step = step;
    made.keep = move.keep(step);
    made.atoms = move.atoms();
    for (std::size_t k = 0; k < move.atoms(); ++k) {
        made.coefficient[k] = step * move.coefficient(k);
        // What nobody will follow takes as much memory as x itself.
        const bool is_long = factors_ && 2 * move.atom(k).rank() >= factors_->width();
        if (move.atom(k).kind == Vertex<Real>::Kind::dense || (is_long && move.atom(k).rank() > 1)) {
            made.atom[k].kind = Vertex<Real>::Kind::dense;
        } else {
            made.atom[k] = move.atom(k);
        }
    }
    next_ = (next_ + 1) % made_.size();
    if (known_ < made_.size()) ++known_;
    // The move leads elsewhere than to a point of which something was lost.
    if (lost) known_ = 0;
}

template <class Real>
void MadeMove<Real>::archive(Archive& state) {
    state(from, to, move, step, keep, atoms, coefficient);
    if (atoms > atom.size()) state.reject("a move has more atoms than two");
    for (std::size_t k = 0; k < atoms; ++k) {
        bool dense = atom[k].kind == Vertex<Real>::Kind::dense;
        state(dense);
        if (dense) {
            atom[k].kind = Vertex<Real>::Kind::dense;
        } else {
            state(atom[k]);
        }
    }
}

template <class Real>
void Iterate<Real>::archive(Archive& state) {
    bool factored = factors_.has_value();
    state(factored, x_, version_, intercept_, next_, known_);
    if (next_ >= made_.size() || known_ > made_.size())
        state.reject("a point has made more moves than are known");
    for (std::size_t back = 0; back < known_; ++back)
        state(made_[(next_ + made_.size() - 1 - back) % made_.size()]);
    if (factored != factors_.has_value()) factored ? static_cast<void>(factors_.emplace()) : factors_.reset();
    if (!factored) return;
    state(*factors_, seen_, followed_);
    if (!state.loading()) return;
    pattern_ = state.places();
    threads_ = state.threads();
    written_ = Version::none;
}

template struct MadeMove<float>;
template struct MadeMove<double>;
template class Iterate<float>;
template class Iterate<double>;
template Direction direction(const Move<float>&, const Matrix<float>&, const Iterate<float>&);
template Direction direction(const Move<double>&, const Matrix<double>&, const Iterate<double>&);
template Direction direction_to(const Vertex<float>&, const Matrix<float>&, const Iterate<float>&);
template Direction direction_to(const Vertex<double>&, const Matrix<double>&, const Iterate<double>&);
template void look_along(const Move<float>&, const Iterate<float>&, const RowsOfWay<float>&);
template void look_along(const Move<double>&, const Iterate<double>&, const RowsOfWay<double>&);
template void remember(const Iterate<float>&, double, Vertex<float>&);
template void remember(const Iterate<double>&, double, Vertex<double>&);

}  // namespace alfcg
