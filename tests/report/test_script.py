"""Text of the report's script about lost words."""

import json
import shutil
import subprocess
from importlib.resources import files

import pytest

NODE = shutil.which("node")


@pytest.mark.skipif(NODE is None, reason="node is not installed")
@pytest.mark.parametrize(
    ("said", "heard", "lost"),
    [
        ("Thank you. ###STOP###", "thank you", []),
        ("###TRANSFER###", "", []),
        ("Please stop it ###OUT-OF-SCOPE###", "please it", ["stop"]),
    ],
)
def test_markers_between_the_sides_are_no_words_that_were_lost(
    said: str, heard: str, lost: list[str]
) -> None:
    source = (files("dragoman.report") / "templates" / "conversation.js").read_text("utf-8")
    asked = f"wordsOf({json.dumps(said)}).filter((_, at) => unmatched({json.dumps(said)}, {json.dumps(heard)}).has(at))"

    assert NODE is not None
    done = subprocess.run(
        [NODE, "-e", f"{source}\nconsole.log(JSON.stringify({asked}));"],
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )

    assert json.loads(done.stdout) == lost
