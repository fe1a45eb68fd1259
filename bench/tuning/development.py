"""`python -m bench.tuning.development local/FOLDER ROWS`: how a model answers made questions that it never saw.

For choosing sizes and steps, so that nothing is chosen on what is measured.
"""

import asyncio
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from dragoman.core.apis.written.answers import WrittenAnswer, read_answer
from dragoman.core.protocols import ChatRequest
from dragoman.core.speech import Said
from dragoman.core.tools import NO_TOOLS
from dragoman.core.training.rows import TrainingRow
from dragoman.finetuning.row_files import read_rows
from dragoman.wiring.chat_models import named_chat_model
from dragoman.wiring.connections import Connections


async def answered(name: str, rows: Sequence[TrainingRow]) -> list[str]:
    connections = Connections()
    model, _ = named_chat_model(name, connections)
    made = await asyncio.gather(
        *(
            model.complete(ChatRequest(row.messages[:-1], NO_TOOLS, 0, row.id), "agent")
            for row in rows
        )
    )
    await connections.close()
    return [each.reply.text if isinstance(each.reply, Said) else "" for each in made]


def main() -> None:
    name, file = sys.argv[1:]
    rows = read_rows([Path(file)])
    texts = asyncio.run(answered(name, rows))
    pairs = [
        (read_answer(text), read_answer(str(row.messages[-1]["content"])))
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


def tools(answer: WrittenAnswer) -> list[str] | None:
    return None if answer.calls is None else sorted(call.tool for call in answer.calls)


if __name__ == "__main__":
    main()
