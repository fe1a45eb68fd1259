"""Names of suites become loaded suites; other packages add theirs as entry points."""

from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from dragoman.core.errors import UsageError
from dragoman.core.protocols import Suite
from dragoman.wiring.environment import data_folder

if TYPE_CHECKING:
    from dragoman.benchmarks.bfcl.agentic.outside import Outside

ENTRY_POINTS = "dragoman.benchmarks"

_BFCL_GROUPS = {
    "non_live": "the seven categories written for BFCL, 1,390 questions",
    "live": "the six categories of real users' questions, 2,251",
    "single_turn": "both",
    "multi_turn": "800 entries with several turns, in four categories",
    "memory_kv": "155 questions to a memory of texts by key, after 37 conversations that fill it",
    "memory_rec_sum": "the same with a memory that is one text",
    "memory_vector": "the same with texts found by meaning; needs --embeddings PROVIDER/MODEL",
    "web_search_base": "100 questions to the web; needs --search http://HOST:PORT/PATH",
    "web_search_no_snippet": "the same where results are titles and addresses alone",
    "format_sensitivity": "200 questions in 26 prompt formats, for agents that call in text",
}

BUNDLED = {
    "courier": "a parcel service of our own, 33 tasks, the user has tools; splits easy, harder, hardest; needs no data",
    "sample:shop": "five small tasks of our own in the retail domain; needs no data",
    "tau2:airline": "tau2-bench airline, 50 tasks; needs `dragoman data pull tau2`",
    "tau2:retail": "tau2-bench retail, 114 tasks; needs `dragoman data pull tau2`",
    "tau2:telecom": "tau2-bench telecom, 114 tasks, the user has tools; needs the same",
    "tau2:telecom-workflow": "the same with the support policy as a workflow",
    "tau2:telecom-solo": "the same for an agent that works alone, from a ticket",
    "tau2:telecom-workflow-solo": "both",
}


def load_suite(name: str, outside: "Outside | None" = None) -> Suite:
    """Load the suite of that name.

    Args:
        name: Its name.
        outside: What a run names for tools that reach outside; None for nothing.

    Raises:
        UsageError: Where no suite has that name.
        DataError: Where its data are missing or damaged.
    """
    source, _, rest = name.partition(":")
    if name == "sample:shop":
        return _sample()
    if source == "courier":
        return _courier(rest)
    if source == "bfcl":
        return _bfcl(rest, outside)
    if source == "tau2":
        return _tau2(name, *rest.split(":", 1))
    for entry in entry_points(group=ENTRY_POINTS):
        if entry.name == name:
            suite: Suite = entry.load()()
            return suite
    raise UsageError(f"unknown suite {name!r}: `dragoman list suites` names those that exist")


def suite_names() -> dict[str, str]:
    """Return every suite's name with a line about it."""
    added = {entry.name: f"from {entry.value}" for entry in entry_points(group=ENTRY_POINTS)}
    return {**BUNDLED, **_bfcl_names(), **added}


def _bfcl_names() -> dict[str, str]:
    from dragoman.benchmarks.bfcl.suite import NAMES

    about = "BFCL v4, one category; needs `dragoman data pull bfcl`"
    return {f"bfcl:{name}": _BFCL_GROUPS.get(name, about) for name in NAMES}


def _sample() -> Suite:
    from dragoman.benchmarks.tau2.sample.shop import sample_suite

    return sample_suite()


def _courier(split: str) -> Suite:
    from dragoman.benchmarks.courier.suite import courier_suite

    return courier_suite(split)


def _bfcl(category: str, outside: "Outside | None") -> Suite:
    from dragoman.benchmarks.bfcl.pulled import pulled_suite

    return pulled_suite(category, data_folder(), outside)


def _tau2(name: str, domain: str, split: str = "base") -> Suite:
    from dragoman.benchmarks.tau2.pulled import pulled_suite
    from dragoman.benchmarks.tau2.suite import ALL_DOMAINS

    if domain not in ALL_DOMAINS:
        raise UsageError(f"unknown suite {name!r}: tau2 has {', '.join(ALL_DOMAINS)}")
    return pulled_suite(domain, data_folder(), split)
