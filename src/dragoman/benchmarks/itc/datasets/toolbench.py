"""ToolBench and StableToolBench: gold names tools without arguments; only selection counts."""

from collections.abc import Iterator

import msgspec

from dragoman.benchmarks.itc.datasets.conversion import (
    Contents,
    Read,
    decode_json,
    document_of,
    parameter_of,
    task_of,
)
from dragoman.benchmarks.itc.task_sets import SetTask
from dragoman.core.apis.documents import ApiDocument, ApiParameter, Operation
from dragoman.core.apis.tasks import ApiCall

NO_ARGUMENTS = "gold names tools alone"

_EXAMPLES = tuple(f"toolbench/{name}_query.json" for name in ("G1", "G2", "G3"))
_STABLE = "stabletoolbench/G1_category.json"


class _Given(msgspec.Struct):
    name: str
    type: str = "STRING"
    description: str | None = ""
    default: object = None


class _Endpoint(msgspec.Struct):
    tool_name: str
    api_name: str
    category_name: str = ""
    api_description: str | None = ""
    required_parameters: list[_Given] = []
    optional_parameters: list[_Given] = []

    @property
    def name(self) -> str:
        """The name by which it is told from those of other tools."""
        return f"{self.tool_name}: {self.api_name}"


class _Asked(msgspec.Struct):
    query: str
    query_id: int | str
    api_list: list[_Endpoint]
    relevant: list[tuple[str, str]] = msgspec.field(name="relevant APIs")


def read_toolbench(read: Read) -> Contents:
    """Read the examples of its three groups."""
    return read_queries({name: read(name) for name in _EXAMPLES})


def read_stable_toolbench(read: Read) -> Contents:
    """Read the solvable queries of one group."""
    return read_queries({_STABLE: read(_STABLE)})


def read_queries(files: dict[str, bytes]) -> Contents:
    """Read files of queries, by their names."""
    documents: list[ApiDocument] = []
    tasks: list[SetTask] = []
    for file, content in files.items():
        group = file.rpartition("/")[2].removesuffix(".json").removesuffix("_query")
        for asked in decode_json(content, list[_Asked], file):
            document = document_of(f"{group}-{asked.query_id}", map(_operation, asked.api_list))
            documents.append(document)
            tasks.append(_task(document, asked))
    return documents, tasks


def _operation(endpoint: _Endpoint) -> Operation:
    return Operation(
        endpoint.name,
        "",
        (endpoint.api_description or "").strip(),
        category=endpoint.category_name,
        required_parameters=tuple(_parameters(endpoint.required_parameters)),
        optional_parameters=tuple(_parameters(endpoint.optional_parameters)),
    )


def _parameters(given: list[_Given]) -> Iterator[ApiParameter]:
    for each in given:
        about = {"type": each.type, "description": each.description, "default": each.default}
        yield parameter_of(each.name, about)


def _task(document: ApiDocument, asked: _Asked) -> SetTask:
    tools = [each.name for each in document.api_list]
    return task_of(
        document.id,
        asked.query,
        [ApiCall(f"{tool}: {api}") for tool, api in asked.relevant],
        offered=[f"{document.id}/{tool}" for tool in tools],
        tools=tools,
        no_arguments=NO_ARGUMENTS,
    )
