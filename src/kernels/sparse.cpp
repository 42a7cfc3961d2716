// Compiled once per instruction set; Highway picks the best one the CPU has at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/sparse.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "kernels/sparse.hpp"
#include "kernels/tiles-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace alfcg::kernels::HWY_NAMESPACE {

// Tables larger than the caches next to a core have the lines that come up fetched, so many before their turn; their
// rests, which lie closer together, only if they alone are larger.
constexpr Index kLargeTable = Index{2} << 20;  // bytes
constexpr Index kAhead = 32;

// How far apart the parts of two lines lie.
struct Strides {
    Index body;
    Index rest;
};
// The same where V vectors are all of the body, and a vector of `rest_bytes` all of the rest: numbers that are known to
// the compiler, which spares multiplications.
template <Index V, Index rest_bytes, class Real>
struct TableStrides {
    static constexpr Index body = V * static_cast<Index>(hn::MaxLanes(hn::ScalableTag<Real>()));
    static constexpr Index rest = rest_bytes / static_cast<Index>(sizeof(Real));
};
template <Index V, Index rest_bytes, class Real>
struct RowStrides {
    static constexpr Index body =
        TableStrides<V, rest_bytes, Real>::body + TableStrides<V, rest_bytes, Real>::rest;
    static constexpr Index rest = body;
};

// Where part of a table's lines lies: V vectors of the body, and one of `rest_bytes` of the rest, if any.
template <Index V, Index rest_bytes, class Real, class Apart>
struct Span {
    static constexpr Index vectors = V;
    static constexpr bool has_rest = rest_bytes > 0;
    using Entry = std::remove_const_t<Real>;
    using D = hn::ScalableTag<Entry>;
    using RestD = hn::CappedTag<Entry, std::max<Index>(rest_bytes, 16) / sizeof(Real)>;

    Real* body;
    Real* rest;
    Apart apart;

    HWY_INLINE Real* Body(Index line, Index v) const {
        return body + line * apart.body + v * static_cast<Index>(hn::Lanes(D()));
    }
    HWY_INLINE Real* Rest(Index line) const { return rest + line * apart.rest; }
    HWY_INLINE void Fetch(Index line, bool with_rest) const {
        for (Index v = 0; v < V; ++v) __builtin_prefetch(Body(line, v), 0, 3);
        if (has_rest && with_rest) __builtin_prefetch(Rest(line), 0, 3);
    }
};

// The first lanes of a vector.
template <class To, class From>
HWY_INLINE hn::Vec<To> Lower(To to, From /*from*/, hn::Vec<From> v) {
    if constexpr (hn::MaxLanes(To()) == hn::MaxLanes(From())) {
        return v;
    } else {
        const hn::Half<From> half;
        return Lower(to, half, hn::LowerHalf(half, v));
    }
}

// That part of one line, in registers.
template <class Span>
struct Part {
    static constexpr Index V = Span::vectors;
    using D = typename Span::D;
    using RestD = typename Span::RestD;
    using Real = typename Span::Entry;

    hn::Vec<D> body[std::max<Index>(V, 1)];
    hn::Vec<RestD> rest;

    HWY_INLINE void Clear() {
        for (Index v = 0; v < V; ++v) body[v] = hn::Zero(D());
        rest = hn::Zero(RestD());
    }
    template <class Place>
    HWY_INLINE void Load(const Place& from, Index line) {
        for (Index v = 0; v < V; ++v) body[v] = hn::LoadU(D(), from.Body(line, v));
        if (Span::has_rest) rest = hn::LoadU(RestD(), from.Rest(line));
    }
    // this += value · line
    template <class Place>
    HWY_INLINE void AddLine(Real value, const Place& from, Index line) {
        const auto factor = hn::Set(D(), value);
        for (Index v = 0; v < V; ++v)
            body[v] = hn::MulAdd(factor, hn::LoadU(D(), from.Body(line, v)), body[v]);
        if (Span::has_rest)
            rest = hn::MulAdd(Lower(RestD(), D(), factor), hn::LoadU(RestD(), from.Rest(line)), rest);
    }
    HWY_INLINE void Add(const Part& other) {
        for (Index v = 0; v < V; ++v) body[v] = hn::Add(body[v], other.body[v]);
        if (Span::has_rest) rest = hn::Add(rest, other.rest);
    }
    template <class Place>
    HWY_INLINE void Store(const Place& to, Index line) const {
        for (Index v = 0; v < V; ++v) hn::StoreU(body[v], D(), to.Body(line, v));
        if (Span::has_rest) hn::StoreU(rest, RestD(), to.Rest(line));
    }
    // line += value · this
    template <class Place>
    HWY_INLINE void AddTo(const Place& to, Index line, Real value) const {
        for (Index v = 0; v < V; ++v) {
            Real* at = to.Body(line, v);
            hn::StoreU(hn::MulAdd(hn::Set(D(), value), body[v], hn::LoadU(D(), at)), D(), at);
        }
        if (Span::has_rest) {
            Real* at = to.Rest(line);
            hn::StoreU(hn::MulAdd(hn::Set(RestD(), value), rest, hn::LoadU(RestD(), at)), RestD(), at);
        }
    }
};

// Entries first .. last-1. Several sets of sums, so that an addition need not wait for the last.
template <bool fetch, class Lines, class From>
HWY_INLINE Part<From> SumLine(const Lines& lines, Index first, Index last, const From& from,
                              bool fetch_rest) {
    constexpr Index sets = From::vectors + (From::has_rest ? 1 : 0) == 1 ? 4 : 2;
    Part<From> sum[sets];
    for (Index s = 0; s < sets; ++s) sum[s].Clear();
    Index k = first;
    for (; k + sets <= last; k += sets) {
        if (fetch)
            for (Index s = 0; s < sets; ++s) from.Fetch(lines.index_of(k + s + kAhead), fetch_rest);
        for (Index s = 0; s < sets; ++s) sum[s].AddLine(lines.value_of(k + s), from, lines.index_of(k + s));
    }
    for (; k < last; ++k) sum[0].AddLine(lines.value_of(k), from, lines.index_of(k));
    for (Index s = 2; s < sets; ++s) sum[s % 2].Add(sum[s]);
    sum[0].Add(sum[1]);
    return sum[0];
}

// Lines that end at entry `fetched` or before it have what comes after them fetched.
template <class Lines, class From, class To>
HWY_INLINE void GatherSpan(const Lines& lines, const LineChoice& choice, const From& from, const To& to,
                           Index fetched, bool fetch_rest) {
    for (Index i = 0; i < choice.count; ++i) {
        const Index line = choice.line(i);
        const Index first = lines.start[line];
        const Index last = lines.start[line + 1];
        if (last <= fetched) {
            SumLine<true>(lines, first, last, from, fetch_rest).Store(to, choice.place(i));
        } else {
            SumLine<false>(lines, first, last, from, false).Store(to, choice.place(i));
        }
    }
}

template <class From, class To, class Real>
HWY_INLINE void ScatterSpan(const SparseLines<Real>& lines, const LineChoice& choice, const From& from,
                            const To& to) {
    for (Index i = 0; i < choice.count; ++i) {
        const Index line = choice.line(i);
        Part<From> residual;
        residual.Load(from, i);
        for (Index k = lines.start[line]; k < lines.start[line + 1]; ++k)
            residual.AddTo(to, lines.index[k], lines.value[k]);
    }
}

// Vectors of a cache line.
template <class Real>
constexpr Index kBodyVectors = vector_bytes /
                               static_cast<Index>(hn::MaxLanes(hn::ScalableTag<Real>()) * sizeof(Real));

// Calls visit(span of the table, span of rows that lie side by side) for spans of up to four vectors that cover
// a line.
template <class TableReal, class RowReal, class Visit>
HWY_INLINE void ForSpans(Index outputs, Table<TableReal> table, RowReal* rows, const Visit& visit) {
    using Real = std::remove_const_t<RowReal>;
    const Index lanes = static_cast<Index>(hn::Lanes(hn::ScalableTag<Real>()));
    const Index body = table_body<Real>(outputs);
    const Index rest = table_rest<Real>(outputs);
    const Index stride = body + rest;
    TableReal* end = table.entries + body * table.lines;
    const auto call = [&]<Index V, Index rest_bytes>(Index at, Index rest_at) HWY_ATTR {
        using AllOfTable = TableStrides<V, rest_bytes, Real>;
        using AllOfRow = RowStrides<V, rest_bytes, Real>;
        TableReal* to_rest = end + rest_at;
        RowReal* row_rest = rows + body + rest_at;
        if (body == AllOfTable::body && rest == AllOfTable::rest) {
            visit(Span<V, rest_bytes, TableReal, AllOfTable>{table.entries, to_rest, {}},
                  Span<V, rest_bytes, RowReal, AllOfRow>{rows, row_rest, {}});
        } else if constexpr (V > 0 || kBodyVectors<Real> > 1) {  // else a line without a body is a rest alone
            visit(Span<V, rest_bytes, TableReal, Strides>{table.entries + at, to_rest, {body, rest}},
                  Span<V, rest_bytes, RowReal, Strides>{rows + at, row_rest, {stride, stride}});
        }
    };
    const auto with_rest = [&]<Index V>(Index at, Index rest_at) HWY_ATTR {
        const Index bytes = rest * static_cast<Index>(sizeof(Real));
        if constexpr (HWY_MAX_BYTES >= 64) {
            if (bytes >= 64) return call.template operator()<V, 64>(at, rest_at);
        }
        if constexpr (HWY_MAX_BYTES >= 32) {
            if (bytes >= 32) return call.template operator()<V, 32>(at, rest_at);
        }
        call.template operator()<V, 16>(at, rest_at);
    };
    // Short vectors need several for a rest; all but the first go by themselves.
    for (Index rest_at = lanes; rest_at < rest; rest_at += lanes)
        with_rest.template operator()<0>(0, rest_at);
    Index at = 0;
    for (; at + 4 * lanes < body || (at + 4 * lanes == body && rest == 0); at += 4 * lanes)
        call.template operator()<4, 0>(at, 0);
    const auto last = [&]<Index V>() HWY_ATTR {
        if (rest == 0) {
            call.template operator()<V, 0>(at, 0);
        } else {
            with_rest.template operator()<V>(at, 0);
        }
    };
    if (at < body) {
        // Bodies are whole cache lines, of so many vectors each.
        constexpr Index step = std::min<Index>(kBodyVectors<Real>, 4);
        ForCount<4 / step>((body - at) / (step * lanes),
                           [&]<Index n>() HWY_ATTR { last.template operator()<n * step>(); });
    } else if (rest > 0) {
        with_rest.template operator()<0>(at, 0);
    }
}

// The same lines, where the compiler knows how wide indices are: loops over single outputs do so little for an entry that they
// would feel a shift.
template <class Real, class Numbers>
struct LinesOfWidth {
    const Index* start;
    Numbers index;
    const Real* value;
    HWY_INLINE Index index_of(Index k) const { return index[k]; }
    HWY_INLINE Real value_of(Index k) const { return value[k]; }
};
template <class Real, class Visit>
HWY_INLINE void WithWidth(const SparseLines<Real>& lines, const Visit& visit) {
    lines.index.with_width([&](auto index) HWY_ATTR {
        visit(LinesOfWidth<Real, decltype(index)>{lines.start, index, lines.value});
    });
}
template <class Real, class Visit>
HWY_INLINE void WithWidth(const CodedLines<Real>& lines, const Visit& visit) {
    visit(lines);
}

template <class Lines, class Real>
HWY_INLINE Real GatherOne(const Lines& lines, Index line, const Real* table) {
    const Index last = lines.start[line + 1];
    Index k = lines.start[line];
    Real sum[4] = {};
    for (; k + 4 <= last; k += 4) {
        for (Index u = 0; u < 4; ++u) {
            Index at = lines.index_of(k + u);
            asm(""
                : "+r"(at));  // or the compiler would take gather instructions, which are slower than loads
            sum[u] += lines.value_of(k + u) * table[at];
        }
    }
    for (; k < last; ++k) sum[0] += lines.value_of(k) * table[lines.index_of(k)];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

template <class Lines, class Real>
HWY_INLINE void ScatterOne(const Lines& lines, Index line, Real residual, Real* HWY_RESTRICT to) {
    for (Index k = lines.start[line]; k < lines.start[line + 1]; ++k)
        to[lines.index_of(k)] += lines.value_of(k) * residual;
}

template <class Lines, class Real>
void Gather(const Lines& lines, LineChoice choice, Table<const Real> table, Index outputs, Real* out) {
    if (outputs == 1) {
        WithWidth(lines, [&](const auto& own) HWY_ATTR {
            for (Index i = 0; i < choice.count; ++i)
                out[choice.place(i)] = GatherOne(own, choice.line(i), table.entries);
        });
        return;
    }
    const auto large = [&](Index entries) {
        return table.lines * entries * static_cast<Index>(sizeof(Real)) > kLargeTable;
    };
    const bool fetch = choice.list == nullptr && large(table_stride<Real>(outputs));
    const Index fetched = fetch ? lines.start[choice.first + choice.count] - kAhead : -1;
    const bool fetch_rest = large(table_rest<Real>(outputs));
    ForSpans(outputs, table, out, [&](const auto& from, const auto& to) HWY_ATTR {
        GatherSpan(lines, choice, from, to, fetched, fetch_rest || from.vectors == 0);
    });
}

template <class Real>
void Scatter(const SparseLines<Real>& lines, LineChoice choice, const Real* residuals, Index outputs,
             Table<Real> table) {
    if (outputs == 1) {
        WithWidth(lines, [&](const auto& own) HWY_ATTR {
            for (Index i = 0; i < choice.count; ++i)
                ScatterOne(own, choice.line(i), residuals[i], table.entries);
        });
        return;
    }
    ForSpans(outputs, table, residuals,
             [&](const auto& to, const auto& from) HWY_ATTR { ScatterSpan(lines, choice, from, to); });
}

template <class Real>
void GatherStrided(const SparseLines<Real>& lines, LineChoice choice, const Real* matrix, Index outputs,
                   Index cols, Real* out) {
    const Index stride = table_stride<Real>(outputs);
    WithWidth(lines, [&](const auto& own) HWY_ATTR {
        for (Index i = 0; i < choice.count; ++i) {
            const Index line = choice.line(i);
            Real* to = out + choice.place(i) * stride;
            for (Index l = 0; l < outputs; ++l) to[l] = GatherOne(own, line, matrix + l * cols);
            std::fill(to + outputs, to + stride, Real(0));
        }
    });
}

template <class Real>
void ScatterStrided(const SparseLines<Real>& lines, LineChoice choice, const Real* residuals, Index outputs,
                    Index cols, Real* matrix) {
    const Index stride = table_stride<Real>(outputs);
    WithWidth(lines, [&](const auto& own) HWY_ATTR {
        for (Index i = 0; i < choice.count; ++i) {
            const Index line = choice.line(i);
            for (Index l = 0; l < outputs; ++l)
                ScatterOne(own, line, residuals[i * stride + l], matrix + l * cols);
        }
    });
}

// Entries of a vector by kSide, turned: to[j * to_stride + i] = from[i * from_stride + j].
#if HWY_TARGET == HWY_SCALAR
template <class Real>
constexpr Index kSide = 1;
template <class D, class Real>
HWY_INLINE void TurnTile(D /*d*/, const Real* from, Index /*from_stride*/, Real* to, Index /*to_stride*/) {
    *to = *from;
}
#else
template <class Real>
constexpr Index kSide = 16 / static_cast<Index>(sizeof(Real));
// A vector of blocks of 128 bits that lie `step` apart.
template <class D, class Real>
HWY_INLINE hn::Vec<D> LoadBlocks(D d, const Real* from, Index step) {
    if constexpr (hn::MaxLanes(D()) == kSide<Real>) {
        return hn::LoadU(d, from);
    } else {
        const hn::Half<D> half;
        const Index blocks = static_cast<Index>(hn::Lanes(half)) / kSide<Real>;
        const auto lower = LoadBlocks(half, from, step);
        return hn::Combine(d, LoadBlocks(half, from + blocks * step, step), lower);
    }
}
template <class D>
HWY_INLINE void TurnTile(D d, const float* from, Index from_stride, float* to, Index to_stride) {
    const hn::Repartition<double, D> wide;
    const auto load = [&](Index row)
                          HWY_ATTR { return LoadBlocks(d, from + row * from_stride, 4 * from_stride); };
    const auto a = load(0);
    const auto b = load(1);
    const auto c = load(2);
    const auto e = load(3);
    const auto ab_low = hn::BitCast(wide, hn::InterleaveLower(d, a, b));
    const auto ab_high = hn::BitCast(wide, hn::InterleaveUpper(d, a, b));
    const auto ce_low = hn::BitCast(wide, hn::InterleaveLower(d, c, e));
    const auto ce_high = hn::BitCast(wide, hn::InterleaveUpper(d, c, e));
    hn::StoreU(hn::BitCast(d, hn::InterleaveLower(wide, ab_low, ce_low)), d, to);
    hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(wide, ab_low, ce_low)), d, to + to_stride);
    hn::StoreU(hn::BitCast(d, hn::InterleaveLower(wide, ab_high, ce_high)), d, to + 2 * to_stride);
    hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(wide, ab_high, ce_high)), d, to + 3 * to_stride);
}
template <class D>
HWY_INLINE void TurnTile(D d, const double* from, Index from_stride, double* to, Index to_stride) {
    const auto a = LoadBlocks(d, from, 2 * from_stride);
    const auto b = LoadBlocks(d, from + from_stride, 2 * from_stride);
    hn::StoreU(hn::InterleaveLower(d, a, b), d, to);
    hn::StoreU(hn::InterleaveUpper(d, a, b), d, to + to_stride);
}
#endif

// Turns rows x cols entries, a vector of rows at a time; returns how many rows it has turned.
template <class D, class Real>
HWY_INLINE Index TurnRows(D d, const Real* from, Index from_stride, Index rows, Index cols, Real* to,
                          Index to_stride) {
    constexpr Index side = kSide<Real>;
    const Index lanes = static_cast<Index>(hn::Lanes(d));
    Index i = 0;
    for (; i + lanes <= rows; i += lanes) {
        Index j = 0;
        for (; j + side <= cols; j += side)
            TurnTile(d, from + i * from_stride + j, from_stride, to + j * to_stride + i, to_stride);
        for (; j < cols; ++j)
            for (Index r = i; r < i + lanes; ++r) to[j * to_stride + r] = from[r * from_stride + j];
    }
    return i;
}

// Turns rows x cols entries; what lies beyond in either direction is left alone.
template <class Real>
HWY_INLINE void Turn(const Real* from, Index from_stride, Index rows, Index cols, Real* to, Index to_stride) {
    constexpr Index tile = 64;  // both sides of a tile stay in the first-level cache
    for (Index j0 = 0; j0 < cols; j0 += tile) {
        const Index width = std::min(tile, cols - j0);
        const Real* at = from + j0;
        Real* turned = to + j0 * to_stride;
        Index i = TurnRows(hn::ScalableTag<Real>(), at, from_stride, rows, width, turned, to_stride);
        i += TurnRows(hn::CappedTag<Real, kSide<Real>>(), at + i * from_stride, from_stride, rows - i, width,
                      turned + i, to_stride);
        for (; i < rows; ++i)
            for (Index j = 0; j < width; ++j) turned[j * to_stride + i] = at[i * from_stride + j];
    }
}

// Body and rest of lines first .. last-1: visit(entries, stride, first output, outputs, padding).
template <class Real, class Visit>
HWY_INLINE void ForParts(Index outputs, Table<Real> table, Index first, const Visit& visit) {
    const Index body = table_body<std::remove_const_t<Real>>(outputs);
    const Index rest = table_rest<std::remove_const_t<Real>>(outputs);
    if (body > 0) visit(table.entries + first * body, body, Index{0}, body);
    if (rest > 0) visit(table.entries + table.lines * body + first * rest, rest, body, outputs - body);
}

template <class Real>
void ToTable(const Real* matrix, Index outputs, Index cols, Index first, Index last, Table<Real> table) {
    ForParts(outputs, table, first, [&](Real* to, Index stride, Index output, Index count) HWY_ATTR {
        Turn(matrix + output * cols + first, cols, count, last - first, to, stride);
        if (count == stride) return;
        for (Index j = 0; j < last - first; ++j)
            std::fill(to + j * stride + count, to + (j + 1) * stride, Real(0));
    });
}

template <class Real>
void FromTable(Table<const Real> table, Index outputs, Index cols, Index first, Index last, Real* matrix) {
    ForParts(outputs, table, first, [&](const Real* from, Index stride, Index output, Index count) HWY_ATTR {
        Turn(from, stride, last - first, count, matrix + output * cols + first, cols);
    });
}

template <class Real>
void RowsToTable(const Real* rows, Index first, Index count, Index outputs, Table<Real> table) {
    const Index row = table_stride<Real>(outputs);
    ForParts(outputs, table, first, [&](Real* to, Index stride, Index output, Index /*outputs*/) HWY_ATTR {
        for (Index i = 0; i < count; ++i) std::copy_n(rows + i * row + output, stride, to + i * stride);
    });
}

template <class Real>
void RowsToMatrix(const Real* rows, Index first, Index count, Index outputs, Index cols, Real* matrix) {
    Turn(rows, table_stride<Real>(outputs), count, outputs, matrix + first, cols);
}

// NOLINTBEGIN(bugprone-macro-parentheses)
#define ALFCG_FOR(REAL, SUFFIX)                                                                              \
    void Gather##SUFFIX(const SparseLines<REAL>& lines, LineChoice choice, Table<const REAL> table,          \
                        Index outputs, REAL* out) {                                                          \
        Gather(lines, choice, table, outputs, out);                                                          \
    }                                                                                                        \
    void GatherCoded##SUFFIX(const CodedLines<REAL>& lines, LineChoice choice, Table<const REAL> table,      \
                             Index outputs, REAL* out) {                                                     \
        Gather(lines, choice, table, outputs, out);                                                          \
    }                                                                                                        \
    void Scatter##SUFFIX(const SparseLines<REAL>& lines, LineChoice choice, const REAL* residuals,           \
                         Index outputs, Table<REAL> table) {                                                 \
        Scatter(lines, choice, residuals, outputs, table);                                                   \
    }                                                                                                        \
    void GatherStrided##SUFFIX(const SparseLines<REAL>& lines, LineChoice choice, const REAL* matrix,        \
                               Index outputs, Index cols, REAL* out) {                                       \
        GatherStrided(lines, choice, matrix, outputs, cols, out);                                            \
    }                                                                                                        \
    void ScatterStrided##SUFFIX(const SparseLines<REAL>& lines, LineChoice choice, const REAL* residuals,    \
                                Index outputs, Index cols, REAL* matrix) {                                   \
        ScatterStrided(lines, choice, residuals, outputs, cols, matrix);                                     \
    }                                                                                                        \
    void ToTable##SUFFIX(const REAL* matrix, Index outputs, Index cols, Index first, Index last,             \
                         Table<REAL> table) {                                                                \
        ToTable(matrix, outputs, cols, first, last, table);                                                  \
    }                                                                                                        \
    void FromTable##SUFFIX(Table<const REAL> table, Index outputs, Index cols, Index first, Index last,      \
                           REAL* matrix) {                                                                   \
        FromTable(table, outputs, cols, first, last, matrix);                                                \
    }                                                                                                        \
    void RowsToTable##SUFFIX(const REAL* rows, Index first, Index count, Index outputs, Table<REAL> table) { \
        RowsToTable(rows, first, count, outputs, table);                                                     \
    }                                                                                                        \
    void RowsToMatrix##SUFFIX(const REAL* rows, Index first, Index count, Index outputs, Index cols,         \
                              REAL* matrix) {                                                                \
        RowsToMatrix(rows, first, count, outputs, cols, matrix);                                             \
    }
// NOLINTEND(bugprone-macro-parentheses)
ALFCG_FOR(float, Float)
ALFCG_FOR(double, Double)
#undef ALFCG_FOR

}  // namespace alfcg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alfcg::kernels {

// NOLINTBEGIN(bugprone-macro-parentheses)
#define ALFCG_FOR(REAL, SUFFIX)                                                                            \
    HWY_EXPORT(Gather##SUFFIX);                                                                            \
    HWY_EXPORT(GatherCoded##SUFFIX);                                                                       \
    HWY_EXPORT(Scatter##SUFFIX);                                                                           \
    HWY_EXPORT(GatherStrided##SUFFIX);                                                                     \
    HWY_EXPORT(ScatterStrided##SUFFIX);                                                                    \
    HWY_EXPORT(ToTable##SUFFIX);                                                                           \
    HWY_EXPORT(FromTable##SUFFIX);                                                                         \
    HWY_EXPORT(RowsToTable##SUFFIX);                                                                       \
    HWY_EXPORT(RowsToMatrix##SUFFIX);                                                                      \
    void gather_sums(const SparseLines<REAL>& lines, LineChoice choice, Table<const REAL> table,           \
                     Index outputs, REAL* out) {                                                           \
        HWY_DYNAMIC_DISPATCH(Gather##SUFFIX)(lines, choice, table, outputs, out);                          \
    }                                                                                                      \
    void gather_sums(const CodedLines<REAL>& lines, LineChoice choice, Table<const REAL> table,            \
                     Index outputs, REAL* out) {                                                           \
        HWY_DYNAMIC_DISPATCH(GatherCoded##SUFFIX)(lines, choice, table, outputs, out);                     \
    }                                                                                                      \
    void scatter_adds(const SparseLines<REAL>& lines, LineChoice choice, const REAL* residuals,            \
                      Index outputs, Table<REAL> table) {                                                  \
        HWY_DYNAMIC_DISPATCH(Scatter##SUFFIX)(lines, choice, residuals, outputs, table);                   \
    }                                                                                                      \
    void gather_sums(const SparseLines<REAL>& lines, LineChoice choice, const REAL* matrix, Index outputs, \
                     Index cols, REAL* out) {                                                              \
        HWY_DYNAMIC_DISPATCH(GatherStrided##SUFFIX)(lines, choice, matrix, outputs, cols, out);            \
    }                                                                                                      \
    void scatter_adds(const SparseLines<REAL>& lines, LineChoice choice, const REAL* residuals,            \
                      Index outputs, Index cols, REAL* matrix) {                                           \
        HWY_DYNAMIC_DISPATCH(ScatterStrided##SUFFIX)(lines, choice, residuals, outputs, cols, matrix);     \
    }                                                                                                      \
    void to_table(const REAL* matrix, Index outputs, Index cols, Index first, Index last,                  \
                  Table<REAL> table) {                                                                     \
        HWY_DYNAMIC_DISPATCH(ToTable##SUFFIX)(matrix, outputs, cols, first, last, table);                  \
    }                                                                                                      \
    void from_table(Table<const REAL> table, Index outputs, Index cols, Index first, Index last,           \
                    REAL* matrix) {                                                                        \
        HWY_DYNAMIC_DISPATCH(FromTable##SUFFIX)(table, outputs, cols, first, last, matrix);                \
    }                                                                                                      \
    void rows_to_table(const REAL* rows, Index first, Index count, Index outputs, Table<REAL> table) {     \
        HWY_DYNAMIC_DISPATCH(RowsToTable##SUFFIX)(rows, first, count, outputs, table);                     \
    }                                                                                                      \
    void rows_to_matrix(const REAL* rows, Index first, Index count, Index outputs, Index cols,             \
                        REAL* matrix) {                                                                    \
        HWY_DYNAMIC_DISPATCH(RowsToMatrix##SUFFIX)(rows, first, count, outputs, cols, matrix);             \
    }
// NOLINTEND(bugprone-macro-parentheses)
ALFCG_FOR(float, Float)
ALFCG_FOR(double, Double)

}  // namespace alfcg::kernels
#endif
