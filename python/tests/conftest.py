"""What tests share: problems, and the command line's program where it has been built."""

import os
import signal
import subprocess

import numpy as np
import pytest

# Started in the background by a shell, they would not hear of the Ctrl-C that tests send.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture
def two_classes(rng):
    X = rng.standard_normal((300, 12))
    return X, (X @ rng.standard_normal(12) + 0.5 * rng.standard_normal(300) > 0).astype(int)


@pytest.fixture
def program():
    """Runs the command line and returns what it printed."""
    path = os.environ.get("ALFCG_PROGRAM", "")
    if not os.path.exists(path):
        pytest.skip("ALFCG_PROGRAM does not name the program alfcg")

    def run(*arguments):
        done = subprocess.run([path, *map(str, arguments)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
