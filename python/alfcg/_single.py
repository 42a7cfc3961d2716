"""A fit at one radius, of all rows at once or of a stream of them."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from alfcg import _core
from alfcg._base import Array, LinearModel, named_file
from alfcg._ranks import in_one_form, together
from alfcg._region_files import described
from alfcg._results import raise_if_interrupted
from alfcg._solve import _default_region
from alfcg._streaming import Stream, steps_of


class Constrained(LinearModel):
    """A fit at one radius."""

    _stream: Stream | None
    _rows_seen: int

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Ctrl-C ends the fit after the iteration at hand: the estimator is then fitted to the last iterate, and
        KeyboardInterrupt is raised.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows. C-ordered arrays and CSR matrices of float32 or float64 are used where they are, memory maps and
            read-only arrays too; others are converted once. The fit is done in the precision of X.
        y : array-like of shape (n_samples,)
            What belongs to them.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts, at least 0; None: all alike.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        before = getattr(self, "classes_", None)
        with together(self.comm):
            X, y, sample_weight = self._checked(X, y, sample_weight)
            if self.comm is not None and self.radius == "auto":
                raise ValueError("radius='auto' is for one process: with comm, radius must be a number")
        if self.comm is not None:
            X = in_one_form(X, self.comm)
        y, more = self._task(y, sample_weight)
        more |= {
            "checkpoint": named_file(self.checkpoint),
            "checkpoint_every": self.checkpoint_every,
            "resume": named_file(self.resume),
            "comm": self.comm,
        }
        if self.warm_start and (before is None or np.array_equal(before, self.classes_)):
            more["start"] = self._start(self._outputs(), X.shape[1])
        if self.early_stopping:
            more |= {"hold_out": self.validation_fraction, "patience": self.n_iter_no_change}
        fit = self._run(X, y, sample_weight, more, self.radius)
        self._adopt(fit)
        self._stream, self._rows_seen = None, X.shape[0]
        if self.comm is not None:
            self.history_ = self.comm.bcast(self.history_)  # the first has looked on
        raise_if_interrupted(fit)
        if self.comm is None or self.comm.Get_rank() == 0:
            self._warn(fit)
        return self

    def _begin_stream(self, features: int, dtype: Any) -> Stream:
        """From zero, or from the last fit, whose rows count as a stream that has passed."""
        if self.comm is not None:
            raise ValueError("partial_fit is for one process: comm must be None")
        if self.radius == "auto":
            raise ValueError("partial_fit needs a radius; radius='auto' looks for one in all the rows")
        if self.normalize not in (None, "none"):
            raise ValueError(f"partial_fit cannot normalize: {self.normalize!r} needs all the rows")
        settings = self._settings(len(getattr(self, "classes_", ())))
        outputs = self._outputs()
        region = settings["region"] or ("nuclear" if outputs > 1 else "l1")
        region_parameters = {**_default_region(region).parameters, **self._region_parameters(self.radius)}
        start = self._start(outputs, features)
        defaults = {row["name"]: row["parameters"] for row in _core.losses()}[settings["loss"]]
        stream = Stream(
            loss=settings["loss"],
            loss_parameters={one["name"]: one["default"] for one in defaults} | settings["loss_parameters"],
            region={
                "region": region,
                "region_parameters": region_parameters,
                **{name: settings[name] for name in ("l1", "l2", "nuclear", "norm", "entropy", "feature_names")},
            },
            weights=np.zeros((outputs, features), dtype) if start is None else np.array(start, dtype),
            intercept=np.zeros(outputs) if start is None else np.array(self.intercept_, np.float64, ndmin=1),
            moves_intercept=settings["intercept"],
            gradient=np.zeros((outputs, features), dtype),
        )
        if start is not None:
            stream.steps = steps_of(getattr(self, "_rows_seen", 0))
        self._learned = {
            "loss": stream.loss,
            "loss_parameters": stream.loss_parameters,
            "region": region,
            "region_parameters": described(region_parameters),
            "method": "onesample-storm",
        }
        return stream

    def _pass_over(self, X: Any, y: Array, sample_weight: Array | None) -> Self:
        stream = getattr(self, "_stream", None)
        if stream is None:
            stream = self._stream = self._begin_stream(X.shape[1], X.dtype)
            self.n_iter_ = 0
        before = stream.steps
        try:
            stream.take(X, y, sample_weight)
        except KeyboardInterrupt:
            self._stand_at(stream, before, "interrupted")
            raise
        self._stand_at(stream, before, "stream")
        return self

    def _stand_at(self, stream: Stream, before: int, status: str) -> None:
        """Attributes from a stream that has had so many steps before."""
        self._set_weights(stream.weights, stream.intercept, "none", np.empty(0))
        self.n_iter_ += stream.steps - before
        self.radius_, self.status_ = self._learned["region_parameters"].get("radius"), status
        self.objective_ = self.gap_ = np.nan  # nobody knows what the rows that passed would say now
        self.rank_ = self.singular_values_ = self.history_ = None

    def _take_numbers(self, X: Any, y: Any, sample_weight: Any) -> Self:
        X, y, sample_weight = self._checked(X, y, sample_weight, reset=not hasattr(self, "coef_"))
        return self._pass_over(X, np.asarray(y, dtype=np.float64), sample_weight)

    def _take_classes(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> Self:
        known = self.classes_ if hasattr(self, "coef_") else None
        if known is None and classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        if classes is not None:
            given = np.unique(classes)
            if known is not None and not np.array_equal(given, known):
                raise ValueError(
                    f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {known!r}"
                )
            if len(given) < 2:
                raise ValueError(f"The number of classes has to be greater than one; got {len(given)} class")
        X, y, sample_weight = self._checked(X, y, sample_weight, reset=known is None)
        self.classes_ = given if known is None else known
        unknown = np.setdiff1d(y, self.classes_)
        if len(unknown):
            raise ValueError(f"The target label(s) {unknown} in y do not exist in the initial classes {self.classes_}")
        codes = np.searchsorted(self.classes_, y)
        if self.class_weight is not None:
            if not isinstance(self.class_weight, dict):
                raise ValueError(
                    f"class_weight {self.class_weight!r} is not supported for partial_fit, which does not see all the "
                    "rows; give it a dictionary, such as compute_class_weight makes of some of them"
                )
            factors = self._class_factors()[codes]
            sample_weight = factors if sample_weight is None else factors * sample_weight
        return self._pass_over(X, codes, sample_weight)
