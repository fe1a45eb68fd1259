"""A strict check of LaTeX tables for text that stops a compiler or shifts a column."""

import re

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\n|[^\\\n]", re.DOTALL)
_COLUMN = re.compile(r"@\{\}|([lcr])")
_KNOWN = frozenset(
    (
        *("begin", "end", "centering", "caption", "smallskip", "small", "footnotesize"),
        *("scriptsize", "tiny"),
        *("setlength", "tabcolsep", "toprule", "midrule", "bottomrule", "addlinespace"),
        *("cmidrule", "multicolumn", "textbf", "textsuperscript", "textbackslash", "par"),
        *("textasciitilde", "textasciicircum", "textless", "textgreater", "textbar"),
        *("times", "Delta", "kappa", "geq", "leq", "to"),
    )
)
_SIGNS = frozenset("&%$#_{}\\")
_SPECIAL = frozenset("#%^_")


def latex_problems(text: str) -> list[str]:
    """Return the problems of a file of tables; none for a sound file."""
    found = [*_signs(text), *_environments(text)]
    for columns, body in _tabulars(text):
        found += _rows(columns, body)
    return found


def _signs(text: str) -> list[str]:
    """Return unknown commands, signs that act, and braces or dollars without a partner."""
    found, depth, dollars = [], 0, 0
    for part in _TOKEN.findall(text):
        if part.startswith("\\") and len(part) > 1:
            name = part[1:]
            if (name.isalpha() and name not in _KNOWN) or not (name.isalpha() or name in _SIGNS):
                found.append(f"unknown command {part}")
        elif part in _SPECIAL or (not part.isprintable() and part != "\n"):
            found.append(f"{part!r} acts")
        depth += (part == "{") - (part == "}")
        dollars += part == "$"
        if depth < 0:
            found.append("a brace is closed that is not open")
    return [*found, *(["open braces"] if depth else []), *(["open $"] if dollars % 2 else [])]


def _environments(text: str) -> list[str]:
    open_ones: list[str] = []
    for which, name in re.findall(r"\\(begin|end)\{([\w*]+)\}", text):
        if which == "begin":
            open_ones.append(name)
        elif not open_ones or open_ones.pop() != name:
            return [f"\\end{{{name}}} ends nothing"]
    return [f"{name} has no end" for name in open_ones]


def _tabulars(text: str) -> list[tuple[int, str]]:
    """Return the columns and the body of every table, without the tables inside cells."""
    found = []
    pattern = re.compile(
        r"\\begin\{tabular\}(\[t\])?\{((?:@\{\}|[lcr])+)\}"
        r"((?:(?!\\begin\{tabular\}|\\end\{tabular\}).)*)\\end\{tabular\}",
        re.DOTALL,
    )
    while match := pattern.search(text):
        found.append((sum(bool(each) for each in _COLUMN.findall(match[2])), match[3]))
        text = f"{text[: match.start()]}cell{text[match.end() :]}"
    if "tabular" in text:
        found.append((0, "a tabular that cannot be read"))
    return found


def _rows(columns: int, body: str) -> list[str]:
    found = []
    body = re.sub(r"\\(?:toprule|midrule|bottomrule|addlinespace)(?![A-Za-z])", "", body)
    for first, last in re.findall(r"\\cmidrule\(lr\)\{(\d+)-(\d+)\}", body):
        if not 1 <= int(first) <= int(last) <= columns:
            found.append(f"a rule over columns {first} to {last} of {columns}")
    body = re.sub(r"\\cmidrule\(lr\)\{\d+-\d+\}", "", body)
    for row in filter(str.strip, re.split(r"(?<!\\)(?:\\\\)", body)):
        if row.lstrip(" \n").startswith(("[", "*")):
            found.append("a bracket or a star is read as the option of the row's end")
        cells = re.split(r"(?<!\\)&", row)
        spans = [re.match(r"\s*\\multicolumn\{(\d+)\}", cell) for cell in cells]
        width = sum(int(span[1]) if span else 1 for span in spans)
        if width != columns:
            found.append(f"{width} cells in {columns} columns: {row.strip()[:80]}")
    return found
