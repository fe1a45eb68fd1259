"""Linter: all checks, run over the folder of one domain and language."""

from collections.abc import Callable, Iterator

from dragoman.conditions.language.lint import artifact_checks, text_checks
from dragoman.conditions.language.lint.assets import Defect, Found, LanguageAssets
from dragoman.core.errors import DataError

Check = Callable[[LanguageAssets], Found]
"""Yields the defects of one class; raises DataError where a file cannot be read."""

CHECKS: tuple[Check, ...] = (
    artifact_checks.missing_files,
    artifact_checks.stray_files,
    artifact_checks.stale_files,
    artifact_checks.unknown_sources,
    artifact_checks.hand_patches,
    artifact_checks.language_names,
    artifact_checks.lost_lines,
    artifact_checks.untranslated_labels,
    artifact_checks.colliding_labels,
    artifact_checks.varying_labels,
    artifact_checks.ambiguous_sets,
    artifact_checks.differing_schemas,
    text_checks.missing_tools,
    text_checks.restructured_docstrings,
    text_checks.corrupted_identifiers,
    text_checks.replaced_literals,
    text_checks.unrestricted_labels,
    text_checks.unaccepted_labels,
    text_checks.swapped_values,
    text_checks.lost_placeholders,
    text_checks.untranslated_messages,
    text_checks.wrong_patterns,
    text_checks.missing_messages,
    text_checks.ambiguous_messages,
    text_checks.changed_leaves,
    text_checks.untranslated_texts,
    text_checks.lost_identifiers_of_tasks,
    text_checks.lost_numbers_of_tasks,
    text_checks.varying_texts,
    text_checks.latin_texts,
    artifact_checks.missing_names,
    artifact_checks.changed_facts,
    artifact_checks.lost_names,
    artifact_checks.unstated_facts,
    artifact_checks.changed_values,
    artifact_checks.untranslated_names,
    artifact_checks.varying_names,
    artifact_checks.merged_names,
    artifact_checks.differing_item_names,
    text_checks.lost_parts,
    text_checks.lost_numbers_of_policies,
    text_checks.unaccepted_values,
    text_checks.translated_arguments,
    text_checks.spaces_between_han,
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
