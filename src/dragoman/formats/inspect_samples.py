"""A conversation as a sample of an Inspect log, with its messages, scores and usage.

The agent is the assistant; every text is the text that its reader received. Users in Inspect do not
call tools: the log shows a user's calls as messages of the user, and their results as tool messages
that say so. A missing value is NaN, which Inspect reads as unscored: its means exclude it. A
failure of infrastructure or of a participant's code is a sample's error, without any score.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

import msgspec
from msgspec import UNSET

from dragoman.analysis.cell_summary import ConversationResult
from dragoman.analysis.measure_metrics import newest
from dragoman.core.conditions import axis_values
from dragoman.core.costs import PriceOf, cost_of, total_cost
from dragoman.core.episodes import Episode, Message, TerminationReason
from dragoman.core.measures import MeasureResult
from dragoman.core.protocols import Limits
from dragoman.core.replies import TextReply, ToolCallReply, UnparsedReply, Utterance
from dragoman.core.scores import NO_JUDGE, ComponentScore, Scored, Verdict
from dragoman.core.tasks import Task
from dragoman.core.tools import ToolCall, ToolResult
from dragoman.core.usage import Usage, total_usage
from dragoman.report.view_model import conversation_causes, conversation_status
from dragoman.store.audio_files import audio_path

Json = dict[str, object]

_encode = msgspec.json.Encoder().encode

AUDIO_ALONE = "(audio)"
"""The text of a message that reached its listener only as audio."""


def messages_of(episode: Episode, key: str, model: str) -> list[Json]:
    """Return a conversation's messages; the metadata of each contain the index of its event.

    Args:
        episode: The conversation.
        key: Id of the conversation within its run.
        model: The agent's name.
    """
    return [
        _result(event, f"{key}-{place}", place)
        if isinstance(event, ToolResult)
        else _move(event, f"{key}-{place}", place, model)
        for place, event in enumerate(episode.events)
    ]


def _move(event: Message, name: str, place: int, model: str) -> Json:
    """Return a move as a message with its metadata."""
    record: Json = {"event": place}
    if event.scripted:
        record["scripted"] = True
    content = ""
    calls: tuple[ToolCall, ...] = ()
    match event.reply:
        case TextReply(utterance=utterance):
            content = _received_text(utterance)
            record.update(_spoken_fields(utterance))
        case ToolCallReply(calls=calls, text=text):
            content = text or ""
        case UnparsedReply(raw=content, error=error):
            record["problem"] = error
    called = [_call(call) for call in calls]
    if event.by == "agent":
        message: Json = {"id": name, "role": "assistant", "content": content, "model": model}
        if called:
            message["tool_calls"] = called
        message["source"] = "generate"
    else:
        if called:
            content = "\n".join((*([content] if content else ()), *map(_call_line, calls)))
            record["tool_calls"] = called
        message = {"id": name, "role": "user", "content": content}
    message["metadata"] = record
    return message


def _call_line(call: ToolCall) -> str:
    return f"{call.name} {msgspec.json.encode(call.arguments).decode()}"


def _received_text(utterance: Utterance) -> str:
    received = utterance.received
    return AUDIO_ALONE if received is None else received


def _spoken_fields(utterance: Utterance) -> Json:
    """Return the intended, spoken and recognized texts of an utterance, where they can differ.

    The result also has the path of the audio file in the run.
    """
    if utterance.spoken is UNSET and utterance.heard is UNSET:
        return {}
    return {
        "intended": utterance.intended,
        **({} if utterance.spoken is UNSET else {"spoken": utterance.spoken}),
        **({} if utterance.heard is UNSET else {"heard": utterance.heard}),
        **({} if utterance.audio is None else {"audio": audio_path(utterance.audio.sha256)}),
    }


def _call(call: ToolCall) -> Json:
    arguments: Json = dict(call.arguments)
    if call.positionals:
        arguments["*"] = list(call.positionals)
    made: Json = {"id": call.id, "function": call.name, "arguments": arguments, "type": "function"}
    return {**made, "parse_error": call.malformed} if call.malformed else made


def _result(result: ToolResult, name: str, place: int) -> Json:
    """Return a tool result as a message with its metadata."""
    content = result.content if result.shown is None else result.shown
    record: Json = {"event": place, "by": result.by}
    if result.shown is not None:
        record["canonical"] = result.content
    if result.executed is not None:
        record["executed"] = result.executed
    if result.changes:
        record["changes"] = msgspec.to_builtins(result.changes)
    message: Json = {
        "id": name,
        "role": "tool",
        "content": content,
        "tool_call_id": result.call_id,
        "function": result.name,
    }
    if result.error:
        message["error"] = {"type": "unknown", "message": content}
    message["metadata"] = record
    return message


REWARD = "reward"
NO_VALUE = msgspec.Raw(b"NaN")
"""JSON has no literal for it; Inspect writes and reads this one."""


class SampleSource(msgspec.Struct, frozen=True):
    """Data of a sample.

    Attributes:
        key: Id of the conversation within its run.
        outcome: The conversation with its events, and its score.
        task: The conversation's task.
        seed: The conversation's own seed.
        limits: The limits of the conversation.
    """

    key: str
    outcome: ConversationResult
    task: Task | None
    seed: int
    limits: Limits


class InspectSample(msgspec.Struct, frozen=True):
    """A sample: the fields that lists show, and those of the whole sample only."""

    summary: Json
    further: Json

    @property
    def whole(self) -> Json:
        """All fields, as one object."""
        return {**self.summary, **self.further}


def sample_of(source: SampleSource, episode: Episode, price_of: PriceOf) -> InspectSample:
    """Return the sample of a played conversation."""
    outcome = source.outcome
    messages = messages_of(episode, source.key, outcome.agent)
    started = time_text(episode.started)
    ended = time_text(episode.started + episode.seconds)
    error, limit = _error(episode), _limit(episode, source.limits)
    summary: Json = {
        "id": outcome.task,
        "epoch": outcome.trial + 1,
        "input": "" if source.task is None else source.task.wanted,
        "target": "",
        "scores": scores_of(outcome),
        "metadata": _metadata(source, episode),
        **usage_of(outcome.usage, price_of),
        **({"started_at": started, "completed_at": ended} if started and ended else {}),
        "total_time": episode.seconds,
        "working_time": episode.seconds,
        "uuid": source.key,
        "completed": True,
        "message_count": len(messages),
        **({} if error is None else {"error": error["message"]}),
        **({} if limit is None else {"limit": limit["type"]}),
    }
    # Each message is in three places of a log; it is encoded once.
    encoded = [msgspec.Raw(_encode(message)) for message in messages]
    listed = msgspec.Raw(_encode(encoded))
    further: Json = {
        "messages": listed,
        "output": _last_output(messages, encoded, outcome.agent),
        "store": {},
        "events": list(_model_events(messages, encoded, outcome.agent, started or NO_TIME)),
        "events_data": {"messages": listed, "calls": []},
        "attachments": {},
        **({} if error is None else {"error": error}),
        **({} if limit is None else {"limit": limit}),
    }
    return InspectSample(summary, further)


NO_TIME = "1970-01-01T00:00:00+00:00"
"""Placeholder for a required time that is unknown."""


def time_text(seconds: float) -> str | None:
    """Return a time in seconds since 1970 as ISO 8601; None if it is unknown."""
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat() if seconds > 0 else None
    except (OverflowError, ValueError, OSError):
        return None


def scores_of(outcome: ConversationResult) -> dict[str, Json]:
    """Return the reward, its components and results of measures, by name; none for a fault."""
    episode, score = outcome.episode, outcome.score
    if episode is None or episode.is_fault:
        return {}
    found = {REWARD: _reward(outcome)}
    for part in () if score is None else score.components:
        if part.verdict is not None:
            found[f"{REWARD}_{part.component}"] = _component(part, part.verdict)
    for entry in newest(outcome.measures):
        by = "" if entry.judge == NO_JUDGE else f" by {entry.judge}"
        found[f"{entry.measure}{by}"] = _score_measure(entry)
    return found


def _reward(outcome: ConversationResult) -> Json:
    score = outcome.score
    if score is None:
        return _score(NO_VALUE, ("not scored yet",), {})
    why = [cause.text for cause in conversation_causes(outcome)]
    metadata: Json = {
        "rules": score.rules,
        "judge": score.judge,
        "metric": score.metric,
        "assumed": score.assumed,
    }
    if score.simulator:
        metadata["simulator_failed"] = list(score.invalid)
    if isinstance(score.reward, Scored) and score.reward.undecided:
        undecided = ", ".join(score.reward.undecided)
        why = [f"{score.reward.value:g}, and excluded from means: undecided {undecided}"]
        metadata["known_value"] = score.reward.value
    return _score(_value(score.reward), why or ["all is met"], metadata)


def _component(part: ComponentScore, verdict: Verdict) -> Json:
    why = () if isinstance(verdict, Scored) else (verdict.reason,)
    record = (f"{_MET[entry.met]}: {_line(entry.subject, entry.why)}" for entry in part.evidence)
    metadata: Json = {"in_basis": part.in_basis, "assumed": part.assumed}
    return _score(_value(verdict), (*why, *record), metadata)


_MET = {True: "met", False: "not met", None: "undecided"}


def _score_measure(entry: MeasureResult) -> Json:
    record = (_line(found.subject, found.why) for found in entry.evidence if found.why)
    metadata: Json = {"version": entry.version, "judge": entry.judge}
    value: object = NO_VALUE if entry.unscored else entry.counts
    return _score(value, (*((entry.unscored,) if entry.unscored else ()), *record), metadata)


def _score(value: object, why: Iterable[str], metadata: Json) -> Json:
    return {"value": value, "explanation": "\n".join(why), "metadata": metadata}


def _line(subject: str, why: str) -> str:
    return f"{subject} ({why})" if subject and why else subject or why


def _value(verdict: Verdict) -> object:
    return verdict.value if isinstance(verdict, Scored) and not verdict.undecided else NO_VALUE


def _metadata(source: SampleSource, episode: Episode) -> Json:
    outcome = source.outcome
    return {
        "key": source.key,
        "condition": outcome.condition.label,
        **axis_values(outcome.condition),
        "trial": outcome.trial,
        "seed": source.seed,
        "standing": conversation_status(outcome),
        "ending": episode.ending.reason,
        "ending_detail": episode.ending.detail,
        "steps": episode.steps,
        "tool_errors": episode.errors,
        "malformed_calls": episode.malformed_calls,
        "usage_unknown": sorted({entry.model for entry in outcome.usage if not _is_known(entry)}),
    }


def _last_output(messages: Sequence[Json], encoded: Sequence[msgspec.Raw], agent: str) -> Json:
    """Return the agent's last message as the output of a model."""
    for message, content in zip(reversed(messages), reversed(encoded), strict=True):
        if message["role"] == "assistant":
            return _output(message, content, agent)
    return {"model": agent, "choices": [], "completion": ""}


def _model_events(
    messages: Sequence[Json], encoded: Sequence[msgspec.Raw], agent: str, when: str
) -> Iterator[Json]:
    """Yield each reply of the agent as a model call, whose input is the messages before it.

    Inspect builds its data frames of messages from these; their times are not recorded.
    """
    for place, message in enumerate(messages):
        if message["role"] == "assistant":
            yield {
                "event": "model",
                "uuid": f"{message['id']}-event",
                "timestamp": when,
                "working_start": 0.0,
                "model": agent,
                "input": [],
                "input_refs": [[0, place]] if place else [],
                "tools": [],
                "tool_choice": "auto",
                "config": {},
                "output": _output(message, encoded[place], agent),
            }


def _output(message: Json, encoded: msgspec.Raw, agent: str) -> Json:
    """Return a message of the agent as the output of a model."""
    stop_reason = "tool_calls" if "tool_calls" in message else "stop"
    return {
        "model": agent,
        "choices": [{"message": encoded, "stop_reason": stop_reason}],
        "completion": message["content"],
    }


def _error(episode: Episode) -> Json | None:
    if not episode.is_fault:
        return None
    detail = episode.ending.detail or "no detail was recorded"
    return {
        "message": f"{episode.ending.reason}: {detail}",
        "traceback": "",
        "traceback_ansi": "",
    }


_LIMITS: dict[TerminationReason, str] = {
    "max_steps": "turn",
    "timeout": "time",
    "too_many_errors": "custom",
}
"""Endings by a limit, and Inspect's names for them."""


def _limit(episode: Episode, limits: Limits) -> Json | None:
    reason = episode.ending.reason
    if reason not in _LIMITS:
        return None
    values = {
        "max_steps": limits.steps,
        "timeout": limits.seconds,
        "too_many_errors": limits.errors,
    }
    return {"type": _LIMITS[reason], "limit": values[reason] or 0, "reason": reason}


def usage_of(used: Iterable[Usage], price_of: PriceOf) -> Json:
    """Return usage by model, and by purpose.

    Inspect counts cached tokens apart from the input, and cannot represent unknown counts: a model
    with unknown counts is excluded.
    """
    lines = [line for line in total_usage(used) if _is_known(line)]
    return {
        "model_usage": _sum_usage_by_name(((line.model, line) for line in lines), price_of),
        "role_usage": _sum_usage_by_name(((line.purpose, line) for line in lines), price_of),
    }


def _is_known(usage: Usage) -> bool:
    return usage.input_tokens is not None and usage.output_tokens is not None


def _sum_usage_by_name(lines: Iterable[tuple[str, Usage]], price_of: PriceOf) -> dict[str, Json]:
    by_name: dict[str, list[Usage]] = {}
    for name, line in lines:
        by_name.setdefault(name, []).append(line)
    return {name: _sum_usage(entries, price_of) for name, entries in by_name.items()}


def _sum_usage(entries: Sequence[Usage], price_of: PriceOf) -> Json:
    sent = sum(entry.input_tokens or 0 for entry in entries)
    received = sum(entry.output_tokens or 0 for entry in entries)
    cached = sum(entry.cached_tokens or 0 for entry in entries)
    found: Json = {
        "input_tokens": sent - cached,
        "output_tokens": received,
        "total_tokens": sent + received,
    }
    if all(entry.cached_tokens is not None for entry in entries):
        found["input_tokens_cache_read"] = cached
    if all(entry.reasoning_tokens is not None for entry in entries):
        found["reasoning_tokens"] = sum(entry.reasoning_tokens or 0 for entry in entries)
    cost = total_cost(cost_of(entry, price_of) for entry in entries)
    if cost is not None:
        found["total_cost"] = float(cost.nominal)
    return found
