"""What an agent that remembers or searches is told: its scenario, its memory, the form of answers."""

from typing import Literal

import msgspec

from dragoman.benchmarks.bfcl.prompts.prompting import filled
from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import UNREADABLE

Layout = Literal["core_archival", "unified"]
"""Which of the two instructions suits a memory: two stores, or one text."""


class AgenticTexts(msgspec.Struct, frozen=True):
    """Upstream's texts under the names of its constants.

    `answer_form` says how a final answer is written; `scenarios` holds a sentence for each.
    """

    answer_form: str = msgspec.field(name="ADDITIONAL_SYSTEM_PROMPT_FOR_AGENTIC_RESPONSE_FORMAT")
    scenarios: dict[str, str] = msgspec.field(name="MEMORY_AGENT_SETTINGS")
    core_archival: str = msgspec.field(name="MEMORY_BACKEND_INSTRUCTION_CORE_ARCHIVAL")
    unified: str = msgspec.field(name="MEMORY_BACKEND_INSTRUCTION_UNIFIED")

    def memory_text(self, scenario: str, layout: Layout, content: str) -> str:
        """Return the instruction of an agent with a memory.

        Args:
            scenario: Its name.
            layout: Which instruction.
            content: What stands in the memory.

        Raises:
            DataError: For a scenario that has no sentence.
        """
        if scenario not in self.scenarios:
            raise DataError(
                f"prompts.json: scenario {scenario!r:.50} is unknown; "
                "run `dragoman data pull bfcl` again"
            )
        parts = {"scenario_setting": self.scenarios[scenario], "memory_content": content}
        return filled(self.unified if layout == "unified" else self.core_archival, parts)


class _Prompts(msgspec.Struct, frozen=True):
    constants: AgenticTexts


def read_agentic_texts(content: bytes) -> AgenticTexts:
    """Read a pulled `prompts.json`.

    Raises:
        DataError: Where it does not hold the texts.
    """
    try:
        return msgspec.json.decode(content, type=_Prompts).constants
    except UNREADABLE as error:
        raise DataError(f"prompts.json: {error}; run `dragoman data pull bfcl` again") from error
