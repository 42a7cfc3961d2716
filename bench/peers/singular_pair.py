"""SciPy's svds (ARPACK, default tolerance) for the leading singular pair of the gradients of a running solve."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from scipy.sparse.linalg import svds

from peers.serving import Facts, serve, settings


def main() -> None:
    folder = Path(settings()["folder"])
    gradients = [np.load(path) for path in sorted(folder.glob("gradient*.npy"))]
    values = [float(svds(gradient, k=1)[1][0]) for gradient in gradients]

    def pairs() -> tuple[float, Facts]:
        calls = []
        for gradient in gradients:
            start = time.perf_counter()
            svds(gradient, k=1)
            calls.append(time.perf_counter() - start)
        return sum(calls) / len(calls), {"calls": calls}

    serve({"singular_values": values}, {"svds": pairs})


if __name__ == "__main__":
    main()
