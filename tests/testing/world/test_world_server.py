"""The world over HTTP answers as it does in process, and breaks on request."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from functools import wraps
from pathlib import Path
from typing import ParamSpec

import aiohttp
import msgspec
import pytest

from dragoman.benchmarks.itc.world.bundled_set import load_bundled_apis
from dragoman.core.errors import UsageError
from dragoman.testing.itc_server import ApiFault, ApiFaultPlan, SimulatedApiServer, load_faults

Given = ParamSpec("Given")
CEP = "/br/cep/v1/01310930"
SOUND = load_bundled_apis().apis.answer("GET", CEP).body


def awaited(test: Callable[Given, Coroutine[object, object, None]]) -> Callable[Given, None]:
    @wraps(test)
    def run(*args: Given.args, **kwargs: Given.kwargs) -> None:
        asyncio.run(test(*args, **kwargs))

    return run


@asynccontextmanager
async def getting(
    path: str, *faults: ApiFault
) -> AsyncIterator[tuple[aiohttp.ClientResponse, SimulatedApiServer]]:
    async with (
        SimulatedApiServer(ApiFaultPlan(faults)) as server,
        aiohttp.ClientSession() as session,
    ):
        url = server.origin + path
        async with session.get(url, allow_redirects=False) as response:
            yield response, server


@awaited
async def test_an_api_answers_over_http_as_it_does_in_process() -> None:
    async with getting(CEP) as (response, server):
        assert response.status == 200
        assert await response.read() == SOUND
    assert server.log.outcomes == {"ok": 1}


@awaited
async def test_what_is_posted_is_read_and_another_method_is_refused() -> None:
    async with SimulatedApiServer() as server, aiohttp.ClientSession() as session:
        asked = {"text": "abc", "algorithm": "md5"}
        async with session.post(f"{server.origin}/global/hash", json=asked) as response:
            assert (await response.json())["hash"] == "900150983cd24fb0d6963f7d28e17f72"
        async with session.get(f"{server.origin}/global/hash") as response:
            assert response.status == 405


@awaited
async def test_letters_of_any_script_travel_in_a_query() -> None:
    async with getting("/global/countries?name=%54hailand") as (response, _):
        assert (await response.json())[0]["iso2"] == "TH"


@pytest.mark.parametrize(
    ("kind", "status", "content_type", "begins"),
    [
        ("not_found_json", 404, "application/json", b"{"),
        ("not_found_html", 404, "text/html", b"<!doctype html>"),
        ("server_error", 500, "application/json", b"{"),
        ("bad_gateway_html", 502, "text/html", b"<!doctype html>"),
        ("error_in_body", 200, "application/json", b'{"code":404'),
        ("empty_list", 200, "application/json", b"[]"),
        ("limited", 429, "application/json", b'{"message"'),
        ("json_as_text", 200, "text/plain", SOUND),
        ("csv_as_json", 200, "application/json", b"field;value"),
        ("bom", 200, "application/json", b"\xef\xbb\xbf{"),
        ("windows_1251", 200, "application/json", '{"note": "Служба'.encode("windows-1251")),
    ],
)
@awaited
async def test_a_fault_changes_status_type_or_body(
    kind: str, status: int, content_type: str, begins: bytes
) -> None:
    fault = msgspec.convert({"api": "br-*", "kind": kind}, ApiFault)
    async with getting(CEP, fault) as (response, server):
        assert response.status == status
        assert response.content_type == content_type
        assert (await response.read()).startswith(begins)
    assert server.log.outcomes == {kind: 1}


@awaited
async def test_an_answer_may_be_empty() -> None:
    async with getting(CEP, ApiFault("br-cep", "empty")) as (response, _):
        assert (response.status, await response.read()) == (200, b"")


@awaited
async def test_half_a_body_ends_with_the_connection() -> None:
    async with getting(CEP, ApiFault("br-cep", "half")) as (response, _):
        with pytest.raises(aiohttp.ClientPayloadError):
            await response.read()


@awaited
async def test_a_body_without_end_goes_on_until_the_client_leaves() -> None:
    async with getting(CEP, ApiFault("br-cep", "endless")) as (response, _):
        assert "Content-Length" not in response.headers
        assert len(await response.content.readexactly(200_000)) == 200_000


@awaited
async def test_a_slow_answer_waits() -> None:
    async with SimulatedApiServer(
        ApiFaultPlan((ApiFault("br-cep", "slow", seconds=60),))
    ) as server:
        patience = aiohttp.ClientTimeout(total=0.05)
        async with aiohttp.ClientSession(timeout=patience) as session:
            with pytest.raises(TimeoutError):
                await session.get(server.origin + CEP)


@awaited
async def test_a_limit_may_say_when_to_come_back() -> None:
    async with getting(CEP, ApiFault("br-cep", "limited", retry_after=7)) as (response, _):
        assert response.headers["Retry-After"] == "7"
    async with getting(CEP, ApiFault("br-cep", "limited")) as (response, _):
        assert "Retry-After" not in response.headers


@awaited
async def test_a_redirect_leads_where_the_fault_says() -> None:
    metadata = "http://169.254.169.254/latest/meta-data"
    async with getting(CEP, ApiFault("br-cep", "redirect", to=metadata)) as (response, _):
        assert (response.status, response.headers["Location"]) == (302, metadata)


@awaited
async def test_a_new_parameter_may_be_needed() -> None:
    fault = ApiFault("br-cep", "needs", field="token")
    async with getting(CEP, fault) as (response, _):
        assert response.status == 400
    async with getting(f"{CEP}?token=1", fault) as (response, _):
        assert response.status == 200


@awaited
async def test_a_field_may_have_another_name_and_a_number_become_text() -> None:
    renamed = ApiFault("br-cep", "renamed", field="data", to="dados")
    async with getting(CEP, renamed) as (response, _):
        assert set(await response.json()) == {"dados"}
    text = ApiFault("br-tempo", "number_as_text", field="min")
    async with getting("/br/clima/3550100?dias=1", text) as (response, _):
        (day,) = (await response.json())["clima"]
        assert isinstance(day["min"], str)
        assert isinstance(day["max"], int)


@pytest.mark.parametrize("kind", ["csv_as_json", "renamed", "number_as_text"])
@awaited
async def test_a_refusal_has_no_fields_to_change(kind: str) -> None:
    changed = {"api": "pl-nbp", "kind": kind, "field": "data", "to": "dados"}
    fault = msgspec.convert(changed, ApiFault)
    async with getting("/pl/kursy/A/EUR/2026-03-15", fault) as (response, _):
        assert response.status == 404
        assert (await response.text()).startswith("404 NotFound")


@awaited
async def test_an_unreachable_api_resets_the_connection() -> None:
    with pytest.raises(aiohttp.ClientConnectionError):
        async with getting(CEP, ApiFault("*", "unreachable")):
            pass


@awaited
async def test_faults_hit_the_apis_they_name_alone() -> None:
    async with getting("/global/countries?code=PE", ApiFault("br-*", "empty")) as (response, _):
        assert (await response.json())[0]["name"] == "Peru"


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.mark.parametrize(
    ("moment", "is_on"),
    [
        ("2026-03-09T23:59:59+00:00", False),
        ("2026-03-10T00:00:00+00:00", True),
        ("2026-03-10T02:00:00+01:00", True),
        ("2026-03-10T02:00:00+00:00", False),
        ("2026-03-20T01:00:00+00:00", False),
    ],
)
def test_a_fault_is_on_between_its_dates_and_hours(moment: str, is_on: bool) -> None:
    fault = msgspec.convert(
        {
            "api": "th-pm25",
            "kind": "server_error",
            "since": "2026-03-10T00:00:00Z",
            "until": "2026-03-20T00:00:00Z",
            "daily": ["00:00:00", "02:00:00"],
        },
        ApiFault,
    )
    assert fault.holds("th-pm25", at(moment)) is is_on


def test_hours_may_cross_midnight() -> None:
    hours = ["22:00:00", "04:00:00"]
    fault = msgspec.convert({"api": "*", "kind": "empty", "daily": hours}, ApiFault)
    assert fault.holds("br-cep", at("2026-03-10T23:00:00+00:00"))
    assert fault.holds("br-cep", at("2026-03-10T03:59:00+00:00"))
    assert not fault.holds("br-cep", at("2026-03-10T12:00:00+00:00"))


def statuses(draw: Callable[[datetime], bool]) -> list[bool]:
    start = at("2026-03-01T12:00:00+00:00")
    return [draw(start + timedelta(days=day)) for day in range(400)]


def test_a_flaky_api_fails_about_as_often_as_it_is_said_to_and_the_same_times_again() -> None:
    from dragoman.testing.itc_server import ApiFaultSampler

    faults = ApiFaultPlan((ApiFault("ph-balita", "server_error", rate=0.2),), seed=3)
    runs = []
    for _ in range(2):
        draws = ApiFaultSampler(faults)
        runs.append(statuses(lambda now: bool(draws.hitting("ph-balita", "GET /x", now))))  # noqa: B023
    assert runs[0] == runs[1]
    assert 60 <= sum(runs[0]) <= 100


def test_the_bundled_schedule_has_a_night_on_which_everything_fails() -> None:
    faults = load_faults("schedule").faults
    night = at("2026-03-13T01:00:00+00:00")
    assert any(fault.rate == 1 and fault.holds("br-cep", night) for fault in faults)
    assert not any(fault.holds("br-cep", at("2026-03-13T12:00:00+00:00")) for fault in faults)


@pytest.mark.parametrize(
    "wrong",
    [
        b'{"faults": [{"api": "*", "kind": "renamed", "field": "data"}]}',
        b'{"faults": [{"api": "*", "kind": "empty", "rate": 2}]}',
        b'{"faults": [{"api": "*", "kind": "empty", "since": "2026-03-16T10:00:00"}]}',
        b'{"faults": [{"api": "*", "kind": "tired"}]}',
    ],
)
def test_a_file_of_faults_that_makes_no_sense_is_one_line(tmp_path: Path, wrong: bytes) -> None:
    path = tmp_path / "faults.json"
    path.write_bytes(wrong)
    with pytest.raises(UsageError, match=r"faults\.json"):
        load_faults(path)
