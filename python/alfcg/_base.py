"""What the estimators share: from their parameters and data to a fit of the library, and from that to attributes."""

from __future__ import annotations

import inspect
import os
import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.extmath import row_norms, safe_sparse_dot
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from alfcg import _core
from alfcg._progress import watching
from alfcg._ranks import Looking, together
from alfcg._region_files import calling
from alfcg._results import History

Array = NDArray[Any]
FLOATS = [np.float64, np.float32]  # computed with as they are


def named_file(path: Any) -> str | None:
    return None if path is None else str(os.fspath(path))


def _learned(found: _core.Fit | _core.Model) -> dict[str, Any]:
    """What a model says of how it was made."""
    return {
        "loss": found.loss,
        "loss_parameters": dict(found.loss_parameters),
        "region": found.region,
        "region_parameters": dict(found.region_parameters),
        "method": found.method,
    }


def _named_region(learned: dict[str, Any]) -> dict[str, Any]:
    """A region and its parameters, by the name that it has without p where there is one."""
    parameters = {name: value for name, value in learned["region_parameters"].items() if value is not None}
    name = learned["region"]
    if name == "lp":
        name = {1: "l1", 2: "l2", np.inf: "linf"}.get(parameters["p"], "lp")
    if name != "lp":
        parameters.pop("p", None)
    others = {key: parameters.pop(key) for key in list(parameters) if key not in ("radius", "p")}
    return {"region": name, **parameters, "region_params": others or None}


class Estimator(BaseEstimator):  # type: ignore[misc]
    """What all estimators have in common: seeds, warnings, pickles."""

    _HELPS = ""  # against a fit that was cut short, beside a larger limit or tol

    def _validated(self) -> None:
        if not get_config()["skip_parameter_validation"]:
            self._validate_params()

    def _seed(self) -> int:
        """An integer is the command line's --seed; else one is drawn, as elsewhere in scikit-learn."""
        if isinstance(self.random_state, (int, np.integer)):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def _warn(self, fit: Any) -> None:
        """Says so when a fit ended early by itself."""
        size = max(abs(fit.objective), np.finfo(float).tiny)
        limit = {"max-iterations": "max_iter", "max-epochs": "max_epochs", "max-seconds": "max_seconds"}.get(fit.status)
        if limit is not None:
            ended, more = f"{fit.method} stopped at {limit}={getattr(self, limit):g}", f"A larger {limit} or tol"
        elif fit.status == "precision" and self.tol and not fit.gap <= self.tol * max(size, self._won(fit)):
            ended, more = f"rounding ended {fit.method}", "Data in double precision, a larger tol"
        elif fit.status == "max-rank":
            ended, more = f"the optimum has more singular values than max_rank={self.max_rank}, which ended the fit", "More of them"
        else:
            return
        warnings.warn(
            f"{ended} before tol={self.tol or 0:g} was reached: the gap is {fit.gap:.3g}, {fit.gap / size:.1e} of the "
            f"objective {fit.objective:.6g}. {more}{self._HELPS} or a smaller radius help.",
            ConvergenceWarning,
            stacklevel=3,
        )

    @staticmethod
    def _won(fit: Any) -> float:
        """What the objective has come down by, where its beginning is known."""
        course = fit.history.get("objective", ())
        return float(course[0] - fit.objective) if len(course) else 0.0

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_alfcg_version": _core.version}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Parameters that an older version did not have get their defaults."""
        known = inspect.signature(type(self).__init__).parameters.values()
        defaults = {one.name: one.default for one in known if one.default is not inspect.Parameter.empty}
        super().__setstate__({**defaults, **state})


class LinearModel(Estimator):
    """A linear model with constrained weights."""

    _HELPS = ", features of similar scale (normalize='columns')"

    _classifies: bool
    _loss_parameters: tuple[str, ...] = ()  # of `losses`, as parameters of the estimator
    classes_: Array
    coef_: Any
    intercept_: Any
    history_: History | None
    _normalization: str
    _divisors: Array
    _learned: dict[str, Any]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        """Weights, not the first attribute that a fit sets, which may have ended in an error."""
        return hasattr(self, "coef_")

    # Data.

    def _checked(self, X: Any, y: Any, sample_weight: Any, *, reset: bool = True) -> tuple[Any, Array, Array | None]:
        """X and y as the library takes them, without a copy where they are so already; parameters are looked at before."""
        if reset:  # once for a stream
            self._validated()
        comm = getattr(self, "comm", None)  # where there are several processes, one may have no rows
        X, y = validate_data(
            self,
            X,
            y,
            accept_sparse="csr",
            dtype=FLOATS,
            y_numeric=not self._classifies,
            reset=reset,
            ensure_min_samples=1 if comm is None else 0,
        )
        if not sparse.issparse(X) and X.strides[1] != X.itemsize:
            X = np.ascontiguousarray(X)  # once; rows that lie further apart stay where they are
        if sample_weight is not None and comm is not None and not len(y) and not len(sample_weight):
            sample_weight = np.zeros(0)
        elif sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
            if comm is None and not sample_weight.any():  # older versions of scikit-learn let them pass
                raise ValueError("Sample weights must contain at least one non-zero number.")
        return X, y, sample_weight

    # Settings.

    def _loss_name(self, classes: int) -> str:
        """The loss for so many classes; 0: numbers."""
        if self.loss != "auto":
            return str(self.loss)
        return "squared" if not self._classifies else "logistic" if classes <= 2 else "multinomial"

    def _region_parameters(self, radius: Any) -> dict[str, Any]:
        """Those that are given; the others have their defaults."""
        named = {name: value for name, value in (("radius", radius), ("p", self.p)) if value is not None}
        return {**(self.region_params or {}), **named}

    def _settings(self, classes: int) -> dict[str, Any]:
        """Keywords of the library's calls, but for the radius."""
        names = getattr(self, "feature_names_in_", None)
        return {
            "loss": self._loss_name(classes),
            "loss_parameters": {name: getattr(self, name) for name in self._loss_parameters if self._has_loss(name)},
            "region": None if self.region == "auto" else self.region,
            "l1": self.l1,
            "l2": self.l2,
            "nuclear": self.nuclear,
            "norm": self.norm,
            "entropy": self.entropy,
            "intercept": bool(self.fit_intercept),
            "normalize": self.normalize or "none",
            "method": self.method,
            "parameters": dict(self.method_params or {}),
            "max_iterations": self.max_iter,
            "max_epochs": self.max_epochs,
            "max_seconds": self.max_seconds,
            "tolerance": self.tol or 0.0,
            "seed": self._seed(),
            "threads": self.n_jobs,
            "reproducible": bool(self.reproducible),
            "device": self.device,
            "feature_names": None if names is None else [str(name) for name in names],
        }

    def _has_loss(self, parameter: str) -> bool:
        """Whether the loss has this parameter."""
        name = self._loss_name(0)
        rows = [row for row in _core.losses() if row["name"] == name]
        return any(parameter == one["name"] for row in rows for one in row["parameters"])

    # Fits.

    def _run(self, X: Any, y: Array, sample_weight: Array | None, more: dict[str, Any], radius: Any) -> _core.Fit:
        """One fit, or with radius="auto" a path and a fit at its choice; callbacks and a progress bar look on."""
        settings = self._settings(len(more.get("classes", ()))) | more
        settings |= {"sample_weight": sample_weight, "region_parameters": self._region_parameters(radius)}
        comm = getattr(self, "comm", None)
        with watching(self, settings) as observer:
            if comm is not None:
                settings["seed"] = comm.bcast(settings["seed"])
                looking = Looking(observer)
                fit = calling(_core.fit, X, y, observer=looking, **settings)
                with together(comm):
                    looking.raise_again()
                return fit
            if radius != "auto":
                return calling(_core.fit, X, y, observer=observer, **settings)
            settings["region_parameters"].pop("radius")
            return calling(_core.find_radius, X, y, observer=observer, **settings).fit

    def _adopt(self, fit: _core.Fit) -> None:
        """Attributes from a fit."""
        model = fit.model
        self._set_weights(fit.coef, fit.intercept, model.normalization, np.asarray(model.divisors))
        self.n_iter_ = fit.iterations
        self.objective_, self.gap_ = fit.objective, fit.gap
        self.history_ = History(fit.history)
        self.status_ = fit.status
        self.radius_ = fit.region_parameters.get("radius")
        self.rank_, self.singular_values_ = fit.rank, fit.singular_values
        self._learned = _learned(fit)

    def _set_weights(self, coef: Array, intercept: Array, normalization: str, divisors: Array) -> None:
        """For features as they come, not as they were normalised. Rows keep their own divisors."""
        if divisors.size:
            coef = (coef / divisors).astype(coef.dtype)
        self._normalization, self._divisors = normalization, divisors
        self.coef_ = coef if self._classifies else coef[0]
        self.intercept_ = np.asarray(intercept) if self._classifies else float(intercept[0])

    def _weights(self) -> Any:
        """coef_ with a row for every output."""
        coef = self.coef_
        return coef if sparse.issparse(coef) else coef.reshape(-1, coef.shape[-1])

    def _start(self, outputs: int, features: int) -> Array | None:
        """The weights of the last fit, where they are of the same shape."""
        if getattr(self, "coef_", None) is None or self._weights().shape != (outputs, features):
            return None
        coef = self._weights()
        coef = coef.toarray() if sparse.issparse(coef) else coef
        return np.ascontiguousarray(coef * self._divisors if self._divisors.size else coef)

    # Answers.

    def _scores(self, X: Any) -> Array:
        """Scores, an output a column."""
        check_is_fitted(self)
        return self._linear(validate_data(self, X, accept_sparse="csr", dtype=FLOATS, reset=False))

    def _linear(self, X: Any) -> Array:
        """The same of rows that are known to be right."""
        scores = safe_sparse_dot(X, self._weights().T, dense_output=True)
        if self._normalization == "rows":
            norms = row_norms(X)
            scores = scores / np.where(norms > 0, norms, 1)[:, None]
        return np.asarray(scores + np.asarray(self.intercept_, dtype=scores.dtype))

    def sparsify(self) -> Self:
        """Keep `coef_` as a sparse matrix, which is smaller and quicker where most weights are zero.

        Returns
        -------
        self : object
            The estimator.
        """
        check_is_fitted(self, msg="Estimator, %(name)s, must be fitted before sparsifying.")
        if not sparse.issparse(self.coef_):
            self.coef_ = sparse.csr_array(self._weights())
        return self

    def densify(self) -> Self:
        """Keep `coef_` as an array, as `fit` leaves it.

        Returns
        -------
        self : object
            The estimator.
        """
        check_is_fitted(self, msg="Estimator, %(name)s, must be fitted before densifying.")
        if sparse.issparse(self.coef_):
            coef = self.coef_.toarray()
            self.coef_ = coef if self._classifies else coef[0]
        return self

    # Models of the command line.

    @classmethod
    def from_model(cls, model: _core.Model) -> Self:
        """A fitted estimator from a model of the command line.

        Parameters
        ----------
        model : alfcg.Model
            As `alfcg.load` gives it.

        Returns
        -------
        estimator : object
            Its answers are those of the model; parameters that the model does not know have their defaults.
        """
        if not isinstance(model, _core.Model):
            raise TypeError(f"{cls.__name__} needs a linear model, not {model!r}")
        learned = _learned(model)
        given = {"loss": model.loss, **_named_region(learned), **model.composite, **learned["loss_parameters"]}
        known = cls._get_param_names()
        estimator = cls(**{name: value for name, value in given.items() if name in known})
        if model.normalization != "none":
            estimator.set_params(normalize=model.normalization)
        estimator._validate_params()  # refuses a model of the other task
        if cls._classifies:
            estimator.classes_ = np.asarray(model.classes)
        intercept = model.intercept if len(model.intercept) else np.zeros(len(model.coef))
        estimator._set_weights(model.coef, intercept, model.normalization, np.asarray(model.divisors))
        estimator._learned = learned
        estimator.n_features_in_ = model.coef.shape[1]
        if model.feature_names:
            estimator.feature_names_in_ = np.asarray(model.feature_names, dtype=object)
        estimator.radius_ = learned["region_parameters"].get("radius")
        return estimator

    def _alfcg_model(self) -> _core.Model:
        """The model that `alfcg.save` writes."""
        check_is_fitted(self)
        weights = self._weights()
        weights = weights.toarray() if sparse.issparse(weights) else weights
        names = getattr(self, "feature_names_in_", None)
        return _core.Model(
            np.ascontiguousarray(weights),
            np.atleast_1d(self.intercept_),
            classes=self._labels() if self._classifies else None,
            feature_names=[] if names is None else [str(name) for name in names],
            l1=self.l1,
            l2=self.l2,
            nuclear=self.nuclear,
            norm=self.norm,
            entropy=self.entropy,
            normalization="rows" if self._normalization == "rows" else "none",  # others are in the weights
            **self._learned,
        )

    # Pickles.

    def __setstate__(self, state: dict[str, Any]) -> None:
        later = {"_normalization": "none", "_divisors": np.empty(0)} if "coef_" in state else {}
        super().__setstate__({**later, **state})
