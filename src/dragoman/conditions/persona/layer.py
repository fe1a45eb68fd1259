"""The layer of personas: what a user is told of who it is, and how it plays without a model."""

import msgspec

from dragoman.core.keys import content_key
from dragoman.core.layers import Layer
from dragoman.core.personas import Persona
from dragoman.core.tasks import Task

AXIS = "persona"


def persona_layer(persona: Persona) -> Layer:
    """Return what a persona changes on the surfaces of a conversation."""

    def told(task: Task) -> Task:
        known = task.scenario.persona
        scenario = msgspec.structs.replace(
            task.scenario, persona=f"{known}\n{persona.user}" if known else persona.user
        )
        return msgspec.structs.replace(task, scenario=scenario)

    return Layer(
        name=AXIS,
        identity=content_key("persona-1", persona.user, persona.manner),
        record={
            "persona": persona.name,
            "traits": msgspec.to_builtins(persona.traits),
            "user": persona.user,
        },
        task=told,
        manner=persona.manner,
    )
