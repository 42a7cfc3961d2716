"""Parameters of regions that are files for the command line, given as arrays."""

from __future__ import annotations

import os
import pickle
import tempfile

import numpy as np
import pytest
from sklearn.base import clone

import alfcg
from alfcg import ConstrainedRegressor, ConstrainedRegressorCV

NAMES = ["age", "a,b", 'the "other"', " blank ", "=", "*x"]
LOWER = np.array([0.0, -1.0, 0.0, -np.inf, 0.0, 0.0])


@pytest.fixture
def numbers(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    X = rng.normal(size=(150, 6))
    return X, X @ np.array([1.0, -2.0, 0.5, -3.0, 2.0, 0.1]) + 0.1 * rng.normal(size=150)


def bounded(lower) -> ConstrainedRegressor:
    return ConstrainedRegressor(region="bounded-l1", radius=10, region_params={"lower": lower}, method="accelerated")


def test_bounds_hold_and_are_those_of_a_file(numbers, tmp_path) -> None:
    X, y = numbers
    model = bounded(LOWER).fit(X, y)
    assert (model.coef_ >= LOWER).all()
    assert model.coef_[1] == -1
    (tmp_path / "lower.csv").write_text("".join(f"{j},{bound}\n" for j, bound in enumerate(LOWER)))
    for same in (str(tmp_path / "lower.csv"), tmp_path / "lower.csv", LOWER.tolist(), dict(enumerate(LOWER))):
        np.testing.assert_array_equal(bounded(same).fit(X, y).coef_, model.coef_)


def test_features_have_their_names(numbers) -> None:
    pandas = pytest.importorskip("pandas")
    X, y = numbers
    frame = pandas.DataFrame(X, columns=NAMES)
    plain = bounded(LOWER).fit(X, y)
    by_name = {"a,b": -1, " blank ": -np.inf, "*": 0}
    for lower in (LOWER, dict(zip(NAMES, LOWER, strict=True)), by_name):
        np.testing.assert_array_equal(bounded(lower).fit(frame, y).coef_, plain.coef_)
    named = [["age", "a,b"], ['the "other"', " blank "], ["=", "*x"]]
    grouped = [
        ConstrainedRegressor(region="group-l12", radius=2, region_params={"group_by": groups}, method="accelerated")
        .fit(frame, y)
        .coef_
        for groups in (named, [[0, 1], (2, 3), range(4, 6)], [3, 3, 5, 5, 7, 7])
    ]
    assert np.linalg.norm(grouped[0].reshape(3, 2), axis=1).sum() == pytest.approx(2)
    for coef in grouped[1:]:
        np.testing.assert_array_equal(coef, grouped[0])
    streams = [bounded(LOWER).partial_fit(data, y).partial_fit(data, y) for data in (X, frame)]
    np.testing.assert_array_equal(streams[0].coef_, streams[1].coef_)


def test_estimators_with_arrays_are_cloned_kept_and_searched(numbers, tmp_path) -> None:
    X, y = numbers
    model = bounded(LOWER).fit(X, y)
    np.testing.assert_array_equal(clone(model).fit(X, y).coef_, model.coef_)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).fit(X, y).coef_, model.coef_)
    search = ConstrainedRegressorCV(
        region="bounded-l1", radii=5, region_params={"lower": LOWER}, method="accelerated", store_coef_path=True
    ).fit(X, y)
    assert (search.coef_path_ >= LOWER - 1e-12).all()
    for what in (model, bounded(LOWER).partial_fit(X, y)):
        alfcg.save(what, tmp_path / "model.npz")
        loaded = alfcg.load(tmp_path / "model.npz")
        assert loaded.region_parameters["lower"] == "(array)"  # a model does not say which
        np.testing.assert_array_equal(ConstrainedRegressor.from_model(loaded).predict(X), what.predict(X))


def test_functions_take_them_too(numbers, tmp_path) -> None:
    X, y = numbers
    found = alfcg.path(X, y, region="bounded-l1", region_parameters={"lower": LOWER}, loss="squared", radii=[1, 4])
    assert found.model.region_parameters["lower"] == "(array)"
    groups = {"group_by": [[0, 1], [2, 3, 4, 5]]}
    alfcg.compare(
        X,
        y,
        region="group-l12",
        region_parameters=groups,
        loss="squared",
        methods="alfcg-d",
        max_epochs=2,
        output=tmp_path,
    )
    for file in tmp_path.rglob("*.*"):
        assert os.path.join(tempfile.gettempdir(), "alfcg-").encode() not in file.read_bytes(), file
    box = alfcg.Region("box", {"lower": [0.0, 0.0, 1.0], "upper": [2.0, 3.0, 4.0]})
    np.testing.assert_array_equal(box.oracle([1.0, -1.0, 0.5]), [0, 3, 1])
    assert alfcg.solve(lambda x: (x.sum(), np.ones(3)), box, np.array([1.0, 1.0, 1.0])).objective == 1


def test_graphs_tables_and_levels(rng) -> None:
    edges = [("a", "b"), ("b", "c"), ("a", "c")]
    costs = np.array([1.0, 1.0, 3.0])
    for graph in (edges, [(0, 1), (1, 2), (0, 2)], np.array([[0, 1], [1, 2], [0, 2]])):
        np.testing.assert_array_equal(alfcg.Region("dag-paths", {"graph": graph}).oracle(costs), [1, 1, 0])
    numbered = {"graph": np.array([[0, 1], [1, 2], [0, 2]]), "source": 0, "sink": 2}
    np.testing.assert_array_equal(alfcg.Region("dag-paths", numbered).oracle(costs), [1, 1, 0])
    narrow = {"graph": [("a", "b", 0.25), ("b", "c", 1), ("a", "c", 1)], "supply": {"a": 1, "c": -1}}
    np.testing.assert_array_equal(alfcg.Region("flow", narrow).oracle(costs), [0.25, 0.25, 0.75])
    np.testing.assert_array_equal(alfcg.Region("permutahedron", {"levels": [5, 7, 9]}).oracle([1, 3, 2]), [9, 5, 7])
    corners = rng.normal(size=(8, 3))
    least = corners[(corners @ costs).argmin()]
    np.testing.assert_allclose(alfcg.Region("vertices", {"vertices": corners}).oracle(costs), least)
    amounts = {"supply": np.array([1.0, 1.0]), "demand": [0.5, 1.5]}
    np.testing.assert_array_equal(alfcg.Region("transport", amounts).oracle([[0, 1], [1, 1]]), [[0.5, 0.5], [0, 1]])


@pytest.mark.parametrize(
    ("region", "parameters", "words"),
    [
        ("bounded-l1", {"lower": [0, 1]}, "lower must be at most 0.*not 1"),
        ("bounded-l1", {"lower": [0] * 9}, "lower has values for 9 features, the data have 6"),
        ("bounded-l1", {"lower": [[0] * 6]}, "lower must be an array of 1 dimension, not of 2"),
        ("bounded-l1", {"lower": ["low"] * 6}, "lower could not convert string to float"),
        ("bounded-l1", {"lower": [np.nan] * 6}, "^lower:1: 'nan' is not a number"),
        ("group-l12", {"group_by": [[0, 99]]}, "^group_by:1: there is no feature 99"),
        ("dag-paths", {"graph": [(0, 1), (1, 0)]}, "^graph:2: the edge from '1' to '0' is part of a cycle"),
        ("dag-paths", {"graph": [(0, 1, 2, 3)]}, "graph has an edge of 4 entries"),
        ("dag-paths", {"graph": [("a b", "c")]}, "graph has the node 'a b'"),
        ("hull", {"points": [1.0, 2.0]}, "points must be an array of 2 dimensions, not of 1"),
    ],
)
def test_what_is_wrong_is_said_of_the_parameter(numbers, region: str, parameters: dict, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        ConstrainedRegressor(region=region, region_params=parameters).fit(*numbers)
