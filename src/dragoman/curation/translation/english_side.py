"""The English side of a translated folder, kept beside it: what was translated can be compared with it."""

from pathlib import Path

from dragoman.conditions.language.artifacts import ENGLISH, decode_artifact, encode_artifact
from dragoman.core.errors import DataError
from dragoman.core.language.translated_domains import SOURCE_HASHES
from dragoman.core.texts.decoding import TranslatedErrors
from dragoman.curation.translation.segments import TranslatableDomain
from dragoman.store.safe_files import atomic_write


def write_english(out: Path, domain: TranslatableDomain) -> None:
    """Write a domain's English files to `DOMAIN/en`, and the hashes of its sources beside the domains.

    Raises:
        DataError: Where they cannot be written, or the hashes that are there are damaged.
    """
    folder = out / domain.domain / ENGLISH
    listed = out / SOURCE_HASHES
    with TranslatedErrors(DataError, f"{out}: the English files cannot be written"):
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in domain.english.files.items():
            _replace(folder / name, content)
        known: dict[str, object] = {}
        if listed.exists():
            known = decode_artifact(listed.read_bytes(), dict[str, object], str(listed))
        for artifact in domain.artifacts:
            known |= {source.path: source.sha256 for source in artifact.sources}
        _replace(listed, encode_artifact(dict(sorted(known.items()))))


def _replace(path: Path, content: bytes) -> None:
    """Write a file whole or not at all; one that is as it should be stays."""
    if path.exists() and path.read_bytes() == content:
        return
    atomic_write(path, (content,))
