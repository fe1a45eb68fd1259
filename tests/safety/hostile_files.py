"""Files of a stranger that a person names: hostile contents, and their readers."""

import functools
import gzip
import io
import os
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.safety.hostile import NASTY, NEST

Words = tuple[str, ...]

_LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 30}">' for n in range(8))
    + ']><tmx version="1.4"><body><tu><tuv><seg>&i;</seg></tuv></tu></body></tmx>'
)
_OUTSIDE = (
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">'
    '<!ENTITY b SYSTEM "http://169.254.169.254/x">]><tmx version="1.4"><body>&a;&b;</body></tmx>'
)
_ALIASES = "a: &a [x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join([f'*{chr(97 + n)}'] * 30)}]\n" for n in range(12)
)


def _zip_of_zeros() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("[Content_Types].xml", bytes(2**29))
        file.writestr("xl/workbook.xml", "<x/>")
    return content.getvalue()


CONTENTS: Mapping[str, Callable[[], bytes]] = {
    "nothing": bytes,
    "nested JSON": lambda: b"[" * NEST,
    "nested objects": lambda: b'{"a":' * NEST,
    "nested TOML": lambda: b"a = " + b"[" * NEST,
    "nested tables": lambda: b"a = " + b"{a = " * NEST,
    "long keys": lambda: b".".join([b"a"] * NEST) + b" = 1",
    "large numbers": lambda: b"seed = 1" + b"0" * NEST + b"\ntrials = 1e999",
    "bytes": lambda: bytes(range(256)) * 99,
    "halves": lambda: b'{"a": "\\ud83d"}\n',
    "nasty text": NASTY.encode,
    "nasty key": lambda: (
        f'"{NASTY.replace(chr(92), "").replace(chr(34), "")}" = 1'.encode()
        .replace(b"\0", b"")
        .replace(b"\x1b", b"\\u001b")
        .replace(b"\x07", b"\\u0007")
        .replace(b"\xc2\x9b", b"\\u009b")
    ),
    "gzip": lambda: gzip.compress(bytes(2**29), 1),
    "zip": _zip_of_zeros,
    "laughs": _LAUGHS.encode,
    "entities": _OUTSIDE.encode,
    "aliases": _ALIASES.encode,
    "one line": lambda: b"a" * 2**25,
    "commas": lambda: b"," * 2**22 + b"\n",
    "quotes": lambda: b'"' * 2**20 + b"\n",
}
"""Possible contents of a file, under any name."""

READERS: Mapping[str, tuple[str, tuple[Words, ...]]] = {
    "grid": ("grid.toml", (("run", "{}", "--dry-run"),)),
    "prices": ("prices.toml", (("usage", "run", "--prices", "{}"),)),
    "averages": (
        "averages.toml",
        (("run", "sample:shop", "--agent", "gold", "--dry-run", "--averages", "{}"),),
    ),
    "persona": (
        "kind.toml",
        (("run", "sample:shop", "--agent", "gold", "--persona", "{}", "--dry-run"),),
    ),
    "language": (
        "xx.toml",
        (("run", "sample:shop", "--agent", "gold", "--language", "{}", "--dry-run"),),
    ),
    "rubric": ("asks@1.toml", (("score", "run", "--measure", "{}"),)),
    "labels": ("labels.csv", (("judge-check", "run", "--labels", "{}"),)),
    "labelled": ("labelled.json", (("label-check", "{}"),)),
    "results": ("results.csv", (("validate", "{}"),)),
    "table": ("results.parquet", (("validate", "{}"),)),
    "plan": ("plan.toml", (("curate", "run", "{}"), ("finetune-study", "{}"))),
    "recipe": ("recipe.toml", (("finetune", "{}", "--dry-run"),)),
    "documents": (
        "api.json",
        (("curate", "collect", "data", "{}"), ("data", "pull", "tau2", "--from", "{}")),
    ),
    "yaml": ("api.yaml", (("curate", "collect", "data", "{}"),)),
    "markdown": ("apis.md", (("curate", "collect", "data", "{}"),)),
    "tmx": ("memory.tmx", (("memory", "import", "{}", "memory.sqlite"),)),
    "memory": (
        "memory.sqlite",
        (("memory", "show", "{}"), ("memory", "export", "{}", "--out", "out.tmx")),
    ),
    "workbook": ("th.xlsx", (("review", "import", "sample:shop", "{}", "--to", "th"),)),
    "sheet": ("th.csv", (("review", "import", "sample:shop", "{}", "--to", "th"),)),
    "result file": ("results.json", (("import", "{}", "--out", "imported"),)),
    "bfcl results": ("BFCL_v4_simple_python_result.json", (("import", "{}", "--out", "i2"),)),
    "rows": ("rows.jsonl", (("tiny-model", "base", "--rows", "{}"),)),
    "faults": ("faults.json", (("world", "serve", "--faults", "{}", "--at", "never"),)),
}
"""Readers of a single file: its name, and the commands."""

FOLDERS: Mapping[str, tuple[tuple[str, ...], tuple[Words, ...]]] = {
    "audio set": (
        ("settings.json", "texts.jsonl", "speech.jsonl", "card.json", "transcripts/generic.jsonl"),
        (
            ("speak", "--verify", "{}"),
            ("run", "set:{}", "--agent", "gold", "--dry-run"),
            ("speak", "courier", "--texts-only", "--sample", "1", "--out", "{}"),
        ),
    ),
    "dataset": (
        ("dataset.sqlite", "dataset.sqlite-journal"),
        (
            *(("curate", step, "{}") for step in ("card", "list", "status", "check", "split")),
            ("curate", "export", "{}", "--to", "itc", "--out", "exported"),
        ),
    ),
    "set of calls": (
        ("set.json", "apis.jsonl", "tasks.jsonl", "tests.jsonl", "suite.json", "card.json"),
        (("run", "itc:{}", "--agent", "gold", "--dry-run"), ("check", "itc:{}")),
    ),
    "artifacts": (
        ("courier/th/tools.json", "courier/th/translation_manifest.json", "courier/th/tasks.json"),
        (
            ("lint", "{}"),
            (
                *("run", "courier", "--agent", "gold", "--language", "th", "--assets", "{}"),
                *("--limit", "1", "--out", "translated"),
            ),
        ),
    ),
    "model": (
        ("config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors"),
        (("run", "sample:shop", "--agent", "local/{}", "--limit", "1", "--out", "played"),),
    ),
    "run": (("run.sqlite",), (("show", "{}"), ("resume", "{}"), ("import", "{}", "--out", "i3"))),
}
"""Readers of a folder: the names of files in it, and the commands."""


def laid(path: Path, content: str) -> Path:
    """Write a file with one of the contents."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_content(content))
    return path


@functools.lru_cache(maxsize=1)
def _content(name: str) -> bytes:
    # Packing half a gigabyte takes seconds, and tens of files get the same content.
    return CONTENTS[name]()


def in_disguise(path: Path, kind: str) -> Path:
    """Lay a pipe, or a link to a device or a file that ends nowhere, in a file's place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        path.touch()
        os.truncate(path, 2**40)
    return path
