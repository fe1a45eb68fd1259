"""Files of rows: JSONL with one conversation a line, in the form that OpenAI's fine-tuning takes or in ours.

Ours has `id` and `origin` beside `messages` and `tools`: the contamination guard sees more there.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import DECODING_ERRORS, TranslatedErrors
from dragoman.core.training_examples import ExampleOrigin, TrainingExample

MOST_BYTES_OF_A_LINE = 8_000_000
_ROLES = frozenset({"assistant", "developer", "system", "tool", "user"})


class _Line(msgspec.Struct):
    messages: tuple[dict[str, object], ...]
    tools: tuple[dict[str, object], ...] = ()
    id: str = ""
    origin: ExampleOrigin | None = None


_LINES = msgspec.json.Decoder(_Line)


def read_rows(paths: Sequence[Path]) -> list[TrainingExample]:
    """Read rows; one without an id has its file's name and line.

    Raises:
        DataError: Where a file cannot be read, a line is no row or has nothing to learn, two rows have
            one id, or there is no row at all.
    """
    rows: dict[str, TrainingExample] = {}
    for path in paths:
        with TranslatedErrors(DataError, f"{path}: cannot be read"):
            for number, line in _lines(path):
                row = _row(line, path, number)
                if row.id in rows:
                    raise DataError(f"{path}, line {number}: a second row {row.id!r:.120}")
                rows[row.id] = row
    if not rows:
        raise DataError(f"{', '.join(map(str, paths))}: no row: `dragoman rows` writes some")
    return list(rows.values())


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    with path.open("rb") as file:
        number = 0
        while line := file.readline(MOST_BYTES_OF_A_LINE + 1):
            number += 1
            if len(line) > MOST_BYTES_OF_A_LINE:
                raise DataError(f"{path}, line {number}: more than {MOST_BYTES_OF_A_LINE} bytes")
            if line.strip():
                yield number, line


def _row(line: bytes, path: Path, number: int) -> TrainingExample:
    where = f"{path}, line {number}"
    try:
        found = _LINES.decode(line)
    except DECODING_ERRORS as error:
        raise DataError(f"{where}: no row ({error})") from error
    for message in found.messages:
        if message.get("role") not in _ROLES:
            raise DataError(f"{where}: no role of a chat: {message.get('role')!r:.80}")
    if not any(map(_is_learnt, found.messages)):
        raise DataError(f"{where}: no assistant's message, so there is nothing to learn")
    return TrainingExample(
        found.id or f"{path.name}:{number}",
        found.messages,
        found.tools,
        found.origin or ExampleOrigin(path.stem, ""),
    )


def _is_learnt(message: Mapping[str, object]) -> bool:
    if message.get("role") != "assistant":
        return False
    return bool(message.get("content") or message.get("tool_calls"))
