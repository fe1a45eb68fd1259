import re
from pathlib import Path

import pytest

from dragoman.testing.server import load_script
from dragoman.testing.server_config import ServerConfig, load_config

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "testing_server.md"


EXAMPLES = re.findall(r"```python\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES, ids=["chat", "speech", "realtime"])
def test_the_guides_examples_work(tmp_path: Path, example: str) -> None:
    path = tmp_path / "example.py"
    path.write_text(example, "utf-8")
    exec(compile(example, path, "exec"), {"__name__": "example"})  # noqa: S102 - our own guide


@pytest.mark.parametrize(
    ("name", "load"),
    [("script", load_script), ("faults", lambda path: load_config(path, ServerConfig))],
)
def test_the_guides_files_are_read(tmp_path: Path, name: str, load: object) -> None:
    (text,) = re.findall(rf"\$ cat {name}.json\n(.*)\n", GUIDE.read_text("utf-8"))
    path = tmp_path / f"{name}.json"
    path.write_text(text, "utf-8")
    assert callable(load)
    assert load(path) is not None
