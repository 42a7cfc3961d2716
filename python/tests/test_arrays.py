"""What X may be: the same answers whatever form it has, and no copies of what the library can look at."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import alfcg
from alfcg import _core

OPTIONS = {"classes": [0, 1], "region": "l1", "region_parameters": {"radius": 5.0}, "threads": 1}


def coef(X, y, **more):
    return _core.fit(X, y, **{**OPTIONS, **more}).coef


def test_every_form_of_dense_data_gives_the_same_bits(two_classes, tmp_path):
    X, y = two_classes
    expected = coef(X, y)
    wide = np.zeros((len(X), 20))
    wide[:, :12] = X
    frozen = X.copy()
    frozen.flags.writeable = False
    np.save(tmp_path / "x.npy", X)
    offset = np.zeros(X.nbytes + 1, np.uint8)[1:].view()
    unaligned = np.frombuffer(offset.data, np.float64, X.size).reshape(X.shape)
    offset[:] = X.view(np.uint8).ravel()
    forms = {
        "row stride": wide[:, :12],
        "read-only": frozen,
        "memory map": np.load(tmp_path / "x.npy", mmap_mode="r"),
        "F-order": np.asfortranarray(X),
        "columns backwards": X[:, ::-1].copy()[:, ::-1],
        "rows backwards": X[::-1].copy()[::-1],
        "every second row": np.repeat(X, 2, axis=0)[::2],
        "big-endian": X.astype(">f8"),
        "list": X.tolist(),
        "unaligned": unaligned,
    }
    for name, form in forms.items():
        assert np.array_equal(coef(form, y), expected), name


def test_every_form_of_sparse_data_gives_the_same_bits(two_classes):
    X, y = two_classes
    X = X * (np.abs(X) > 0.8)
    csr = sp.csr_matrix(X)
    expected = coef(csr, y)
    wide = csr.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    backwards = csr.copy()
    for i in range(len(X)):
        row = slice(csr.indptr[i], csr.indptr[i + 1])
        backwards.indices[row], backwards.data[row] = csr.indices[row][::-1], csr.data[row][::-1]
    longer = csr.copy()
    longer.data, longer.indices = np.append(longer.data, 9.0), np.append(longer.indices, np.int32(3))
    forms = {
        "array": sp.csr_array(X),
        "64-bit indices": wide,
        "unsorted": backwards,
        "longer arrays than rows use": longer,
        "CSC": sp.csc_matrix(X),
        "COO": sp.coo_array(X),
    }
    for name, form in forms.items():
        assert np.array_equal(coef(form, y), expected), name
    assert np.allclose(coef(csr, y), coef(X, y), atol=1e-3)


@pytest.mark.parametrize("method", [row["name"] for row in alfcg.methods()])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_64_bit_indices_give_the_same_bits_by_every_method(rng, method, dtype):
    X = sp.random(400, 60, 0.1, "csr", dtype, rng, data_rvs=rng.standard_normal)
    y = np.argmax(X @ rng.standard_normal((60, 3)), axis=1)
    wide = X.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    options = {"method": method, "max_epochs": 5, "threads": 2, "seed": 1}
    for more in (
        {"classes": [0, 1, 2], "region": "nuclear", "loss": "multinomial", "hold_out": 0.2},
        {"classes": [0, 1, 2], "region": "l1", "loss": "multinomial", "normalize": "columns"},
        {"region": "l1", "loss": "squared", "normalize": "rows"},
        {"region": "l2", "loss": "squared"},
    ):
        one, other = (_core.fit(form, y, **options, **more) for form in (X, wide))
        assert np.array_equal(one.coef, other.coef), more
        assert np.array_equal(one.model.predict(X, "scores"), other.model.predict(wide, "scores"))


def test_the_precision_is_that_of_X(two_classes):
    X, y = two_classes
    assert coef(X, y).dtype == np.float64
    assert coef(X.astype(np.float32), y).dtype == np.float32
    assert coef(X.astype(np.float16), y).dtype == np.float32
    assert coef((10 * X).astype(int), y).dtype == np.float64
    assert coef(sp.csr_matrix(X.astype(np.float32)), y).dtype == np.float32


def test_nothing_is_written_to(two_classes):
    X, y = two_classes
    before = X.copy(), y.copy()
    for normalize in ("rows", "columns", "spectral"):
        _core.fit(X, y, normalize=normalize, hold_out=0.2, **OPTIONS)
    assert np.array_equal(X, before[0]) and np.array_equal(y, before[1])


def test_labels_may_have_any_type(two_classes):
    X, y = two_classes
    expected = coef(X, y)
    for kind in (np.int8, np.uint16, np.int32, np.int64, np.float32, np.float64, bool):
        assert np.array_equal(coef(X, y.astype(kind)), expected), kind
    assert np.array_equal(coef(X, y.tolist()), expected)
    texts = _core.fit(X, np.array(["no", "yes"])[y], region="l1", region_parameters={"radius": 5.0}, threads=1)
    assert np.array_equal(texts.coef, expected)
    assert texts.model.classes == ["no", "yes"]


@pytest.mark.parametrize(
    ("X", "y", "error", "words"),
    [
        (np.zeros(3), np.zeros(3), ValueError, "X must have 2 dimensions, not 1"),
        (np.zeros((2, 2, 2)), np.zeros(2), ValueError, "X must have 2 dimensions, not 3"),
        (np.zeros((3, 2), complex), np.zeros(3), ValueError, "Complex data not supported"),
        (np.array([["a", "b"]]), np.zeros(1), ValueError, "could not convert string to float"),
        (np.array([[1.0, np.nan], [2.0, 0.0]]), [0, 1], ValueError, "data: row 0, column 1"),
        (np.ones((3, 2)), [0, 1], ValueError, "2 labels, but 3 rows"),
        (np.ones((3, 2)), [[0], [1], [0]], ValueError, "y must have 1 dimension, not 2"),
        (np.ones((0, 2)), [], ValueError, "data"),
        (object(), [0], ValueError, "X must have 2 dimensions, not 0"),
    ],
)
def test_what_is_no_matrix_is_refused(X, y, error, words):
    with pytest.raises(error, match=words):
        _core.fit(X, y)


# Peaks are of the process as a whole: each is measured in one of its own.
PEAK = """
import sys, numpy as np, scipy.sparse as sp
from alfcg import _core
def status(key):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(key))
form = sys.argv[1]
rng = np.random.default_rng(0)
small, labels = rng.standard_normal((400, 500)), (np.arange(400) % 2)
def call(X, y):
    _core.fit(X, y, classes=[0, 1], loss="logistic", region="l1", method="alfcg-d", max_iterations=2, threads=1, history="none")
rows, cols = 20000, 500
if form.startswith("csr"):
    kind = np.int64 if form == "csr64" else np.int32
    columns = np.tile(np.arange(0, cols, 5, dtype=np.int32), rows)
    X = sp.csr_matrix((rng.standard_normal(len(columns)), columns, np.arange(0, len(columns) + 1, cols // 5)), shape=(rows, cols))
    # A run keeps sparse data by columns too, in a form that is faster to read; a prediction needs the rows alone.
    model = _core.fit(sp.csr_matrix(small), labels, classes=[0, 1], loss="logistic", threads=1).model
    X.indices = X.indices.astype(kind)
    bytes_of_data = X.data.nbytes + X.indices.nbytes
    call = lambda X, y: model.predict(X, "codes", threads=1)
    call(sp.csr_matrix(small), labels)
else:
    X = rng.standard_normal((rows, cols))
    if form == "f32": X = X.astype(np.float32)
    if form == "memmap":
        np.save(sys.argv[2], X); X = np.load(sys.argv[2], mmap_mode="r"); X.sum()
    if form == "strided": X = np.concatenate([X, X[:, :4]], axis=1)[:, :cols]
    if form == "fortran": X = np.asfortranarray(X)
    bytes_of_data = X.nbytes
    call(small, labels)
y = np.arange(rows) % 2
X.sum()
with open("/proc/self/clear_refs", "w") as file: file.write("5")
before = status("VmRSS")
call(X, y)
print((status("VmHWM") - before) / bytes_of_data)
"""


def peak(form, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", PEAK, form, str(tmp_path / "x.npy")], capture_output=True, text=True, check=False
    )
    if "clear_refs" in done.stderr:
        pytest.skip("peaks cannot be reset here")
    assert done.returncode == 0, done.stderr
    return float(done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("form", ["f64", "f32", "memmap", "strided"])
def test_dense_data_are_looked_at_where_they_are(form, tmp_path):
    # 40 or 80 MB of data. What a run keeps besides is some 50 bytes a row, whatever the number of columns.
    assert peak(form, tmp_path) < 0.03


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("form", ["csr32", "csr64"])
def test_compressed_rows_are_looked_at_where_they_are(form, tmp_path):
    assert peak(form, tmp_path) < 0.03


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_other_orders_are_converted_once(tmp_path):
    assert 0.95 < peak("fortran", tmp_path) < 1.1
