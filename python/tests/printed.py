"""What programs print, compared with what is kept of it."""

from __future__ import annotations

import re

import pytest

NUMBER = re.compile(r"-?\d+\.?\d*(?:e[+-]?\d+)?")


def assert_alike(printed: str, kept: str) -> None:
    """Words are the same; numbers are near, as other machines round differently."""
    assert NUMBER.sub("0", printed).split() == NUMBER.sub("0", kept).split()
    for found, expected in zip(NUMBER.findall(printed), NUMBER.findall(kept), strict=True):
        if "e" in expected:
            assert 1e-3 < float(found) / float(expected) < 1e3
        else:
            assert float(found) == pytest.approx(float(expected), rel=0.05, abs=0.05)
