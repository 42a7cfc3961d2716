"""Completed matrices once fitted: factors of rows from their entries, warm starts, radii of one's own, a rank that is too small."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import alfcg
from alfcg import MatrixCompletion
from test_completion import planted


@pytest.fixture(scope="module")
def known() -> sparse.csr_array:
    return planted(noise=0.2)[1]


def ridge(model: MatrixCompletion, columns: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The factors of a row that are best for these entries, columns staying: normal equations, and a bias with them."""
    right = model.column_factors_[columns]
    wanted = values - model.mean_
    penalties = np.full(model.rank_, model._model.penalty)
    if model.column_biases_ is not None:
        wanted = wanted - model.column_biases_[columns]
        right = np.column_stack([right, np.ones(len(columns))])
        penalties = np.append(penalties, model.bias_penalty_)
    return np.linalg.solve(right.T @ right + np.diag(penalties), right.T @ wanted)[: model.rank_]


@pytest.mark.parametrize("biases", [False, True])
def test_rows_are_best_for_their_entries(known, biases: bool) -> None:
    extra = {"bias_penalty": 0.5} if biases else {}
    model = MatrixCompletion(radius=40, biases=biases, tol=1e-7, **extra).fit(known)
    assert model._model.penalty > 0
    found = model.transform(known)
    for row in (0, 17, 59):
        place = slice(known.indptr[row], known.indptr[row + 1])
        np.testing.assert_allclose(found[row], ridge(model, known.indices[place], known.data[place]), atol=1e-8)
    # At the optimum the rows are where a fit of them alone leads.
    np.testing.assert_allclose(found, model.row_factors_, atol=0.02 * np.abs(model.row_factors_).max())
    assert model.fit_transform(known).shape == (60, model.rank_)


def test_new_rows_may_come_in_any_form(known) -> None:
    entries = known.tocoo()
    named = [f"u{i}" for i in entries.row], [f"i{j}" for j in entries.col], entries.data
    model = MatrixCompletion(radius=40).fit(tuple(map(np.array, named)))
    asked = np.array(["new", "other", "new", "new"]), np.array(["i3", "i5", "unknown", "i9"]), np.array([1.0, 2.0, 9.0, -1.0])
    found = model.transform(asked)
    columns = [list(model.column_labels_).index(label) for label in ("i3", "i9", "i5")]
    np.testing.assert_allclose(found[0], ridge(model, np.array(columns[:2]), np.array([1.0, -1.0])), atol=1e-8)
    np.testing.assert_allclose(found[1], ridge(model, np.array(columns[2:]), np.array([2.0])), atol=1e-8)
    np.testing.assert_allclose(model.transform(np.column_stack(asked[:2]), asked[2]), found)
    assert not model.transform((np.array(["new"]), np.array(["unknown"]), np.array([1.0]))).any()
    by_place = MatrixCompletion(radius=40).fit(known)
    assert by_place.transform(known[:3].tocoo()).shape == (3, by_place.rank_)
    with pytest.raises(ValueError, match="X has 39 columns, the model has 40"):
        by_place.transform(known[:, :39])
    single = MatrixCompletion(radius=40).fit(known.astype(np.float32))
    assert single.transform(known).dtype == np.float32


@pytest.mark.parametrize("loss", ["huber", "logistic"])
def test_other_losses_have_best_rows_too(known, loss: str) -> None:
    data = known.copy()
    if loss == "logistic":
        data.data = np.sign(data.data)
    model = MatrixCompletion(radius=60, loss=loss, tol=1e-6).fit(data)
    found = model.transform(data)
    slopes = {"huber": lambda r, y: np.clip(r - y, -1, 1), "logistic": lambda z, y: -y / (1 + np.exp(y * z))}[loss]
    for row in (3, 30):
        place = slice(data.indptr[row], data.indptr[row + 1])
        right = model.column_factors_[data.indices[place]]
        slope = right.T @ slopes(right @ found[row], data.data[place]) + model._model.penalty * found[row]
        np.testing.assert_allclose(slope, 0, atol=1e-3 * np.abs(right).max() * len(right))


def test_the_penalty_goes_with_the_model(known, tmp_path) -> None:
    model = MatrixCompletion(radius=40).fit(known)
    alfcg.save(model, tmp_path / "m.npz")
    again = MatrixCompletion.from_model(alfcg.load(tmp_path / "m.npz"))
    np.testing.assert_array_equal(again.transform(known), model.transform(known))


def test_a_warm_start_begins_where_the_last_fit_ended(known) -> None:
    entries = known.tocoo()
    order = np.random.default_rng(0).permutation(entries.nnz)
    triples = np.array([f"u{i}" for i in entries.row]), np.array([f"i{j}" for j in entries.col]), entries.data
    model = MatrixCompletion(radius=40, biases=True, bias_penalty=1, warm_start=True, tol=1e-5).fit(triples)
    cold = model.n_iter_, model.objective_
    assert cold[0] > 1
    # Its rows and columns come in another order now, and there is a new one.
    turned = tuple(column[order] for column in triples)
    assert model.fit(turned).n_iter_ <= 1
    assert model.objective_ == pytest.approx(cold[1], rel=1e-5)
    more = np.append(triples[0], "new"), np.append(triples[1], "i3"), np.append(entries.data, 1.0)
    assert model.fit(more).n_iter_ < cold[0]
    assert model.shape_ == (61, 40)
    # In another precision, in a smaller ball, and where there was nothing before.
    small = clone(model).set_params(radius=10).fit(more)
    model.set_params(radius=10).fit((more[0], more[1], more[2].astype(np.float32)))
    assert model.singular_values_.sum() <= 10 * (1 + 1e-5)
    assert model.objective_ == pytest.approx(small.objective_, rel=1e-3)
    assert not MatrixCompletion(radius=40, tol=1e-5).fit(known).n_iter_ <= 1


def test_radii_of_ones_own(known) -> None:
    model = MatrixCompletion(radii=[80, 20, 40], random_state=0).fit(known)
    assert [one["radius"] for one in model.radii_] == [20, 40, 80]
    assert model.radius_ == min(model.radii_, key=lambda one: one["held_out_error"])["radius"]
    refitted = MatrixCompletion(radii=[20, 80], refit=True, random_state=0).fit(known)
    errors = {one["radius"]: min(one["held_out_error"], one["refit_error"] or np.inf) for one in refitted.radii_}
    assert refitted.radius_ == min(errors, key=errors.__getitem__)
    with pytest.raises(ValueError, match="are for `radius` auto"):
        MatrixCompletion(radius=3, radii=[1, 2]).fit(known)
    with pytest.raises(ValueError, match="must be positive, not -1"):
        MatrixCompletion(radii=[1, -1]).fit(known)
    with pytest.raises(ValueError, match="in one dimension"):
        MatrixCompletion(radii=[[1, 2]]).fit(known)


def test_a_rank_that_is_too_small_is_told(known) -> None:
    with pytest.warns(ConvergenceWarning, match="more singular values than max_rank=1"):
        model = MatrixCompletion(100, max_rank=1, tol=1e-4).fit(known)
    assert model.status_ == "max-rank" and model.rank_ == 1
