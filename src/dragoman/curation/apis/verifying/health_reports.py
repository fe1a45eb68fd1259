"""Reports of link checks that others made, as rounds: JSON with one result for each address."""

from datetime import UTC, datetime
from pathlib import Path

import msgspec

from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import TranslatedErrors
from dragoman.curation.apis.verifying.judging import AnswerKind
from dragoman.curation.apis.verifying.records import RoundCheck
from dragoman.curation.apis.verifying.verify import stamp

MOST_BYTES = 64 << 20
_LONGEST_REASON = 200
_KINDS: dict[str, AnswerKind] = {
    "CONNECTION_ERROR": "connect",
    "TIMEOUT": "timeout",
    "SSL_ERROR": "connect",
    "DNS_ERROR": "dns",
    "UNKNOWN_ERROR": "broken",
}
_CLIENT, _SERVER = 400, 500


class LinkCheck(msgspec.Struct, frozen=True):
    """One address in a report."""

    url: str
    api_name: str = ""
    status_code: int = 0
    is_working: bool = False
    error_type: str = ""
    error_message: str = ""
    response_time: float = 0.0


class HealthReport(msgspec.Struct, frozen=True):
    """A report: when it was made, which names the round, and what it found."""

    generated_at: datetime
    results: list[LinkCheck]


def read_health_report(path: Path) -> HealthReport:
    """Read a report.

    Raises:
        DataError: Where it cannot be read or is none.
    """
    with TranslatedErrors(DataError, f"{path}: no report of link checks"):
        if path.stat().st_size > MOST_BYTES:
            raise DataError(f"{path}: more than {MOST_BYTES:,} bytes")
        return msgspec.json.decode(path.read_bytes(), type=HealthReport)


def report_checks(report: HealthReport) -> list[tuple[str, RoundCheck]]:
    """Return the checks of a report by address; one that is named twice is checked by its last result."""
    name = round_of(report)
    found = {each.url: _check(name, each) for each in report.results}
    return list(found.items())


def round_of(report: HealthReport) -> str:
    """Return the round that a report is; a time without an offset is taken for UTC."""
    made = report.generated_at
    return stamp(made if made.tzinfo else made.replace(tzinfo=UTC))


def _check(name: str, link: LinkCheck) -> RoundCheck:
    if link.is_working:
        return RoundCheck(name, "good", seconds=link.response_time)
    said = " ".join(link.error_message.split())[:_LONGEST_REASON]
    return RoundCheck(name, _kind(link), said or f"status {link.status_code}", link.response_time)


def _kind(link: LinkCheck) -> AnswerKind:
    if link.status_code >= _CLIENT:
        return "5xx" if link.status_code >= _SERVER else "4xx"
    return _KINDS.get(link.error_type, "broken")
