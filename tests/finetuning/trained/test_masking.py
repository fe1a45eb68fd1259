"""Labels are the assistant's turns with their ends, token by token, by three templates."""

from collections.abc import Sequence
from typing import Any

import pytest

pytest.importorskip("tokenizers", reason="needs dragoman[train]")
pytest.importorskip("transformers", reason="needs dragoman[train]")

from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from dragoman.core.errors import UsageError
from dragoman.core.training_examples import TrainingExample
from dragoman.finetuning.loss_masking import IGNORED, labelled_rows, require_template

pytestmark = pytest.mark.train

# One word is one token, so the learnt words can be read off.
WORDS = "<pad> <end> <sys> <user> <bot> <tool> <call> hi yes weather Oslo rain it rains probe_of_a_function"

ENDS = {"eos_token": "<end>", "pad_token": "<pad>"}

PLAIN = (
    "{% for m in messages %}{% if m.role == 'assistant' %}<bot> {% generation %}{{ m.content }} <end> "
    "{% endgeneration %}{% else %}<user> {{ m.content }} {% endif %}{% endfor %}"
)
WITH_TOOLS = (
    "{% if tools %}<sys> {% for t in tools %}{{ t.function.name }} {% endfor %}{% endif %}"
    "{% for m in messages %}{% if m.role == 'assistant' %}<bot> {% generation %}{{ m.content }} "
    "{% for c in m.tool_calls or [] %}<call> {{ c.function.name }} {{ c.function.arguments.city }} "
    "{% endfor %}<end> {% endgeneration %}"
    "{% elif m.role == 'tool' %}<tool> {{ m.content }} {% else %}<user> {{ m.content }} {% endif %}"
    "{% endfor %}"
)
END_BEFORE_THE_NEXT = (
    "{% for m in messages %}<{{ 'bot' if m.role == 'assistant' else 'user' }}> "
    "{% if m.role == 'assistant' %}{% generation %}{{ m.content }} <end> {% endgeneration %}"
    "{% else %}{{ m.content }} <end> {% endif %}{% endfor %}"
)
TALK: tuple[dict[str, object], ...] = (
    {"role": "user", "content": "hi"},
    {"role": "assistant", "content": "yes hi"},
    {"role": "user", "content": "weather Oslo"},
    {"role": "assistant", "content": "it rains"},
)
CALLING: tuple[dict[str, object], ...] = (
    {"role": "user", "content": "rain Oslo"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "1", "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "1", "content": "rain"},
    {"role": "assistant", "content": "it rains"},
)
WEATHER: dict[str, object] = {"type": "function", "function": {"name": "weather"}}


def tokenizer(template: str | None) -> Any:  # noqa: ANN401 - no types
    vocabulary = {word: number for number, word in enumerate(WORDS.split())}
    raw = Tokenizer(models.WordLevel(vocabulary, unk_token=ENDS["pad_token"]))
    raw.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    made = PreTrainedTokenizerFast(tokenizer_object=raw, **ENDS)
    made.chat_template = template
    return made


def shown(made: Any, ids: Sequence[int]) -> str:  # noqa: ANN401 - no types
    return " ".join("." if i == IGNORED else str(made.convert_ids_to_tokens(i)) for i in ids)


@pytest.mark.parametrize(
    ("template", "row", "text", "learnt"),
    [
        (
            PLAIN,
            TrainingExample("r", TALK),
            "<user> hi <bot> yes hi <end> <user> weather Oslo <bot> it rains <end>",
            ". . . yes hi <end> . . . . it rains <end>",
        ),
        (
            WITH_TOOLS,
            TrainingExample("r", CALLING, (WEATHER,)),
            "<sys> weather <user> rain Oslo <bot> <call> weather Oslo <end> <tool> rain <bot> it rains <end>",
            ". . . . . . <call> weather Oslo <end> . . . it rains <end>",
        ),
        (
            END_BEFORE_THE_NEXT,
            TrainingExample("r", TALK),
            "<user> hi <end> <bot> yes hi <end> <user> weather Oslo <end> <bot> it rains <end>",
            ". . . . yes hi <end> . . . . . it rains <end>",
        ),
    ],
)
def test_what_is_learnt_is_what_the_assistant_writes_and_its_end(
    template: str, row: TrainingExample, text: str, learnt: str
) -> None:
    made = tokenizer(template)

    (found,), unused = labelled_rows([row], made, 100)

    assert unused == []
    assert shown(made, found.ids) == text
    assert shown(made, found.labels) == learnt


def test_a_row_that_would_lose_its_end_is_refused_by_its_length() -> None:
    found, unused = labelled_rows([TrainingExample("long", TALK)], tokenizer(PLAIN), 12)

    assert found == []
    assert [(each.row, each.why) for each in unused] == [("long", "13 tokens, and 12 are allowed")]


@pytest.mark.parametrize(
    ("template", "said"),
    [
        (None, "no chat template"),
        (PLAIN, "shows no functions"),
        (
            WITH_TOOLS.replace("{% generation %}", "").replace("{% endgeneration %}", ""),
            "generation",
        ),
        (WITH_TOOLS.replace("<end> {% endgeneration %}", "{% endgeneration %}<end> "), "outside"),
    ],
)
def test_a_template_that_teaches_nothing_is_refused(template: str | None, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        require_template(tokenizer(template), with_tools=True)


def test_a_template_without_functions_will_do_where_rows_offer_none() -> None:
    require_template(tokenizer(PLAIN), with_tools=False)
    require_template(tokenizer(WITH_TOOLS), with_tools=True)
