"""What functions return: results with a course, tables, and how they look in a notebook."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

if TYPE_CHECKING:
    import pandas
    from numpy.typing import NDArray


def _shown(value: Any) -> str:
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return ""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, float | np.floating):
        return f"{value:.6g}"
    return str(value)


def _html_table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Rows as an HTML table, numbers to the right; everything is escaped."""

    def cell(value: Any) -> str:
        side = "left" if isinstance(value, str) else "right"
        return f'<td style="text-align: {side}">{html.escape(_shown(value))}</td>'

    head = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
    body = "".join("<tr>" + "".join(map(cell, row)) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


Kind = TypeVar("Kind")


class Table(Sequence[dict[str, Any]]):
    """Rows with named columns: a sequence of dictionaries that prints as a table.

    `to_frame` makes a pandas data frame of it, where pandas is installed.

    Parameters
    ----------
    rows : sequence of dict
        Cells by name of the column; where a row lacks one, it is None.

    Examples
    --------
    >>> table = Table([{"method": "fw", "objective": 0.5}, {"method": "alfcg-d", "objective": 0.25}])
    >>> table
    method   objective
    fw             0.5
    alfcg-d       0.25
    >>> table["objective"]
    [0.5, 0.25]
    >>> table[1]["method"]
    'alfcg-d'
    """

    def __init__(self, rows: Sequence[dict[str, Any]]) -> None:
        self._rows = [dict(row) for row in rows]
        self.columns: list[str] = list(dict.fromkeys(name for row in self._rows for name in row))

    @classmethod
    def from_columns(cls, columns: dict[str, Any]) -> Table:
        """A table from columns.

        Parameters
        ----------
        columns : dict
            Sequences of one length, by name.

        Returns
        -------
        Table
            With a row for every place in them.
        """
        return cls([dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)])

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self._rows)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            if key not in self.columns:
                raise KeyError(key)
            return [row.get(key) for row in self._rows]
        return self._rows[key]

    def to_frame(self) -> pandas.DataFrame:
        """The table as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            With the same rows and columns.
        """
        import pandas

        return pandas.DataFrame(self._rows, columns=self.columns)

    def _cells(self) -> list[list[Any]]:
        return [[row.get(name) for name in self.columns] for row in self._rows]

    def __repr__(self) -> str:
        cells = [[_shown(cell) for cell in row] for row in self._cells()]
        number = [all(not isinstance(row.get(name), str) for row in self._rows) for name in self.columns]
        width = [
            max(len(name), *(len(row[k]) for row in cells)) if cells else len(name)
            for k, name in enumerate(self.columns)
        ]
        lines = [
            "  ".join(
                cell.rjust(size) if right else cell.ljust(size)
                for cell, size, right in zip(line, width, number, strict=True)
            ).rstrip()
            for line in [self.columns, *cells]
        ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return _html_table(self.columns, self._cells())


class History(Mapping[str, "NDArray[Any]"]):
    """The course of a run, columns by name: iteration, epochs, seconds, objective, gap, step, curvature, alpha, error.

    A mapping from names to arrays of one length; NaN stands where there is no value. `to_frame` makes a pandas data
    frame of it.

    Parameters
    ----------
    columns : mapping
        The arrays, by name.

    Examples
    --------
    >>> history = History({"iteration": np.array([0, 1]), "objective": np.array([1.0, 0.5])})
    >>> history["objective"]
    array([1. , 0.5])
    >>> history
    <alfcg.History: 2 rows of iteration, objective>
    """

    def __init__(self, columns: Mapping[str, NDArray[Any]]) -> None:
        self._columns = dict(columns)

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(next(iter(self._columns.values()), ()))

    def to_frame(self) -> pandas.DataFrame:
        """The course as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            A row for every iterate that was kept.
        """
        import pandas

        return pandas.DataFrame(self._columns)

    def __repr__(self) -> str:
        return f"<alfcg.History: {self.rows} rows of {', '.join(self._columns)}>"

    def _repr_html_(self) -> str:
        shown = sorted({*range(min(5, self.rows)), *range(max(0, self.rows - 5), self.rows)})
        rows = [[column[k] for column in self._columns.values()] for k in shown]
        if self.rows > len(shown):
            rows.insert(5, ["…"] * len(self._columns))
        return _html_table(list(self._columns), rows)


@dataclass(repr=False)
class Result:
    """What came of `solve`.

    Attributes
    ----------
    x : ndarray
        The last iterate, in the shape of the start.
    objective : float
        f(x) + h(x).
    gap : float
        Frank-Wolfe gap at x. For a convex objective, `objective` is at most so far above the minimum.
    gap_exact : bool
        Whether `gap` is exact, or a proven upper bound.
    status : str
        "converged", "max-iterations", "max-epochs", "max-seconds", "interrupted" (a callback asked for the end) or
        "precision" (rounding ended the run).
    iterations, epochs, seconds
        What it took; an epoch is as many component gradients as there are rows. Seconds are the method's own.
    method, parameters
        As used.
    region : str
        The region in words.
    history : History
        The course of the run, columns by name.
    """

    x: NDArray[Any]
    objective: float
    gap: float
    gap_exact: bool
    status: str
    iterations: int
    epochs: float
    seconds: float
    method: str
    parameters: dict[str, float | str]
    region: str
    history: History

    @property
    def converged(self) -> bool:
        """Whether the gap that was asked for has been reached."""
        return self.status == "converged"

    def _facts(self) -> list[tuple[str, Any]]:
        return [
            (
                "status",
                f"{self.status} after {self.iterations} iterations, {self.epochs:.4g} epochs, {self.seconds:.3f} s",
            ),
            ("objective", self.objective),
            ("gap", f"{self.gap:.4g} ({'exact' if self.gap_exact else 'upper bound'})"),
            ("method", self.method),
            ("region", self.region),
            ("x", f"shape {self.x.shape}, {np.count_nonzero(self.x)} non-zeros"),
        ]

    def __repr__(self) -> str:
        return "\n".join(f"{name:<10} {_shown(value)}" for name, value in self._facts())

    def _repr_html_(self) -> str:
        facts = [(name, _shown(value)) for name, value in self._facts()]
        course = f"<details><summary>course</summary>{self.history._repr_html_()}</details>"
        return _html_table(["", "alfcg.Result"], facts) + course


def answer(result: Kind, what: str, *, interrupted: bool) -> Kind:
    """What a call returns. Where Ctrl-C ended it, the result goes with the exception instead."""
    if interrupted:
        error = KeyboardInterrupt(f"{what} was interrupted; this exception's `result` has what there is so far")
        error.result = result  # type: ignore[attr-defined]
        raise error
    return result


def raise_if_interrupted(fit: Any) -> None:
    """Raise KeyboardInterrupt where Ctrl-C ended the run; attributes should have been set before."""
    if fit.interrupted:
        raise KeyboardInterrupt
