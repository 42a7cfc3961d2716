"""Oracles of structured regions against HiGHS, through SciPy: linear programs of moderate size."""

import numpy as np
import pytest

import alfcg

linprog = pytest.importorskip("scipy.optimize").linprog


def incidence(graph, nodes):
    """One row a node, one column an edge: 1 where it leaves, -1 where it arrives."""
    matrix = np.zeros((nodes, len(graph)))
    for k, (tail, head) in enumerate(graph):
        matrix[tail, k] += 1
        matrix[head, k] -= 1
    return matrix


def expect_least(region, gradient, **program):
    """The oracle's answer is a point of the program's, and as good as HiGHS's."""
    answer = region.oracle(gradient)
    best = linprog(gradient.ravel(), method="highs", **program)
    assert best.status == 0
    x = answer.ravel()
    scale = 1 + np.abs(gradient).sum()
    assert abs(x @ gradient.ravel() - best.fun) <= 1e-8 * scale
    if program.get("A_eq") is not None:
        np.testing.assert_allclose(program["A_eq"] @ x, program["b_eq"], atol=1e-8)
    if program.get("A_ub") is not None:
        assert np.all(program["A_ub"] @ x <= np.asarray(program["b_ub"]) + 1e-8)


def row_and_column_sums(rows, columns):
    return np.vstack([np.kron(np.eye(rows), np.ones(columns)), np.kron(np.ones(rows), np.eye(columns))])


def test_assignments(rng):
    sums = row_and_column_sums(20, 20)
    for _ in range(3):
        expect_least(alfcg.Region("birkhoff"), rng.standard_normal((20, 20)), A_eq=sums, b_eq=np.ones(40))


def test_transport_plans(rng, tmp_path):
    supply, demand = rng.random(8), rng.random(12)
    demand *= supply.sum() / demand.sum()
    np.save(tmp_path / "supply.npy", supply)
    (tmp_path / "demand.txt").write_text("\n".join(repr(float(amount)) for amount in demand))
    files = {"supply": str(tmp_path / "supply.npy"), "demand": str(tmp_path / "demand.txt"), "radius": 2.0}
    for _ in range(3):
        expect_least(
            alfcg.Region("transport", files),
            rng.standard_normal((8, 12)),
            A_eq=row_and_column_sums(8, 12),
            b_eq=2 * np.concatenate([supply, demand]),
        )


def edges_of(rng, nodes, count, onwards):
    chosen = [(k, k + 1) for k in range(nodes - 1)]  # so that all can be reached
    while len(chosen) < count:
        tail, head = rng.integers(nodes, size=2)
        if tail < head or (tail != head and not onwards):
            chosen.append((int(tail), int(head)))
    return chosen


def write_graph(path, graph, *columns):
    lines = [" ".join(map(str, [f"n{tail}", f"n{head}", *more])) for (tail, head), *more in zip(graph, *columns)]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def test_paths(rng, tmp_path):
    graph = edges_of(rng, 25, 120, onwards=True)
    file = write_graph(tmp_path / "dag.txt", graph)
    sent = np.zeros(25)
    sent[[0, 24]] = 1, -1
    for _ in range(3):
        expect_least(
            alfcg.Region("dag-paths", {"graph": file}), rng.standard_normal(120), A_eq=incidence(graph, 25), b_eq=sent
        )


def test_flows(rng, tmp_path):
    graph = edges_of(rng, 25, 150, onwards=False)
    capacities = np.round(rng.random(150), 3) + np.where(np.arange(150) < 24, 3.0, 0.0)
    file = write_graph(tmp_path / "network.txt", graph, capacities)
    supplies = np.round(rng.standard_normal(25), 3) / 4
    supplies[0] += 3 - supplies.sum()
    supplies[24] -= 3
    (tmp_path / "supply.txt").write_text("\n".join(f"n{k} {amount!r}" for k, amount in enumerate(supplies.tolist())))
    region = alfcg.Region("flow", {"graph": file, "supply": str(tmp_path / "supply.txt")})
    for _ in range(3):
        expect_least(
            region,
            rng.standard_normal(150),
            A_eq=incidence(graph, 25),
            b_eq=supplies,
            bounds=list(zip(np.zeros(150), capacities)),
        )


def test_matchings(rng, tmp_path):
    graph = sorted({(int(a), 12 + int(b)) for a, b in rng.integers(12, size=(60, 2))})
    file = write_graph(tmp_path / "pairs.txt", graph)
    touched = np.abs(incidence(graph, 24))
    for _ in range(3):
        expect_least(
            alfcg.Region("matching", {"graph": file}), rng.standard_normal(len(graph)), A_ub=touched, b_ub=np.ones(24)
        )


def test_linear_constraints(rng, tmp_path):
    n = 15
    at_most = np.vstack([rng.standard_normal((25, n)), np.eye(n), -np.eye(n)])
    bounds = np.concatenate([1 + rng.random(25), np.ones(2 * n)])
    equal, value = rng.standard_normal((2, n)), 0.1 * rng.standard_normal(2)
    np.save(tmp_path / "at-most.npy", np.column_stack([at_most, bounds]))
    np.savetxt(tmp_path / "equal.csv", np.column_stack([equal, value]), delimiter=",")
    files = {"at-most": str(tmp_path / "at-most.npy"), "equal": str(tmp_path / "equal.csv")}
    region = alfcg.Region("linear", files)
    try:
        region.oracle(np.zeros(n))
    except ValueError as error:
        if "built without" in str(error):
            pytest.skip(str(error))
        raise
    for _ in range(5):
        expect_least(
            region,
            rng.standard_normal(n),
            A_ub=at_most,
            b_ub=bounds,
            A_eq=equal,
            b_eq=value,
            bounds=(None, None),
        )
