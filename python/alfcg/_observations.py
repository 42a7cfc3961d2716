"""Known entries of a matrix, in whatever form they come: sparse matrices, frames of labels, arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import _check_sample_weight, check_array, check_consistent_length

from alfcg._region_files import _word

Array = NDArray[Any]
PIECE = 1 << 20  # labels that are Python objects at a time
MOST = np.iinfo(np.int32).max


class Labels:
    """Names of rows, or of columns: of any kind, known by their text, so that 7, 7.0 and "7" are the same.

    >>> labels, codes = Labels.found(np.array(["b", "a", "b"]), "row")
    >>> labels.all.tolist(), codes.tolist(), labels.codes(["a", "c"]).tolist()
    (['b', 'a'], [0, 1, 0], [1, -1])
    """

    def __init__(self, all_of_them: Array, *, counted: bool = False) -> None:
        self.all = all_of_them
        self._counted = counted  # 0, 1, 2, ...
        self._codes: dict[str, int] | None = None

    @classmethod
    def positions(cls, size: int) -> Labels:
        """Of a matrix whose rows have no other names."""
        return cls(np.arange(size), counted=True)

    @classmethod
    def found(cls, values: Array, what: str) -> tuple[Labels, Array]:
        """Those in a column of data, in the order in which they turn up, and each one's position."""
        distinct, codes = _distinct(values)
        for label in distinct:
            if label is None or str(label) in ("nan", "NaT", "<NA>", ""):
                raise ValueError(f"Input X contains a {what} without a label: {label!r}")
        by_text: dict[str, int] = {}
        merged = np.array([by_text.setdefault(_word(label), len(by_text)) for label in distinct], np.int32)
        if len(by_text) < len(distinct):
            first = np.unique(merged, return_index=True)[1]
            distinct, codes = [distinct[k] for k in first], merged[codes]
        kept = np.empty(len(distinct), object)
        kept[:] = distinct
        return cls(kept if values.dtype == object else kept.astype(values.dtype)), codes

    @property
    def texts(self) -> list[str]:
        return [_word(label) for label in self.all.tolist()]

    def codes(self, values: Any) -> Array:
        """Positions; -1 for those that are not known."""
        values = np.asarray(values)
        if self._counted and values.dtype.kind in "iu":
            return np.where((values >= 0) & (values < len(self.all)), values, -1).astype(np.int64)
        if self._codes is None:
            self._codes = {text: k for k, text in enumerate(self.texts)}
        distinct, codes = _distinct(values)
        return np.array([self._codes.get(_word(label), -1) for label in distinct], np.int64)[codes]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_codes": None}


def _distinct(values: Array) -> tuple[list[Any], Array]:
    """The different ones in their order, and where each entry is among them."""
    table: dict[Any, int] = {}
    codes = np.empty(len(values), np.int32)
    for first in range(0, len(values), PIECE):
        piece = values[first : first + PIECE].tolist()
        codes[first : first + len(piece)] = [table.setdefault(label, len(table)) for label in piece]
    return list(table), codes


def _column(frame: Any, k: int) -> Array:
    """Of a data frame of any library."""
    return np.asarray(frame.iloc[:, k] if hasattr(frame, "iloc") else frame[frame.columns[k]])


def columns_of(X: Any, wanted: int) -> list[Array]:
    """The first columns of a frame or an array, or the arrays of a tuple."""
    names = "rows, columns and values" if wanted == 3 else "rows and columns"
    if isinstance(X, tuple):
        found = [np.asarray(column) for column in X]
        if len(found) != wanted or any(column.ndim != 1 for column in found):
            raise ValueError(f"X is a tuple that has to hold {wanted} arrays of one dimension, {names}")
        check_consistent_length(*found)
        return found
    if hasattr(X, "columns"):
        if len(X.columns) < wanted:
            raise ValueError(f"X has {len(X.columns)} columns; {names} are needed, in this order")
        return [_column(X, k) for k in range(wanted)]
    table = np.asarray(X)
    if table.ndim != 2 or table.shape[1] < 2:
        raise ValueError(f"X must be a sparse matrix, or have columns for {names}; its shape is {table.shape}")
    if table.shape[1] != wanted:
        raise ValueError(
            f"X has {table.shape[1]} columns; {names} are needed. Of a dense matrix A, the entries where the mask `known` "
            "is true are scipy.sparse.coo_array((A[known], known.nonzero()), A.shape)"
        )
    return list(table.T)


@dataclass
class Known:
    """Entries of a matrix, and who their rows and columns are."""

    rows: Labels
    columns: Labels
    places: Array  # the row of each entry; where `compressed`, where each row begins
    lines: Array  # its column
    values: Array
    weights: Array | None
    compressed: bool

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows.all), len(self.columns.all)

    def named(self, row: int, column: int) -> str:
        return f"row {self.rows.all[row]!s} and column {self.columns.all[column]!s}"


def pairs_of(X: Any) -> tuple[Array, Array]:
    """Rows and columns: those of the entries that a sparse matrix holds, or labels."""
    if sparse.issparse(X):
        found = X.tocoo()
        return found.row, found.col
    rows, columns = columns_of(X, 2)
    return rows, columns


def values_of(y: Any) -> Array:
    """Numbers, in single precision where they are so."""
    y = check_array(y, ensure_2d=False, dtype=[np.float64, np.float32], input_name="y")
    if y.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {y.shape} instead.")
    return np.ascontiguousarray(y)


def _narrow(places: Array, size: int, what: str) -> Array:
    """As 32-bit numbers, which must hold them."""
    if places.dtype != np.int32 and len(places) and not (places.min() >= 0 and places.max() < size):
        raise ValueError(
            f"a position of a {what} is {places[(places < 0) | (places >= size)][0]}, the matrix has {size}"
        )
    return places.astype(np.int32, copy=False)


def known_of(X: Any, y: Any, sample_weight: Any) -> Known:
    """What a fit is given."""
    compressed = False
    if sparse.issparse(X):
        if y is not None:
            raise ValueError("y must be None where X is a sparse matrix: it holds the values")
        if X.ndim != 2 or max(X.shape) > MOST:
            raise ValueError(f"X must have two dimensions of at most {MOST}; its shape is {X.shape}")
        rows, columns = (Labels.positions(size) for size in X.shape)
        compressed = X.format == "csr" and X.has_canonical_format and sample_weight is None
        X = X if compressed else X.tocoo()
        places = X.indptr.astype(np.int64) if compressed else _narrow(X.row, X.shape[0], "row")
        lines = _narrow(X.indices if compressed else X.col, X.shape[1], "column")
        values = values_of(X.data) if X.nnz else np.empty(0)
    else:
        *pairs, numbers = (*columns_of(X, 2), y) if y is not None else columns_of(X, 3)
        values = values_of(numbers) if len(pairs[0]) else np.empty(0)
        check_consistent_length(pairs[0], values)
        (rows, places), (columns, lines) = Labels.found(pairs[0], "row"), Labels.found(pairs[1], "column")
    if not len(values):
        raise ValueError("Found array with 0 sample(s): there is no known entry, and at least one is needed")
    weights = None
    if sample_weight is not None:
        weights = _check_sample_weight(sample_weight, values, dtype=values.dtype, ensure_non_negative=True)
        counts = weights > 0
        if not counts.any():
            raise ValueError("Sample weights must contain at least one non-zero number.")
        places, lines, values, weights = places[counts], lines[counts], values[counts], weights[counts]
    return Known(rows, columns, places, lines, np.ascontiguousarray(values), weights, compressed)
