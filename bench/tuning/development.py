"""Quality of a model's answers to generated questions that it never saw.

Usage: `python -m bench.tuning.development local/FOLDER ROWS`. It serves the choice of sizes and
steps, so that no choice depends on the data of the final measurement.
"""

import asyncio
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from dragoman.core.apis.itc_answers import ParsedItcAnswer, parse_itc_answer
from dragoman.core.protocols import ChatRequest
from dragoman.core.replies import TextReply
from dragoman.core.tools import NO_TOOLS
from dragoman.core.training_examples import TrainingExample
from dragoman.finetuning.preparation import read_rows
from dragoman.registry.chat_models import resolve_chat_model
from dragoman.registry.model_clients import ModelClients


async def answered(name: str, rows: Sequence[TrainingExample]) -> list[str]:
    connections = ModelClients()
    model, _ = resolve_chat_model(name, connections)
    made = await asyncio.gather(
        *(
            model.complete(ChatRequest(row.messages[:-1], NO_TOOLS, 0, row.id), "agent")
            for row in rows
        )
    )
    await connections.close()
    return [each.reply.text if isinstance(each.reply, TextReply) else "" for each in made]


def main() -> None:
    name, file = sys.argv[1:]
    rows = read_rows([Path(file)])
    texts = asyncio.run(answered(name, rows))
    pairs = [
        (parse_itc_answer(text), parse_itc_answer(str(row.messages[-1]["content"])))
        for text, row in zip(texts, rows, strict=True)
    ]
    print(
        f"{len(rows)} questions: in form {share(got.is_strict for got, _ in pairs)}, right tools "
        f"{share(tools(got) == tools(want) for got, want in pairs)}, exact "
        f"{share(got.calls == want.calls for got, want in pairs)}"
    )


def share(hits: Iterable[bool]) -> str:
    found = list(hits)
    return f"{sum(found) / len(found):.1%}"


def tools(answer: ParsedItcAnswer) -> list[str] | None:
    return None if answer.calls is None else sorted(call.tool for call in answer.calls)


if __name__ == "__main__":
    main()
