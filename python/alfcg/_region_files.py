"""Parameters of regions that are arrays: the library reads them from files, which are there as long as a call lasts."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Real
from typing import Any, TypeVar

import numpy as np

Answer = TypeVar("Answer")

ARRAY = "(array)"


def _word(value: Any) -> str:
    """A node or a feature: whole numbers without a point."""
    if isinstance(value, (float, np.floating)) and value.is_integer():
        return str(int(value))
    return str(value)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _plain(word: str) -> str:
    if not word or any(c.isspace() or c in ",;" for c in word) or word[0] in "#%":
        raise ValueError(f"has the node {word!r}; names of nodes are without blanks, commas and semicolons")
    return word


def _numbers(value: Any, dimensions: tuple[int, ...]) -> np.ndarray[Any, Any]:
    found = np.asarray(value.toarray() if hasattr(value, "toarray") else value, dtype=np.float64)
    if found.ndim not in dimensions:
        words = " or ".join(map(str, dimensions))
        raise ValueError(f"must be an array of {words} dimension{'s' * (words != '1')}, not of {found.ndim}")
    return found


def _by_feature(value: Any, names: Sequence[str] | None) -> str:
    """Lines NAME,VALUE; a dictionary has names or positions, and perhaps '*' for all others."""
    if isinstance(value, Mapping):
        pairs = [(_word(name), float(number)) for name, number in value.items()]
    else:
        numbers = _numbers(value, (1,)).tolist()
        places = names or [str(j) for j in range(len(numbers))]
        if len(places) != len(numbers):
            raise ValueError(f"has {len(numbers)} numbers, X has {len(places)} features")
        pairs = list(zip(places, numbers, strict=True))
    return "".join(f"{'*' if name == '*' else _quoted(name)},{number!r}\n" for name, number in pairs)


def _groups(value: Any, names: Sequence[str] | None) -> str:
    """A line a group, from lists of features, or from the label of each feature's group."""
    groups = list(value)
    if not any(isinstance(group, (list, tuple, set, frozenset, range, np.ndarray)) for group in groups):
        if names and len(names) != len(groups):
            raise ValueError(f"has {len(groups)} labels, X has {len(names)} features")
        labels = np.asarray(groups)
        groups = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    return "".join(" ".join(_quoted(_word(feature)) for feature in group) + "\n" for group in groups)


def _edges(value: Any) -> str:
    """'from to' or 'from to capacity'."""
    lines = []
    for edge in value:
        if len(edge) not in (2, 3):
            raise ValueError(f"has an edge of {len(edge)} entries; each is (from, to) or (from, to, capacity)")
        ends = [_plain(_word(end)) for end in edge[:2]]
        lines.append(" ".join([*ends, *(repr(float(capacity)) for capacity in edge[2:])]))
    return "".join(line + "\n" for line in lines)


def _write(path: str, name: str, value: Any, names: Sequence[str] | None) -> None:
    if name in ("lower", "upper", "costs", "axes"):
        text = _by_feature(value, names)
    elif name == "group_by":
        text = _groups(value, names)
    elif name == "graph":
        text = _edges(value)
    elif isinstance(value, Mapping):
        text = "".join(f"{_plain(_word(node))} {float(number)!r}\n" for node, number in value.items())
    else:
        table = name in ("metric", "vertices", "points", "at_most", "equal")
        numbers = _numbers(value, (2,) if table else (1, 2))
        with open(path, "wb") as file:
            np.save(file, np.ascontiguousarray(numbers))
        return
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _is_array(value: Any) -> bool:
    return not (value is None or isinstance(value, (str, os.PathLike, Real)))


def described(given: Mapping[str, Any]) -> dict[str, float | str]:
    """The parameters as a model keeps them: it says that there was an array, and not which."""
    return {name: ARRAY if _is_array(value) else value for name, value in given.items()}


@contextmanager
def readable(
    given: Mapping[str, Any], names: Sequence[str] | None = None
) -> Iterator[tuple[dict[str, Any], dict[str, str]]]:
    """The parameters as the library takes them, and what is to be said for each file that stands for an array.

    >>> with readable({"radius": 2.0, "lower": [0.0, -1.0]}) as (parameters, said):
    ...     open(parameters["lower"]).read(), list(said.values())
    ('"0",0.0\\n"1",-1.0\\n', ['(array)'])
    """
    parameters = dict(given)
    for name, value in given.items():
        if isinstance(value, os.PathLike):
            parameters[name] = os.fspath(value)
        elif name in ("source", "sink") and isinstance(value, Real):
            parameters[name] = _word(value)  # a node
    arrays = {name: value for name, value in parameters.items() if _is_array(value)}
    if not arrays:
        yield parameters, {}
        return
    with tempfile.TemporaryDirectory(prefix="alfcg-") as folder:
        paths = {name: os.path.join(folder, name) for name in arrays}
        for name, value in arrays.items():
            try:
                _write(paths[name], name.replace("-", "_"), value, names)
            except (TypeError, ValueError) as error:
                raise type(error)(f"{name} {error}") from None
        try:
            yield parameters | paths, dict.fromkeys(paths.values(), ARRAY)
        except ValueError as error:
            text = str(error)
            for name, path in paths.items():
                text = text.replace(path, name)
            if text == str(error):
                raise
            raise ValueError(text) from None


def names_of(data: Any) -> list[str] | None:
    """Names of a data frame's columns, where all of them are strings."""
    names = list(getattr(data, "columns", ()))
    return names if names and all(isinstance(name, str) for name in names) else None


def calling(function: Callable[..., Answer], *data: Any, **options: Any) -> Answer:
    """Calls the library, where a region's parameters may be arrays."""
    with readable(options.pop("region_parameters", {}), options.get("feature_names")) as (parameters, said):
        return function(*data, region_parameters=parameters, said=said, **options)
