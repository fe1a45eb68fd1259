"""Plug-ins are found when their package is installed, and gone when it is removed."""

import shutil
from pathlib import Path

import pytest

from dragoman.registry.entry_points import find_entry_points

GROUP = "dragoman.layers"


def test_what_a_package_adds_comes_and_goes_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    assert not find_entry_points(GROUP, "ears")

    about = tmp_path / "own_ears-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: own-ears\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        f"[{GROUP}]\nears = own_ears:ears\nnose = own_ears:nose\n"
    )

    assert [entry.value for entry in find_entry_points(GROUP, "ears")] == ["own_ears:ears"]
    assert [entry.name for entry in find_entry_points(GROUP)] == ["ears", "nose"]
    assert find_entry_points(GROUP)[0] is find_entry_points(GROUP)[0]
    shutil.rmtree(about)
    assert not find_entry_points(GROUP)
