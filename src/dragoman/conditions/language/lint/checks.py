"""All checks, and what runs them over a folder."""

from collections.abc import Callable, Iterator

from dragoman.conditions.language.lint import (
    files,
    labels,
    messages,
    names,
    policies,
    tasks,
    told_names,
    tools,
)
from dragoman.conditions.language.lint.assets import Found, LanguageAssets
from dragoman.conditions.language.lint.defects import Defect
from dragoman.core.errors import DataError

Check = Callable[[LanguageAssets], Found]
"""Yields the defects of one class; raises DataError where a file cannot be read."""

CHECKS: tuple[Check, ...] = (
    files.missing_files,
    files.stray_files,
    files.stale_files,
    files.unknown_sources,
    files.hand_patches,
    files.language_names,
    files.lost_lines,
    labels.untranslated_labels,
    labels.colliding_labels,
    labels.varying_labels,
    labels.ambiguous_sets,
    labels.differing_schemas,
    tools.missing_tools,
    tools.restructured_docstrings,
    tools.corrupted_identifiers,
    tools.replaced_literals,
    tools.unrestricted_labels,
    tools.unaccepted_labels,
    tools.swapped_values,
    messages.lost_placeholders,
    messages.untranslated_messages,
    messages.wrong_patterns,
    messages.missing_messages,
    messages.ambiguous_messages,
    tasks.changed_leaves,
    tasks.untranslated_texts,
    tasks.lost_identifiers_of_tasks,
    tasks.lost_numbers_of_tasks,
    tasks.varying_texts,
    tasks.latin_texts,
    told_names.missing_names,
    told_names.changed_facts,
    told_names.lost_names,
    told_names.untold_facts,
    names.changed_values,
    names.untranslated_names,
    names.varying_names,
    names.merged_names,
    names.differing_item_names,
    policies.lost_parts,
    policies.lost_numbers_of_policies,
    policies.unaccepted_values,
    policies.translated_arguments,
    policies.spaces_between_han,
)


def lint(assets: LanguageAssets) -> tuple[Defect, ...]:
    """Return the defects of a language's artifacts of a domain.

    A file that cannot be read is a defect too, told once however many checks need it.
    """
    found: dict[Defect, None] = {}
    for check in CHECKS:
        found.update(dict.fromkeys(_run(check, assets)))
    return tuple(found)


def _run(check: Check, assets: LanguageAssets) -> Iterator[Defect]:
    try:
        yield from check(assets)
    except DataError as error:
        yield assets.defect("unreadable", "", str(error))
