"""Tests without a browser are skipped on a developer's machine, and fail in CI."""

import pytest
from tests.browser import fail_if_skipped, skip_unless_required


def skipped() -> pytest.TestReport:
    return pytest.TestReport("t", ("t.py", 1, "t"), {}, "skipped", ("t.py", 1, "no"), "setup")


def test_a_missing_browser_skips_a_developers_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no browser"):
        skip_unless_required("no browser")


def test_a_missing_browser_fails_with_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="no browser, and with CI=true"):
        skip_unless_required("no browser")


@pytest.mark.parametrize(
    ("ci", "fixtures", "outcome"),
    [
        ("true", ["browse", "tmp_path"], "failed"),
        ("true", ["tmp_path"], "skipped"),
        ("", ["browse"], "skipped"),
    ],
)
def test_a_skipped_test_in_a_browser_is_a_failed_one_with_ci(
    monkeypatch: pytest.MonkeyPatch, ci: str, fixtures: list[str], outcome: str
) -> None:
    monkeypatch.setenv("CI", ci)
    report = skipped()
    fail_if_skipped(fixtures, report)
    assert report.outcome == outcome
