import msgspec
import pytest

from dragoman.composition.external_access import PLAYING, SCORING, external_access
from dragoman.config.run_config import RunConfig
from dragoman.core.conditions import condition_of


@pytest.mark.parametrize(
    ("agent", "reached"),
    [
        ("gold", ()),
        ("openai/gpt-4.1-mini?temperature=0", ()),
        ("vllm/llama3:8b", ()),
        ("scripted/plan.json", ()),
        ("mine:agent", ("runs code, mine:agent",)),
        ("mine:agent?calls=python", ("runs code, mine:agent?calls=python",)),
        ("mine?x:agent", ("runs code, mine?x:agent",)),
        ("http://host:8000/agent", ("asks http://host:8000/agent",)),
        ("https://host/agent", ("asks https://host/agent",)),
        (
            "openai/gpt-4.1-mini?base_url=https%3A%2F%2Fhost%2Fv1&key_env=AWS_SECRET_ACCESS_KEY",
            ("asks openai/gpt-4.1-mini at https://host/v1 with the key in AWS_SECRET_ACCESS_KEY",),
        ),
        ("openai/gpt-4.1-mini?key_env=MINE", ("sends openai/gpt-4.1-mini the key in MINE",)),
        (
            "openai/m?extra.stop=a,b&base%5Furl=http://h/v1&key_env=MINE",
            ("asks openai/m at http://h/v1 with the key in MINE",),
        ),
        (
            "azure/mine?base_url=https://h",
            ("asks azure/mine at https://h with the key in AZURE_API_KEY",),
        ),
        ("azure/mine", ()),
        ("compatible/m?calls=json&base_url=http://h/v1", ("asks compatible/m at http://h/v1",)),
    ],
)
def test_code_addresses_and_keys_are_reached_and_nothing_that_ships(
    agent: str, reached: tuple[str, ...]
) -> None:
    assert external_access(RunConfig("sample:shop", (agent,))) == reached


def test_every_name_of_a_list_is_looked_at() -> None:
    config = RunConfig(
        "sample:shop",
        ("gold", "a:b"),
        user="c:d",
        judge="vllm/m?base_url=http://j/v1",
        user_judge="vllm/m?base_url=http://u/v1",
        embeddings="vllm/m?base_url=http://e/v1",
        search="http://s/search",
        clarify=("none", "rule", "spoken+vllm/m?base_url=http://c/v1"),
        asr=("deepgram/nova-3,openai/whisper-1?base_url=http://r/v1",),
        speakers=("piper/voice.onnx",),
    )
    assert external_access(config) == (
        "runs code, a:b",
        "runs code, c:d",
        "asks vllm/m at http://j/v1",
        "asks vllm/m at http://u/v1",
        "asks vllm/m at http://e/v1",
        "asks http://s/search",
        "asks deepgram/nova-3,openai/whisper-1 at http://r/v1",
        "asks openai/whisper-1 at http://r/v1",
        "loads piper/voice.onnx",
        "asks spoken+vllm/m at http://c/v1",
    )


def test_a_backend_that_is_not_here_is_reached() -> None:
    assert external_access(RunConfig("sample:shop", ("gold",), backend="cluster")) == (
        "plays conversations on cluster",
    )


def test_what_conditions_name_is_reached() -> None:
    spoken = {"voice": "simulated:15", "recognizer": "openai/w?base_url=http://r/v1"}
    conditions = [condition_of(spoken), condition_of({"voice": "studio", "persona": "hurried"})]
    reached = external_access(RunConfig("sample:shop", ("gold",)), conditions=conditions)
    assert reached == ("asks openai/w at http://r/v1",)


def test_every_name_in_a_configuration_is_looked_at_or_known_to_reach_nothing() -> None:
    of_data = {"suite", "rules", "tasks", "max_cost", "prices", "languages", "scenarios", "assets"}
    of_data |= {"personas", "rates", "batches", "shard", "transcript"}
    named = {
        field.name
        for field in msgspec.structs.fields(RunConfig)
        if isinstance(field.default, str)
        or field.default_factory is not msgspec.NODEFAULT
        or field.required
        or (isinstance(field.default, tuple) and field.name not in {"places", "partition_seeds"})
    }
    assert named == {*PLAYING, *of_data, "voices"}


def test_scoring_reaches_judges_alone() -> None:
    config = RunConfig("sample:shop", ("a:b",), judge="vllm/m?base_url=http://j/v1")
    assert external_access(config, SCORING) == ("asks vllm/m at http://j/v1",)
