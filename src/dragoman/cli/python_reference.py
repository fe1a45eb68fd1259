"""A generator of docs/reference/python.md: run `python -m dragoman.cli.python_reference`."""

import ast
import inspect
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path

MODULES = (
    "dragoman",
    "dragoman.ext.agents",
    "dragoman.ext.models",
    "dragoman.ext.speech",
    "dragoman.ext.benchmarks",
    "dragoman.ext.tasks",
    "dragoman.ext.tools",
    "dragoman.ext.capabilities",
    "dragoman.ext.conversations",
    "dragoman.ext.measures",
    "dragoman.ext.scoring",
    "dragoman.ext.results",
    "dragoman.ext.layers",
    "dragoman.ext.backends",
    "dragoman.ext.curation",
    "dragoman.ext.identity",
    "dragoman.ext.errors",
    "dragoman.testing",
)
"""The public modules, in the order of the page."""

HEAD = """\
# Python API

This page lists every name that you may import. It is made from docstrings by `python -m \
dragoman.cli.python_reference`; a test holds it.

## Public names

`dragoman`, the modules of `dragoman.ext` and `dragoman.testing` are public, with the names \
below. Import each name from the place that this page gives. All docs and examples do so, and a \
test holds it.

All other modules are private. They may change in any version, without a warning. Methods and \
fields of a public class are public where their names do not begin with `_`.

Commands, options, keys of `--json` and stored files have promises of their own: [Every \
command](commands.md), [File formats](file_formats.md).

## Changes of public names

- A public name that moves, gets another name or goes away works for one more minor version. \
Until then its use gives a `DeprecationWarning` with the new place.
- The changelog names each under "Deprecated", then under "Removed".
- Python hides such warnings outside of your main program. Show them with `python -W \
default::DeprecationWarning`, or let your tests fail by `-W error::DeprecationWarning`.

Docs of version 0.1 imported from the modules that hold the code, such as `dragoman.core.keys`. \
These paths work until version 0.3: in your code, in entry points, in `--agent MODULE:ATTRIBUTE` \
and in pickles. Most of them warn. A path that Dragoman itself still uses works without a \
warning: change these imports too.
"""


def page() -> str:
    """Return the page: each public module with its names."""
    return HEAD + "".join(_section(module) for module in MODULES)


def about(module: str, name: str) -> str:
    """Return the first line of a public name's docstring; "" if it has none."""
    place = places(module).get(name, module)
    thing = getattr(import_module(place), name)
    if inspect.isclass(thing) or inspect.isroutine(thing):
        return (inspect.getdoc(thing) or "").partition("\n")[0]
    return _described_values(place).get(name, "").partition("\n")[0]


def places(module: str) -> dict[str, str]:
    """Return the defining module of each name of a public module."""
    return {
        alias.name: node.module
        for node in ast.walk(_tree(module))
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }


def _section(module: str) -> str:
    loaded = import_module(module)
    text = inspect.getdoc(loaded) or ""
    head, _, rest = text.partition("\n\n")
    more = " ".join(rest.split())
    intro = f"{head}\n\n{more}" if more else head
    rows = "".join(f"| `{name}` | {about(module, name)} |\n" for name in sorted(loaded.__all__))
    return f"\n## `{module}`\n\n{intro}\n\n| | |\n|---|---|\n{rows}"


@cache
def _described_values(module: str) -> Mapping[str, str]:
    """Return the docstrings of a module's constants and aliases."""
    found = {}
    for node, below in pairwise(_tree(module).body):
        match node, below:
            case (
                ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                found[name] = inspect.cleandoc(text)
            case _:
                pass
    return found


@cache
def _tree(module: str) -> ast.Module:
    source = inspect.getsourcefile(import_module(module))
    return ast.parse(Path(source or "").read_text("utf-8"))


if __name__ == "__main__":
    print(page(), end="")
