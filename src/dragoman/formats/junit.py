"""Export of a run as JUnit XML, for the test reports of CI systems.

A conversation is a test case. It is failed with its causes, in error if infrastructure or a
participant's code failed, and skipped if it has no score or was not played.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from shlex import quote
from xml.etree import ElementTree as ET

from dragoman.analysis.cell_summary import CellSummary, ConversationResult
from dragoman.core.scores import OutcomeStatus
from dragoman.core.texts.characters import escape_controls
from dragoman.dataframes.results import outcomes, summary
from dragoman.report.view_model import conversation_causes, conversation_status
from dragoman.store.atomic_files import atomic_path
from dragoman.store.run_store import RunStore

MOST_CHARS = 4_000
"""Longest text, in characters; reports of CI are not made for reading conversations."""

_ELEMENTS: dict[OutcomeStatus, str] = {
    "fail": "failure",
    "code": "error",
    "infrastructure": "error",
    "unscored": "skipped",
    "missing": "skipped",
}

_NOT_XML = re.compile("[\ufffe\uffff]")


def write_junit(
    store: RunStore, scoring: tuple[str, str], path: Path, agent: str | None = None
) -> int:
    """Write a run as a JUnit XML file, and return the number of conversations in it.

    Args:
        store: The run.
        scoring: The rules and the judge.
        path: The file.
        agent: Name of the only agent; None for all.

    Raises:
        StoreError: If the file cannot be written.
    """
    rows: dict[tuple[object, ...], list[ConversationResult]] = {}
    for row in outcomes(store, *scoring, heads_only=True):
        rows.setdefault((row.suite, row.condition, row.agent), []).append(row)
    root = ET.Element("testsuites", {"name": _text(store.folder.absolute().name)})
    for cell in summary(store, *scoring):
        if agent in {None, cell.agent}:
            root.append(_suite(cell, rows[cell.suite, cell.condition, cell.agent]))
    counted = ("tests", "failures", "errors", "skipped")
    for name in counted:
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    ET.indent(root)
    tree = ET.ElementTree(root)
    with atomic_path(path) as draft:
        tree.write(draft, encoding="utf-8", xml_declaration=True)
    return int(root.get("tests", "0"))


def _suite(cell: CellSummary, rows: Sequence[ConversationResult]) -> ET.Element:
    found = [_ELEMENTS.get(conversation_status(row), "") for row in rows]
    suite = ET.Element(
        "testsuite",
        {
            "name": _text(f"{cell.suite}, {cell.condition.label}, {cell.agent}"),
            "tests": str(len(rows)),
            "failures": str(found.count("failure")),
            "errors": str(found.count("error")),
            "skipped": str(found.count("skipped")),
            "time": _seconds(cell.seconds),
        },
    )
    record = ET.SubElement(suite, "properties")
    for name, value in _properties(cell).items():
        ET.SubElement(record, "property", {"name": name, "value": _text(value)})
    suite.extend(_case(row) for row in rows)
    return suite


def _properties(cell: CellSummary) -> dict[str, str]:
    """Return a cell's figures, without those that have no value."""
    figures = {
        f"pass^{figure.k}": f"{figure.value:.6g}"
        for figure in cell.result.figures
        if figure.value is not None
    }
    return {"rules": cell.rules, "judge": cell.judge, **figures}


def _case(row: ConversationResult) -> ET.Element:
    case = ET.Element(
        "testcase",
        {
            "classname": _text(f"{row.suite}.{row.condition.label}.{row.agent}"),
            "name": _text(f"{row.task} [trial {row.trial}]"),
            "time": _seconds(0.0 if row.episode is None else row.episode.seconds),
        },
    )
    state = conversation_status(row)
    if state in _ELEMENTS:
        reasons = [cause.text for cause in conversation_causes(row)]
        element = ET.SubElement(
            case, _ELEMENTS[state], {"message": _text("; ".join(reasons)), "type": state}
        )
        element.text = _text("\n".join([*reasons, *_not_met(row), _shown_by(row)]))
    return case


def _not_met(row: ConversationResult) -> Iterator[str]:
    """Yield the checks of the reward that failed."""
    for part in () if row.score is None else row.score.components:
        if part.in_basis:
            for entry in part.evidence:
                if entry.met is False:
                    yield f"{part.component}: {entry.subject} {entry.why}".rstrip()


def _shown_by(row: ConversationResult) -> str:
    options = {"--agent": row.agent, "--condition": row.condition.label}
    chosen = " ".join(f"{name} {quote(value)}" for name, value in options.items())
    return f"shown by: dragoman show RUN {quote(row.task)} {chosen} --trial {row.trial}"


def _seconds(value: float) -> str:
    return f"{value:.3f}"


def _text(text: str) -> str:
    """Return a text without characters that XML forbids, truncated for a CI report."""
    shown = _NOT_XML.sub("\ufffd", escape_controls(text[:MOST_CHARS]))
    return f"{shown} ..." if len(text) > MOST_CHARS else shown
