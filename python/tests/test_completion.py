"""Matrices from some of their entries: closed forms, every form of data, the command line, scikit-learn's ways."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score

import alfcg
from alfcg import MatrixCompletion


def planted(rows: int = 60, columns: int = 40, rank: int = 2, share: float = 0.5, noise: float = 0.1, seed: int = 0):
    """The truth, and a sparse matrix of what is known of it."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(rows, rank)) @ rng.normal(size=(rank, columns))
    seen = rng.random(truth.shape) < share
    values = truth + noise * rng.normal(size=truth.shape)
    return truth, sparse.csr_array(sparse.coo_array((values[seen], seen.nonzero()), truth.shape))


@pytest.fixture(scope="module")
def known() -> sparse.csr_array:
    return planted()[1]


def onto_simplex(sizes: np.ndarray, radius: float) -> np.ndarray:
    """The nearest numbers that are not negative and add up to the radius."""
    shifts = (np.cumsum(np.sort(sizes)[::-1]) - radius) / np.arange(1, len(sizes) + 1)
    return np.maximum(sizes - shifts.max(), 0)


def test_of_a_matrix_without_gaps_singular_values_are_thresholded() -> None:
    truth = np.random.default_rng(1).normal(size=(30, 20))
    left, sizes, right = np.linalg.svd(truth, full_matrices=False)
    model = MatrixCompletion(radius=40, tol=1e-9).fit(sparse.csr_array(truth))
    expected = (left * onto_simplex(sizes, 40)) @ right
    np.testing.assert_allclose(model.row_factors_ @ model.components_, expected, atol=1e-3)
    np.testing.assert_allclose(model.singular_values_, onto_simplex(sizes, 40)[: model.rank_], atol=1e-3)
    assert model.singular_values_.sum() == pytest.approx(40, rel=1e-6)
    assert model.objective_ == pytest.approx(((expected - truth) ** 2).mean() / 2, rel=1e-6)


def test_a_planted_matrix_is_found() -> None:
    truth, known = planted(noise=0.01)
    model = MatrixCompletion(radius=np.linalg.norm(truth, "nuc"), tol=1e-5).fit(known)
    hidden = known.toarray() == 0
    assert np.sqrt(np.mean((model.to_array() - truth)[hidden] ** 2)) < 0.05
    rows, columns = np.indices(truth.shape).reshape(2, -1)
    np.testing.assert_allclose(model.predict((rows, columns)), model.to_array().ravel(), rtol=1e-12)
    assert model.status_ == "converged" and model.shape_ == (60, 40) and model.radii_ is None


FORMS = ["coo", "csc", "matrix", "int64", "unsorted", "tuple", "array", "pairs", "list", "pandas", "polars", "weights"]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_data_gives_the_same_matrix(known, form: str) -> None:
    expected = MatrixCompletion(radius=30).fit(known)
    entries = known.tocoo()
    rows, columns, values = entries.row, entries.col, entries.data
    y = weight = None
    X: object = known
    if form in ("coo", "csc"):
        X = known.asformat(form)
    elif form == "matrix":
        X = sparse.csr_matrix(known)
    elif form == "int64":
        X = known.copy()
        X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    elif form == "unsorted":
        order = np.random.default_rng(0).permutation(len(values))
        X = sparse.coo_array((values[order], (rows[order], columns[order])), known.shape)
    elif form == "tuple":
        X = (rows, columns, values)
    elif form == "array":
        X = np.column_stack([rows, columns, values])
    elif form == "pairs":
        X, y = np.column_stack([rows, columns]), values
    elif form == "list":
        X, y = [[int(i), int(j)] for i, j in zip(rows, columns, strict=True)], values.tolist()
    elif form in ("pandas", "polars"):
        frames = pytest.importorskip(form)
        X = frames.DataFrame({"user": [f"u{i}" for i in rows], "item": [f"i{j}" for j in columns], "stars": values,
                              "when": values})  # fmt: skip
    elif form == "weights":
        weight = np.full(len(values), 2.0)
    model = MatrixCompletion(radius=30).fit(X, y, weight)
    labelled = form in ("tuple", "array", "pairs", "list", "pandas", "polars")
    places = model.column_labels_.tolist() if labelled else list(range(40))
    places = [int(str(label).lstrip("i").removesuffix(".0")) for label in places]
    np.testing.assert_allclose(model.to_array(), expected.to_array()[:, places], atol=2e-2)  # both to tol
    assert model.objective_ == pytest.approx(expected.objective_, rel=2e-2)
    if not labelled and form != "weights":
        np.testing.assert_array_equal(model.row_factors_, expected.row_factors_)
    if form == "pandas":
        frame = X.sample(50, random_state=0)
        np.testing.assert_array_equal(model.predict(frame), model.predict((frame["user"], frame["item"])))
        assert model.error(frame) == pytest.approx(np.sqrt(np.mean((model.predict(frame) - frame["stars"]) ** 2)))


def test_precision_is_that_of_the_values(known) -> None:
    single = MatrixCompletion(radius=30).fit(known.astype(np.float32))
    assert single.row_factors_.dtype == single.components_.dtype == np.float32
    assert MatrixCompletion(radius=30).fit(known).row_factors_.dtype == np.float64
    whole = known.copy()
    whole.data = np.round(whole.data).astype(np.int64)
    assert MatrixCompletion(radius=30).fit(whole).row_factors_.dtype == np.float64


def test_nothing_is_written_to(known) -> None:
    X = known.copy()
    for array in (X.data, X.indices, X.indptr):
        array.flags.writeable = False
    model = MatrixCompletion(radius=30, biases=True, refit=True, random_state=0).fit(X)
    assert (X.data == known.data).all() and model.error_ < 1


def test_a_zero_that_is_stored_is_known() -> None:
    X = sparse.coo_array((np.array([0.0, 1.0, 1.0, 0.0]), ([0, 0, 1, 1], [0, 1, 0, 1])), (2, 2))
    model = MatrixCompletion(radius=100, tol=1e-6).fit(X)
    np.testing.assert_allclose(model.to_array(), [[0, 1], [1, 0]], atol=1e-2)


def test_weights_are_shares_of_the_objective(known) -> None:
    entries = known.tocoo()
    weight = np.random.default_rng(0).integers(0, 3, len(entries.data))
    model = MatrixCompletion(radius=30, tol=1e-6).fit(entries, sample_weight=weight)
    error = (model.row_factors_ @ model.components_)[entries.row, entries.col] - entries.data
    assert model.objective_ == pytest.approx(np.average(error**2, weights=weight) / 2, rel=1e-9)
    counts = weight > 0  # those without weight might as well not be there
    fewer = sparse.coo_array((entries.data[counts], (entries.row[counts], entries.col[counts])), known.shape)
    again = MatrixCompletion(radius=30, tol=1e-6).fit(fewer, sample_weight=weight[counts])
    np.testing.assert_array_equal(model.row_factors_, again.row_factors_)
    assert model.error(entries, sample_weight=weight) == pytest.approx(again.error_, rel=1e-9)


def test_biases_alone_are_means() -> None:
    """Over a ball of almost no size, the answer is the mean and the effects of rows and columns."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(30, 1)) + rng.normal(size=20) + 3
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # objective and gap are rounding
        model = MatrixCompletion(radius=1e-9, biases=True, bias_penalty=0).fit(sparse.csr_array(values))
    np.testing.assert_allclose(model.to_array(), values, atol=1e-6)
    assert model.mean_ == pytest.approx(values.mean())
    assert model.row_biases_.shape == (30,) and model.column_biases_.shape == (20,)
    unknown = model.predict(([-1, 5], [3, 99]))  # who is not known has no say
    expected = model.mean_ + np.array([model.column_biases_[3], model.row_biases_[5]])
    np.testing.assert_allclose(unknown, expected, rtol=1e-12)


@pytest.mark.parametrize("loss", ["huber", "logistic"])
def test_other_losses(loss: str) -> None:
    truth, known = planted(100, 80, noise=0.0)
    signs = known.copy()
    if loss == "logistic":
        signs.data = np.sign(signs.data)
    else:
        signs.data[::20] += 50  # a twentieth is far out
    model = MatrixCompletion(radius=np.linalg.norm(truth, "nuc"), loss=loss, threshold=0.5, tol=1e-3).fit(signs)
    hidden = known.toarray() == 0
    found = model.to_array()
    if loss == "logistic":
        assert np.mean(found[hidden] * truth[hidden] > 0) > 0.85
        assert model.score(signs) == 1 - model.error(signs) > 0.9 and model.range_ is None
        assert model.error_ == model.error(signs)
    else:
        assert np.sqrt(np.mean((found - truth)[hidden] ** 2)) < 0.3


def test_the_radius_is_found_on_entries_held_out() -> None:
    truth, known = planted(100, 80, noise=0.5, share=0.4)
    model = MatrixCompletion(random_state=0).fit(known)
    best = min(model.radii_, key=lambda one: one["held_out_error"])
    assert model.radius_ == best["radius"] and len(model.radii_) > 3
    assert model.held_out_error_ == pytest.approx(best["held_out_error"], rel=0.05)
    again = MatrixCompletion(random_state=0).fit(known)
    np.testing.assert_array_equal(model.row_factors_, again.row_factors_)
    refitted = MatrixCompletion(random_state=0, refit=True).fit(known)
    hidden = known.toarray() == 0

    def miss(some: MatrixCompletion) -> float:
        return float(np.sqrt(np.mean((some.to_array() - truth)[hidden] ** 2)))

    assert refitted.refitted_ and refitted.held_out_error_ < model.held_out_error_
    assert miss(refitted) < miss(model)
    with pytest.warns(ConvergenceWarning, match="max_epochs=50"):  # the optimum has more
        assert MatrixCompletion(1000, max_rank=2, max_epochs=50).fit(known).rank_ == 2


def test_recommendations_are_the_largest_entries(known) -> None:
    entries = known.tocoo()
    frame = {"user": [f"u{i}" for i in entries.row], "item": [f"i{j}" for j in entries.col]}
    triples = (np.array(frame["user"]), np.array(frame["item"]), entries.data)
    model = MatrixCompletion(radius=30, biases=True).fit(triples)
    low_rank = model.row_factors_ @ model.components_ + model.mean_
    scores = low_rank + model.row_biases_[:, None] + model.column_biases_
    row = model.row_labels_.tolist().index("u7")
    best = np.argsort(-scores[row])[:5]
    found = model.recommend("u7", 5)
    assert found["column"] == model.column_labels_[best].tolist() and found["row"] == ["u7"] * 5
    np.testing.assert_allclose(found["value"], scores[row][best], rtol=1e-9)
    seen = {item for user, item in zip(*frame.values(), strict=True) if user == "u7"}
    new = model.recommend("u7", 100, without=triples[:2])["column"]
    assert not seen & set(new) and len(new) == len(model.column_labels_) - len(seen)
    both = model.recommend(["u7", "u3"], 3, without=triples[:2])
    assert both["row"] == ["u7"] * 3 + ["u3"] * 3 and both["column"][:3] == new[:3]
    positions = MatrixCompletion(radius=30).fit(known)
    assert set(positions.recommend(7, 40, without=known)["column"]) == set(np.flatnonzero(known.toarray()[7] == 0))
    with pytest.raises(ValueError, match="the model has no row nobody; its first is u0"):
        model.recommend("nobody")


def test_labels_are_known_by_their_text() -> None:
    rows, columns = np.array([3, 1, 3]), np.array(["x", "x", "y"], object)
    model = MatrixCompletion(radius=1).fit((rows, columns, np.array([1.0, 2.0, 3.0])))
    assert model.row_labels_.tolist() == [3, 1] and model.row_labels_.dtype == rows.dtype
    expected = model.predict((rows, columns))
    np.testing.assert_array_equal(model.predict((rows.astype(float), columns)), expected)
    np.testing.assert_array_equal(model.predict((["3", "1", "3"], ["x", "x", "y"])), expected)
    mixed = np.array([3, "3", 1], object)
    assert len(MatrixCompletion(radius=1).fit((mixed, np.array([1, 2, 3]), [1.0, 2.0, 3.0])).row_labels_) == 2


# ---- the command line --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", ["npz", "csv"])
@pytest.mark.parametrize("options", [{}, {"biases": True, "bias_penalty": 2.0, "refit": True}])
def test_the_command_line_finds_the_same_bits(program, tmp_path, known, file: str, options: dict) -> None:
    data = tmp_path / f"ratings.{file}"
    entries = known.tocoo()
    if file == "npz":
        sparse.save_npz(data, known)
        X: object = known
    else:
        lines = [
            f"u{i},i{j},{value!r}\n"
            for i, j, value in zip(entries.row, entries.col, entries.data.tolist(), strict=True)
        ]
        data.write_text("user,item,value\n" + "".join(lines))
        X = ([f"u{i}" for i in entries.row], [f"i{j}" for j in entries.col], entries.data)
    more = ["--biases", "--bias-penalty", "2", "--refit"] if options else []
    program("complete", data, "--radius", 30, "--precision", "f64", "--threads", 2, "--seed", 3, *more, "--silent",
            "--model", tmp_path / "theirs.npz")  # fmt: skip
    theirs = alfcg.load(tmp_path / "theirs.npz")
    ours = MatrixCompletion(radius=30, n_jobs=2, random_state=3, **options).fit(X)
    np.testing.assert_array_equal(ours.row_factors_, theirs.left)
    np.testing.assert_array_equal(ours.column_factors_, theirs.right)
    alfcg.save(ours, tmp_path / "ours.npz")
    assert (tmp_path / "ours.npz").read_bytes() == (tmp_path / "theirs.npz").read_bytes()


def test_models_go_to_files_and_back(program, tmp_path, known) -> None:
    model = MatrixCompletion(radius=30, biases=True, bias_penalty=1, loss="huber", threshold=0.25).fit(known)
    alfcg.save(model, tmp_path / "model.npz")
    loaded = MatrixCompletion.from_model(alfcg.load(tmp_path / "model.npz"))
    assert repr(alfcg.load(tmp_path / "model.npz")).startswith("<alfcg.CompletionModel: 60 x 40 of rank ")
    np.testing.assert_array_equal(loaded.predict(known), model.predict(known))
    np.testing.assert_array_equal(loaded.singular_values_, model.singular_values_)
    given = ("radius", "loss", "threshold", "biases", "bias_penalty")
    assert [loaded.get_params()[name] for name in given] == [30, "huber", 0.25, True, 1]
    assert loaded.recommend(7, 3)["column"] == [str(j) for j in model.recommend(7, 3)["column"]]
    best = program("recommend", tmp_path / "model.npz", "7", "-n", 3).split()[::2]
    assert best == loaded.recommend("7", 3)["column"]
    (tmp_path / "pairs.csv").write_text("7,3\n8,39\n59,0\n")
    answers = program("predict", tmp_path / "model.npz", tmp_path / "pairs.csv").split()
    np.testing.assert_allclose([float(a) for a in answers], model.predict(([7, 8, 59], [3, 39, 0])), rtol=1e-12)
    with pytest.raises(TypeError, match="a linear model"):
        alfcg.ConstrainedRegressor.from_model(alfcg.load(tmp_path / "model.npz"))
    with pytest.raises(TypeError, match="a completed matrix"):
        MatrixCompletion.from_model(
            alfcg.Model(np.array([[1.0]]), None, loss="squared", region="l2", region_parameters={"radius": 3})
        )


def test_models_can_be_made_by_hand(tmp_path) -> None:
    model = alfcg.CompletionModel([[1.0], [2.0]], [[3.0], [0.5]], mean=1, rows=["a", "b"], columns=["x", "y"])
    assert model.predict(np.array([1, 0, -1]), np.array([0, 1, 1])).tolist() == [7, 1.5, 1]
    model.save(tmp_path / "model.npz")
    again = alfcg.load(tmp_path / "model.npz")
    assert again.rows == ["a", "b"] and again.left.tolist() == [[1], [2]]
    for wrong in ({"left": [[1.0, 2.0], [2.0, 1.0]]}, {"row_biases": [1.0]}, {"rows": ["a"]}):
        with pytest.raises(ValueError, match="must have"):
            alfcg.CompletionModel(**{"left": [[1.0], [2.0]], "right": [[3.0], [0.5]], **wrong})
    with pytest.raises(ValueError, match="positions in the matrix"):
        model.predict(np.array([2]), np.array([0]))


# ---- scikit-learn ------------------------------------------------------------------------------------------------------


def test_clones_pickles_and_searches(known) -> None:
    entries = known.tocoo()
    pairs = np.column_stack([entries.row, entries.col])
    model = MatrixCompletion(radius=30, biases=True, tol=1e-3, callbacks=[print])
    assert clone(model).get_params() == model.get_params()
    model = clone(model).set_params(callbacks=None).fit(pairs, entries.data)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(pairs), model.predict(pairs))
    np.testing.assert_array_equal(again.history_["gap"], model.history_["gap"])
    assert again.recommend(3)["column"] == model.recommend(3)["column"]
    search = GridSearchCV(MatrixCompletion(), {"radius": [3, 30, 100]}, cv=3, error_score="raise", n_jobs=2)
    search.fit(pairs, entries.data)
    assert search.best_params_ == {"radius": 100}
    assert search.best_score_ == search.cv_results_["mean_test_score"].max() < 0
    scores = cross_val_score(MatrixCompletion(100), pairs, entries.data, cv=3, scoring="neg_root_mean_squared_error")
    np.testing.assert_allclose(scores, cross_val_score(MatrixCompletion(100), pairs, entries.data, cv=3), rtol=1e-9)
    frame = pytest.importorskip("pandas").DataFrame(pairs, columns=["user", "item"])
    np.testing.assert_allclose(cross_val_score(MatrixCompletion(100), frame, entries.data, cv=3), scores, rtol=1e-9)


def test_what_is_not_fitted_says_so(known) -> None:
    model = MatrixCompletion()
    for call in (
        lambda: model.predict(known),
        lambda: model.recommend(1),
        lambda: model.row_factors_,
        lambda: alfcg.save(model, "x"),
    ):
        with pytest.raises(NotFittedError):
            call()
    assert not hasattr(model, "components_")


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"radius": 0}, "The 'radius' parameter of MatrixCompletion must be a float in the range"),
        ({"radius": "best"}, "'radius' parameter"),
        ({"loss": "hinge"}, "'loss' parameter"),
        ({"max_rank": 0}, "'max_rank' parameter"),
        ({"validation_fraction": 1.0}, "'validation_fraction' parameter"),
        ({"bias_penalty": -1}, "'bias_penalty' parameter"),
        ({"radius": 3, "method": "fw-sliding"}, "fw-sliding"),
        ({"radius": 3, "method_params": {"batch": 3}, "method": "fw-openloop"}, "batch"),
        ({"radius": 3, "loss": "logistic"}, "logistic"),
    ],
)
def test_wrong_parameters_are_named(known, parameters: dict, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        MatrixCompletion(**parameters).fit(known)


def nan_in(known: sparse.csr_array) -> sparse.csr_array:
    copy = known.copy()
    copy.data[3] = np.nan
    return copy


ONES = np.ones(2)


@pytest.mark.parametrize(
    ("X", "y", "weight", "error", "text"),
    [
        ("nan", None, None, ValueError, "Input y contains NaN"),
        ("known", ONES, None, ValueError, "y must be None where X is a sparse matrix"),
        (sparse.csr_array((3, 2)), None, None, ValueError, "Found array with 0 sample"),
        (([], [], []), None, None, ValueError, "Found array with 0 sample"),
        (
            sparse.coo_array((ONES, ([0, 0], [1, 1])), (2, 2)),
            None,
            None,
            ValueError,
            "row 0 and column 1 are there twice",
        ),
        ((["a", "a"], ["x", "x"], ONES), None, None, ValueError, "row a and column x are there twice"),
        ((["a", None], ["x", "y"], ONES), None, None, ValueError, "a row without a label: None"),
        (([1.0, 2.0], [np.nan, 2.0], ONES), None, None, ValueError, "a column without a label: nan"),
        (([1, 2], [1, 2, 3], ONES), None, None, ValueError, "inconsistent numbers of samples"),
        (([1, 2], ONES), None, None, ValueError, "has to hold 3 arrays of one dimension"),
        (([1, 2], [3, 4]), [1.0, 2.0, 3.0], None, ValueError, "inconsistent numbers of samples"),
        (([1, 2], [3, 4]), [[1.0], [2.0]], None, ValueError, "y should be a 1d array"),
        (([1, 2], [3, 4]), ["five", "six"], None, ValueError, "could not convert string"),
        (([1, 2], [3, 4]), np.array([1j, 2.0]), None, ValueError, "Complex data not supported"),
        (np.ones((5, 7)), None, None, ValueError, "X has 7 columns; rows, columns and values are needed"),
        (np.ones(5), None, None, ValueError, r"X must be a sparse matrix, or .* its shape is \(5,\)"),
        ("known", None, ONES, ValueError, "sample_weight.shape"),
        (([1, 2], [3, 4]), ONES, [0, 0], ValueError, "at least one non-zero"),
        (([1, 2], [3, 4]), ONES, [1, -1], ValueError, "[Nn]egative values in data passed to `sample_weight`"),
        (sparse.coo_array((ONES, ([0, 1], [0, 1])), (2**31, 3)), None, None, ValueError, "at most 2147483647"),
    ],
)
def test_data_that_make_no_sense_are_refused(known, X, y, weight, error: type, text: str) -> None:
    X = {"known": known, "nan": nan_in(known)}[X] if isinstance(X, str) else X
    with pytest.raises(error, match=text):
        MatrixCompletion(radius=1).fit(X, y, weight)


def test_indices_that_scipy_never_checked_are_refused() -> None:
    X = sparse.csr_array((np.ones(2), np.array([0, 1]), np.array([0, 1, 2])), (2, 2))
    X.indices[1] = 7
    with pytest.raises(ValueError, match="a position of a column is 7, the matrix has 2"):
        MatrixCompletion(radius=1).fit(X)
    X.indices[1] = -1
    with pytest.raises(ValueError, match="a position of a column is -1"):
        MatrixCompletion(radius=1).fit(X)
    X.indices, X.indptr = np.array([0, 2**32 + 1]), X.indptr.astype(np.int64)  # 1 in 32 bits
    with pytest.raises(ValueError, match="a position of a column is 4294967297, the matrix has 2"):
        MatrixCompletion(radius=1).fit(X)


def test_positions_are_found_as_numbers_and_as_texts(known) -> None:
    model = MatrixCompletion(radius=30).fit(known)
    expected = model.predict(([3, 59, -1, 60], [0, 39, 5, 5]))
    np.testing.assert_array_equal(model.predict((["3", "59", "-1", "60"], ["0", "39", "5", "5"])), expected)
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(model)).predict(([3.0, 59, -1, 60], [0, 39, 5, 5])), expected
    )


# ---- while it runs -----------------------------------------------------------------------------------------------------


def test_callbacks_see_every_iterate_and_may_end_the_fit(known) -> None:
    seen = []

    def look(now) -> bool:
        left, right = now.factors
        entries = known.tocoo()
        error = (left @ right.T)[entries.row, entries.col] - entries.data
        assert now.objective == pytest.approx((error**2).mean() / 2, rel=1e-9)
        np.testing.assert_allclose(left @ right.T, now.x, atol=1e-9)
        seen.append(now.iteration)
        return now.iteration == 3

    model = MatrixCompletion(30, method="alfcg-d", callbacks=look).fit(known)
    assert seen[:4] == [0, 1, 2, 3] and model.n_iter_ <= 5 and model.status_ == "interrupted"
    thrown = KeyError("mine")

    def fail(now) -> None:
        raise thrown

    with pytest.raises(KeyError) as caught:
        MatrixCompletion(30, callbacks=fail).fit(known)
    assert caught.value is thrown


def test_a_fit_that_was_cut_short_says_how_far_it_is(known) -> None:
    with pytest.warns(ConvergenceWarning, match="stopped at max_iter=2 before tol=1e-09 was reached: the gap is"):
        MatrixCompletion(30, method="fw-openloop", max_iter=2, tol=1e-9).fit(known)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MatrixCompletion(30).fit(known)


INTERRUPTED = """
import os, signal, sys, threading, time
import numpy as np
from scipy import sparse
from alfcg import MatrixCompletion
rng = np.random.default_rng(0)
X = sparse.random_array((3000, 2000), density=0.05, rng=rng, format="csr")
radius = "auto" if sys.argv[1] == "auto" else 1000.0
model = MatrixCompletion(radius, method="fw-openloop", tol=0, max_epochs=None, max_seconds=60 if radius != "auto" else 1.0, n_jobs=1)
threading.Timer(0.7, os.kill, (os.getpid(), signal.SIGINT)).start()
began = time.monotonic()
try:
    model.fit(X)
except KeyboardInterrupt:
    print("interrupted", hasattr(model, "row_factors_"), time.monotonic() - began < 30)
"""


@pytest.mark.skipif(os.name != "posix", reason="sends signals")
@pytest.mark.parametrize("radius", ["given", "auto"])
def test_ctrl_c_leaves_the_estimator_at_the_last_iterate(radius: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, radius], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.stdout.split() == ["interrupted", "True", "True"], done.stdout + done.stderr


def test_progress_is_shown(known, capsys) -> None:
    MatrixCompletion(verbose=1, random_state=0).fit(known)
    said = capsys.readouterr().err
    assert "MatrixCompletion" in said and "held out" in said


MEMORY = """
import resource, sys
import numpy as np
from scipy import sparse
from alfcg import MatrixCompletion
count, columns = 4_000_000, 4000
rows = count // 400
indices = np.empty((rows, 400), np.int32)
rng = np.random.default_rng(0)
for i in range(rows):
    indices[i] = np.sort(rng.choice(columns, 400, replace=False))
X = sparse.csr_array((rng.normal(size=count).astype(np.float32), indices.ravel(), np.arange(rows + 1) * 400), (rows, columns))
X = X.tocoo() if sys.argv[1] == "coo" else X
del indices
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
MatrixCompletion(10.0, method="fw-openloop", max_iter=2, tol=0, n_jobs=1, max_epochs=None).fit(X)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / count)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads how much memory there was")
def test_compressed_rows_are_looked_at_where_they_are() -> None:
    """Bytes beside each entry: triples are sorted into rows first, 8 bytes each."""

    def peak(form: str) -> float:
        command = [sys.executable, "-W", "ignore", "-c", MEMORY, form]
        return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    assert peak("csr") < peak("coo") - 7
