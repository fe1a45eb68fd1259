"""What is to be known of a translation as a whole: values with two labels, checks that were not made."""

from collections.abc import Iterator

from dragoman.conditions.language.languages import Language
from dragoman.curation.translation.glossary import Glossary
from dragoman.scoring.language_detection import Detector


def notes_on(language: Language, glossary: Glossary, detector: Detector | None) -> Iterator[str]:
    """Yield what is to be known of the translations into a language, each in one line."""
    for conflict in glossary.conflicts:
        yield f"{conflict}: where a text does not name the field, the value stays"
    if detector is None and language.script == "LATIN":
        yield (
            f"texts in a language that is not {language.name} may have passed: "
            "pip install 'dragoman[language]' tells them"
        )
