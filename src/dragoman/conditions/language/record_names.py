"""Names of database records in a language, found by the record's id and the place in it."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from dragoman.conditions.language.database_names import Path, TranslatedName, decode_database
from dragoman.conditions.language.surface import DomainSurface
from dragoman.core.language.declarations import RecordKind
from dragoman.core.tools import Role

_NAME = re.compile(r"\w+")


class RecordNames:
    """The names that records of one side's database have in a language."""

    def __init__(self, surface: DomainSurface, side: Role) -> None:
        """Sort a database's translated names by record.

        Raises:
            DataError: Where the database is damaged.
        """
        declared = surface.declared
        self._kinds, self._unions = declared.records, declared.unions
        self._by_record: dict[tuple[str, str], list[tuple[Path, TranslatedName]]] = {}
        names = surface.names.get(side)
        if names is None or not names.by_path:
            return
        in_lists = any(isinstance(key, int) for _, key, *_ in names.by_path)
        ids = _ids_of_lists(surface, side, self._kinds.values()) if in_lists else {}
        for (collection, key, *rest), name in names.by_path.items():
            record = ids.get((str(collection), key), key)
            place = self._by_record.setdefault((str(collection), str(record)), [])
            place.append((tuple(rest), name))

    def __bool__(self) -> bool:
        return bool(self._by_record)

    def kinds_in(self, annotation: str) -> tuple[RecordKind, ...]:
        """Return the kinds of records that an annotation of a result names."""
        named = {*_NAME.findall(annotation)}
        named |= {model for union in named & self._unions.keys() for model in self._unions[union]}
        return tuple(kind for model, kind in self._kinds.items() if model in named)

    def put_in(self, value: object, kinds: Iterable[RecordKind]) -> None:
        """Give the records of a result their names, in place; a name that was changed stays."""
        records: list[object] = value if isinstance(value, list) else [value]
        for record in records:
            for kind in kinds if isinstance(record, dict) else ():
                self._put_in_one(record, kind)

    def named_keys(self, value: object, collection: str) -> object:
        """Return a map of names to ids with its names in the language, in their order.

        A name that two records would share stays English, for the map could not hold both.
        """
        if not isinstance(value, dict):
            return value
        names = {key: self._own_name(collection, record) or key for key, record in value.items()}
        uses = Counter(names.values())
        shown = {
            key if uses[name] > 1 or name in names else name: value[key]
            for key, name in names.items()
        }
        return dict(sorted(shown.items()))

    def _put_in_one(self, record: object, kind: RecordKind) -> None:
        key = _part(record, kind.id)
        for path, name in self._by_record.get((kind.collection, str(key)), ()):
            holder = record
            for step in path[:-1]:
                holder = _part(holder, step)
            if isinstance(holder, dict) and holder.get(path[-1]) == name.english:
                holder[path[-1]] = name.localized

    def _own_name(self, collection: str, record: object) -> str | None:
        for path, name in self._by_record.get((collection, str(record)), ()):
            if path == ("name",):
                return name.localized
        return None


def _part(value: object, step: str | int) -> object:
    if isinstance(value, dict):
        return value.get(step)
    if isinstance(value, list) and isinstance(step, int) and step < len(value):
        return value[step]
    return None


def _ids_of_lists(
    surface: DomainSurface, side: Role, kinds: Iterable[RecordKind]
) -> Mapping[tuple[str, str | int], str]:
    """Return the ids of records that a database keeps in lists, by list and position."""
    database = decode_database(
        surface.databases[side], f"{surface.domain}/{surface.language}: database of the {side}"
    )
    return {
        (kind.collection, at): str(record[kind.id])
        for kind in kinds
        if isinstance(records := database.get(kind.collection), list)
        for at, record in enumerate(records)
    }
