"""The labelled conversations as result files of tau2-bench.

Written conversations are read, and others are played. `python -m tests.experiments.labelled.files`
writes the files again.
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec
from tests.experiments.labelled.playing import Part, Played, played
from tests.experiments.labelled.written import written

from dragoman.benchmarks.tau2.messages import encode_messages
from dragoman.benchmarks.tau2.tasks import encode_task

FOLDER = Path(__file__).parent
DOMAINS = ("courier", "retail")


def every_file() -> Iterator[tuple[str, bytes]]:
    """Yield all files by name, a line for each conversation."""
    for domain in DOMAINS:
        yield f"{domain}_played.json", _encoded(played_file(domain))
        conversations = written(domain, FOLDER / f"written_{domain}.toml")
        yield f"{domain}_written.json", _encoded(result_file(domain, conversations))


def _encoded(file: Mapping[str, object]) -> bytes:
    fields = ",\n".join(f"{_json(name)}: {_lines(value)}" for name, value in file.items())
    return f"{{{fields}}}\n".encode()


def _lines(value: object) -> str:
    if isinstance(value, list):
        return "[\n" + ",\n".join(map(_json, value)) + "\n]"
    return _json(value)


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def played_file(domain: str) -> dict[str, object]:
    """Play what `played.toml` lists of a domain and return it as a file."""
    parts = msgspec.convert(
        tomllib.loads((FOLDER / "played.toml").read_text("utf-8")), dict[str, list[Part]]
    )
    return result_file(domain, played(domain, parts[domain]))


def result_file(domain: str, conversations: Iterable[Played]) -> dict[str, object]:
    """Return conversations as a result file, with labels in the messages."""
    every = list(conversations)
    tasks = {each.task.id: encode_task(each.task) for each in every}
    return {
        "info": {
            "git_commit": "",
            "user_info": {"implementation": "scripted", "llm": None},
            "agent_info": {"implementation": "planted", "llm": None},
            "environment_info": {"domain_name": domain},
        },
        "tasks": list(tasks.values()),
        "simulations": [_simulation(each, number) for number, each in enumerate(every)],
    }


def _simulation(each: Played, number: int) -> Mapping[str, object]:
    messages = encode_messages(each.episode.events)
    for place, labels in each.labels.items():
        messages[place]["labels"] = labels
    return {
        "id": each.id,
        "task_id": each.task.id,
        "trial": number,
        "termination_reason": each.episode.ending.reason,
        "language": each.language,
        "labels": {},
        "messages": [_short(message) for message in messages],
    }


def _short(message: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in message.items() if value is not None}


if __name__ == "__main__":
    for name, content in every_file():
        (FOLDER / name).write_bytes(content)
