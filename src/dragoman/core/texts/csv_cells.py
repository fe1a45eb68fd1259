"""Cells of CSV files that people open in spreadsheet programs, which would run a text as a formula."""

_STARTS_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_QUOTE = "'"
_DELIMITERS = ",;\t"


def safe_cell(text: str) -> str:
    """Return a text with an apostrophe before it where a program would take it for a formula."""
    return f"{_QUOTE}{text}" if text.startswith((*_STARTS_FORMULA, _QUOTE)) else text


def text_of_cell(cell: str) -> str:
    """Return the text that `safe_cell` made a cell of."""
    is_quoted = cell.startswith(_QUOTE) and cell[1:].startswith((*_STARTS_FORMULA, _QUOTE))
    return cell[1:] if is_quoted else cell


def delimiter_of(text: str) -> str:
    """Return what separates columns, by the first line: programs of many countries write semicolons."""
    return max(_DELIMITERS, key=text.partition("\n")[0].count)
