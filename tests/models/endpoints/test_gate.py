"""The gate before an endpoint, in virtual time: retries, and their time limits."""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

import msgspec
import pytest

from dragoman.core.errors import ParticipantError, RunHalted, attached_delay
from dragoman.core.usage import Usage
from dragoman.models.endpoints.endpoint_client import EndpointClient, EndpointPacing
from dragoman.models.endpoints.endpoint_pool import GIVEN_UP, Endpoint
from dragoman.models.http.transport import (
    CHAT_BYTES,
    Attempts,
    CallContext,
    HttpResponse,
    MalformedResponse,
    RequestRejected,
    RetryPolicy,
    TransportError,
    TransportErrorKind,
)

Run = Callable[[Coroutine[Any, Any, Any]], Any]
Outcome = HttpResponse | TransportError

CANARY = "sk-canary/2718281828459045"
WHO = CallContext("agent", "openai/any")


def status(code: int, body: bytes = b"", headers: Mapping[str, str] | None = None) -> HttpResponse:
    return HttpResponse(code, headers or {}, body)


def ok(body: bytes = b"fine", headers: Mapping[str, str] | None = None) -> HttpResponse:
    return status(200, body, headers)


class Acting:
    """A transport that follows a script, call by call; the last act repeats for ever."""

    def __init__(self, *acts: Outcome, seconds: float = 1.0) -> None:
        self._acts = list(acts)
        self._seconds = seconds
        self.times: list[float] = []

    def act(self) -> Outcome:
        return self._acts.pop(0) if len(self._acts) > 1 else self._acts[0]

    async def post(
        self,
        url: str,  # noqa: ARG002 - goes nowhere
        headers: Mapping[str, str],  # noqa: ARG002 - goes nowhere
        body: bytes,  # noqa: ARG002 - goes nowhere
        proxy: str | None = None,  # noqa: ARG002 - goes nowhere
        most_bytes: int = CHAT_BYTES,  # noqa: ARG002 - goes nowhere
    ) -> HttpResponse:
        self.times.append(now())
        act = self.act()
        await asyncio.sleep(self._seconds)
        if isinstance(act, TransportError):
            raise TransportError(act.kind, act.detail, act.retry_after)
        return act

    async def close(self) -> None:
        """Nothing to release."""


class Outage(Acting):
    """A transport whose endpoint fails between two moments."""

    def __init__(self, begin: float, end: float, failing: Outcome) -> None:
        super().__init__(ok(), seconds=0.1)
        self._begin, self._end, self._failing = begin, end, failing

    def act(self) -> Outcome:
        return self._failing if self._begin <= now() < self._end else ok()


def now() -> float:
    return asyncio.get_running_loop().time()


def read(body: bytes) -> str:
    if body == b"<html>":
        raise MalformedResponse("the body is no answer")
    return body.decode()


def client_to(transport: Acting, retry_policy: RetryPolicy | None = None) -> EndpointClient:
    return EndpointClient.of("http://here", transport, (CANARY,), retry_policy=retry_policy)


async def send(client: EndpointClient) -> tuple[str, Attempts]:
    return await client.send("http://here/v1", {}, b"{}", read, WHO)


async def send_after(seconds: float, client: EndpointClient) -> tuple[str, Attempts]:
    await asyncio.sleep(seconds)
    return await send(client)


def test_an_answer_comes_with_its_time(in_virtual_time: Run) -> None:
    async def go() -> tuple[str, Attempts]:
        return await send(client_to(Acting(ok(), seconds=2.5)))

    assert in_virtual_time(go()) == ("fine", Attempts({}, 2.5))


def test_the_time_of_an_answer_is_neither_its_failed_attempts_nor_what_was_waited_for(
    in_virtual_time: Run,
) -> None:
    class InTwoPieces(Acting):
        def act(self) -> Outcome:
            act = super().act()
            if isinstance(act, TransportError):
                return act
            return msgspec.structs.replace(act, arrivals=[(2, now() + 0.5), (4, now() + 2.5)])

    transport = InTwoPieces(TransportError("cut", "it broke"), status(429), ok(), seconds=2.5)
    _, attempts = in_virtual_time(send(client_to(transport)))
    assert attempts.faults == {"cut": 1, "rate_limited": 1}
    assert attempts.seconds == pytest.approx(2.5)
    assert attempts.arrivals == ((2, pytest.approx(0.5)), (4, pytest.approx(2.5)))
    found = [attempts.seconds_to(count) for count in (1, 2, 3, 4)]
    assert found == pytest.approx([0.5, 0.5, 2.5, 2.5])


KINDS: list[TransportErrorKind] = ["dns", "connect", "cut", "timeout", "broken_http", "oversized"]


@pytest.mark.parametrize("kind", KINDS)
def test_what_broke_on_the_way_is_tried_again_and_counted(
    in_virtual_time: Run, kind: TransportErrorKind
) -> None:
    fault = TransportError(kind, "it broke")
    said, attempts = in_virtual_time(send(client_to(Acting(fault, fault, ok()))))
    assert (said, attempts.faults) == ("fine", {kind: 2})


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (status(429), "rate_limited"),
        (status(503), "overloaded"),
        (status(529), "overloaded"),
        (status(500), "server_error"),
        (status(501), "server_error"),
        (status(507), "server_error"),
        (status(599), "server_error"),
        (status(504), "server_error"),
        (status(408), "server_error"),
        (ok(b"<html>"), "malformed"),
    ],
)
def test_an_answer_that_is_none_is_tried_again_and_counted(
    in_virtual_time: Run, answer: HttpResponse, kind: str
) -> None:
    said, attempts = in_virtual_time(send(client_to(Acting(answer, ok()))))
    assert (said, attempts.faults) == ("fine", {kind: 1})


@pytest.mark.parametrize("code", [204, 302, 400, 401, 402, 403, 404, 413, 422, 600])
def test_a_refusal_is_not_tried_again(in_virtual_time: Run, code: int) -> None:
    transport = Acting(status(code, b"no"))
    with pytest.raises(RequestRejected, match=f"refused with status {code}: no"):
        in_virtual_time(send(client_to(transport)))
    assert len(transport.times) == 1


def test_a_redirect_in_the_middle_is_tried_again_and_counted(in_virtual_time: Run) -> None:
    async def go() -> tuple[str, Attempts]:
        client = client_to(Acting(ok(), status(302, b"to the login"), ok()))
        await send(client)
        return await send(client)

    said, attempts = in_virtual_time(go())
    assert (said, attempts.faults) == ("fine", {"server_error": 1})


def test_a_spent_account_is_no_lack_of_room(in_virtual_time: Run) -> None:
    answer = status(429, b'{"error": {"message": "check your plan", "code": "insufficient_quota"}}')
    with pytest.raises(RequestRejected, match="check your plan"):
        in_virtual_time(send(client_to(Acting(answer))))


def test_a_call_gives_up_in_one_line_with_what_was_tried(in_virtual_time: Run) -> None:
    acts: list[Outcome] = [
        status(500, b"oh\nno"),
        TransportError("cut", "the connection was cut"),
        ok(b"<html>"),
    ]
    transport = Acting(*acts)
    with pytest.raises(ParticipantError) as caught:
        in_virtual_time(send(client_to(transport, RetryPolicy(attempts=4))))
    assert str(caught.value) == (
        "http://here: the body is no answer "
        "(gave up after 4 attempts: server_error 1, cut 1, malformed 2)"
    )
    faults = {"server_error": 1, "cut": 1, "malformed": 2}
    assert caught.value.usage == Usage("agent", "openai/any", 0, faults=faults)
    assert len(transport.times) == 4


@pytest.mark.parametrize(
    ("headers", "least", "most"),
    [
        ({"retry-after": "20"}, 20, 25),
        ({"retry-after-ms": "4000"}, 4, 5),
        ({"retry-after": "99999"}, 600, 750),
        ({"retry-after": "-1"}, 0, 0.5),
        ({}, 0, 0.5),
    ],
)
def test_the_server_says_when_to_come_again(
    in_virtual_time: Run, headers: dict[str, str], least: float, most: float
) -> None:
    transport = Acting(status(429, headers=headers), ok(), seconds=0)
    in_virtual_time(send(client_to(transport)))
    first, second = transport.times
    assert least <= second - first <= most


def test_who_is_told_to_come_next_year_comes_in_a_minute_where_others_are_served(
    in_virtual_time: Run,
) -> None:
    async def go() -> list[float]:
        refusal = status(429, headers={"retry-after": "31536000"})
        transport = Acting(ok(), refusal, refusal, ok(), seconds=0)
        client = client_to(transport)
        for _ in range(2):
            await send(client)
        return transport.times

    _, first, second, third = in_virtual_time(go())
    assert 60 <= second - first <= 75
    # No call was served in that minute, so the server's refusal counts.
    assert 600 <= third - second <= 750


def test_who_was_told_so_before_anybody_was_served_comes_in_a_minute_too(
    in_virtual_time: Run,
) -> None:
    async def go() -> list[float]:
        transport = Acting(status(503, headers={"retry-after": "31536000"}), ok())
        client = client_to(transport)
        await asyncio.gather(send(client), send_after(0.5, client))
        return transport.times

    assert in_virtual_time(go()) == [0, 0.5, 61]


def test_who_is_told_to_come_at_once_does_not_come_in_a_tight_loop(in_virtual_time: Run) -> None:
    transport = Acting(status(429, headers={"retry-after": "0"}), seconds=0.01)
    with pytest.raises(ParticipantError, match=r"refused for now \(429\)"):
        in_virtual_time(send(client_to(transport, RetryPolicy(seconds=600))))
    assert len(transport.times) < 200


def test_lack_of_room_ends_a_call_by_time_and_not_by_attempts(in_virtual_time: Run) -> None:
    transport = Acting(status(429, headers={"retry-after": "10"}))
    with pytest.raises(ParticipantError, match="rate_limited"):
        in_virtual_time(send(client_to(transport, RetryPolicy(seconds=600, attempts=2))))
    assert 600 < transport.times[-1] < 640


def test_who_asks_for_a_longer_pause_than_patience_is_asked_once_more_when_it_ends(
    in_virtual_time: Run,
) -> None:
    transport = Acting(status(429, headers={"retry-after": "600"}), seconds=0)
    with pytest.raises(ParticipantError, match="rate_limited 2"):
        in_virtual_time(send(client_to(transport, RetryPolicy(seconds=5))))
    assert transport.times == [0, 5]


def test_an_allowance_holds_calls_back_no_longer_than_patience(in_virtual_time: Run) -> None:
    async def go() -> list[float]:
        used_up = {"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "300s"}
        transport = Acting(ok(headers=used_up), ok(), seconds=0)
        client = client_to(transport, RetryPolicy(seconds=5))
        await send(client)
        await send(client)
        return transport.times

    first, second = in_virtual_time(go())
    assert first == 0
    assert 5 <= second <= 5.1


def test_the_time_of_an_outage_is_not_lack_of_room(in_virtual_time: Run) -> None:
    async def go() -> tuple[str, Attempts]:
        faults = [TransportError("connect", "no connection")] * 60
        client = client_to(
            Acting(ok(), *faults, status(429), ok()), RetryPolicy(seconds=60, outage=3_600)
        )
        await send(client)
        return await send(client)

    answer, attempts = in_virtual_time(go())
    assert (answer, attempts.faults) == ("fine", {"connect": 60, "rate_limited": 1})


@pytest.mark.parametrize(
    "failing",
    [
        TransportError("connect", "no connection"),
        TransportError("cut", "cut"),
        status(503),
        status(502),
    ],
)
def test_an_outage_costs_time_and_no_call(
    in_virtual_time: Run, failing: Outcome, caplog: pytest.LogCaptureFixture
) -> None:
    async def go() -> list[str]:
        client = client_to(Outage(5, 605, failing))

        async def work() -> list[str]:
            return [(await send(client))[0] for _ in range(200)]

        done = await asyncio.gather(*(work() for _ in range(20)))
        return [one for each in done for one in each]

    with caplog.at_level(logging.WARNING):
        assert Counter(in_virtual_time(go())) == {"fine": 4_000}
    assert [text.split(":")[0] for text in caplog.messages[:1]] == ["http"]
    assert len(caplog.messages) == 2


def test_an_outage_costs_a_single_caller_no_call_either(in_virtual_time: Run) -> None:
    async def go() -> list[str]:
        client = client_to(Outage(5, 305, TransportError("connect", "no connection")))
        return [(await send(client))[0] for _ in range(100)]

    assert in_virtual_time(go()) == ["fine"] * 100


def test_an_outage_without_end_ends_the_run(in_virtual_time: Run) -> None:
    async def go() -> list[object]:
        outage = Outage(5, 100_000, TransportError("dns", "no address found for here"))
        client = client_to(outage, RetryPolicy(outage=600))
        await send(client)
        await asyncio.sleep(10)
        return await asyncio.gather(*(send(client) for _ in range(20)), return_exceptions=True)

    ended = in_virtual_time(go())
    assert {type(one) for one in ended} == {RunHalted}
    assert "has not answered for 10 minutes" in str(ended[0])


def test_one_call_that_always_breaks_does_not_hold_up_the_others(in_virtual_time: Run) -> None:
    class Poisoned(Acting):
        def act(self) -> Outcome:
            task = asyncio.current_task()
            return status(500) if task and task.get_name() == "poisoned" else ok()

    async def go() -> list[str]:
        client = client_to(Poisoned(ok(), seconds=0.1))
        with pytest.raises(ParticipantError, match="server_error 8"):
            await asyncio.create_task(send(client), name="poisoned")
        return [(await send(client))[0] for _ in range(5)]

    assert in_virtual_time(go()) == ["fine"] * 5


def test_an_allowance_that_is_used_up_holds_the_next_calls_back(in_virtual_time: Run) -> None:
    async def go() -> list[float]:
        used_up = {
            "x-ratelimit-remaining-requests": "0",
            "x-ratelimit-reset-requests": "30s",
        }
        transport = Acting(ok(headers=used_up), ok(), seconds=1)
        client = client_to(transport)
        await send(client)
        await asyncio.gather(*(send(client) for _ in range(3)))
        return transport.times

    first, *others = in_virtual_time(go())
    assert first == 0
    assert all(31 <= at <= 31.1 for at in others)


@pytest.mark.parametrize("moment", [0.5, 1.2, 40, 400])
def test_a_call_may_be_cancelled_at_any_time(in_virtual_time: Run, moment: float) -> None:
    async def go() -> list[object]:
        client = client_to(Outage(1, 300, TransportError("connect", "no connection")))

        async def work() -> int:
            return len([await send(client) for _ in range(50)])

        calls = [asyncio.create_task(work()) for _ in range(40)]
        await asyncio.sleep(moment)
        for call in calls[::2]:
            call.cancel()
        return await asyncio.gather(*calls, return_exceptions=True)

    ended = in_virtual_time(go())
    assert ended[1::2] == [50] * 20
    assert {type(one) for one in ended[::2]} <= {asyncio.CancelledError, int}


def reported(work: Callable[[], object]) -> str:
    """Return everything that an error says, all that hangs on it included."""
    with pytest.raises((ParticipantError, RunHalted, RequestRejected)) as caught:
        work()
    said, error = [], caught.value
    link: BaseException | None = error
    while link is not None:
        said.append(repr(link) + str(link) + repr(vars(link)))
        link = link.__cause__ or link.__context__
    return "\n".join(said)


ESCAPED = "".join(f"\\u{ord(character):04x}" for character in CANARY)


@pytest.mark.parametrize(
    "echoed",
    [
        CANARY,
        CANARY.replace("/", "\\/"),
        CANARY.replace("c", "\\u0063"),
        CANARY.replace("k-", "\\u006B\\u002D"),
        ESCAPED,
        ESCAPED.replace("\\", "\\\\"),
    ],
)
@pytest.mark.parametrize("code", [200, 400, 401, 429, 500, 503])
def test_a_key_that_the_server_echoes_appears_nowhere(
    in_virtual_time: Run, caplog: pytest.LogCaptureFixture, code: int, echoed: str
) -> None:
    def unreadable(body: bytes) -> str:
        raise MalformedResponse(body.decode())

    async def go() -> None:
        client = client_to(
            Acting(status(code, f"no: {echoed}!".encode())), RetryPolicy(seconds=60, outage=60)
        )
        await client.send("http://here/v1", {}, b"{}", unreadable, WHO)

    with caplog.at_level(logging.DEBUG):
        said = reported(lambda: in_virtual_time(go())) + caplog.text
    assert "canary" not in said
    assert "2718" not in said
    assert "\\u0032" not in said
    assert "no: ***!" in said or "has not answered" in said


def test_a_key_is_taken_out_of_replies(in_virtual_time: Run) -> None:
    answer, _ = in_virtual_time(send(client_to(Acting(ok(f"it is {CANARY}".encode())))))
    assert answer == "it is ***"


def test_a_placeholder_is_no_key_and_replies_keep_the_word(in_virtual_time: Run) -> None:
    client = EndpointClient.of("http://here", Acting(ok(b"The box is EMPTY.")), ("EMPTY", ""))
    answer, _ = in_virtual_time(send(client))
    assert answer == "The box is EMPTY."


def cut_off(
    client: EndpointClient, seconds: float, answered: int = 0, call_context: CallContext = WHO
) -> Any:  # noqa: ANN401 - runs in virtual time
    """Return the reason of the delay of a call that is cut off after some seconds.

    Before that, the endpoint answers other calls.
    """

    async def go() -> ParticipantError | None:
        for _ in range(answered):
            await send(client)
        with pytest.raises(TimeoutError) as caught:
            async with asyncio.timeout(seconds):
                await client.send("http://here/v1", {}, b"{}", read, call_context)
        return attached_delay(caught.value.__cause__)

    return go()


@pytest.mark.parametrize(
    ("transport", "why", "faults"),
    [
        (Acting(ok(), seconds=600), "no answer for 5.0 s", {}),
        (Acting(status(429), seconds=3), "no answer yet (rate_limited 1)", {"rate_limited": 1}),
        (Acting(TransportError("cut", "cut"), seconds=3), "no answer yet (cut 1)", {"cut": 1}),
    ],
)
def test_a_call_that_is_cut_off_tells_how_the_endpoint_held_it_up(
    in_virtual_time: Run, transport: Acting, why: str, faults: dict[str, int]
) -> None:
    delay = in_virtual_time(cut_off(client_to(transport), 5))
    assert str(delay) == f"http://here: {why}"
    assert delay.usage == Usage("agent", "openai/any", 0, faults=faults)


def test_a_call_that_waits_for_an_allowance_is_held_up(in_virtual_time: Run) -> None:
    used_up = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "30s"}
    client = client_to(Acting(ok(headers=used_up), ok(), seconds=0))
    delay = in_virtual_time(cut_off(client, 5, answered=1))
    assert str(delay) == "http://here: no room for the call yet"


def test_an_answer_that_takes_no_longer_than_others_did_is_not_held_up(
    in_virtual_time: Run,
) -> None:
    assert in_virtual_time(cut_off(client_to(Acting(ok(), seconds=2)), 1.5, answered=3)) is None


def test_the_silence_of_an_agents_own_server_is_the_agents(in_virtual_time: Run) -> None:
    itself = CallContext("agent", "mine", is_itself=True)
    assert (
        in_virtual_time(cut_off(client_to(Acting(ok(), seconds=600)), 5, call_context=itself))
        is None
    )


def test_who_gives_up_on_a_slow_answer_says_once_more_what_waits_longer(
    in_virtual_time: Run, caplog: pytest.LogCaptureFixture
) -> None:
    advice = "20 s are too few: --read-timeout SECONDS waits longer"
    transport = Acting(TransportError("timeout", "no answer in time"))
    client = EndpointClient(
        "http://here", (Endpoint("http://here", transport),), pace=EndpointPacing(too_slow=advice)
    )

    with pytest.raises(ParticipantError) as caught:
        in_virtual_time(send(client))

    said = f"http://here: no answer in time (gave up after 8 attempts: timeout 8); {advice}"
    assert str(caught.value) == said
    assert [message for message in caplog.messages if advice in message] == [
        f"http://here: no answer in time, the call is sent again; {advice}"
    ]


@pytest.mark.parametrize(
    ("kind", "detail"), [("cut", "the connection was cut"), ("timeout", GIVEN_UP)]
)
def test_other_faults_get_no_advice_about_waiting(
    in_virtual_time: Run, kind: TransportErrorKind, detail: str
) -> None:
    transport = Acting(TransportError(kind, detail))
    client = EndpointClient(
        "http://here", (Endpoint("http://here", transport),), pace=EndpointPacing(too_slow="wait")
    )

    with pytest.raises((ParticipantError, RunHalted)) as caught:
        in_virtual_time(send(client))

    assert "wait" not in str(caught.value)
