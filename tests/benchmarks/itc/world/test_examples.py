"""Examples in API documents can be called, and no task asks for their values."""

import msgspec
import pytest

from dragoman.benchmarks.itc.world.api_data import ApiRow, apis
from dragoman.benchmarks.itc.world.bundled_set import load_bundled_apis

APIS = list(apis().values())
BY_NAME = {api.name: api for api in APIS}


def is_answered(api: ApiRow, arguments: dict[str, object]) -> bool:
    answer = load_bundled_apis().apis.call(api.name, arguments)
    content = msgspec.json.decode(answer.body)
    fields = list(content.values()) if isinstance(content, dict) else [content]
    return answer.status == 200 and not any(field in ([], {}, None) for field in fields)


@pytest.mark.parametrize("api", APIS, ids=lambda api: api.id)
def test_an_api_answers_its_own_examples(api: ApiRow) -> None:
    examples: dict[str, object] = {
        each.name: each.example for each in api.parameter if each.example is not None
    }
    required = {each.name for each in api.parameter if each.required} | set(api.one_of[:1])
    assert required <= set(examples)
    assert is_answered(api, {name: examples[name] for name in required})
    assert is_answered(api, examples)


def test_no_example_is_what_a_task_asks_for() -> None:
    for task in load_bundled_apis().tasks:
        for call in task.gold:
            for parameter in BY_NAME[call.tool].parameter:
                value = call.arguments.get(parameter.name)
                if isinstance(value, str) and not parameter.choices:
                    assert value != parameter.example, (task.id, parameter.name)
