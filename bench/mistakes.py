"""Findings of single-text checks in released translations, and mistakes they detect.

`python -m bench.mistakes` reads the pulled data of tau2 and seataubench. The findings are those of
the checks on the release; equal texts are counted once. Mistakes are inserted into texts without
findings: from each domain and language at most a sample, which a fixed seed draws. The script
prints the figures of docs/how_to/translate.md.
"""

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping

import msgspec

from dragoman.composition.conditions.language_artifacts import lint_subjects
from dragoman.conditions.language.artifacts import SCHEMA_FILES
from dragoman.conditions.language.languages import find_language
from dragoman.conditions.language.lint.assets import LanguageAssets
from dragoman.config.environment import data_folder
from dragoman.curation.translation.discovery import domain_of
from dragoman.curation.translation.do_not_translate import data_of
from dragoman.curation.translation.glossary import glossary_of
from dragoman.curation.translation.placeholders import find_do_not_translate
from dragoman.curation.translation.qa_issues import MEANINGS, TranslationCriteria
from dragoman.curation.translation.quality import run_qa_checks
from dragoman.curation.translation.segments import Segment, TranslatableDomain
from dragoman.registry.suites import load_suite
from dragoman.scoring.language_detection import load_detector

LANGUAGES = ("vi", "th", "id", "tl", "zh")
LATIN = {"vi", "id", "tl"}
SAMPLE = 150
LENGTHS = range(16, 4_000)

Translations = dict[str, tuple[Segment, str]]
"""A segment and its translation, by the segment's source."""


class Released(msgspec.Struct, frozen=True):
    """A domain's released translations into a language, and the criteria they must meet."""

    domain: str
    language: str
    criteria: TranslationCriteria
    pairs: tuple[tuple[Segment, str], ...]

    @property
    def prose(self) -> Translations:
        return {
            segment.source: (segment, target)
            for segment, target in self.pairs
            if segment.mode == "text" and len(segment.source) in LENGTHS
        }


def main() -> None:
    detector = load_detector()
    domains: dict[str, tuple[TranslatableDomain, TranslationCriteria]] = {}
    released = []
    for subject in lint_subjects("seataubench", data_folder(), languages=LANGUAGES):
        if subject.domain not in domains:
            domain = domain_of(load_suite(f"tau2:{subject.domain}"), data_folder())
            do_not_translate = find_do_not_translate(data_of(domain.english, subject.domain))
            english = TranslationCriteria(
                find_language("en"), do_not_translate, glossary_of({}, subject.domain), detector
            )
            domains[subject.domain] = domain, english
        released.append(_released(subject, *domains[subject.domain]))
    _print_found(released)
    _print_noticed(released)


def _released(
    subject: LanguageAssets, domain: TranslatableDomain, english: TranslationCriteria
) -> Released:
    schemas = {SCHEMA_FILES[side]: schema for side, schema in subject.schemas.items()}
    glossary = glossary_of(schemas, f"{subject.domain}/{subject.language}")
    pairs: dict[tuple[str, str, str], tuple[Segment, str]] = {}
    for artifact in domain.artifacts:
        if artifact.name in subject.folder:
            texts = artifact.translations(subject.folder.read(artifact.name), artifact.name)
            for segment in artifact.segments:
                target = texts.get(segment.address)
                if target is not None:
                    key = segment.source, target, segment.context
                    pairs.setdefault(key, (segment, target))
    language = find_language(subject.language)
    criteria = msgspec.structs.replace(english, language=language, glossary=glossary)
    return Released(subject.domain, subject.language, criteria, tuple(pairs.values()))


def _print_found(released: list[Released]) -> None:
    found = Counter(
        (each.code, of.language)
        for of in released
        for segment, target in of.pairs
        for each in run_qa_checks(segment, target, of.criteria)
    )
    print(f"found in {sum(len(of.pairs) for of in released):,} texts")
    _print_row("", [*LANGUAGES])
    for code in MEANINGS:
        if any(found[code, language] for language in LANGUAGES):
            _print_row(code, [str(found[code, language] or "-") for language in LANGUAGES])


def _print_noticed(released: list[Released]) -> None:
    draw = random.Random(0)  # noqa: S311 - a sample, no secret
    beside = {(of.domain, of.language): of.prose for of in released}
    made: Counter[tuple[str, str]] = Counter()
    noticed: Counter[tuple[str, str]] = Counter()
    texts = 0
    for of in released:
        sound = [pair for pair in of.prose.values() if not run_qa_checks(*pair, of.criteria)]
        sample = draw.sample(sound, min(SAMPLE, len(sound)))
        texts += len(sample)
        for segment, target in sample:
            mistakes = {
                **_own(segment, target, of, draw),
                **_foreign(segment, of, beside, draw),
            }
            for name, wrong in mistakes.items():
                made[name, of.language] += 1
                noticed[name, of.language] += bool(run_qa_checks(segment, wrong, of.criteria))
    print(f"noticed of mistakes put into {texts:,} texts")
    _print_row("", [*LANGUAGES])
    for name in dict.fromkeys(name for name, _ in made):
        cells = [f"{noticed[name, code]}/{made[name, code]}" for code in LANGUAGES]
        total = [sum(each[name, code] for code in LANGUAGES) for each in (noticed, made)]
        _print_row(name, [*cells, f"   {total[0]:,} of {total[1]:,}"])


def _own(segment: Segment, target: str, of: Released, draw: random.Random) -> Mapping[str, str]:
    """Return mistakes that are made from the translation itself."""
    lines = target.rstrip("\n").split("\n")
    made = {"empty": "", "announced": f"Here is the translation: {target}"}
    made |= {"left in English": segment.source}
    if len(lines) > 2:
        made["last line dropped"] = "\n".join(lines[:-1])
    if len(target) > 60:
        made["cut to a third"] = target[: len(target) // 3]
    if ". " in segment.source:
        made["half in English"] = (
            f"{target[: len(target) // 2]} {segment.source[len(segment.source) // 2 :]}"
        )
    numbers: list[str] = re.findall(r"(?<![\w#.,-])\d+(?![\w.,-])", segment.source)
    if kept := [each for each in numbers if re.search(rf"(?<!\d){each}(?!\d)", target)]:
        number = draw.choice(kept)
        made["number changed"] = re.sub(rf"(?<!\d){number}(?!\d)", f"77{number}", target)
    return {**made, **dict(_of_ids(segment, target, of, draw))}


def _of_ids(
    segment: Segment, target: str, of: Released, draw: random.Random
) -> Iterator[tuple[str, str]]:
    spans = of.criteria.do_not_translate.spans(target, segment.component)
    ids = sorted({target[span.start : span.end] for span in spans if span.kind == "id"})
    if not ids:
        return
    chosen = draw.choice(ids)
    yield "id dropped", target.replace(chosen, "")
    digit = re.search(r"\d", chosen)
    if digit is not None:
        other = f"{chosen[: digit.start()]}{(int(digit.group()) + 1) % 10}{chosen[digit.end() :]}"
        yield "digit of an id changed", target.replace(chosen, other)
    alike = [each for each in ids if each != chosen and len(each) == len(chosen)]
    if alike:
        first, second = chosen, draw.choice(alike)
        swapped = target.replace(first, "\0").replace(second, first).replace("\0", second)
        yield "two ids exchanged", swapped


def _foreign(
    segment: Segment,
    of: Released,
    beside: Mapping[tuple[str, str], Translations],
    draw: random.Random,
) -> Mapping[str, str]:
    """Return mistakes that are made from other translations."""
    made = {}
    language = draw.choice([code for code in LANGUAGES if code != of.language])
    there = beside.get((of.domain, language), {}).get(segment.source)
    if there is not None:
        is_alike = {language, of.language} <= LATIN
        made["other language, same script" if is_alike else "other language"] = there[1]
    other, target = draw.choice([*beside[of.domain, of.language].values()])
    if other.source != segment.source:
        made["another text's"] = target
    return made


def _print_row(name: str, cells: list[str]) -> None:
    print(f"  {name:<28}" + "".join(f"{cell:>10}" for cell in cells))


if __name__ == "__main__":
    main()
