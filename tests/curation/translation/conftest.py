"""A small domain of tools, a database, a policy and tasks, and a language's folder of it."""

import hashlib
import json
from collections.abc import Callable

import pytest

from dragoman.conditions.language.artifacts import SourceHash
from dragoman.conditions.language.lint.assets import EnglishAssets
from dragoman.curation.translation.artifacts.databases import database_artifact
from dragoman.curation.translation.artifacts.documents import document_artifact
from dragoman.curation.translation.artifacts.file import SourcedFile
from dragoman.curation.translation.artifacts.tasks import tasks_artifact
from dragoman.curation.translation.artifacts.tools import tools_artifact
from dragoman.curation.translation.manifest import MadeBy
from dragoman.curation.translation.segments import TranslatableDomain

DATABASE = {
    "books": {
        "B1": {"name": "The Lantern", "copies": 2},
        "B2": {"name": "Tides", "copies": 1},
        "B3": {"name": "The Lantern", "copies": 0},
    }
}
TASKS = [{"id": "a", "ticket": "Lend a book."}, {"id": "b", "ticket": "Return it."}]
DOCSTRINGS = {"lend": "Lend a book.\n\nArgs:\n    number: The number."}

Library = Callable[..., TranslatableDomain]


@pytest.fixture
def library() -> Library:
    """What can be translated of a small library, with other files where they are given."""

    def of(
        *,
        policy: str = "# Rules\n",
        database: object = DATABASE,
        tasks: object = TASKS,
    ) -> TranslatableDomain:
        files = {
            "db.json": json.dumps(database).encode(),
            "policy.md": policy.encode(),
            "tasks.json": json.dumps(tasks).encode(),
        }

        def file(name: str) -> SourcedFile:
            digest = hashlib.sha256(files[name]).hexdigest()
            return SourcedFile(name, "library", (SourceHash(f"library/{name}", digest),))

        return TranslatableDomain(
            "library",
            (
                tools_artifact(SourcedFile("tools.json", "library", ()), DOCSTRINGS),
                database_artifact(file("db.json"), files["db.json"], frozenset({"name"})),
                document_artifact(file("policy.md"), files["policy.md"]),
                tasks_artifact(file("tasks.json"), files["tasks.json"]),
            ),
            EnglishAssets(files, {}, {}),
        )

    return of


@pytest.fixture
def made() -> MadeBy:
    """How all translations of these tests were made."""
    return MadeBy("some/model", "Thai", "2030-01-02T03:04:05+00:00", "translate-1")


@pytest.fixture
def translated() -> Callable[[TranslatableDomain], dict[str, str]]:
    """Returns a translation of everything: the same in other letters."""
    return lambda domain: {each.address: f"ก {each.source.upper()}" for each in domain.segments}
