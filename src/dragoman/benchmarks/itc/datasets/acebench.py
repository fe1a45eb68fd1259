"""ACEBench in Chinese and English: questions and possible answers in two files, paired by id."""

import re
from collections.abc import Iterator, Mapping

from dragoman.benchmarks.itc.datasets.conversion import (
    Contents,
    Read,
    document_of,
    last_query,
    lines_of,
    operation_of,
    task_of,
    text_event,
)
from dragoman.benchmarks.itc.task_sets import SetTask
from dragoman.core.apis.documents import ApiDocument, Operation
from dragoman.core.apis.tasks import ApiCall
from dragoman.core.errors import DataError

_PARTS = ("normal_single_turn_single_function", "normal_similar_api")
_SPEAKER = re.compile(r"^(user|system):\s*", re.MULTILINE)


def read_english(read: Read) -> Contents:
    """Read the questions in English."""
    return _contents("en", read)


def read_chinese(read: Read) -> Contents:
    """Read the questions in Chinese."""
    return _contents("zh", read)


def _contents(language: str, read: Read) -> Contents:
    documents: list[ApiDocument] = []
    tasks: list[SetTask] = []
    for part in _PARTS:
        name = f"acebench/{language}_{part}"
        found = read_part(read(f"{name}.json"), read(f"{name}.answers.json"), name, language)
        documents += found[0]
        tasks += found[1]
    return documents, tasks


def read_part(content: bytes, answers: bytes, name: str, language: str) -> Contents:
    """Read a file of questions.

    Args:
        content: The questions.
        answers: Their answers, by the same ids.
        name: The name of the file in errors.
        language: The language of the questions.
    """
    documents: list[ApiDocument] = []
    tasks: list[SetTask] = []
    gold = {
        str(line["id"]): line.get("ground_truth")
        for line in lines_of(answers, f"{name}, its answers")
    }
    for line in lines_of(content, name):
        found = str(line["id"])
        if found not in gold:
            raise DataError(f"{name}: {found} has no possible answer: pull the set again")
        document = document_of(found, _functions(line))
        documents.append(document)
        tasks.append(_task(line, document, gold[found], language))
    return documents, tasks


def _functions(line: Mapping[str, object]) -> Iterator[Operation]:
    functions = line.get("function")
    for each in functions if isinstance(functions, list) else ():
        schema = each.get("parameters") or {}
        yield operation_of(
            str(each["name"]),
            each.get("description"),
            schema.get("properties"),
            schema.get("required") or (),
        )


def _task(
    line: Mapping[str, object], document: ApiDocument, gold: object, language: str
) -> SetTask:
    history, query = last_query(list(_turns(str(line.get("question") or ""))))
    tools = [each.name for each in document.api_list]
    return task_of(
        document.id,
        query,
        list(_calls(gold)),
        offered=[f"{document.id}/{tool}" for tool in tools],
        tools=tools,
        language=language,
        history=history,
        instructions=str(line.get("time") or ""),
    )


def _turns(question: str) -> Iterator:  # type: ignore[type-arg]
    parts = _SPEAKER.split(question)
    for speaker, text in zip(parts[1::2], parts[2::2], strict=True):
        yield text_event(speaker, text.strip())


def _calls(gold: object) -> Iterator[ApiCall]:
    for each in gold if isinstance(gold, list) else [gold]:
        if isinstance(each, dict):
            for name, given in each.items():
                yield ApiCall(str(name), dict(given) if isinstance(given, dict) else {})
