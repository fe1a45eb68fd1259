"""The cost that a curation step prints."""

import shutil
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

from dragoman.models.chat.scripted import ScriptedReply
from dragoman.testing.scripted_answers import Rule, RuleAnswers
from dragoman.testing.server import ModelServer

Cli = Callable[..., CompletedProcess[str]]

LIBRARY = Path(__file__).parents[3] / "docs" / "examples" / "library.yaml"
ANSWERS = RuleAnswers([Rule(ScriptedReply('{"queries": ["Find a book."]}'))])


def test_a_model_of_price_0_has_a_known_cost(dragoman: Cli, folder: Path) -> None:
    """A server of one's own is free; without a price its cost is unknown."""
    shutil.copy(LIBRARY, folder)
    collect = ("curate", "collect", "queries", "library.yaml", "--country", "Portugal")
    assert dragoman(*collect).returncode == 0
    with ModelServer(ANSWERS) as server:
        model = f"compatible/free?base_url={server.url}"
        generate = ("curate", "generate", "queries", "--count", "1", "--model")
        unpriced = dragoman(*generate, model)
        priced = dragoman(*generate, f"{model}&price=0")

    words = [" ".join(done.stdout.split()) for done in (unpriced, priced)]
    assert " tokens in, " in words[0], unpriced.stderr
    assert words[0].count(" out, unknown") == 1
    assert " out, 0.00 USD" in words[1]
    assert " out, unknown" not in words[1]
