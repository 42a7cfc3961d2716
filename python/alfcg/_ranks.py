"""Fits on several processes, which have some of the rows each and meet through a communicator of mpi4py."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

_KINDS: dict[str, type[Exception]] = {"TypeError": TypeError, "ValueError": ValueError}


@contextmanager
def together(comm: Any) -> Iterator[None]:
    """What goes wrong in here on one of the processes is raised on all of them; None: there is one."""
    if comm is None:
        yield
        return
    if not hasattr(comm, "allgather"):
        raise TypeError(f"comm must be a communicator of mpi4py, such as MPI.COMM_WORLD, or None; got {comm!r}")
    own = None
    try:
        yield
    except Exception as error:
        own = error
    kind = next((name for name, one in _KINDS.items() if isinstance(own, one)), "RuntimeError")
    told = comm.allgather(None if own is None else (kind, str(own)))
    if own is not None:
        raise own
    for rank, wrong in enumerate(told):
        if wrong is not None:
            raise _KINDS.get(wrong[0], RuntimeError)(f"rank {rank}: {wrong[1]}")


def in_one_form(X: Any, comm: Any) -> Any:
    """Rows of one precision on all processes: the wider one."""
    forms = comm.allgather((X.dtype, sparse.issparse(X)))
    if len({is_sparse for _, is_sparse in forms}) > 1:
        raise ValueError("X must be an array on all ranks, or sparse on all")
    return X.astype(np.result_type(*(dtype for dtype, _ in forms)), copy=False)


def all_labels(own: NDArray[Any], comm: Any) -> NDArray[Any]:
    """The labels of all processes, each once, in order."""
    lists = [labels for labels in comm.allgather(own) if len(labels)]
    if len({labels.dtype.kind in "biuf" for labels in lists}) > 1:
        raise ValueError("y must have numbers on all ranks, or texts on all")
    return np.unique(np.concatenate(lists)) if lists else own


class Looking:
    """An observer of the first process, the only one that calls it: what it raises ends the fit of all of them, and then comes out."""

    def __init__(self, observer: Callable[[Any], bool] | None) -> None:
        self.observer = observer
        self.raised: Exception | None = None

    def __call__(self, now: Any) -> bool:
        if self.observer is None:
            return False
        try:
            return self.observer(now)
        except Exception as error:
            self.raised = error
            return True

    def raise_again(self) -> None:
        if self.raised is not None:
            raise self.raised
