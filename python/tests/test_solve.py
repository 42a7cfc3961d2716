"""Objectives and regions of one's own, against closed forms."""

import numpy as np
import pytest

import alfcg


def distance_to(target):
    """Half the squared distance, and its gradient."""
    return lambda x: (0.5 * float(np.sum((x - target) ** 2)), x - target)


def nearest_in_l1_ball(target, radius):
    """By bisection on the threshold."""
    low, high = 0.0, np.abs(target).max()
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(np.abs(target) - middle, 0).sum() > radius else (low, middle)
    return np.sign(target) * np.maximum(np.abs(target) - high, 0)


@pytest.mark.parametrize("method", ["auto", "fw-pairwise"])
def test_the_nearest_point_of_an_l1_ball(rng, method):
    target = rng.standard_normal(20)
    result = alfcg.solve(distance_to(target), alfcg.l1_ball(3.0), np.zeros(20), method=method, tolerance=1e-9)
    expected = nearest_in_l1_ball(target, 3.0)
    assert result.converged and result.gap <= 1e-8
    # ½‖x − x*‖² ≤ F(x) − F(x*) ≤ gap.
    assert np.sum((result.x - expected) ** 2) <= 2 * result.gap + 1e-12
    assert result.history["objective"][-1] == result.objective


def test_the_nearest_matrix_of_a_nuclear_ball_has_thresholded_singular_values(rng):
    target = rng.standard_normal((6, 9))
    left, values, right = np.linalg.svd(target, full_matrices=False)
    expected = left * nearest_in_l1_ball(values, 4.0) @ right
    result = alfcg.solve(distance_to(target), alfcg.nuclear_ball(4.0), shape=(6, 9), tolerance=1e-9)
    assert result.x.shape == (6, 9)
    assert np.sum((result.x - expected) ** 2) <= 2 * result.gap + 1e-10


def test_composite_terms_shrink(rng):
    # ½‖x − t‖² + ½‖x‖² has its minimum at t/2, here inside the ball.
    target = rng.standard_normal(5)
    result = alfcg.solve(distance_to(target), alfcg.l2_ball(100.0, l2=1.0), np.zeros(5), tolerance=1e-10)
    assert np.allclose(result.x, target / 2, atol=1e-3)


def test_the_precision_is_that_of_x0(rng):
    target = rng.standard_normal(7)
    seen = set()

    def look(x):
        seen.add((x.dtype, x.shape))
        return distance_to(target)(x)

    result = alfcg.solve(look, alfcg.lp_ball(1.5, 1.0), np.zeros(7, np.float32))
    assert result.x.dtype == np.float32 and seen == {(np.dtype(np.float32), (7,))}


def test_finite_sums_take_stochastic_methods(rng):
    A, b = rng.standard_normal((200, 8)), rng.standard_normal(200)
    sizes = set()

    def some(rows, x):
        sizes.add(len(rows))
        r = A[rows] @ x - b[rows]
        return 0.5 * np.mean(r**2), A[rows].T @ r / len(rows)

    problem = alfcg.FiniteSum(200, some)
    whole = alfcg.solve(lambda x: some(np.arange(200), x), alfcg.l1_ball(0.5), np.zeros(8), tolerance=1e-8)
    sizes.clear()
    drawn = alfcg.solve(
        problem, alfcg.l1_ball(0.5), np.zeros(8), method="alfcg-fs", max_epochs=200, seed=1, tolerance=1e-4
    )
    assert min(sizes) < 200
    assert drawn.objective - whole.objective <= drawn.gap + whole.gap + 1e-12
    assert drawn.gap < 1e-2


def simplex(n):
    def corner(g):
        v = np.zeros_like(g)
        v[np.argmin(g)] = 1
        return v

    return alfcg.CustomRegion(
        corner,
        diameter=2**0.5,
        violation=lambda x: max(abs(x.sum() - 1), -x.min()),
        start=np.full(n, 1 / n),
        name="simplex",
    )


def test_an_oracle_of_ones_own(rng):
    # On the simplex, <c, x> + ½‖x‖² has the minimiser max(−c − shift, 0).
    c = rng.standard_normal(10)
    low, high = -10.0, 10.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(-c - middle, 0).sum() > 1 else (low, middle)
    result = alfcg.solve(
        lambda x: (c @ x + 0.5 * x @ x, c + x), simplex(10), shape=10, tolerance=1e-7, method="fw-away"
    )
    assert result.region == "simplex"
    assert np.sum((result.x - np.maximum(-c - high, 0)) ** 2) <= 2 * result.gap + 1e-9


def test_a_proximal_map_lets_more_methods_work(rng):
    target = rng.standard_normal(6)
    box = alfcg.CustomRegion(
        lambda g: -0.5 * np.sign(g),
        diameter=6**0.5,
        start=lambda: np.zeros(6),
        proximal=lambda p, w: np.clip(p, -0.5, 0.5),
    )
    result = alfcg.solve(distance_to(target), box, shape=6, method="accelerated", tolerance=1e-10)
    assert np.allclose(result.x, np.clip(target, -0.5, 0.5), atol=1e-4)


def test_exceptions_come_out_unchanged(rng):
    class Own(Exception):
        pass

    calls = []

    def fail(x):
        calls.append(1)
        if len(calls) > 3:
            raise Own("objective")
        return distance_to(np.ones(4))(x)

    with pytest.raises(Own, match="objective"):
        alfcg.solve(fail, alfcg.l1_ball(1.0), np.zeros(4), method="fw-openloop")

    def oracle(g):
        raise Own("oracle")

    with pytest.raises(Own, match="oracle"):
        alfcg.solve(distance_to(np.ones(4)), alfcg.CustomRegion(oracle, 1.0, start=np.zeros(4)), shape=4)

    with pytest.raises(KeyboardInterrupt):
        alfcg.solve(lambda x: (_ for _ in ()).throw(KeyboardInterrupt), alfcg.l1_ball(1.0), np.zeros(4))


def test_callbacks_end_runs_and_see_the_callers_shape():
    shapes = []

    def look(now):
        shapes.append(now.x.shape)
        return now.iteration == 2

    result = alfcg.solve(distance_to(np.ones((2, 3))), alfcg.l2_ball(1.0), np.zeros((2, 3)), method="fw-shortstep",
                         tolerance=0, callback=look)  # fmt: skip
    assert result.status == "interrupted" and result.iterations == 3 and set(shapes) == {(2, 3)}


def test_an_interrupted_run_keeps_its_result():
    def interrupt(now):
        if now.iteration == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        alfcg.solve(
            distance_to(np.ones(3)),
            alfcg.l2_ball(1.0),
            np.zeros(3),
            method="fw-openloop",
            tolerance=0,
            callback=interrupt,
        )
    assert caught.value.result.iterations == 5


@pytest.mark.parametrize("where", ["objective", "oracle"])
def test_ctrl_c_in_a_function_of_ones_own_ends_the_run_after_the_iteration(where):
    target = np.array([0.9, -0.3, 0.2])
    calls = {"objective": 0, "oracle": 0}

    def called(name):
        calls[name] += 1
        if name == where and calls[name] == 6:
            raise KeyboardInterrupt  # as Python does there for SIGINT

    def objective(x):
        called("objective")
        return distance_to(target)(x)

    def oracle(g):
        called("oracle")
        return -np.sign(g)

    box = alfcg.CustomRegion(oracle, diameter=12**0.5)
    with pytest.raises(KeyboardInterrupt) as caught:
        alfcg.solve(objective, box, np.zeros(3), method="fw-openloop", tolerance=0)
    result = caught.value.result
    assert result.status == "interrupted" and result.iterations == 6
    same = alfcg.solve(distance_to(target), box, np.zeros(3), method="fw-openloop", tolerance=0, max_iterations=6)
    assert np.array_equal(result.x, same.x) and result.objective == same.objective


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"objective": 3}, TypeError, "objective must be callable"),
        ({"objective": lambda x: 1.0}, TypeError, "must return a tuple of two"),
        (
            {"objective": lambda x: (1.0, np.zeros(5))},
            ValueError,
            r"the gradient must have the shape \(3,\), not \(5,\)",
        ),
        ({"objective": lambda x: ("a", x)}, (TypeError, AttributeError), "value|float"),
        ({"objective": lambda x: (float("nan"), x)}, ValueError, "the objective's value is not a number"),
        ({"objective": lambda x: (1.0, x * np.nan)}, ValueError, "gradient has an entry that is not a finite number"),
        ({"region": "l9"}, ValueError, "region must be one of"),
        ({"region": 3}, TypeError, "region must be"),
        ({"region": alfcg.l1_ball(-1.0)}, ValueError, "radius must be positive, not -1"),
        ({"region": alfcg.Region("l1", {"radius": 1.0}, nuclear=1.0)}, ValueError, "nuclear"),
        ({"x0": None}, ValueError, "give x0 or shape"),
        ({"x0": np.full(3, 9.0)}, ValueError, "outside the region"),
        ({"x0": np.zeros((2, 2, 2))}, ValueError, "one or two dimensions"),
        ({"method": "newton"}, ValueError, "unknown method 'newton'"),
        ({"max_iterations": -1}, ValueError, "max_iterations"),
        ({"shape": 4}, ValueError, "not that of x0"),
    ],
)
def test_mistakes_are_told(change, error, words):
    arguments = {"objective": distance_to(np.ones(3)), "region": alfcg.l1_ball(1.0), "x0": np.zeros(3), **change}
    with pytest.raises(error, match=words):
        alfcg.solve(**arguments)


def test_results_look_well():
    result = alfcg.solve(distance_to(np.ones(3)), alfcg.l1_ball(1.0), np.zeros(3))
    assert repr(result).startswith("status     converged after")
    assert "l_1 ball" in repr(result) or "ball" in repr(result)
    assert "<table>" in result._repr_html_() and "objective" in result._repr_html_()
    assert "<table>" in result.history._repr_html_()
