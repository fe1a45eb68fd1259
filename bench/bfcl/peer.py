"""The published BFCL package at the same work: `PYTHON bfcl_peer.py CASES`.

The script runs in an interpreter that has the package, and imports nothing of ours. For each line
on standard input that names a measure, it does that work once and prints the CPU seconds.
"""

import gc
import json
import sys
import time
from types import SimpleNamespace
from typing import Any

from bfcl_eval.constants.enums import Language, ReturnFormat  # type: ignore[import-not-found]
from bfcl_eval.constants.model_config import MODEL_CONFIG_MAPPING  # type: ignore[import-not-found]
from bfcl_eval.eval_checker.ast_eval.ast_checker import (  # type: ignore[import-not-found]
    ast_checker,
)
from bfcl_eval.model_handler.api_inference.openai_completion import (  # type: ignore[import-not-found]
    OpenAICompletionsHandler,
)
from bfcl_eval.model_handler.utils import (  # type: ignore[import-not-found]
    default_decode_ast_prompting,
)


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:  # noqa: PTH123 - Path has no line reading either
        cases = json.load(file)
    gc.collect()
    gc.freeze()
    print("ready", flush=True)
    for line in sys.stdin:
        measure = line.strip()
        start = time.process_time()
        valid = check(cases[measure]) if measure == "checks" else decode(measure, cases[measure])
        print("took", time.process_time() - start, valid, flush=True)


def check(cases: list[Any]) -> int:
    """Check the calls of every reply; return how many replies pass."""
    models = {
        shown: next(
            name for name, of in MODEL_CONFIG_MAPPING.items() if of.underscore_to_dot == shown
        )
        for shown in (False, True)
    }
    languages = {language.value: language for language in Language}
    valid = 0
    for documents, calls, answers, language, category, underscored in cases:
        verdict = ast_checker(
            documents, calls, answers, languages[language], category, models[underscored]
        )
        valid += verdict["valid"]
    return valid


def decode(form: str, replies: list[object]) -> int:
    """Decode every reply; return how many can be decoded."""
    handler = SimpleNamespace(is_fc_model=True)
    decoded = 0
    for reply in replies:
        try:
            if form == "items":
                OpenAICompletionsHandler.decode_ast(handler, reply, ReturnFormat.PYTHON, False)
            else:
                default_decode_ast_prompting(reply, ReturnFormat(form))
            decoded += 1
        except Exception:  # noqa: BLE001, S112 - any exception means that it cannot be decoded
            continue
    return decoded


if __name__ == "__main__":
    main()
