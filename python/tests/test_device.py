"""`device=`: the GPU, emulated on the CPU where the library's tests have been built."""

import os
import pathlib

import numpy as np
import pytest

import alfcg


@pytest.fixture
def emulated(monkeypatch):
    build = pathlib.Path(os.environ.get("ALFCG_PROGRAM", "")).parent
    library = build / "tests" / "libalfcg_cuda_emulated.so"
    if not library.exists():
        pytest.skip("there is no emulation of a GPU in the build tree")
    monkeypatch.setenv("ALFCG_CUDA_LIBRARY", str(library))


def test_estimators_fit_as_on_the_cpu(emulated, two_classes):
    X, y = two_classes
    models = [alfcg.ConstrainedClassifier(radius=2.0, method="alfcg-d", max_epochs=20, tol=1e-2, device=device).fit(X, y)
              for device in ("cpu", "cuda", "auto")]  # fmt: skip
    for model in models[1:]:
        assert np.allclose(model.coef_, models[0].coef_, atol=1e-5)


def test_functions_take_it(emulated, two_classes):
    X, y = two_classes
    found = alfcg.path(X, y, radii=[1.0, 2.0], folds=2, threads=1, device="cuda")
    assert len(found.table) == 2
    result = alfcg.compare(X, y, methods=["alfcg-d"], max_epochs=3, threads=1, device="cuda:1")
    assert list(result.table["method"]) == ["alfcg-d"]


def test_a_device_that_cannot_be_had_is_an_error(monkeypatch, two_classes):
    X, y = two_classes
    monkeypatch.setenv("ALFCG_CUDA_LIBRARY", "/nowhere/libalfcg_cuda.so")
    with pytest.raises(ValueError, match="device cuda cannot be had"):
        alfcg.ConstrainedClassifier(device="cuda").fit(X, y)
    with pytest.raises(ValueError, match="device must be cpu, cuda, cuda:N or auto"):
        alfcg.ConstrainedClassifier(device="tpu").fit(X, y)
