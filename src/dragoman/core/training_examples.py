"""Training examples: a conversation with tools in chat format, and its origin."""

import msgspec


class ExampleOrigin(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a row was made of.

    Attributes:
        suite: The suite or the dataset.
        task: The task's id in it, equal in all its languages.
        apis: What it calls: functions of a suite, or ids of operations.
        language: Of its user, as a BCP 47 tag.
        licence: Of the data; "" where none is stated.
        made_by: Who wrote the answer: a model, "gold", or an agent that was played.
        digest: Of the task's own record, the same under whatever name it was played; "" where
            unknown.
    """

    suite: str
    task: str
    apis: tuple[str, ...] = ()
    language: str = "en"
    licence: str = ""
    made_by: str = ""
    digest: str = ""


class TrainingExample(msgspec.Struct, frozen=True, omit_defaults=True):
    """A conversation in the form of chat endpoints: what is learnt are the assistant's messages.

    Attributes:
        id: Unique among rows.
        messages: `role` and `content`, with `tool_calls` and `tool_call_id` where calls are native.
        tools: The functions on offer, as OpenAI's schema has them; none where they stand in a
            message.
        origin: What it was made of.
    """

    id: str
    messages: tuple[dict[str, object], ...]
    tools: tuple[dict[str, object], ...] = ()
    origin: ExampleOrigin = ExampleOrigin("", "")

    @property
    def request(self) -> str:
        """What its user says, all of it."""
        said = (each.get("content") for each in self.messages if each.get("role") == "user")
        return "\n".join(text for text in said if isinstance(text, str))
