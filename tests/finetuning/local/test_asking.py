"""A model in a folder is an agent like any other; its batch changes no answer."""

import asyncio
import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs dragoman[train]")
pytest.importorskip("peft", reason="needs dragoman[train]")

from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer

from dragoman.core.errors import RunHalted, UsageError
from dragoman.core.protocols import ChatRequest, Completion
from dragoman.core.replies import UnparsedReply
from dragoman.core.tools import Toolset, ToolSpec
from dragoman.core.training_examples import TrainingExample
from dragoman.finetuning.tiny_model import TinyForm, write_tiny
from dragoman.finetuning.torch_helpers import silence_libraries
from dragoman.registry.chat_models import resolve_chat_model
from dragoman.registry.model_clients import ModelClients
from dragoman.registry.participants import resolve_agent, resolve_user

pytestmark = pytest.mark.train

WEATHER = Toolset((ToolSpec("weather", "Tells the weather.", {"type": "object"}),))


def row(number: int) -> TrainingExample:
    call = {"name": "weather", "arguments": json.dumps({"city": "Oslo", "day": number})}
    said: dict[str, object] = {"role": "user", "content": f"Weather in Oslo, day {number}?"}
    calls: dict[str, object] = {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "1", "function": call}],
    }
    return TrainingExample(f"r{number}", (said, calls))


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "base"
    write_tiny([row(number) for number in range(24)], folder, TinyForm("xs", 400, context=400))
    return folder


@pytest.fixture(scope="module")
def adapter(base: Path) -> Path:
    silence_libraries()
    model = AutoModelForCausalLM.from_pretrained(base)
    made = get_peft_model(
        model, LoraConfig(r=4, target_modules="all-linear", init_lora_weights=False)
    )
    made.save_pretrained(base.parent / "adapter")
    return base.parent / "adapter"


def answers(name: str, tools: Toolset = WEATHER, words: int = 1) -> list[Completion]:
    async def asked() -> list[Completion]:
        connections = ModelClients()
        model, _ = resolve_chat_model(name, connections)
        requests = (
            ChatRequest(
                [{"role": "user", "content": f"Weather, day {n}? " * (words + n % 4)}],
                tools,
                n,
                f"t{n}",
            )
            for n in range(10)
        )
        made = await asyncio.gather(*(model.complete(each, "agent") for each in requests))
        await connections.close()
        return made

    return asyncio.run(asked())


def bodies(name: str) -> list[bytes]:
    return [bytes(each.raw) for each in answers(name)]


@pytest.mark.parametrize("drawn", ["", "&temperature=1&top_p=0.9"])
def test_who_shares_a_batch_changes_no_answer(base: Path, drawn: str) -> None:
    name = f"local/{base}?max_tokens=40{drawn}"

    together = bodies(f"{name}&batch=16")

    assert together == bodies(f"{name}&batch=1") == bodies(f"{name}&batch=3")
    assert len(set(together)) > 1


def test_an_adapter_changes_answers_and_their_key(base: Path, adapter: Path) -> None:
    plain, adapted = f"local/{base}?max_tokens=20", f"local/{base}?adapter={adapter}&max_tokens=20"

    assert bodies(plain) != bodies(adapted)
    keys = {
        resolve_chat_model(name, None)[1] for name in (plain, adapted, f"{plain}&temperature=1")
    }
    assert len(keys) == 3


def test_tokens_and_seconds_are_counted_and_an_answer_ends_where_it_may(base: Path) -> None:
    first = answers(f"local/{base}?max_tokens=7")[0]

    assert first.usage.output_tokens == 7
    assert first.usage.input_tokens is not None
    assert first.usage.input_tokens > 10
    assert first.usage.seconds > 0
    assert b'"finish_reason":"length"' in bytes(first.raw)


def test_a_conversation_that_has_outgrown_the_context_is_no_fault(base: Path) -> None:
    first = answers(f"local/{base}", words=200)[0]

    assert isinstance(first.reply, UnparsedReply)
    assert "longer than the model's context" in first.reply.error
    assert first.usage.faults == {"context": 1}


def test_agent_user_and_judge_may_be_local(base: Path) -> None:
    name = f"local/{base}"
    agent = resolve_agent(name)

    assert agent.name == name
    assert resolve_user(name, agent.participant).name == name
    assert agent.identity != resolve_agent(f"{name}?max_tokens=9").identity


def test_weights_of_another_seed_are_another_model(base: Path, tmp_path: Path) -> None:
    write_tiny([row(number) for number in range(24)], tmp_path / "b", TinyForm("xs", 400, seed=1))

    one, other = (resolve_chat_model(f"local/{each}", None)[1] for each in (base, tmp_path / "b"))

    assert one != other


def test_a_template_of_another_form_says_what_to_do(base: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for file in base.iterdir():
        (other / file.name).write_bytes(file.read_bytes())
    template = (base / "chat_template.jinja").read_text()
    (other / "chat_template.jinja").write_text(template.replace("<tool_call>", "<|call|>"))

    with pytest.raises(RunHalted, match="in a form that is not known here"):
        answers(f"local/{other}")
    assert len(answers(f"local/{other}?max_tokens=3", Toolset(()))) == 10


def test_what_cannot_be_asked_is_refused_when_it_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such model"):
        resolve_agent(f"local/{tmp_path / 'none'}")
    with pytest.raises(UsageError, match="unknown parameter"):
        resolve_agent("local/base?size=9")


def test_a_tokenizer_with_passages_gives_prompts_back_in_few_tokens(tmp_path: Path) -> None:
    policy = "Answer with calls of functions and with nothing else, ever. " * 4
    rows = [
        TrainingExample(
            f"s{n}", ({"role": "system", "content": f"{policy.strip()}\nNow."}, *row(n).messages)
        )
        for n in range(24)
    ]
    write_tiny(rows, tmp_path / "base", TinyForm("xs", 400, passages=True))

    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "base")
    said = str(rows[0].messages[0]["content"])
    ids = tokenizer(said)["input_ids"]

    assert tokenizer.decode(ids) == said
    assert len(ids) < 6
