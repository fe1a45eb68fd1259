import asyncio
import json

import msgspec

from dragoman.conditions.persona.persona_profiles import find_profile
from dragoman.conditions.persona.profile_inference import PURPOSE, ModelProfileInference
from dragoman.conditions.persona.user_profile_layer import (
    InferredUserProfile,
    inferred_profile_layer,
    profile_layer,
    rule_inferred_profile_layer,
)
from dragoman.core.audio import NULL_AUDIO_STORE
from dragoman.core.episodes import Event, Message
from dragoman.core.layers import ConversationContext, ProvidesUserProfile
from dragoman.core.protocols import ChatRequest, Completion
from dragoman.core.replies import text_reply
from dragoman.core.tasks import Scenario, Task
from dragoman.core.usage import Usage
from dragoman.simulation.participants.oracle import SilentAgent

TASK = Task("1", "s", "d", Scenario("x"))
CONTEXT = ConversationContext(TASK, "key", "draw", SilentAgent(), NULL_AUDIO_STORE)


def context(frustration: int) -> str:
    scores = ("articulation_skill", "language_understanding_skill", "technical_skill")
    known: dict[str, object] = dict.fromkeys(scores, 5)
    unknown = {"age": "N/A", "gender": "N/A"}
    texts = {"persona": "Calm.", "reasoning": "It shows."}
    return json.dumps({**unknown, **known, "frustration_level": frustration, **texts})


class Model:
    name = "model"

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.requests: list[ChatRequest] = []

    async def complete(self, request: ChatRequest, purpose: str) -> Completion:
        self.requests.append(request)
        usage = Usage(purpose, self.name, input_tokens=7)
        return Completion(text_reply(self.answers.pop(0)), msgspec.Raw(b"{}"), usage)


class Talked(msgspec.Struct):
    events: list[Event]
    steps: int = 0
    errors: int = 0
    seconds: float = 0.0


def instructions_after(instruction_source: InferredUserProfile, *counts: int) -> list[str]:
    """Return the agent's instructions after a number of user messages."""

    async def ask() -> list[str]:
        return [
            await instruction_source.instructions(
                "agent", Talked([Message("user", text_reply("Hm."))] * count)
            )
            for count in counts
        ]

    return asyncio.run(ask())


def test_a_model_is_asked_after_three_messages_and_again_after_three_more() -> None:
    model = Model(context(1), context(8))
    instruction_source = InferredUserProfile(ModelProfileInference(model, "1", "draw"))
    reported = instructions_after(instruction_source, 0, 1, 2, 3, 4, 5, 6)
    assert reported[:3] == ["", "", ""]
    assert '"frustration_level": 1' in reported[3]
    assert reported[3] == reported[4] == reported[5]
    assert '"frustration_level": 8' in reported[6]
    assert len(model.requests) == 2
    assert len({request.draw for request in model.requests}) == 2
    assert instruction_source.user_profile()["frustration_level"] == 8
    assert [entry.at for entry in instruction_source.take_contexts()] == [3, 6]
    assert [(entry.purpose, entry.input_tokens) for entry in instruction_source.take_usage()] == [
        (PURPOSE, 7),
        (PURPOSE, 7),
    ]


def test_an_answer_that_cannot_be_used_is_kept_and_leaves_what_was_told() -> None:
    model = Model(context(1), "Calm, I would say.", context(3))
    instruction_source = InferredUserProfile(ModelProfileInference(model, "1", "draw"))
    reported = instructions_after(instruction_source, 3, 6, 9)
    assert reported[0] == reported[1] != reported[2]
    first, second, third = instruction_source.take_contexts()
    assert (first.failure, third.failure) == ("", "")
    assert second.failure.startswith("no context (")
    assert (second.about, second.answer) == ({}, "Calm, I would say.")


def test_the_user_is_told_nothing() -> None:
    async def ask() -> str:
        instruction_source = InferredUserProfile(ModelProfileInference(Model(), "1", "draw"))
        return await instruction_source.instructions(
            "user", Talked([Message("user", text_reply("a"))] * 9)
        )

    assert asyncio.run(ask()) == ""


def test_the_agents_own_model_is_asked_unless_another_is_named() -> None:
    own, other = Model(context(1)), Model(context(2))
    conversation = msgspec.structs.replace(CONTEXT, model=own)
    for layer, asked in (
        (inferred_profile_layer(None, ""), own),
        (inferred_profile_layer(other, "k"), other),
    ):
        assert layer.instruction_source is not None
        instruction_source = layer.instruction_source(conversation)
        asyncio.run(
            instruction_source.instructions("agent", Talked([Message("user", text_reply("a"))] * 3))
        )
        assert len(asked.requests) == 1
    assert inferred_profile_layer(None, "").identity != inferred_profile_layer(other, "k").identity


def test_a_card_is_told_in_words_and_as_data() -> None:
    layer = profile_layer(find_profile("hard").persona("en"))
    assert layer.instruction_source is not None
    instruction_source = layer.instruction_source(CONTEXT)
    reported = asyncio.run(instruction_source.instructions("agent", Talked([])))
    assert reported.startswith("This customer knows little")
    assert asyncio.run(instruction_source.instructions("user", Talked([]))) == ""
    assert isinstance(instruction_source, ProvidesUserProfile)
    about = instruction_source.user_profile()
    assert (about["exposure"], about["expertise"], about["ambiguity"]) == (1, "novice", "high")


def test_rules_are_asked_as_often_as_a_model_and_cost_nothing() -> None:
    layer = rule_inferred_profile_layer(("en",))
    assert layer.instruction_source is not None
    instruction_source = layer.instruction_source(CONTEXT)
    assert isinstance(instruction_source, InferredUserProfile)
    reported = instructions_after(instruction_source, 0, 2, 3, 5, 6)
    assert reported[:2] == ["", ""]
    assert '"inferred_by": "rules"' in reported[2]
    assert '"hesitation"' not in reported[2]
    assert instruction_source.user_profile()["exposure"] == 2
    contexts = instruction_source.take_contexts()
    assert [entry.at for entry in contexts] == [3, 6]
    assert {entry.model.partition("@")[0] for entry in contexts} == {"rules-1"}
    assert instruction_source.take_usage() == ()


def test_rules_for_speakers_of_two_languages_are_others() -> None:
    assert (
        rule_inferred_profile_layer(("en",)).identity
        != rule_inferred_profile_layer(("th", "en")).identity
    )
