"""Writes generated training rows over the APIs of the bundled world.

Usage: `python -m bench.tuning OUT [--rows N] [--english N] [--seed N] [--held-out]`. The agent of a
row gets the same instructions as agents of `itc:world` under `calls=thought-action`.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import msgspec
from bench.tuning.questions import Asker, Question

from dragoman.benchmarks.itc.suite import ApiSuite
from dragoman.benchmarks.itc.task_sets import CallSet, SetTask
from dragoman.benchmarks.itc.world.bundled_set import load_bundled_set
from dragoman.core.apis.documents import operations
from dragoman.core.apis.itc_answers import format_itc_answer
from dragoman.core.apis.tasks import ApiTask
from dragoman.core.rules import DEFAULT_RULES
from dragoman.core.training_examples import ExampleOrigin, TrainingExample


def rows_of(questions: list[Question], name: str) -> Iterator[TrainingExample]:
    """Yield training rows: a run's system message, a question, and its answer as text."""
    from dragoman.benchmarks.itc.world.api_data import apis

    environment = load_bundled_set()
    own = {each.name: key for doc in environment.documents for key, each in operations(doc)}
    ids = {api.id: own[api.name] for api in apis().values()}
    tasks = [
        SetTask(
            ApiTask(
                f"{name}-{number}",
                each.text,
                each.language,
                "none",
                tuple(ids[offered] for offered in each.offered),
            )
        )
        for number, each in enumerate(questions)
    ]
    suite = ApiSuite(
        CallSet(
            name,
            environment.documents,
            tuple(tasks),
            environment.provenance,
            instructions=environment.instructions,
        )
    )
    protocol = suite.text_protocol({"calls": "thought-action"}, DEFAULT_RULES)
    for task, each in zip(suite.tasks, questions, strict=True):
        environment_of_task = suite.factory(DEFAULT_RULES)(task)
        offer = protocol.offer(task, suite.tools(task))
        system = f"{offer}\n\n{suite.policy(task, environment_of_task)}"
        yield TrainingExample(
            task.id,
            (
                {"role": "system", "content": system},
                {"role": "user", "content": each.text},
                {"role": "assistant", "content": format_itc_answer(each.thought, each.calls)},
            ),
            origin=ExampleOrigin(
                name,
                task.id,
                tuple(dict.fromkeys(call.tool for call in each.calls)),
                each.language,
                "Apache-2.0",
                "bench.tuning",
            ),
        )


def asked(asker: Asker, count: int) -> list[Question]:
    """Return questions; of questions with equal texts, the last one."""
    return list({each.text: each for each in (asker.question() for _ in range(count))}.values())


def asked_by_language(asker: Asker, english: int, others: int) -> tuple[list[Question], ...]:
    """Return the given numbers of English and of other questions.

    Questions that are drawn beyond these numbers are discarded.
    """
    found: tuple[list[Question], list[Question]] = ([], [])
    wanted, seen = (english, others), set()
    while any(len(part) < count for part, count in zip(found, wanted, strict=True)):
        question = asker.question()
        at = int(question.language != "en")
        if question.text not in seen and len(found[at]) < wanted[at]:
            found[at].append(question)
        seen.add(question.text)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.tuning")
    parser.add_argument("out", type=Path)
    parser.add_argument("--rows", type=int, default=8000)
    parser.add_argument("--english", type=int, help="so many of them English [as they fall]")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--held-out", action="store_true")
    given = parser.parse_args()
    asker = Asker(given.seed, held_out=given.held_out)
    if given.english is None:
        parts = {f"made-{given.seed}": asked(asker, given.rows)}
    else:
        if not 0 <= given.english <= given.rows:
            parser.error(f"--english {given.english}: there are {given.rows} rows")
        own, others = asked_by_language(asker, given.english, given.rows - given.english)
        parts = {"made-en": own, "made-others": others}
    rows = [row for name, questions in parts.items() for row in rows_of(questions, name)]
    given.out.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
    print(f"{given.out}: {len(rows)} rows")


if __name__ == "__main__":
    main()
