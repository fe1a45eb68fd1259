"""Documents that a project keeps in pieces and joins by program, without references."""

from collections.abc import Mapping, Sequence

from dragoman.curation.apis.collecting.values import mapping


def is_head(document: Mapping[str, object]) -> bool:
    """Whether a document says what an API is and leaves its operations to fragments beside it."""
    return "info" in document and not mapping(document.get("paths"))


def is_part(document: Mapping[str, object]) -> bool:
    """Whether a file holds nothing but schemas and the like, for the fragments beside it."""
    return "components" in document and document.keys() <= {"components", "tags"}


def joined(
    head: Mapping[str, object], fragments: Sequence[Mapping[str, object]]
) -> dict[str, object]:
    """Return one document: a head with the paths and the components of fragments; first come, first kept."""
    paths: dict[str, object] = {}
    parts: dict[str, dict[str, object]] = {}
    for each in (head, *fragments):
        for path, item in mapping(each.get("paths")).items():
            paths[path] = {**mapping(item), **mapping(paths.get(path))}
        for kind, named in mapping(each.get("components")).items():
            parts[kind] = {**mapping(named), **parts.get(kind, {})}
    return {**head, "paths": paths, "components": parts}
