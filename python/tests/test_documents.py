"""The Python that documents show runs as it stands."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from printed import assert_alike

SOURCE = Path(os.environ.get("ALFCG_SOURCE", Path(__file__).resolve().parents[2]))
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n((?:^    [^\n]*\n)+))?", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", ["docs/python.md", "README.md"])
def test_blocks_run_one_after_the_other_and_print_what_is_shown(name: str, tmp_path, monkeypatch, capsys) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    pytest.importorskip("pandas")
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall((SOURCE / name).read_text())
    assert blocks
    names: dict[str, object] = {}
    for code, shown in blocks:
        exec(compile(code, name, "exec"), names)
        printed = capsys.readouterr().out
        if shown:
            assert_alike(printed, shown)
