"""Files that are there, and what the manifest says of them."""

import hashlib

from dragoman.conditions.language.artifacts import MANIFEST, Translation
from dragoman.conditions.language.lint.assets import Found, LanguageAssets
from dragoman.conditions.language.text_rules.markdown import lines_of


def missing_files(assets: LanguageAssets) -> Found:
    """Find files that the manifest names and that are not there."""
    if assets.manifest is None:
        yield assets.defect("missing-file", MANIFEST, "no manifest: sources are not recorded")
        return
    for name in assets.manifest.assets:
        if name not in assets.folder:
            yield assets.defect("missing-file", name, "named by the manifest and absent")


def stray_files(assets: LanguageAssets) -> Found:
    """Find files that the manifest does not name."""
    if assets.manifest is None:
        return
    for name in assets.folder.names:
        if name not in assets.manifest.assets and name != MANIFEST:
            yield assets.defect("stray-file", name, "not named by the manifest")


def hand_patches(assets: LanguageAssets) -> Found:
    """Find files that were edited after they were translated."""
    for name, entry in _entries(assets).items():
        if entry.manual_patch_at is not None:
            yield assets.defect("hand-patched", name, f"patched at {entry.manual_patch_at}")
        elif name in assets.folder and entry.output_sha256 not in {None, _hash(assets, name)}:
            yield assets.defect("hand-patched", name, "not as it was written")


def stale_files(assets: LanguageAssets) -> Found:
    """Find files whose source changed; where the text shows it, by content too."""
    for name, entry in _entries(assets).items():
        changed = [
            source.path
            for source in entry.source_files
            if assets.english.hashes.get(source.path, source.sha256) != source.sha256
        ]
        if not changed:
            continue
        lost = _lines_lost(assets, name)
        yield assets.defect("stale-by-hash", name, f"{', '.join(changed)} has another hash now")
        if lost > 0:
            what = f"the source has {lost} more lines than the translation"
            yield assets.defect("stale-by-content", name, what)


def lost_lines(assets: LanguageAssets) -> Found:
    """Find texts with fewer lines than a source that did not change."""
    stale = {defect.path for defect in stale_files(assets)}
    for name in assets.policies:
        lost = _lines_lost(assets, name)
        if name not in stale and lost > 0:
            what = "lines of the source are not in the translation"
            yield assets.defect("line-lost", name, what, count=lost)


def unknown_sources(assets: LanguageAssets) -> Found:
    """Find files whose sources are not at hand, so that nothing can be said of staleness."""
    for name, entry in _entries(assets).items():
        for source in entry.source_files:
            if source.path not in assets.english.hashes:
                yield assets.defect("source-unknown", name, f"{source.path} is not at hand")


def language_names(assets: LanguageAssets) -> Found:
    """Find files that were translated into a language of another name than the registry's."""
    if assets.language_name is None:
        return
    for name, entry in _entries(assets).items():
        target = entry.target_language
        if target not in {None, assets.language_name}:
            what = f"the manifest says {target}, the registry {assets.language_name}"
            yield assets.defect("language-name", name, what)


def _entries(assets: LanguageAssets) -> dict[str, Translation]:
    return {} if assets.manifest is None else assets.manifest.assets


def _lines_lost(assets: LanguageAssets, name: str) -> int:
    """Return how many lines a Markdown file has less than its source; 0 for other files."""
    if name not in assets.policies:
        return 0
    original, translation = assets.policies[name]
    return len(lines_of(original)) - len(lines_of(translation))


def _hash(assets: LanguageAssets, name: str) -> str:
    return hashlib.sha256(assets.folder.read(name)).hexdigest()
