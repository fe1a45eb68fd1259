"""The table of `dragoman attribute`: stages without a failure have no column."""

import pytest

from dragoman.analysis.failure_attribution import FailureAttribution, FailureSource
from dragoman.cli.attribution import print_attributions


def lost(task: str, source: FailureSource) -> FailureAttribution:
    return FailureAttribution("en/telephone/none", "literal", task, 0, source)


def test_only_stages_with_a_failure_have_a_column_and_a_line_of_the_legend(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    print_attributions([lost("one", "line"), lost("two", "line"), lost("three", "speech")])
    assert capsys.readouterr().out.splitlines() == [
        "",
        "Failed conversations by failure source",
        "condition          agent    channel  recognizer or voice",
        "────────────────────────────────────────────────────────",
        "en/telephone/none  literal        2                    1",
        "",
        "channel: passes over a clean channel: noise, band, codec or packet loss",
        "recognizer or voice: fails over a clean channel, passes with the words that were",
        "  meant: recognizer or voice",
        "No failure: audio-native agent or voice, recognizer (simulated), arguments,",
        "  agent, not known",
    ]
