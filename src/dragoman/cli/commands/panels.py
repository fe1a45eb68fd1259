"""Help in groups: which group each command and each option of a run belongs to, and the layout.

The groups are typer's `rich_help_panel`. The layout is plain text, because loading rich would take
as long as everything else that `--help` does.
"""

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from typing import Any

from typer.core import TyperGroup

from dragoman.cli.plain_values import PlainCommand

COMMANDS_BY_PANEL: Mapping[str, Sequence[str]] = {
    "Run": ("run", "resume", "score", "demo", "init", "list", "doctor"),
    "Look": ("show", "view", "report", "attribute", "errors", "usage", "plots"),
    "Compare": ("compare", "leaderboard"),
    "Share": ("table", "export", "import", "bundle", "unbundle", "merge", "upgrade"),
    "Data": ("data", "cache", "translate", "review", "memory", "speak", "curate", "world"),
    "Train": ("finetune", "finetune-study", "rows", "tiny-model"),
    "Check": (
        *("check", "lint", "verify", "validate", "heard", "critical-fields", "judge-check"),
        "label-check",
    ),
}
"""The commands in the order of the help."""

OUTPUT = "Output"
LIMITS = "Limits and cost"
WHERE = "Execution"

FIELDS_BY_PANEL: Mapping[str, Sequence[str]] = {
    "Tasks": (
        "suite",
        "split",
        "tasks",
        "limit",
        "trials",
        "seed",
        "embeddings",
        "search",
    ),
    "Agents and models": (*("agents", "user", "judge", "user_judge", "rules", "measures"),),
    "Languages": ("languages", "scenarios", "partition_seeds", "assets"),
    "Voice": ("voices", "asr", "speakers", "transcript", "clarify"),
    "Personas": ("personas", "exposures", "axes"),
    LIMITS: (
        *("max_cost", "prices", "max_steps", "max_errors", "timeout", "rates", "batches", "cache"),
    ),
    WHERE: (
        *("concurrency", "workers", "ray", "shard", "backend", "read_timeout", "patience", "hedge"),
    ),
    OUTPUT: ("out",),
}
"""The fields of a run, whose options `run`, `resume`, `score`, `attribute` and `check` take."""

PANEL_BY_FIELD = {name: panel for panel, names in FIELDS_BY_PANEL.items() for name in names}
_PANEL_BY_COMMAND = {name: panel for panel, names in COMMANDS_BY_PANEL.items() for name in names}


def visible_names(parameter: Any) -> list[str]:  # noqa: ANN401 - typer's own click has no types for it
    """Return the names of an option that help shows: of several long ones only the first.

    The others are old names, which are still accepted.
    """
    long = [name for name in parameter.opts if name.startswith("--")]
    return [name for name in parameter.opts if name not in long[1:]]


class PanelCommand(PlainCommand):
    """A command whose help shows its options in groups, and no old name of one."""

    def format_options(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - of click, or typer's copy
        """Write the arguments, then the options without a group, then each group."""
        for title, rows in _sections(self.get_params(ctx), ctx).items():
            with formatter.section(title):
                formatter.write_dl(rows)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401
        """Parse a command line; for an unknown option, suggest the nearest one."""
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            near = getattr(error, "possibilities", None)
            if near:
                error.message = f"{error.message}. Did you mean {self._shown(ctx, near)}?"  # type: ignore[attr-defined]
                error.possibilities = None  # type: ignore[attr-defined]
            option = getattr(error, "param", None)
            if option is not None and option.param_type_name == "option":
                error.param_hint = f"'{visible_names(option)[-1]}'"  # type: ignore[attr-defined]
            raise

    def _shown(self, ctx: Any, near: Sequence[str]) -> str:  # noqa: ANN401
        """Return the nearest option by the name that help shows."""
        for each in self.get_params(ctx):
            if near[0] in each.opts:
                return visible_names(each)[-1]
        return near[0]

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:  # noqa: ANN401
        """Return the completions of a word, without old names of options."""
        old = {
            name
            for each in self.get_params(ctx)
            for name in each.opts
            if name.startswith("--") and name not in visible_names(each)
        }
        found = super().shell_complete(ctx, incomplete)
        return [each for each in found if each.value not in old]


class PanelGroup(TyperGroup):
    """A group of commands whose help lists them in groups."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
        """Write the commands of each group with the first sentence of their help."""
        width = formatter.width - 6 - max(map(len, self.commands), default=0)
        panels: dict[str, list[tuple[str, str]]] = {}
        is_top = ctx.parent is None
        names = list(_PANEL_BY_COMMAND) if is_top else []
        for name in dict.fromkeys([*names, *self.list_commands(ctx)]):
            found = self.get_command(ctx, name)
            if found is not None and not found.hidden:
                panel = _PANEL_BY_COMMAND.get(name, "Commands") if is_top else "Commands"
                panels.setdefault(panel, []).append((name, found.get_short_help_str(width)))
        widest = max((len(name) for rows in panels.values() for name, _ in rows), default=0)
        for panel, rows in panels.items():
            with formatter.section(panel):
                formatter.write_dl([(name.ljust(widest), about) for name, about in rows])


def _sections(parameters: Sequence[Any], ctx: Any) -> dict[str, list[tuple[str, str]]]:  # noqa: ANN401
    order = ("Arguments", "Options", *FIELDS_BY_PANEL)
    found: dict[str, list[tuple[str, str]]] = {title: [] for title in order}
    for title, row in _rows(sorted(parameters, key=_place), ctx):
        found.setdefault(title, []).append(row)
    if [name for name, _ in found["Options"]] == ["-h, --help"]:
        found[OUTPUT].extend(found.pop("Options"))
    return {title: rows for title, rows in found.items() if rows}


def _place(parameter: Any) -> int:  # noqa: ANN401
    """Return the place of an option of a run; others keep their order, after these."""
    fields = list(PANEL_BY_FIELD)
    return fields.index(parameter.name) if parameter.name in fields else len(fields)


def _rows(parameters: Sequence[Any], ctx: Any) -> Iterator[tuple[str, tuple[str, str]]]:  # noqa: ANN401
    for each in parameters:
        shown = copy(each)
        if each.param_type_name == "option":
            shown.opts = visible_names(each)
        row = shown.get_help_record(ctx)
        if row is not None:
            is_argument = each.param_type_name == "argument"
            panel = getattr(each, "rich_help_panel", None) or "Options"
            yield ("Arguments" if is_argument else panel), row
