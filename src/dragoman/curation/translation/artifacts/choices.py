"""The values that functions take, as value sets: one for all lists of a parameter that go together."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from dragoman.conditions.language.artifacts import Schema, ValueSetText, ValueText
from dragoman.conditions.language.value_sets import fold_spelling
from dragoman.core.language.question_texts import LineText

_List = tuple[str, tuple[str, ...]]


class Choices(NamedTuple):
    """Value sets, and which list of which parameter belongs to which."""

    schema: Schema
    keys: Mapping[_List, str]

    def key(self, text: LineText) -> str | None:
        """Return the value set of a choice; None where it stays as it is."""
        return self.keys.get((text.parameter, text.listed))


def choices_of(texts: Iterable[LineText], source: str) -> Choices:
    """Return the value sets of functions, `FUNCTION.PARAMETER`, from the choices among texts.

    Functions of one name may list other values: what goes together is one set, what does not is
    another, `FUNCTION.PARAMETER~2`. Where values of one list differ in no more than spelling (`AA`,
    `Aa`) no label could tell them apart: they are codes and stay.
    """
    groups: dict[str, list[dict[str, None]]] = {}
    keys: dict[_List, str] = {}
    for each in texts:
        listed = (each.parameter, each.listed)
        if each.use != "choice" or listed in keys or not _are_distinct(each.listed):
            continue
        of_parameter = groups.setdefault(each.parameter, [])
        at = next(
            (at for at, group in enumerate(of_parameter) if _are_distinct({*group, *each.listed})),
            len(of_parameter),
        )
        if at == len(of_parameter):
            of_parameter.append({})
        of_parameter[at].update(dict.fromkeys(each.listed))
        keys[listed] = _key(each.parameter, at)
    value_sets = {
        _key(parameter, at): ValueSetText(
            "literal", tuple(ValueText(text, text) for text in group), *parameter.rsplit(".", 1)
        )
        for parameter, of_parameter in groups.items()
        for at, group in enumerate(of_parameter)
    }
    return Choices(Schema("schema", source, {}, value_sets), keys)


def _are_distinct(values: Iterable[str]) -> bool:
    spellings = [fold_spelling(value) for value in dict.fromkeys(values)]
    return all(spellings) and len(set(spellings)) == len(spellings)


def _key(parameter: str, at: int) -> str:
    return f"{parameter}~{at + 1}" if at else parameter
