"""Names of databases as value sets: all are there, and tasks say them as tools take them."""

import re
from collections.abc import Iterator

from dragoman.conditions.language.artifacts import SCHEMA_FILES, TASKS
from dragoman.conditions.language.coverage import has_words
from dragoman.conditions.language.database_names import decode_database
from dragoman.conditions.language.field_trees import FieldTree, mapped, tree_of_annotation
from dragoman.conditions.language.lint.assets import Found, LanguageAssets, Task
from dragoman.conditions.language.surface import types_of
from dragoman.conditions.language.value_maps import ValueSet

_PARTS = ("reason_for_call", "known_info", "unknown_info", "task_instructions")


def missing_names(assets: LanguageAssets) -> Found:
    """Find texts of databases that their value set does not have."""
    declared, sets = assets.english.declared, assets.names
    for key in sorted(declared.names - sets.keys()):
        yield assets.defect("name-missing", SCHEMA_FILES["agent"], f"there is no value set {key}")
    types = types_of(assets.schemas, sets, declared)
    for side, file in assets.english.databases.items() if sets else ():
        if side not in declared.databases or file not in assets.english.files:
            continue
        database = decode_database(assets.english.files[file], f"{assets.domain}: {file}")
        tree = tree_of_annotation(declared.databases[side], types, file)
        for name, text in _missing(database, tree):
            what = f"{text!r} of the database is no value of it"
            yield assets.defect("name-missing", SCHEMA_FILES[side], what, place=name)


def changed_facts(assets: LanguageAssets) -> Found:
    """Find facts that are names and not said as the database has them in the language."""
    for original, translation in assets.tasks or ():
        for fact, told in zip(_facts(original), _facts(translation), strict=False):
            labels = [
                names.labels[value]
                for names in _given_names(assets)
                if (value := str(fact.get("value"))) in names.labels
            ]
            if labels and told.get("value") not in labels:
                what = f"{told.get('value')!r} is not {' or '.join(map(repr, labels))}"
                place = f"{original.get('id')}.{fact.get('name')}"
                yield assets.defect("name-lost", TASKS, what, place=place)


def untold_facts(assets: LanguageAssets) -> Found:
    """Find facts whose value does not stand in the instructions, or that nothing asks for."""
    for original, translation in assets.tasks or ():
        script = "\n".join(_texts(translation).values())
        for fact in _facts(translation):
            place = f"{original.get('id')}.{fact.get('name')}"
            if str(fact.get("value")) not in script:
                what = f"{fact.get('value')!r} does not stand in the instructions"
                yield assets.defect("fact-untold", TASKS, what, place=place)
            if not fact.get("keywords"):
                yield assets.defect("fact-untold", TASKS, "has no keywords", place=place)


def lost_names(assets: LanguageAssets) -> Found:
    """Find names in English instructions that the translation does not say as tools take them."""
    labels: dict[str, set[str]] = {}
    for names in _given_names(assets):
        for value, label in names.labels.items():
            # A small letter begins what is an ordinary word as well.
            if value[:1].isupper() or "@" in value:
                labels.setdefault(value, set()).add(label)
    if not labels:
        return
    longest_first = sorted(labels, key=len, reverse=True)
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")
    for original, translation in assets.tasks or ():
        told = _texts(translation)
        for part, text in _texts(original).items():
            for name in dict.fromkeys(pattern.findall(text)):
                if not any(label in told.get(part, "") for label in labels[name]):
                    what = f"{name!r} is not said as {' or '.join(sorted(labels[name]))}"
                    place = f"{original.get('id')}.{part}"
                    yield assets.defect("name-lost", TASKS, what, place=place)


def _missing(database: object, tree: FieldTree) -> list[tuple[str, str]]:
    """Return the texts at the places of a tree that are no value, with the name of their set."""
    found: dict[tuple[str, str], None] = {}

    def look(values: ValueSet, text: str) -> str:
        if has_words(text) and text not in values.labels:
            found[values.name, text] = None
        return text

    mapped(database, tree, look)
    return list(found)


def _given_names(assets: LanguageAssets) -> Iterator[ValueSet]:
    """Yield the names that tools take as arguments, so that their spelling matters."""
    taken = {key for by in assets.english.declared.arguments.values() for key in by.values()}
    yield from (names for key, names in assets.names.items() if key in taken)


def _scenario(task: Task) -> dict[str, object]:
    scenario = task.get("scenario")
    return scenario if isinstance(scenario, dict) else {}


def _facts(task: Task) -> list[dict[str, object]]:
    facts = _scenario(task).get("facts")
    return facts if isinstance(facts, list) else []


def _texts(task: Task) -> dict[str, str]:
    """Return the opening and the parts of a task's instructions."""
    scenario = _scenario(task)
    script = scenario.get("instructions")
    parts = {part: script.get(part) for part in _PARTS} if isinstance(script, dict) else {}
    texts = {"opening": scenario.get("opening"), "instructions": script, **parts}
    return {name: text for name, text in texts.items() if isinstance(text, str)}
