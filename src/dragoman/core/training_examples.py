"""Training examples: a conversation with tools in chat format, and its origin."""

import msgspec


class ExampleOrigin(msgspec.Struct, frozen=True, omit_defaults=True):
    """The origin of a row.

    Attributes:
        suite: The suite or the dataset.
        task: The task's id in it, equal in all its languages.
        apis: The called functions of a suite, or ids of called operations.
        language: The user's language, as a BCP 47 tag.
        licence: The licence of the data; "" if none is stated.
        made_by: The author of the answer: a model, "gold", or an agent that was played.
        digest: The digest of the task's own record, the same under any name of the task; "" if
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
    """A conversation in chat format; a model learns the assistant's messages.

    Attributes:
        id: Unique among rows.
        messages: `role` and `content`, with `tool_calls` and `tool_call_id` if calls are native.
        tools: The functions on offer, as in OpenAI's schema; empty if they stand in a message.
        origin: The origin of the row.
    """

    id: str
    messages: tuple[dict[str, object], ...]
    tools: tuple[dict[str, object], ...] = ()
    origin: ExampleOrigin = ExampleOrigin("", "")

    @property
    def request(self) -> str:
        """All words of its user."""
        said = (each.get("content") for each in self.messages if each.get("role") == "user")
        return "\n".join(text for text in said if isinstance(text, str))
