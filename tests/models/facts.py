#!/usr/bin/env python3
"""What the models in a folder of old files hold, worked out by NumPy alone, as docs/model-format.md describes them.

    tests/models/facts.py FOLDER        writes FOLDER/facts.json

A released version gets a folder of its own here, made once by the program of that version: a few models, the data they
were trained on, and this list. Files that are in the repository are never made again."""

import json
import pathlib
import sys

import numpy as np

# The data that each model was trained on and is asked about.
DATA = {"nuclear": "flowers", "l1": "signs", "l2": "answers", "lp3": "numbers", "linf": "numbers", "lpinf": "levels",
        "welsch": "numbers"}
# Names that the first files used for an l_p ball, and their p.
EXPONENTS = {"l1": 1.0, "l2": 2.0, "linf": np.inf}


def scale(model, x):
    kind = str(model["normalization"])
    if kind == "rows":
        norms = np.linalg.norm(x, axis=1, keepdims=True)
        return x / np.where(norms > 0, norms, 1)
    return x if kind == "none" else x / model["divisors"]


def answers(model, x):
    """Labels and the probabilities of the classes; for regression, values and None."""
    scores = scale(model, x) @ model["weights"].astype(np.float64).T
    loss, classes = str(model["loss"]), model["classes"]
    if loss == "multinomial":
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        return classes[scores.argmax(axis=1)].tolist(), (powers / powers.sum(axis=1, keepdims=True)).tolist()
    if loss in ("logistic", "sigmoid"):
        second = 1 / (1 + np.exp(-scores))
        return classes[(scores[:, 0] > 0).astype(int)].tolist(), np.hstack([1 - second, second]).tolist()
    return scores[:, 0].tolist(), None


def facts(path):
    model = np.load(path, allow_pickle=False)
    data = f"{DATA[path.stem]}.csv"
    lines = (path.parent / data).read_text(encoding="utf-8").splitlines()
    x = np.array([[float(cell) for cell in line.split(",")[:-1]] for line in lines])
    entries = {name: model[name].tolist() for name in model.files}
    entries["p"] = str(EXPONENTS.get(entries["region"], entries["p"]))
    entries["region"] = "lp" if entries["region"] in EXPONENTS else entries["region"]
    predictions, probabilities = answers(model, x)
    return {"model": path.name, "data": data, "double": model["weights"].dtype == np.float64, **entries,
            "predictions": predictions, "probabilities": probabilities}


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    found = [json.dumps(facts(path), ensure_ascii=False) for path in sorted(folder.glob("*.npz"))]
    (folder / "facts.json").write_text("[" + ",\n".join(found) + "]\n", encoding="utf-8")
