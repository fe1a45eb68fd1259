"""Cuts a model's reply where its chat template ends a turn, for servers that do not stop there.

A server whose stop tokens are not those of the model hands the mark on as text, and often what the model
wrote behind it: the next turns of a conversation that it made up. The reply ends at the mark.
"""

import re

_ENDS = (
    r"<\|(?:im_end|eot_id|eom_id|end|endoftext|end_of_text|return|end_of_turn|END_OF_TURN_TOKEN)\|>"
    r"|</s>|<eos>|<end_of_turn>|<[|\uff5c]end\u2581of\u2581sentence[|\uff5c]>"
)
_BEGINS = r"<\|(?:im_start|start_header_id|user|assistant|start)\|>|<start_of_turn>|<s>|\[INST\]"
_AT_END = re.compile(rf"(?:\s*(?:{_ENDS}))+\s*$")
_INSIDE = re.compile(rf"(?:{_ENDS})\s*(?:{_BEGINS})")
_CHANNEL = "<|channel|>"
"""Begins a part of a reply in Harmony's form, in which turns do not end the reply."""


def without_end_marks(words: str) -> str:
    """Return the words before the mark that ends a turn; without one they are as they came."""
    if not (("<" in words or "[" in words) and _CHANNEL not in words):
        return words
    inside = _INSIDE.search(words)
    if inside is not None:
        return words[: inside.start()].rstrip()
    at_end = _AT_END.search(words[-_MOST_MARKS:])
    return words if at_end is None else words[: len(words) - len(at_end.group())]


_MOST_MARKS = 400
"""Characters at the end in which marks are looked for: some replies end with several."""
