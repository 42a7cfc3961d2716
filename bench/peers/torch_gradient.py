"""Value and gradient of the mean multinomial loss in PyTorch, on the CPU."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import torch

from peers.serving import relative_error, serve, settings, timed


def main() -> None:
    folder = Path(settings()["folder"])
    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    features = torch.from_numpy(np.load(folder / "features.npy"))
    classes = torch.from_numpy(np.load(folder / "classes.npy").astype(np.int64))
    weights = torch.from_numpy(np.load(folder / "x.npy"))
    rows = torch.arange(len(features))

    @torch.inference_mode()
    def evaluate() -> tuple[float, torch.Tensor]:
        residuals = torch.log_softmax(features @ weights.T, dim=1)
        value = -residuals[rows, classes].mean()
        residuals.exp_()
        residuals[rows, classes] -= 1
        return float(value), (residuals.T @ features).div_(len(rows))

    value, gradient = evaluate()
    error = relative_error(gradient.numpy(), np.load(folder / "gradient.npy"))
    serve({"value": value, "gradient_error": error, "version": torch.__version__}, {"gradient": timed(evaluate)})


if __name__ == "__main__":
    main()
