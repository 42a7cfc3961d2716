"""Matrices of which some entries are known.

>>> import pandas
>>> from alfcg import MatrixCompletion
>>> stars = pandas.DataFrame({
...     "user": ["ann", "ann", "bob", "bob", "cid", "cid"],
...     "film": ["Alien", "Brazil", "Alien", "Clue", "Brazil", "Clue"],
...     "stars": [5.0, 4.0, 4.0, 2.0, 3.0, 2.0],
... })
>>> model = MatrixCompletion(radius=20).fit(stars)
>>> model.recommend("ann", without=stars)["column"]
['Clue']
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight, check_consistent_length, check_is_fitted

from alfcg import _core
from alfcg._base import Array, Estimator
from alfcg._constraints import _COMMON, _COUNT, _NOT_NEGATIVE, _POSITIVE, _SINGLE, _YES_OR_NO
from alfcg._docs import documented
from alfcg._observations import Known, Labels, known_of, pairs_of, values_of
from alfcg._progress import Observer, watching
from alfcg._results import History, Table, raise_if_interrupted

__all__ = ["MatrixCompletion"]

LOSSES = ("squared", "huber", "logistic")
RUNNING = ("method", "method_params", "max_iter", "max_epochs", "max_seconds", "tol", "random_state", "n_jobs", "verbose",
           "callbacks")  # fmt: skip


def _shown(observer: Observer | None) -> Callable[[dict[str, Any]], None] | None:
    """Says what each radius is worth, where progress is shown."""
    if observer is None or observer.progress is None:
        return None
    line = observer.progress.line
    return lambda one: line.show(0.0, f"radius {one['radius']:.4g}, error {one['held_out_error']:.4g} held out")


@documented
class MatrixCompletion(Estimator):
    """A low-rank matrix from some of its entries: ratings of items by users, and the like.

    Minimises the mean loss over the known entries, over matrices whose singular values add up to at most `radius`. The matrix
    is kept as factors; what a fit needs grows with the known entries and the rank, not with the size of the matrix.

    Parameters
    ----------
    radius : float or 'auto', default='auto'
        How much the singular values may add up to. 'auto': the one with the smallest error on entries that are held out, of a
        path of penalties; the model is then fitted to all of them.
    radii : array-like of float, default=None
        With ``radius='auto'``: those to try, from the smallest to the largest, in place of those along a path of penalties.
    loss : {'squared', 'huber', 'logistic'}, default='squared'
        Half the square of the error; Huber's, which is linear beyond `threshold`; or the logistic loss for values -1 and 1.
    threshold : float, default=1.0
        Of the Huber loss.
    biases : bool, default=False
        Whether entries have a mean, and every row and column a number of its own, beside the low-rank part. Ratings want
        them.
    bias_penalty : float or 'auto', default='auto'
        So many observations that say 0, for every row and column: those with few entries keep near the mean. 'auto': the
        best on entries held out, where some are; else none.
    refit : bool, default=False
        After the fit, sweeps of alternating least squares at the rank found, with a penalty of their own, where that is
        better on entries held out. The radius shrinks what it finds; this undoes it.
    max_rank : int, default=None
        Keep no more singular values than this. Where the optimum has more, the gap cannot close, and the fit ends so ("max-rank").
    warm_start : bool, default=False
        Whether `fit` begins at the factors of the last one, matched by the labels of rows and columns, where `radius` is a
        number. New rows and columns begin at zero.
    validation_fraction : float, default=None
        The share of the entries that is held out, drawn at random. None: 0.1 where something is chosen by them, else none.
    [running]

    Attributes
    ----------
    row_labels_, column_labels_ : ndarray
        Labels in the order of the factors: those of the data as they first turn up, or the positions in a sparse matrix.
    row_factors_, column_factors_ : ndarray of shape (n_rows, rank_) and (n_columns, rank_)
        U √s and V √s of the low-rank part U diag(s) Vᵀ; their columns are sorted by s unless `refitted_`.
    components_ : ndarray of shape (rank_, n_columns)
        `column_factors_` turned: ``row_factors_ @ components_`` is the low-rank part.
    row_biases_, column_biases_ : ndarray or None
        With ``biases=True``.
    mean_ : float
        What all entries have in common, beside biases.
    range_ : tuple or None
        The smallest and the largest value of the data: predictions keep to it. None for the logistic loss.
    rank_ : int
        The rank of the low-rank part.
    singular_values_ : ndarray of shape (rank_,)
        Its singular values, largest first.
    radius_, bias_penalty_ : float
        As given, or as found.
    refitted_ : bool
        Whether the sweeps of `refit` were better.
    error_ : float
        Root mean square error on the entries that the model was fitted to; with the logistic loss, the share of wrong signs.
    held_out_error_ : float or None
        The same on entries that were held out, before the model was fitted to all of them (which it is where something was
        chosen by them).
    radii_ : Table or None
        Radii that were tried: radius, error, held_out_error, rank, seconds; and
        refit_error, the error of a refit, which they are chosen by where there is one, else None.
    n_iter_, objective_, gap_, status_, history_
        Of the last convex fit, as of `ConstrainedRegressor`.
    shape_ : tuple of int
        Numbers of rows and columns.

    See Also
    --------
    load : Reads what ``alfcg complete`` has written; ``MatrixCompletion.from_model`` makes an estimator of it.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import coo_array
    >>> from alfcg import MatrixCompletion
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.normal(size=(60, 2)) @ rng.normal(size=(2, 40))
    >>> seen = rng.random(truth.shape) < 0.5
    >>> model = MatrixCompletion(radius=np.linalg.norm(truth, "nuc"), tol=1e-4).fit(coo_array(truth * seen))
    >>> model.shape_, bool(abs(model.to_array() - truth)[~seen].max() < 0.3)
    ((60, 40), True)
    """

    _parameter_constraints = {
        "radius": [_POSITIVE, StrOptions({"auto"})],
        "radii": ["array-like", None],
        "loss": [StrOptions(set(LOSSES))],
        "threshold": [_POSITIVE],
        "biases": _YES_OR_NO,
        "bias_penalty": [_NOT_NEGATIVE, StrOptions({"auto"})],
        "refit": _YES_OR_NO,
        "max_rank": [_COUNT, None],
        "warm_start": _YES_OR_NO,
        "validation_fraction": [*_SINGLE["validation_fraction"], None],
        **{name: _COMMON[name] for name in RUNNING},
    }

    _model: _core.CompletionModel
    _rows: Labels
    _columns: Labels

    def __init__(
        self,
        radius: float | str = "auto",
        *,
        radii: Any = None,
        loss: str = "squared",
        threshold: float = 1.0,
        biases: bool = False,
        bias_penalty: float | str = "auto",
        refit: bool = False,
        max_rank: int | None = None,
        warm_start: bool = False,
        validation_fraction: float | None = None,
        method: str = "auto",
        method_params: dict[str, Any] | None = None,
        max_iter: int | None = None,
        max_epochs: float | None = 10000.0,
        max_seconds: float | None = None,
        tol: float = 1e-2,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        callbacks: Any = None,
    ) -> None:
        self.radius = radius
        self.radii = radii
        self.loss = loss
        self.threshold = threshold
        self.biases = biases
        self.bias_penalty = bias_penalty
        self.refit = refit
        self.max_rank = max_rank
        self.warm_start = warm_start
        self.validation_fraction = validation_fraction
        self.method = method
        self.method_params = method_params
        self.max_iter = max_iter
        self.max_epochs = max_epochs
        self.max_seconds = max_seconds
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callbacks = callbacks

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    # Fits.

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the matrix.

        Ctrl-C ends the fit after the iteration at hand, and a search for a radius after the radius at hand: the estimator is
        then fitted to the last iterate, and KeyboardInterrupt is raised.

        Parameters
        ----------
        X : sparse matrix, data frame, array or tuple of arrays
            The known entries. A sparse matrix of SciPy: those that it holds, zeros too. A frame or an array: its first three
            columns are rows, columns and values (two, with `y`). A tuple: arrays of them. Rows and columns may have labels
            of any kind, and are known by their texts: 7 and "7" are the same.
        y : array-like of shape (n_entries,), default=None
            The values, where X has rows and columns alone. The fit is done in single precision where values are float32.
        sample_weight : array-like of shape (n_entries,), default=None
            How much each entry counts; None: all alike. Those of a sparse matrix are in the order of ``X.tocoo()``.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._validated()
        known = known_of(X, y, sample_weight)
        settings = self._settings()
        with watching(self, settings) as observer:
            found = _core.complete(
                known.places, known.lines, known.values, known.weights, known.shape, known.compressed, known.named,
                radius=None if self.radius == "auto" else float(self.radius), biases=bool(self.biases),
                bias_penalty=None if self.bias_penalty == "auto" or not self.biases else float(self.bias_penalty),
                refit=bool(self.refit), rank=self.max_rank or 0, radii=self._given_radii(), start=self._start(known),
                observer=observer, point=_shown(observer), **settings,
            )  # fmt: skip
        fit = SimpleNamespace(**found)
        self._adopt(fit, known)
        raise_if_interrupted(fit)
        self._warn(fit)
        return self

    def _given_radii(self) -> list[float]:
        if self.radii is None:
            return []
        radii = np.asarray(self.radii, np.float64)
        if radii.ndim != 1 or not len(radii):
            raise ValueError(f"radii must be some numbers in one dimension; their shape is {radii.shape}")
        return [float(radius) for radius in radii]

    def _start(self, known: Known) -> _core.CompletionModel | None:
        """The last model, in the order of these rows and columns."""
        if not self.warm_start or self.radius == "auto" or not hasattr(self, "_model"):
            return None

        def arranged(labels: Labels, wanted: Labels, *arrays: Array) -> list[Array]:
            codes = labels.codes(wanted.all)
            return [np.where((codes >= 0).reshape(-1, *[1] * (one.ndim - 1)), one[codes], 0) for one in arrays if len(one)]

        model, real = self._model, known.values.dtype
        left, *of_rows = arranged(self._rows, known.rows, model.left.astype(real), model.row_biases)
        right, *of_columns = arranged(self._columns, known.columns, model.right.astype(real), model.column_biases)
        biases = {} if not of_rows else {"row_biases": of_rows[0].tolist(), "column_biases": of_columns[0].tolist()}
        return _core.CompletionModel(left, right, **biases)

    def _settings(self) -> dict[str, Any]:
        return {
            "loss": self.loss,
            "loss_parameters": {"threshold": float(self.threshold)} if self.loss == "huber" else {},
            "hold_out": self.validation_fraction or 0.0,
            "method": self.method,
            "parameters": dict(self.method_params or {}),
            "max_iterations": self.max_iter,
            "max_epochs": self.max_epochs,
            "max_seconds": self.max_seconds,
            "tolerance": self.tol or 0.0,
            "seed": self._seed(),
            "threads": self.n_jobs,
        }

    def _adopt(self, fit: SimpleNamespace, known: Known) -> None:
        self._take_model(fit.model, known.rows, known.columns)
        self.n_iter_, self.objective_, self.gap_, self.status_ = fit.iterations, fit.objective, fit.gap, fit.status
        self.history_ = History(fit.history)
        self.error_, self.held_out_error_ = fit.error, fit.held_out_error
        if self.refitted_:
            self.held_out_error_ = fit.refit_held_out_error
        self.radii_ = Table(fit.radii) if fit.radii else None

    def _take_model(self, model: _core.CompletionModel, rows: Labels, columns: Labels) -> None:
        self._model, self._rows, self._columns = model, rows, columns
        self.mean_, self.radius_, self.bias_penalty_ = model.mean, model.radius, model.bias_penalty
        self.refitted_, self.shape_ = model.refitted, model.shape
        self.range_ = model.range if model.range[0] < model.range[1] else None
        self.rank_ = self.row_factors_.shape[1]
        sizes = np.linalg.svd(self._corner(), compute_uv=False) if self.rank_ else np.empty(0)
        self.singular_values_ = sizes

    def _corner(self) -> Array:
        """A small matrix with the singular values of the low-rank part."""
        factors = self.row_factors_, self.column_factors_
        left, right = (np.asarray(np.linalg.qr(one.astype(np.float64), mode="r")) for one in factors)
        return np.asarray(left @ right.T)

    # What was found: the model has it.

    @property
    def row_labels_(self) -> Array:
        check_is_fitted(self)
        return self._rows.all

    @property
    def column_labels_(self) -> Array:
        check_is_fitted(self)
        return self._columns.all

    @property
    def row_factors_(self) -> Array:
        check_is_fitted(self)
        return self._model.left

    @property
    def column_factors_(self) -> Array:
        check_is_fitted(self)
        return self._model.right

    @property
    def components_(self) -> Array:
        return self.column_factors_.T

    @property
    def row_biases_(self) -> Array | None:
        check_is_fitted(self)
        return self._model.row_biases if len(self._model.row_biases) else None

    @property
    def column_biases_(self) -> Array | None:
        check_is_fitted(self)
        return self._model.column_biases if len(self._model.column_biases) else None

    # Answers.

    def transform(self, X: Any, y: Any = None) -> Array:
        """Factors of rows, of new ones too, from some of their entries.

        Parameters
        ----------
        X, y : as in `fit`
            Entries and their values. A sparse matrix has the columns that the model was fitted to. Of labelled entries, columns
            that the model does not know have no say.

        Returns
        -------
        factors : ndarray of shape (n_rows, rank_)
            A line for every row of a sparse matrix, or for every label in the order in which they first turn up. With
            `components_` they are the best for these entries (and biases of the rows that are best with them), with the penalty
            on their squares that the radius stands for, or that of the refit: those of rows that were fitted to come out about
            as they were.
        """
        check_is_fitted(self)
        if sparse.issparse(X) and X.shape[1] != self.shape_[1]:
            raise ValueError(f"X has {X.shape[1]} columns, the model has {self.shape_[1]}")
        known = known_of(X, y, None)
        places = known.places
        if known.compressed:
            places = np.repeat(np.arange(known.shape[0]), np.diff(places))
        columns = known.lines if sparse.issparse(X) else self._columns.codes(known.columns.all)[known.lines]
        there = columns >= 0
        parts = places[there].astype(np.int32), columns[there].astype(np.int32), known.values[there].astype(np.float64)
        if not there.any():
            return np.zeros((known.shape[0], self.rank_), self.row_factors_.dtype)
        return self._model.fold_in(*parts, known.shape[0], self.n_jobs)

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Array:
        """Find the matrix, and return the factors of its rows.

        Parameters
        ----------
        X, y : as in `fit`
            The known entries.
        **fit_params : dict
            What else `fit` takes.

        Returns
        -------
        factors : ndarray of shape (n_rows, rank_)
            `row_factors_`.
        """
        return self.fit(X, y, **fit_params).row_factors_

    def predict(self, X: Any) -> Array:
        """Entries of the matrix.

        Parameters
        ----------
        X : data frame, array or tuple of arrays, or sparse matrix
            Rows and columns of the entries, as `fit` takes them, or the places that a sparse matrix holds. Rows and columns
            that the model does not know have no say: with biases, an unknown user gives an item's mean.

        Returns
        -------
        values : ndarray of shape (n_entries,)
            Numbers within the range of the data, in the order of X (of ``X.tocoo()``); with the logistic loss, scores.
        """
        check_is_fitted(self)
        rows, columns = pairs_of(X)
        return self._model.predict(self._rows.codes(rows), self._columns.codes(columns))

    def error(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Root mean square error on some entries; with the logistic loss, the share of wrong signs.

        Parameters
        ----------
        X, y : as in `fit`
            Entries and their values.
        sample_weight : array-like of shape (n_entries,), default=None
            How much each entry counts.

        Returns
        -------
        error : float
            The smaller the better: what ``alfcg complete`` prints.
        """
        check_is_fitted(self)
        if y is None and not sparse.issparse(X):
            known = known_of(X, None, None)
            X, y = (known.rows.all[known.places], known.columns.all[known.lines]), known.values
        wanted = values_of(X.tocoo().data if y is None else y)
        found = self.predict(X)
        check_consistent_length(found, wanted)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, wanted, ensure_non_negative=True)
        if self._model.loss == "logistic":
            return float(np.average(found * wanted <= 0, weights=sample_weight))
        return float(np.sqrt(np.average((found - wanted) ** 2, weights=sample_weight)))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """How good the model is on some entries: the larger the better, as elsewhere in scikit-learn.

        Parameters
        ----------
        X, y : as in `fit`
            Entries and their values.
        sample_weight : array-like of shape (n_entries,), default=None
            How much each entry counts.

        Returns
        -------
        score : float
            Minus the root mean square error (`error` has no minus); with the logistic loss, the share of right signs.
        """
        error = self.error(X, y, sample_weight)
        return 1 - error if self._model.loss == "logistic" else -error

    def recommend(self, rows: Any, n: int = 10, *, without: Any = None) -> Table:
        """The largest entries of a row, or of each of some rows.

        Parameters
        ----------
        rows : label, or list or array of labels
            Of the rows (users).
        n : int, default=10
            How many columns (items) for each.
        without : as in `fit` or `predict`, default=None
            Entries that are known already, to be left out.

        Returns
        -------
        Table
            With columns `row`, `column` and `value`, largest first; ``to_frame()`` gives a data frame. Values are not held
            within the range of the data, which would make many of them alike.
        """
        check_is_fitted(self)
        if n < 1:
            raise ValueError(f"n must be at least 1, not {n}")
        several = isinstance(rows, (list, tuple, np.ndarray)) or hasattr(rows, "__array__")
        labels = np.asarray(rows if several else [rows], dtype=None if several else object).ravel()
        codes = self._rows.codes(labels)
        if (codes < 0).any():
            raise ValueError(f"the model has no row {labels[codes < 0][0]!s}; its first is {self._rows.all[0]!s}")
        left_out = self._left_out(codes, without)
        found: list[dict[str, Any]] = []
        names = self._columns.all
        for label, code in zip(labels.tolist(), codes.tolist(), strict=True):
            columns, values = self._model.recommend(code, n, left_out.get(code, []))
            found += [
                {"row": label, "column": names[column], "value": value}
                for column, value in zip(columns.tolist(), values.tolist(), strict=True)
            ]
        return Table(found)

    def _left_out(self, wanted: Array, without: Any) -> dict[int, list[int]]:
        """Columns of these rows that are not to be recommended, increasing."""
        if without is None:
            return {}
        rows, columns = (
            labels.codes(some) for labels, some in zip((self._rows, self._columns), pairs_of(without), strict=True)
        )
        known = np.isin(rows, wanted) & (columns >= 0)
        left_out: dict[int, list[int]] = {}
        for row, column in sorted(set(zip(rows[known].tolist(), columns[known].tolist(), strict=True))):
            left_out.setdefault(row, []).append(column)
        return left_out

    def to_array(self) -> Array:
        """All entries.

        Returns
        -------
        values : ndarray of shape `shape_`
            As `predict` gives them.
        """
        check_is_fitted(self)
        values = np.asarray(self.row_factors_ @ self.components_, np.float64) + self.mean_
        if self.row_biases_ is not None and self.column_biases_ is not None:
            values += self.row_biases_[:, None] + self.column_biases_
        return values if self.range_ is None else values.clip(*self.range_)

    # Models of the command line.

    @classmethod
    def from_model(cls, model: _core.CompletionModel) -> Self:
        """A fitted estimator from a model of the command line.

        Parameters
        ----------
        model : alfcg.CompletionModel
            As `alfcg.load` gives it.

        Returns
        -------
        estimator : object
            Its answers are those of the model; parameters that the model does not know have their defaults.
        """
        if not isinstance(model, _core.CompletionModel):
            raise TypeError(f"{cls.__name__} needs a completed matrix, not {model!r}")
        biases = len(model.row_biases) > 0
        estimator = cls(model.radius or "auto", loss=model.loss, threshold=model.threshold, biases=biases)
        estimator.set_params(bias_penalty=model.bias_penalty if biases else "auto", refit=model.refitted)
        named = (model.rows, model.columns)
        rows, columns = (
            Labels(np.array(names)) if names else Labels.positions(size)
            for names, size in zip(named, model.shape, strict=True)
        )
        estimator._take_model(model, rows, columns)
        return estimator

    def _alfcg_model(self) -> _core.CompletionModel:
        """The model that `alfcg.save` writes."""
        check_is_fitted(self)
        model = self._model
        return _core.CompletionModel(
            model.left, model.right, row_biases=model.row_biases.tolist(), column_biases=model.column_biases.tolist(),
            mean=model.mean, range=model.range, rows=self._rows.texts, columns=self._columns.texts, loss=model.loss,
            threshold=model.threshold, radius=model.radius, bias_penalty=model.bias_penalty, method=model.method,
            refitted=model.refitted, penalty=model.penalty,
        )  # fmt: skip
