#pragma once

// All vertices of small polytopes, by plain enumeration in extended precision.

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <vector>

#include "alfcg/region/structured.hpp"

namespace alfcg::testing {

using Point = std::vector<long double>;

/// Calls visit(chosen) for every choice of k of n, increasing.
inline void for_each_choice(std::size_t n, std::size_t k,
                            const std::function<void(const std::vector<std::size_t>&)>& visit) {
    std::vector<std::size_t> chosen(k);
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
    for (;;) {
        visit(chosen);
        std::size_t last = k;
        while (last > 0 && chosen[last - 1] == n - k + last - 1) --last;
        if (last == 0) return;
        ++chosen[last - 1];
        for (std::size_t i = last; i < k; ++i) chosen[i] = chosen[i - 1] + 1;
    }
}

/// The solution of A x = b, by elimination with row pivots; none where the columns of A are dependent, or b is not met.
inline std::optional<Point> solved(std::vector<Point> a, Point b) {
    const std::size_t n = a.empty() ? 0 : a[0].size();
    if (a.size() < n) return std::nullopt;
    for (std::size_t j = 0; j < n; ++j) {
        std::size_t pivot = j;
        for (std::size_t i = j; i < a.size(); ++i)
            if (std::abs(a[i][j]) > std::abs(a[pivot][j])) pivot = i;
        if (std::abs(a[pivot][j]) < 1e-9L) return std::nullopt;
        std::swap(a[j], a[pivot]);
        std::swap(b[j], b[pivot]);
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (i == j || a[i][j] == 0) continue;
            const long double factor = a[i][j] / a[j][j];
            for (std::size_t k = j; k < n; ++k) a[i][k] -= factor * a[j][k];
            b[i] -= factor * b[j];
        }
    }
    for (std::size_t i = n; i < a.size(); ++i)
        if (std::abs(b[i]) > 1e-9L) return std::nullopt;
    Point x(n);
    for (std::size_t j = 0; j < n; ++j) x[j] = b[j] / a[j][j];
    return x;
}

/// Vertices of {x ≥ 0, A x = b}: solutions whose columns are independent. `rank` is that of A; the first `kept` entries of each.
inline std::vector<Point> standard_vertices(const std::vector<Point>& a, const Point& b, std::size_t rank,
                                            std::size_t kept) {
    std::vector<Point> all;
    for_each_choice(a[0].size(), rank, [&](const std::vector<std::size_t>& chosen) {
        std::vector<Point> columns(a.size());
        for (std::size_t i = 0; i < a.size(); ++i)
            for (const std::size_t j : chosen) columns[i].push_back(a[i][j]);
        const auto x = solved(columns, b);
        if (!x || *std::min_element(x->begin(), x->end()) < -1e-12L) return;
        Point point(a[0].size(), 0);
        for (std::size_t k = 0; k < rank; ++k) point[chosen[k]] = (*x)[k];
        point.resize(kept);
        all.push_back(point);
    });
    return all;
}

/// Vertices of {A x ≤ b}: points where as many constraints hold with equality as there are entries.
inline std::vector<Point> inequality_vertices(const std::vector<Point>& a, const Point& b) {
    std::vector<Point> all;
    for_each_choice(a.size(), a[0].size(), [&](const std::vector<std::size_t>& chosen) {
        std::vector<Point> rows;
        Point bounds;
        for (const std::size_t i : chosen) {
            rows.push_back(a[i]);
            bounds.push_back(b[i]);
        }
        const auto x = solved(rows, bounds);
        if (!x) return;
        for (std::size_t i = 0; i < a.size(); ++i)
            if (std::inner_product(a[i].begin(), a[i].end(), x->begin(), 0.0L) > b[i] + 1e-12L) return;
        all.push_back(*x);
    });
    return all;
}

/// Vertices of the flows of a graph: edges, and for each edge with a capacity what is left of it.
inline std::vector<Point> flow_vertices(const Graph& graph, const std::vector<double>& supply) {
    const std::size_t edges = graph.edges.size();
    std::size_t capped = 0;
    for (const Graph::Edge& edge : graph.edges) capped += std::isfinite(edge.capacity) ? 1 : 0;
    std::vector<Point> a(graph.nodes.size() + capped, Point(edges + capped, 0));
    Point b(supply.begin(), supply.end());
    for (std::size_t k = 0; k < edges; ++k) {
        a[static_cast<std::size_t>(graph.edges[k].from)][k] += 1;
        a[static_cast<std::size_t>(graph.edges[k].to)][k] -= 1;
        if (std::isinf(graph.edges[k].capacity)) continue;
        a[b.size()][k] = 1;
        a[b.size()][edges + b.size() - graph.nodes.size()] = 1;
        b.push_back(graph.edges[k].capacity);
    }
    return standard_vertices(a, b, graph.nodes.size() - 1 + capped, edges);
}

}  // namespace alfcg::testing
