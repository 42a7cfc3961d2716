"""The examples run, print what is kept beside them, and draw a picture."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from printed import assert_alike

EXAMPLES = Path(os.environ.get("ALFCG_SOURCE", Path(__file__).resolve().parents[2])) / "python" / "examples"


@pytest.mark.parametrize("name", sorted(path.stem for path in EXAMPLES.glob("*.py")))
def test_an_example_prints_what_is_kept_beside_it(name: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    run = subprocess.run(
        [sys.executable, str(EXAMPLES / f"{name}.py"), "picture.png"], cwd=tmp_path, capture_output=True, text=True,
        env=os.environ | {"MPLBACKEND": "Agg"}, check=False, timeout=600,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    kept = (EXAMPLES / f"{name}.txt").read_text()
    assert_alike(run.stdout, kept)
    assert (tmp_path / "picture.png").stat().st_size > 5000
    assert (EXAMPLES / f"{name}.png").exists()
