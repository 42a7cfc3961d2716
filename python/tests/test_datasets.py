"""The readers, as arrays."""

import gzip

import numpy as np
import pytest
import scipy.sparse as sp

import alfcg


def test_libsvm(tmp_path):
    (tmp_path / "data.svm").write_text("1 1:0.5 4:2\n-1 2:1\n1 3:-1\n")
    data = alfcg.datasets.load(tmp_path / "data.svm", features=9)
    assert sp.issparse(data.data) and data.data.format == "csr" and data.data.shape == (3, 9)
    expected = np.zeros((3, 9))
    expected[0, 0], expected[0, 3], expected[1, 1], expected[2, 2] = 0.5, 2, 1, -1
    assert np.array_equal(data.data.toarray(), expected)
    assert data.target.tolist() == [1, -1, 1] and data.target.dtype == np.int64
    assert "4 non-zeros, float64" in repr(data)


def test_csv(tmp_path):
    text = "height,colour,weight,answer\n1.5,red,2,yes\n,blue,1,no\n3,red,1,yes\n"
    with gzip.open(tmp_path / "data.csv.gz", "wt") as file:
        file.write(text)
    data = alfcg.datasets.load(
        tmp_path / "data.csv.gz", categories=True, missing="zero", weights="weight", dtype=np.float32
    )
    assert data.feature_names == ["height", "colour=blue", "colour=red"] or set(data.feature_names) == {
        "height", "colour=red", "colour=blue"}  # fmt: skip
    assert data.data.dtype == np.float32 and data.data[:, 0].tolist() == [1.5, 0, 3]
    assert data.target.tolist() == ["yes", "no", "yes"] and data.sample_weight.tolist() == [2, 1, 1]


def test_arrays_need_no_labels(tmp_path, rng):
    X = rng.standard_normal((5, 3))
    np.save(tmp_path / "x.npy", X)
    data = alfcg.datasets.load(tmp_path / "x.npy", labels_required=False)
    assert np.array_equal(data.data, X) and data.target is None
    np.savetxt(tmp_path / "y.txt", [0.5, 1, 2, 3, 4])
    assert alfcg.datasets.load(tmp_path / "x.npy", labels=tmp_path / "y.txt").target.tolist() == [0.5, 1, 2, 3, 4]


def test_mistakes_are_told(tmp_path):
    with pytest.raises(FileNotFoundError, match="neither a file nor a built-in set"):
        alfcg.datasets.load(tmp_path / "nothing.csv")
    (tmp_path / "bad.svm").write_text("1 1:0.5\n1 2:x\n")
    with pytest.raises(ValueError, match="bad.svm:2"):
        alfcg.datasets.load(tmp_path / "bad.svm")
    with pytest.raises(ValueError, match="dtype must be float32 or float64"):
        alfcg.datasets.load("randn-5-2", dtype=np.int64)


def test_built_in_sets_are_the_command_lines(program, tmp_path):
    data = alfcg.datasets.load("randn-200-6", classes=3, seed=4, dtype=np.float32)
    program("train", "randn-200-6", "--classes", 3, "--data-seed", 4, "--radius", 2, "--threads", 1,
            "--model", tmp_path / "model.npz", "--silent")  # fmt: skip
    fit = alfcg._core.fit(data.data, data.target, region_parameters={"radius": 2}, threads=1)
    assert np.array_equal(fit.coef, alfcg.load(tmp_path / "model.npz").coef)


def test_planted_data_have_their_truth():
    data = alfcg.datasets.make_low_rank(rows=500, features=10, classes=4, rank=2, noise=0.0)
    assert np.array_equal(np.argmax(data.data @ data.coef.T, axis=1), data.target)
