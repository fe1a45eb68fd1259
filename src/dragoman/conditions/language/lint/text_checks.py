"""Lint checks of prose: tool docstrings and messages, policies and tasks."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from dragoman.conditions.language.artifacts import (
    TASKS,
    TOOL_FILES,
    TOOL_RETURNS,
    translatable_fields,
)
from dragoman.conditions.language.database_names import dotted_path, find_differences
from dragoman.conditions.language.domain_surface import (
    annotation_types,
    argument_tree,
    build_value_sets,
    placeholder_values,
)
from dragoman.conditions.language.field_trees import FieldTree, tree_from_annotation
from dragoman.conditions.language.lint.assets import Found, LanguageAssets
from dragoman.conditions.language.text_invariants import (
    code_spans_of,
    find_reformatted_number,
    find_swapped_values,
    has_letters,
    headings_of,
    latin_share,
    lines_of,
    list_items_of,
    lost_identifiers,
    lost_numbers,
    quoted_in,
    without_code,
)
from dragoman.conditions.language.tool_docstrings import ToolText, parse_docstring, quoted_literals
from dragoman.conditions.language.tool_messages import (
    MessageTranslations,
    fill_template,
    pattern_of,
    placeholders,
)
from dragoman.conditions.language.value_sets import ValueSet, fold_spelling
from dragoman.conditions.language.view_checks import has_words
from dragoman.core.tools import Role, ToolSpec


def missing_tools(assets: LanguageAssets) -> Found:
    """Find tools without a text, and texts without a tool."""
    for side, toolset in assets.english.toolsets.items():
        names = set(toolset.by_name)
        for name in sorted(names ^ set(assets.docstrings.get(side, {}))):
            what = "has no text" if name in names else "is not a tool"
            yield assets.defect("tool-missing", TOOL_FILES[side], what, place=name)


def restructured_docstrings(assets: LanguageAssets) -> Found:
    """Find docstrings that describe other parameters than the tool has."""
    for side, tool, text in _docstring_texts(assets):
        described, expected = list(text.arguments), [*_descriptions(tool)]
        if described != [name for name in expected if name in described] or (
            described != expected and any(_descriptions(tool).values())
        ):
            what = f"describes {_join_names(described)} where the tool has {_join_names(expected)}"
            yield assets.defect("docstring-structure", TOOL_FILES[side], what, place=tool.name)


def corrupted_identifiers(assets: LanguageAssets) -> Found:
    """Find identifiers of English descriptions that the translation does not repeat."""
    for side, tool, text in _docstring_texts(assets):
        lost = lost_identifiers(_english(tool), text.everything)
        if lost:
            what = f"not repeated: {', '.join(lost)}"
            yield assets.defect(
                "identifier-lost", TOOL_FILES[side], what, place=tool.name, count=lost.total()
            )


def replaced_literals(assets: LanguageAssets) -> Found:
    """Find quoted literals of parameter descriptions that are not those of the English text."""
    for quotes in _quotes(assets):
        altered = [text for text in quotes.translated if text not in quotes.english]
        if altered:
            what = (
                f"{quotes.parameter}: {_join_names(quotes.english)} became {_join_names(altered)}"
            )
            yield assets.defect(
                "literal-replaced", quotes.path, what, place=quotes.tool, count=len(altered)
            )


def unrestricted_labels(assets: LanguageAssets) -> Found:
    """Find parameters for which labels are advertised though the schema takes any string."""
    for quotes in _quotes(assets):
        known = quotes.value_set
        if known is None or not known.is_open:
            continue
        labels = [text for text in quotes.translated if text not in known.canonicals]
        if any(fold_spelling(text) in known.spellings for text in labels):
            what = f"{quotes.parameter} is a plain string, the text asks for {_join_names(labels)}"
            yield assets.defect("plain-string-enum", quotes.path, what, place=quotes.tool)


def unaccepted_labels(assets: LanguageAssets) -> Found:
    """Find labels that a description advertises for a value set which does not take them."""
    for quotes in _quotes(assets):
        known = quotes.value_set
        if known is None or not all(text in known.canonicals for text in quotes.english):
            continue
        foreign = [text for text in quotes.translated if fold_spelling(text) not in known.spellings]
        if foreign:
            what = f"{quotes.parameter}: {_join_names(foreign)} is not a value of {known.name}"
            yield assets.defect(
                "label-outside-value-set",
                quotes.path,
                what,
                place=quotes.tool,
                count=len(foreign),
            )


def swapped_values(assets: LanguageAssets) -> Found:
    """Find texts that name a value of a field which the English text does not, in place of one."""
    fields = list(_fields(assets))
    for side, tool, text in _docstring_texts(assets):
        original, translation = fold_spelling(_english(tool)), fold_spelling(text.everything)
        for field in fields:
            swapped = find_swapped_values(field.labels, original, translation)
            if swapped is not None:
                more, less = _join_names(swapped.added), _join_names(swapped.fewer)
                what = f"names {more} and not {less} as the English text does"
                yield assets.defect("value-swapped", TOOL_FILES[side], what, place=tool.name)


class _Quotes(NamedTuple):
    """Quotes in the descriptions of a parameter, and the values that it takes."""

    path: str
    tool: str
    parameter: str
    english: tuple[str, ...]
    translated: tuple[str, ...]
    value_set: ValueSet | None


def _quotes(assets: LanguageAssets) -> Iterator[_Quotes]:
    declared = assets.english.declared
    for side, tool, text in _docstring_texts(assets):
        places = dict(argument_tree(tool, assets.value_sets, declared).places())
        for name, description in _descriptions(tool).items():
            yield _Quotes(
                TOOL_FILES[side],
                tool.name,
                name,
                quoted_literals(description),
                quoted_literals(text.arguments.get(name, "")),
                places.get((name,)),
            )


def _docstring_texts(assets: LanguageAssets) -> Iterator[tuple[Role, ToolSpec, ToolText]]:
    for side, toolset in assets.english.toolsets.items():
        docstrings = assets.docstrings.get(side, {})
        for tool in toolset:
            if tool.name in docstrings:
                yield side, tool, parse_docstring(docstrings[tool.name])


def _fields(assets: LanguageAssets) -> Iterator[ValueSet]:
    """Yield the value sets of databases, each once: fields of unions have those of all members."""
    declared = assets.english.declared
    types = annotation_types(assets.schemas, assets.value_sets, declared)
    seen: set[tuple[tuple[str, str], ...]] = set()
    for model in declared.databases.values():
        tree: FieldTree = tree_from_annotation(model, types, model)
        for _, field in tree.places():
            key = tuple(field.labels.items())
            if key not in seen and len(key) > 1:
                seen.add(key)
                yield field


def _descriptions(tool: ToolSpec) -> Mapping[str, str]:
    properties = tool.parameters.get("properties")
    if not isinstance(properties, Mapping):
        return {}
    return {
        name: str(schema.get("description", ""))
        for name, schema in properties.items()
        if isinstance(schema, Mapping)
    }


def _english(tool: ToolSpec) -> str:
    return "\n".join((tool.description, *_descriptions(tool).values()))


def _join_names(names: list[str] | tuple[str, ...]) -> str:
    return ", ".join(map(repr, names)) or "nothing"


def lost_placeholders(assets: LanguageAssets) -> Found:
    """Find messages whose translation has other placeholders."""
    for key, template in assets.tool_returns.templates.items():
        if placeholders(template.source) != placeholders(template.localized):
            what = f"{template.localized!r} has other placeholders than {template.source!r}"
            yield assets.defect("placeholder-lost", TOOL_RETURNS, what, place=f"templates.{key}")


def untranslated_messages(assets: LanguageAssets) -> Found:
    """Find messages that are as in English."""
    returns = assets.tool_returns
    for section, messages in (("exact", returns.exact), ("templates", returns.templates)):
        for key, message in messages.items():
            is_meant = message.source in assets.same_as_english
            if message.source == message.localized and not is_meant:
                place = f"{section}.{key}"
                yield assets.defect("untranslated-leaf", TOOL_RETURNS, "as in English", place=place)


def wrong_patterns(assets: LanguageAssets) -> Found:
    """Find patterns that are not those of their message; a foreign pattern is never tried."""
    for key, template in assets.tool_returns.templates.items():
        if template.pattern != pattern_of(template.source):
            what = f"{template.pattern!r} is not the pattern of its message"
            yield assets.defect("message-pattern", TOOL_RETURNS, what, place=f"templates.{key}")


def missing_messages(assets: LanguageAssets) -> Found:
    """Find what tools say in sentences and no message translates."""
    returns = assets.tool_returns
    translated = {each.source for each in returns.exact.values()}
    translated |= {each.source for each in returns.templates.values()}
    for text in assets.english.declared.messages.texts:
        if text not in translated:
            what = f"{text!r} is not translated"
            yield assets.defect("message-missing", TOOL_RETURNS, what)


def ambiguous_messages(assets: LanguageAssets) -> Found:
    """Find declared messages that, filled, cannot be read back: another has a text like theirs."""
    declared = assets.english.declared
    messages = MessageTranslations(
        assets.tool_returns, TOOL_RETURNS, placeholder_values(declared, assets.value_sets)
    )
    translated = {each.source for each in assets.tool_returns.templates.values()}
    texts = [text for text in declared.messages.texts if text in translated]
    around = [text for text in texts if placeholders(text) & declared.messages.nested]
    samples = _samples(assets)
    for text in texts:
        if text in around:
            continue
        filled = _fill_samples(text, samples)
        outer = (
            _fill_samples(other, dict.fromkeys(placeholders(other), filled)) for other in around
        )
        if None in map(messages.label, (filled, *outer)):
            what = f"{filled!r} cannot be told from another message in the language"
            yield assets.defect("message-ambiguous", TOOL_RETURNS, what)


def _samples(assets: LanguageAssets) -> dict[str, str]:
    """Return something that each placeholder may hold, where what it holds is known."""
    spoken, sets = assets.english.declared.messages, assets.value_sets
    values = {name: [*sets[key].labels] for name, key in spoken.values.items() if key in sets}
    return {name: known[0] for name, known in {**values, **spoken.words}.items() if known}


def _fill_samples(text: str, samples: Mapping[str, str]) -> str:
    return fill_template(text, {name: samples.get(name, name) for name in placeholders(text)})


_PARTS: tuple[tuple[str, Callable[[str], list[str]]], ...] = (
    ("heading-lost", headings_of),
    ("list-item-lost", list_items_of),
    ("code-span-lost", code_spans_of),
)
_QUOTES = "\"'\u201c\u201d\u300c\u300d"
_ARGUMENT = re.compile(r'=\s*"([^"]+)"')
_HAN_SPACE = re.compile(r"(?<=[\u3400-\u9fff]) (?=[\u3400-\u9fff])")


def lost_parts(assets: LanguageAssets) -> Found:
    """Find texts with fewer headings, list items or code spans than the English ones."""
    for name, (original, translation) in assets.policies.items():
        for code, parts_of in _PARTS:
            had, has = len(parts_of(original)), len(parts_of(translation))
            if has < had:
                what = f"{had} in English, {has} in the translation"
                yield assets.defect(code, name, what, count=had - has)


def lost_numbers_of_policies(assets: LanguageAssets) -> Found:
    """Find numbers of English policies that the translation does not have."""
    for name, (original, translation) in assets.policies.items():
        follows = assets.english.declared.numbers_follow_language
        for number in dict.fromkeys(lost_numbers(original, translation)):
            if not (follows and find_reformatted_number(number, translation)):
                yield assets.defect("number-lost", name, f"{number} is not repeated")


def unaccepted_values(assets: LanguageAssets) -> Found:
    """Find code spans that quote a value of no value set where the English text quotes one.

    Translations are compared line by line with the English line that names the same functions.
    """
    value_sets = build_value_sets(
        assets.schemas,
        assets.english.declared,
        "",
        f"{assets.domain}/{assets.language}",
    )
    for name, (original, translation) in assets.policies.items():
        wrong: Counter[tuple[str, str]] = Counter()
        for pair in _pairs(original, translation):
            for value, shown in zip(
                _literals(pair.english), _literals(pair.translated), strict=False
            ):
                known = _owner(value, value_sets)
                if known is not None and fold_spelling(shown) not in known.spellings:
                    wrong[value, shown] += 1
        for (value, shown), count in wrong.items():
            what = f"{shown!r} stands for {value!r} and belongs to no value set"
            yield assets.defect("label-outside-value-set", name, what, count=count)


def translated_arguments(assets: LanguageAssets) -> Found:
    """Find prose that translates a quoted argument that calls next to it give in English."""
    for name, (original, translation) in assets.policies.items():
        for pair in _pairs(original, translation):
            arguments = {
                text for span in code_spans_of(pair.english) for text in _ARGUMENT.findall(span)
            }
            quoted = quoted_in(without_code(pair.english))
            shown = quoted_in(without_code(pair.translated))
            for value in quoted:
                if value in arguments and value not in shown:
                    what = f"{value!r} is quoted translated; calls need it as it is"
                    yield assets.defect("argument-translated", name, what)


def spaces_between_han(assets: LanguageAssets) -> Found:
    """Find spaces between Chinese characters, which Chinese does not write."""
    for name in assets.folder.names:
        if name.endswith((".md", ".json", ".toml")):
            count = len(_HAN_SPACE.findall(assets.folder.text(name)))
            if count:
                what = "spaces between Chinese characters"
                yield assets.defect("space-between-han", name, what, count=count)


class _Pair(NamedTuple):
    english: str
    translated: str


def _pairs(original: str, translation: str) -> Iterator[_Pair]:
    """Pair lines that hold code: those whose calls are the same, in order."""
    waiting: dict[tuple[str, ...], list[str]] = {}
    for line in lines_of(translation):
        waiting.setdefault(_calls(line), []).append(line)
    for line in lines_of(original):
        lines = waiting.get(_calls(line))
        if _calls(line) and lines:
            yield _Pair(line, lines.pop(0))


def _calls(line: str) -> tuple[str, ...]:
    """Return the code spans of a line that are calls."""
    return tuple(span for span in code_spans_of(line) if "(" in span)


def _literals(line: str) -> list[str]:
    """Return the literals that code spans of a line consist of, without their quotes."""
    return [span.strip(_QUOTES) for span in code_spans_of(line) if "(" not in span]


def _owner(value: str, value_sets: dict[str, ValueSet]) -> ValueSet | None:
    owners = (each for each in value_sets.values() if value in each.labels)
    return next(owners, None)


_KEYWORDS = (
    ("scenario", "facts", "*", "keywords"),
    ("scenario", "deeds", "*", "keywords"),
)
"""Lists of a language's own words: neither their number nor their order is that of English."""
_FACT = ("scenario", "facts", "*", "value")
_MOSTLY = 0.7


class _Text(NamedTuple):
    place: str
    original: str
    translation: str


def changed_leaves(assets: LanguageAssets) -> Found:
    """Find task fields that must stay as in English and do not, and tasks that are absent."""
    for original, translation in assets.tasks or ():
        name = str(original.get("id"))
        if not translation:
            what = "the task is not in the translation"
            yield assets.defect("fixed-leaf-changed", TASKS, what, place=name)
            continue
        for difference in find_differences(original, translation):
            if not _may_differ(_pattern(difference.path), structure=difference.structure):
                place = f"{name}.{dotted_path(difference.path)}"
                yield assets.defect("fixed-leaf-changed", TASKS, "not as in English", place=place)


def untranslated_texts(assets: LanguageAssets) -> Found:
    """Find texts of tasks that are as in English."""
    for text in _task_texts(assets):
        is_meant = text.original in assets.same_as_english
        if text.original == text.translation and not is_meant:
            yield assets.defect("untranslated-leaf", TASKS, "as in English", place=text.place)


def lost_identifiers_of_tasks(assets: LanguageAssets) -> Found:
    """Find identifiers of English tasks that the translation does not repeat."""
    for text in _task_texts(assets):
        for name in lost_identifiers(text.original, text.translation):
            if name not in text.translation and not _is_named(name, assets):
                what = f"{name} is not repeated"
                yield assets.defect("identifier-lost", TASKS, what, place=text.place)


def lost_numbers_of_tasks(assets: LanguageAssets) -> Found:
    """Find numbers of English tasks that the translation writes otherwise, or not at all."""
    for text in _task_texts(assets):
        for number in lost_numbers(text.original, text.translation):
            other = find_reformatted_number(number, text.translation)
            if other and assets.english.declared.numbers_follow_language:
                continue
            what = f"{number} is written {other}" if other else f"{number} is not repeated"
            yield assets.defect("number-lost", TASKS, what, place=text.place)


def varying_texts(assets: LanguageAssets) -> Found:
    """Find English texts that have different translations."""
    translations: dict[str, dict[str, str]] = {}
    for text in _task_texts(assets):
        translations.setdefault(text.original, {}).setdefault(text.translation, text.place)
    for original, found in translations.items():
        if len(found) > 1:
            what = f"{original[:60]!r} has {len(found)} translations"
            place = next(iter(found.values()))
            yield assets.defect("one-text-two-translations", TASKS, what, place=place)


def latin_texts(assets: LanguageAssets) -> Found:
    """Find known facts that are mostly Latin letters in a language of another script."""
    texts = list(_task_texts(assets))
    whole = latin_share("".join(text.translation for text in texts))
    if whole is None or whole > _MOSTLY:
        return
    for text in texts:
        share = latin_share(text.translation)
        if text.place.endswith("known_info") and share is not None and share > _MOSTLY:
            what = f"{share:.0%} of the letters are Latin"
            yield assets.defect("text-mostly-latin", TASKS, what, place=text.place)


def _task_texts(assets: LanguageAssets) -> Iterator[_Text]:
    """Yield the texts of tasks that are to be translated: those that have letters.

    Keywords are not compared one by one, and facts are where they have words.
    """
    for original, translation in assets.tasks or ():
        for path in translatable_fields().tasks:
            if path[:-1] in _KEYWORDS:
                continue
            is_reported = has_words if path == _FACT else has_letters
            for place, text, other in _along(original, translation, path, ()):
                if is_reported(text):
                    yield _Text(f"{original.get('id')}.{dotted_path(place)}", text, other)


def _along(
    original: object, translation: object, path: tuple[str, ...], done: tuple[str | int, ...]
) -> Iterator[tuple[tuple[str | int, ...], str, str]]:
    if not path:
        if isinstance(original, str) and isinstance(translation, str):
            yield done, original, translation
    elif path[0] == "*":
        if isinstance(original, list) and isinstance(translation, list):
            for at, (old, new) in enumerate(zip(original, translation, strict=False)):
                yield from _along(old, new, path[1:], (*done, at))
    elif isinstance(original, dict) and isinstance(translation, dict):
        name = path[0]
        yield from _along(original.get(name), translation.get(name), path[1:], (*done, name))


def _may_differ(pattern: tuple[str, ...], *, structure: bool) -> bool:
    if pattern in _KEYWORDS or pattern[:-1] in _KEYWORDS:
        return True
    return not structure and pattern in translatable_fields().tasks


def _is_named(text: str, assets: LanguageAssets) -> bool:
    """Return whether a text is a name of the database, which translations have otherwise."""
    return any(text in names.labels for names in assets.names.values())


def _pattern(path: tuple[str | int, ...]) -> tuple[str, ...]:
    return tuple("*" if isinstance(step, int) else step for step in path)
