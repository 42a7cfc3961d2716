"""scikit-learn's LIBSVM reader."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_svmlight_file

from peers.serving import serve, settings, timed


def main() -> None:
    arguments = settings()
    folder = Path(arguments["folder"])
    features = int(arguments["features"])

    def read() -> Any:
        return load_svmlight_file(arguments["file"], n_features=features, dtype=np.float32, zero_based=False)

    matrix, labels = read()
    same = (
        np.array_equal(matrix.indptr, np.load(folder / "start.npy"))
        and np.array_equal(matrix.indices, np.load(folder / "column.npy"))
        and np.array_equal(matrix.data, np.load(folder / "value.npy"))
        and np.array_equal(np.unique(labels, return_inverse=True)[1], np.load(folder / "classes.npy"))
    )
    serve({"same": bool(same)}, {"read": timed(read)})


if __name__ == "__main__":
    main()
