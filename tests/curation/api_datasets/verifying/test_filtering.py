"""Rules drop operations with bad answers over time.

Rounds in which the monitor had no network do not count.
"""

import pytest

from dragoman.core.errors import UsageError
from dragoman.curation.api_datasets.probing.filter import FilterRules, apply_rules
from dragoman.curation.api_datasets.probing.monitor import excluded_rounds
from dragoman.curation.api_datasets.probing.responses import AnswerKind, CheckHistory, RoundCheck

SIGNS: dict[str, AnswerKind] = {
    ".": "good",
    "c": "connect",
    "t": "timeout",
    "4": "4xx",
    "5": "5xx",
    "e": "empty",
    "n": "not JSON",
}


def history(signs: str, host: str = "a.example", name: str = "x") -> CheckHistory:
    """Return checks from signs, one a day; a blank is a round in which it was not checked."""
    checks = (
        RoundCheck(f"2026-03-{day:02}", SIGNS[sign], "" if sign == "." else SIGNS[sign])
        for day, sign in enumerate(signs, 1)
        if sign != " "
    )
    return CheckHistory(name, host, tuple(checks))


def hosts(*signs: str) -> list[CheckHistory]:
    return [history(each, f"{at}.example", str(at)) for at, each in enumerate(signs)]


@pytest.mark.parametrize(
    ("signs", "rules", "verdict", "reason"),
    [
        (".....", FilterRules(), "kept", ""),
        ("..5..", FilterRules(), "kept", ""),
        ("c.", FilterRules(), "kept", ""),
        (".5.4.", FilterRules(), "dropped", "good in 3 of 5 rounds (4xx 1, 5xx 1)"),
        (".5.4......", FilterRules(), "kept", ""),
        (".5.4.", FilterRules(good_share=0.6), "kept", ""),
        ("....e", FilterRules(), "dropped", "bad at the last: empty"),
        ("....e", FilterRules(last_bad=2), "kept", ""),
        (".........ee", FilterRules(last_bad=2), "dropped", "bad 2 times at the last: empty"),
        ("..........n", FilterRules(last_bad=0), "kept", ""),
        ("...", FilterRules(least_rounds=4), "failed", "checked in 3 of 4 rounds"),
        ("c", FilterRules(), "dropped", "bad at the last: connect"),
    ],
)
def test_rules_give_their_reason(signs: str, rules: FilterRules, verdict: str, reason: str) -> None:
    found = apply_rules(history(signs), rules, ())
    assert (found.verdict, found.reason) == (verdict, reason)


def test_a_round_that_is_set_aside_counts_for_nothing() -> None:
    assert apply_rules(history(".c.c."), FilterRules(), ()).verdict == "dropped"
    assert apply_rules(history(".c.c."), FilterRules(), {"2026-03-02"}).verdict == "kept"
    assert apply_rules(history("...c"), FilterRules(), {"2026-03-04"}).verdict == "kept"


def test_drift_drops_where_it_stays() -> None:
    gone = RoundCheck("2026-03-02", "good", drift=("data is gone",))
    back = RoundCheck("2026-03-03", "good", added=("dados",))
    drifted = CheckHistory("x", "a.example", (RoundCheck("2026-03-01", "good"), gone))
    mended = CheckHistory("x", "a.example", (*drifted.checks, back))
    assert apply_rules(drifted, FilterRules(), ()).reason == "its answers drifted: data is gone"
    assert apply_rules(mended, FilterRules(), ()).verdict == "kept"
    assert apply_rules(drifted, FilterRules(last_drift=2), ()).verdict == "kept"
    assert apply_rules(drifted, FilterRules(last_drift=0), ()).verdict == "kept"


@pytest.mark.parametrize(
    "wrong", [{"good_share": 1.5}, {"offline_share": -1.0}, {"least_rounds": 0}, {"last_bad": -1}]
)
def test_rules_that_make_no_sense_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError, match=r"^--"):
        FilterRules(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("signs", "aside"),
    [
        # All at once, and back.
        ((".c.", ".c.", ".c.", ".c."), ["2026-03-02"]),
        # Two of five is more than a fifth.
        ((".c.", ".t.", "...", "...", "..."), ["2026-03-02"]),
        # One of five is not.
        ((".c.", "...", "...", "...", "..."), []),
        # Two nights in a row.
        ((".cc.", ".cc.", ".cc.", ".c.."), ["2026-03-02", "2026-03-03"]),
        # The last round: it is not known yet if they come back.
        (("..c", "..c", "...", "...", "..."), ["2026-03-03"]),
        # They never come back: these hosts died, and their common death is not a network outage.
        ((".ccc", ".ccc", "....", "....", "...."), []),
        # Hosts that were dead before say nothing about the network.
        (("ccc", "ccc", "ccc", "...", "...", "...", "..."), []),
        # Bad answers did come over the network.
        ((".5.", ".5.", ".4.", ".5."), []),
        # No network from the first round on.
        (("c..", "c..", "c..", "c.."), ["2026-03-01"]),
        (("c", "c", "c", "t"), ["2026-03-01"]),
        # With few hosts, only a temporary silence of all of them counts.
        ((".c.", ".c.", ".c."), ["2026-03-02"]),
        ((".c.", ".c.", "..."), []),
        ((".c.",), ["2026-03-02"]),
        (("..c",), ["2026-03-03"]),
        (("..cc",), []),
        (("ccc",), []),
    ],
)
def test_a_round_without_a_line_is_told_from_apis_that_are_down(
    signs: tuple[str, ...], aside: list[str]
) -> None:
    assert sorted(excluded_rounds(hosts(*signs), 0.2)) == aside


def test_a_host_that_is_down_with_all_its_apis_is_one_host() -> None:
    one = [history(".c.", "one.example", f"api {at}") for at in range(12)]
    found = excluded_rounds([*one, *hosts("...", "...", "...", "...", "...")], 0.2)
    assert found == {}


def test_a_host_counts_as_lost_only_where_nothing_of_it_answers() -> None:
    half = [history(".c.", f"{at}.example", "down") for at in range(5)]
    up = [history("...", f"{at}.example", "up") for at in range(5)]
    assert excluded_rounds([*half, *up], 0.2) == {}


def test_what_is_set_aside_says_how_many_hosts_were_lost() -> None:
    found = excluded_rounds(hosts(".c.", ".c.", ".c.", "...", "ccc"), 0.2)
    assert found["2026-03-02"].reason == (
        "the monitor was offline: 3 of 4 hosts that answer otherwise had no connection at the same time"
    )
