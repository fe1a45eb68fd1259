"""The record of `make bench`: what each section printed, in a JSON file from which the page is made.

`docs/reference/measurements.md` is generated: ``python -m bench.recorded_figures``.
"""

import contextlib
import io
import json
import os
import platform
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TypedDict

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "build" / "bench.json"
PAGE = ROOT / "docs" / "reference" / "measurements.md"

TITLES = {
    "loop": "Conversations per second and CPU per conversation",
    "memory": "Memory of a run",
    "storage": "Writing and reading stored runs",
    "reporting": "Reports and exports",
    "intervals": "Bootstrap intervals",
    "voice": "Channel effects, speech and audio sets",
    "hearing": "Recognition and inverse text normalization",
    "measures": "Measures of stored conversations",
    "curating": "Datasets from API documents",
    "looking": "`show` and other commands that read runs",
    "viewing": "The viewer under load",
    "start-up": "Start-up of the command line",
    "bfcl": "BFCL verdicts compared with bfcl-eval",
    "wire": "Calls of endpoints",
    "workers": "Worker pools",
}

INTRODUCTION = """# Measurements

This page is generated from the record of `make bench` by `python -m bench.recorded_figures`. Do not edit it: run the benchmark again. Every other page refers to it for figures of speed and memory.

`make bench` measures each section in one process and prints ratios side by side, so a ratio is comparable between machines and a time is not. To compare two machines, compare the time of a round of plain Python, which is given with each section.
"""


class Section(TypedDict):
    """One section of the benchmark: when and where it ran, and the lines that it printed."""

    date: str
    python: str
    cores: int
    plain_python_ns: float
    load: float
    lines: list[str]


class _Copy(io.StringIO):
    """A text stream that also writes to another one."""

    def __init__(self, other: io.TextIOBase) -> None:
        super().__init__()
        self._other = other

    def write(self, text: str) -> int:
        self._other.write(text)
        return super().write(text)

    def flush(self) -> None:
        self._other.flush()


@contextlib.contextmanager
def copied_output() -> Iterator[io.StringIO]:
    """Print as usual, and keep a copy of the printed text."""
    copy = _Copy(sys.stdout)  # type: ignore[arg-type]
    with contextlib.redirect_stdout(copy):
        yield copy


def record_section(name: str, lines: list[str], plain_python_ns: float) -> None:
    """Write one section into the record; other sections stay as they are."""
    record = read_record()
    record[name] = Section(
        date=datetime.now(UTC).date().isoformat(),
        python=platform.python_version(),
        cores=os.cpu_count() or 1,
        plain_python_ns=round(plain_python_ns),
        load=round(os.getloadavg()[0], 1),
        lines=lines,
    )
    RECORD.parent.mkdir(exist_ok=True)
    RECORD.write_text(json.dumps(record, indent=1), "utf-8")


def read_record() -> dict[str, Section]:
    """Return the sections that were recorded, by name."""
    if not RECORD.exists():
        return {}
    record: dict[str, Section] = json.loads(RECORD.read_text("utf-8"))
    return record


def make_page(record: dict[str, Section]) -> str:
    """Return the page of measurements in Markdown, with the sections in the order of `TITLES`."""
    parts = [INTRODUCTION]
    for name, title in TITLES.items():
        parts.append(f"\n## {title}\n")
        if name not in record:
            parts.append(f"\nNot measured for this version: `make bench SECTIONS={name}`.\n")
            continue
        section = record[name]
        parts.append(
            f"\n`make bench SECTIONS={name}`, {section['date']}, Python {section['python']}, "
            f"{section['cores']} cores, load {section['load']}, a round of plain Python takes "
            f"{section['plain_python_ns']:.0f} ns.\n\n"
        )
        lines = "\n".join(line.rstrip() for line in section["lines"]).strip("\n")
        parts.append(f"```\n{lines}\n```\n")
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(make_page(read_record()), "utf-8")
