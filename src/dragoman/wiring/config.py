"""What a run is to do, as options or as a grid file, read strictly."""

import difflib
import tomllib
from pathlib import Path

import msgspec

from dragoman.core.conditions import Condition
from dragoman.core.errors import UsageError
from dragoman.core.protocols import Limits
from dragoman.core.rules import DEFAULT_RULES


class Place(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where one conversation stands in a grid."""

    condition: Condition
    agent: str
    task: str
    trial: int


class RunConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A grid: one suite, one or more agents, and what holds for every conversation.

    `user` is empty for the partner of the agent (gold's own, else the offline user). `tasks` is empty
    for all tasks; `limit` then takes the first so many. `read_timeout` is how long an endpoint may
    be silent, `patience` how long it may be down or refuse a call before that counts, in seconds.
    `max_cost` ends the run when so much is spent ("5 USD", "2M tokens", "90 min"), `prices` is a
    price table of one's own, `cache` says whether replies of models are remembered. Each of the
    `languages` (codes, files of one's own, or several joined by `+`) is played in each of the
    `scenarios`; `partition_seeds` deal tools to several languages, `assets` is a folder of translated
    artifacts of one's own. `embeddings` is the model and `search` the address of the search engine
    that the tools of some suites need. Every condition is played over each line of `voices` (`text` is
    none), heard by each recognizer of `asr`, and said by one of `speakers`, drawn by task and trial.
    Two more serve counterfactuals: `places` leaves only these conversations of the grid, and with
    `canonical_arguments` agents call with the values of the reference plan.
    """

    suite: str
    agents: tuple[str, ...]
    user: str = ""
    judge: str = "none"
    user_judge: str = "none"
    rules: str = DEFAULT_RULES.name
    trials: int = 1
    tasks: tuple[str, ...] = ()
    limit: int | None = None
    seed: int = 0
    max_steps: int = 200
    max_errors: int = 10
    timeout: float | None = None
    concurrency: int = 64
    read_timeout: float = 300.0
    patience: float = 1_800.0
    max_cost: str = ""
    prices: str = ""
    cache: bool = True
    languages: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()
    partition_seeds: tuple[int, ...] = ()
    assets: str = ""
    embeddings: str = ""
    search: str = ""
    voices: tuple[str, ...] = ()
    asr: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()
    places: tuple[Place, ...] = ()
    canonical_arguments: bool = False

    @property
    def limits(self) -> Limits:
        """The limits of every conversation."""
        return Limits(self.max_steps, self.max_errors, self.timeout)


MAX_COUNT = 1_000_000


def checked(config: RunConfig) -> RunConfig:
    """Return the configuration, or raise UsageError for a value that makes no sense."""
    try:
        msgspec.convert(msgspec.to_builtins(config), RunConfig)
    except msgspec.ValidationError as error:
        raise UsageError(f"not a run: {error}") from error
    if not config.agents:
        raise UsageError("no agent: name one with --agent")
    if len(set(config.agents)) != len(config.agents):
        raise UsageError("an agent is named twice: every agent is one cell of the grid")
    for name in (
        "trials",
        "concurrency",
        "max_steps",
        "max_errors",
        "limit",
        "timeout",
        "read_timeout",
        "patience",
    ):
        value = getattr(config, name)
        if value is not None and not value > 0:
            raise UsageError(f"{name.replace('_', '-')} must be above 0, not {value}")
        if value is not None and value > MAX_COUNT:
            raise UsageError(f"{name.replace('_', '-')} must be at most {MAX_COUNT}, not {value}")
    if "" in config.tasks:
        raise UsageError("--tasks names no task: leave it out for all tasks")
    return config


def load_config(path: Path) -> RunConfig:
    """Read a grid file.

    Raises:
        UsageError: Naming the file and what is wrong in it; unknown keys with the nearest known one.
    """
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(
            f"{path}: cannot read the grid file ({error.strerror}): name a suite or a TOML file"
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not a TOML file ({error})") from error
    for key in content:
        if key not in RunConfig.__struct_fields__:
            near = difflib.get_close_matches(key, RunConfig.__struct_fields__, 1)
            hint = f": did you mean {near[0]!r}?" if near else ""
            raise UsageError(f"{path}: unknown key {key!r}{hint}")
    try:
        return checked(msgspec.convert(content, RunConfig))
    except msgspec.ValidationError as error:
        raise UsageError(f"{path}: {error}") from error
