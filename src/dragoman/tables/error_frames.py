"""The figures of a board of errors as a polars data frame."""

from collections.abc import Iterator

import polars as pl

from dragoman.analysis.errors.board import ErrorBoard
from dragoman.analysis.errors.shares import ConversationShare

BOARD_COLUMNS: dict[str, pl.DataType] = {
    **dict.fromkeys(("table", "suite", "group", "judge", "side", "subject", "kind"), pl.String()),
    **dict.fromkeys(("count", "n", "unscored"), pl.Int64()),
    **dict.fromkeys(("share", "low", "high"), pl.Float64()),
    "read_as": pl.String(),
    "why": pl.String(),
}
"""Of `error_frame`: severities, tags, agreement, modes and the audit of tags, one below another."""


def error_frame(board: ErrorBoard) -> pl.DataFrame:
    """Return every figure of a board as a row; what does not apply is null."""
    rows = [*_judged_rows(board), *_mode_rows(board), *_audit_rows(board)]
    columns = {name: [row.get(name) for row in rows] for name in BOARD_COLUMNS}
    return pl.DataFrame(columns, schema=BOARD_COLUMNS, strict=False)


_Cells = dict[str, object]


def _judged_rows(board: ErrorBoard) -> Iterator[_Cells]:
    for group in board.judged:
        place: _Cells = {
            "suite": group.suite,
            "group": group.label,
            "judge": group.judge,
        }
        for figures in group.sides:
            own = {**place, "side": figures.side}
            for level in ("critical", "minor", "correct"):
                share = _share(getattr(figures, level))
                yield {
                    "table": "severity",
                    **own,
                    "kind": level,
                    **share,
                    "unscored": figures.unscored,
                }
            for tag in figures.tags:
                for level in ("critical", "minor"):
                    counted = {**_share(getattr(tag, level)), "unscored": figures.tags_unscored}
                    yield {"table": "tag", **own, "subject": tag.tag, "kind": level, **counted}
        for twin in group.twins:
            for kind in ("both", "tag_alone", "mode_alone", "neither"):
                counted = {"count": getattr(twin, kind), "n": twin.percent.items}
                told = {"subject": f"{twin.tag} / {twin.mode}", "kind": kind}
                yield {"table": "agreement", **place, **told, **counted, "unscored": twin.unscored}


def _mode_rows(board: ErrorBoard) -> Iterator[_Cells]:
    for group in board.modes:
        place = {"suite": group.suite, "group": group.label}
        unscored = sum(group.board.unscored.values())
        for mode in group.board.modes:
            told = {"subject": mode.subject, "kind": mode.mode, "why": mode.why}
            yield {
                "table": "mode",
                **place,
                **told,
                **_share(mode.conversations),
                "unscored": unscored,
            }


def _audit_rows(board: ErrorBoard) -> Iterator[_Cells]:
    for row in board.audit:
        told = {"subject": row.written, "count": row.errors, "read_as": row.read_as}
        yield {"table": "audit", "judge": row.judge, "side": row.side, **told}


def _share(share: ConversationShare) -> _Cells:
    interval = share.interval
    return {
        "count": share.count,
        "n": share.n,
        "share": share.value,
        "low": None if interval is None else interval.low,
        "high": None if interval is None else interval.high,
    }
