"""Find banned words and sentence forms in docs, docstrings, comments and printed text.

From a shell, list the findings of files or folders: ``python tests/prose.py [--count] PATH...``.
"""

import ast
import functools
import io
import itertools
import re
import sys
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
RULES = tomllib.loads((ROOT / "tests" / "prose.toml").read_text("utf-8"))
ROOTS = ("README.md", "CONTRIBUTING.md", "docs", "src/dragoman", "tests", "bench")
SUFFIXES = (".py", ".md", ".j2")

Kind = Literal["docstring", "attribute", "comment", "message", "page", "template"]

_SENTENCE_END = re.compile(
    r"(?<=[.!?:;])[\"')\]]*\s+(?=[\"'(\[`*]*[A-Z0-9`*])|\n\s*\n"
    r"|\n(?=\s*[\w*]+(?: \([^)]*\))?:\s)"
)
_INLINE_CODE = re.compile(r"``[^`]*``|`[^`]*`")
_LINK_TARGET = re.compile(r"\]\([^)]*\)")
_TAG = re.compile(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}|<[^>]*>", re.DOTALL)
_BLOCK = re.compile(r"<(script|style)\b.*?</\1>", re.DOTALL)
_LEADING = re.compile(r"^(?:\d+[.)]\s|[\s\"'(\[*_>\-+|#])+")
_SQL = re.compile(r"\s*(?:(?:SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|WHERE)\b|\w+ IN \()")
_LEAST_WORDS = 3


class Text(NamedTuple):
    """A piece of prose: its place, its kind and its words."""

    path: str
    line: int
    kind: Kind
    text: str


class Finding(NamedTuple):
    """A sentence that breaks a rule."""

    path: str
    line: int
    kind: Kind
    found: str
    use: str
    sentence: str


def find_all(paths: Iterable[Path]) -> Iterator[Finding]:
    """Yield the findings of files, in the order of their names."""
    for path in paths:
        for text in read_texts(path):
            yield from find_in(text)


def prose_files(roots: Iterable[Path]) -> list[Path]:
    """Return the files below some roots that hold prose."""
    found: set[Path] = set()
    for root in roots:
        found.update([root] if root.is_file() else root.rglob("*"))
    return sorted(path for path in found if path.suffix in SUFFIXES and not _is_exempt(path))


def find_in(text: Text) -> Iterator[Finding]:
    """Yield the findings of one piece of prose, sentence by sentence."""
    for line, sentence in sentences_of(text):
        plain = _INLINE_CODE.sub("`x`", sentence)
        for pattern, use in _words() if _any_word().search(plain) else ():
            for match in pattern.finditer(plain):
                yield Finding(text.path, line, text.kind, match.group(), use, sentence)
        opening = _LEADING.sub("", plain)
        if opening.startswith("Whether") and not _is_first(text, sentence):
            continue  # as the description of an attribute or an argument it is a noun phrase
        if sentence.rstrip("\"')*_ ").endswith("?") or _is_heading(text, sentence):
            continue
        if text.kind == "message" and opening[:1].islower():
            continue  # a part of a message that is put together
        for pattern, use in _openings():
            found = pattern.match(opening)
            if found is not None:
                yield Finding(text.path, line, text.kind, found.group(), use, sentence)


def sentences_of(text: Text) -> Iterator[tuple[int, str]]:
    """Yield the sentences of a piece of prose, each with the line on which it begins."""
    start = 0
    for end in [*(match.span() for match in _SENTENCE_END.finditer(text.text)), None]:
        sentence = text.text[start : None if end is None else end[0]]
        if len(sentence.split()) >= _LEAST_WORDS:
            yield text.line + text.text.count("\n", 0, start), " ".join(sentence.split())
        if end is not None:
            start = end[1]


def read_texts(path: Path) -> Iterator[Text]:
    """Yield the prose of one file."""
    content = path.read_text("utf-8")
    name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)
    if path.suffix == ".md":
        return _texts_of_page(name, content)
    if path.suffix == ".j2":
        return _texts_of_template(name, content)
    return _texts_of_code(name, content)


def _texts_of_page(name: str, content: str) -> Iterator[Text]:
    fenced = False
    block: list[str] = []
    begun = 1
    for number, line in enumerate([*content.splitlines(), ""], 1):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
            line = ""  # noqa: PLW2901 - a fence ends the paragraph before it
        elif fenced:
            continue
        alone = line.startswith(("#", "|", "- ", "* ")) or re.match(r"\s*(\d+\.|[-*])\s", line)
        if (not line.strip() or alone) and block:
            yield Text(name, begun, "page", _LINK_TARGET.sub("]", "\n".join(block)))
            block = []
        if line.startswith("|"):
            for cell in line.strip("|").split("|"):
                yield Text(name, number, "page", _LINK_TARGET.sub("]", cell.strip()))
        elif line.startswith("#"):
            yield Text(name, number, "page", line)
        elif line.strip():
            if not block:
                begun = number
            block.append(line)


def _texts_of_template(name: str, content: str) -> Iterator[Text]:
    blank = _BLOCK.sub(_keep_lines, content)
    for number, line in enumerate(_TAG.sub(_keep_lines_as_bar, blank).splitlines(), 1):
        for piece in line.split("\x00"):
            if piece.strip():
                yield Text(name, number, "template", piece.strip())


def _keep_lines(match: re.Match[str]) -> str:
    return "\n" * match.group().count("\n")


def _keep_lines_as_bar(match: re.Match[str]) -> str:
    return "\x00" + "\n" * match.group().count("\n")


def _texts_of_code(name: str, content: str) -> Iterator[Text]:
    tree = ast.parse(content)
    documented: set[ast.AST] = set()
    values = _described_values(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and (words := _words_of(node.value)) is not None:
            documented.add(node.value)
            kind: Kind = "attribute" if node in values else "docstring"
            yield Text(name, node.lineno, kind, words)
    if name.startswith("src/"):
        yield from _messages_of(name, tree, documented)
    yield from _comments_of(name, content)


def _described_values(tree: ast.AST) -> set[ast.AST]:
    """Return the docstrings of attributes, constants and properties: each is a noun phrase."""
    found: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            if any("property" in ast.unparse(each) for each in node.decorator_list):
                found.add(node.body[0])
            continue
        body = getattr(node, "body", None)
        for before, after in itertools.pairwise(body if isinstance(body, list) else ()):
            if isinstance(before, ast.Assign | ast.AnnAssign):
                found.add(after)
    return found


def _messages_of(name: str, tree: ast.AST, documented: set[ast.AST]) -> Iterator[Text]:
    inside: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            inside.update(node.values)
            parts = [_words_of(part) or "`x`" for part in node.values]
            yield Text(name, node.lineno, "message", "".join(parts))
        elif isinstance(node, ast.Constant) and node not in documented | inside:
            words = _words_of(node)
            if words is not None and not _SQL.match(words):
                yield Text(name, node.lineno, "message", words)


def _words_of(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _comments_of(name: str, content: str) -> Iterator[Text]:
    block: list[str] = []
    begun = last = 0
    for token in tokenize.generate_tokens(io.StringIO(content).readline):
        if token.type != tokenize.COMMENT:
            continue
        line = token.start[0]
        if block and line != last + 1:
            yield Text(name, begun, "comment", "\n".join(block))
            block = []
        if not block:
            begun = line
        block.append(token.string.lstrip("#: "))
        last = line
    if block:
        yield Text(name, begun, "comment", "\n".join(block))


def _is_first(text: Text, sentence: str) -> bool:
    return text.kind != "attribute" and " ".join(text.text.split()).startswith(sentence)


def _is_heading(text: Text, sentence: str) -> bool:
    return text.kind == "page" and sentence.startswith("#")


def _is_exempt(path: Path) -> bool:
    name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)
    return any(name.startswith(each["path"]) for each in RULES.get("exempt", ()))


@functools.cache
def _words() -> list[tuple[re.Pattern[str], str]]:
    return [
        (re.compile(rf"(?<![\w/.-])(?:{each['pattern']})(?![\w/-])", re.IGNORECASE), each["use"])
        for each in RULES["words"]
    ]


@functools.cache
def _any_word() -> re.Pattern[str]:
    """Return a pattern that finds any banned word: most sentences have none."""
    patterns = "|".join(each["pattern"] for each in RULES["words"])
    return re.compile(rf"(?<![\w/.-])(?:{patterns})(?![\w/-])", re.IGNORECASE)


@functools.cache
def _openings() -> list[tuple[re.Pattern[str], str]]:
    return [
        (re.compile(rf"(?:{each['pattern']})\b", re.IGNORECASE), each["use"])
        for each in RULES["openings"]
    ]


def main(words: list[str]) -> int:
    """Print the findings below the given paths; return 1 if there are any."""
    only_count = "--count" in words
    roots = [Path(word).resolve() for word in words if word != "--count"]
    found = list(find_all(prose_files(roots or [ROOT / root for root in ROOTS])))
    if only_count:
        kinds = Counter(each.kind for each in found)
        lines = [f"{kind} {count}" for kind, count in sorted(kinds.items())]
    else:
        lines = [
            f"{each.path}:{each.line}: {each.kind}: {each.found!r}: {each.sentence}"
            for each in found
        ]
    sys.stdout.write("".join(f"{line}\n" for line in [*lines, f"{len(found)} findings"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
