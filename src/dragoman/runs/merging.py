"""Merge of runs that played parts of one plan: shards, several machines, or interrupted runs."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import chain
from pathlib import Path

import msgspec

from dragoman.config.run_config import RunConfig
from dragoman.core.errors import StoreError, UsageError
from dragoman.core.usage import Usage, total_usage
from dragoman.runs.jobs import external_reach
from dragoman.runs.manifest import Manifest, read_manifest
from dragoman.runs.trust import is_trusted, remember_own_run
from dragoman.store.run_merge import MergeResult, Prefer, merge_parts
from dragoman.store.run_store import RunStore, open_run

_OF_PLAYING = frozenset(
    {
        *("concurrency", "read_timeout", "patience", "rates", "batches", "hedge", "max_cost"),
        *("prices", "cache", "workers", "ray", "backend", "shard", "assets"),
    }
)
"""Options that may differ, because they do not change conversations: speed, place and cost."""


def merge_runs(
    folders: Sequence[Path], out: Path, prefer: Prefer | None, on_record: Callable[[], None]
) -> MergeResult:
    """Write runs of the same plan as one, which can be resumed like a run of the whole plan.

    Its configuration is that of the first run, without its shard.

    Args:
        folders: The runs.
        out: A new folder.
        prefer: The run whose conversation is kept if they differ; None to write nothing and return
            the differences.
        on_record: Function that is called after each conversation and audio file.

    Raises:
        UsageError: If there is only one run, or one is named twice.
        StoreError: If their plans differ, with the differences, or if they cannot be read or
            written.
    """
    if len(folders) < 2:  # noqa: PLR2004 - a merge needs two
        raise UsageError("merge: name the runs that are to be joined, two or more")
    _require_distinct(folders)
    with ExitStack() as opened:
        stores = [opened.enter_context(open_run(folder, write=False)) for folder in folders]
        first, *others = stores
        manifest = _mergeable(first)
        for other in others:
            _require_same(first, manifest, other)
        config = msgspec.structs.replace(manifest.config, shard="")
        tried = _preflights(map(read_manifest, stores))
        joined = msgspec.structs.replace(manifest, config=config, preflight=tried)
        whole = msgspec.json.encode(joined)
        reached = external_reach(first, manifest)
        was_own = is_trusted(first, reached)
    merged = merge_parts(folders, out, whole, prefer, on_record)
    if was_own and not merged.conflicts:
        remember_own_run(whole, reached)
    return merged


def _require_distinct(folders: Sequence[Path]) -> None:
    seen = set[Path]()
    for folder in folders:
        if (place := folder.resolve()) in seen:
            raise UsageError(f"merge: {folder} is named twice: name each run once")
        seen.add(place)


def _mergeable(store: RunStore) -> Manifest:
    manifest = read_manifest(store)
    if manifest.imported is not msgspec.UNSET:
        raise StoreError(f"{store.folder}: an imported run has no plan to share with others")
    return manifest


def _require_same(first: RunStore, of_first: Manifest, other: RunStore) -> None:
    differing = next(_differences(of_first, _mergeable(other)), None)
    if differing is not None:
        raise StoreError(
            f"{other.folder}: no part of the plan of {first.folder}: {differing}: only runs of one "
            "plan can be joined (parts of it: `dragoman run --shard 1/4`)"
        )


def _differences(one: Manifest, other: Manifest) -> Iterator[str]:
    """Yield descriptions of the differences between plans or scorings."""
    for name in RunConfig.__struct_fields__:
        first, second = getattr(one.config, name), getattr(other.config, name)
        if name not in _OF_PLAYING and first != second:
            yield (
                f"{name.replace('_', '-')} {_describe_value(second)} in place of "
                f"{_describe_value(first)}"
            )
    if one.provenance.digest != other.provenance.digest:
        yield "the suite's data differ"
    if one.prompts != other.prompts:
        yield f"prompts {other.prompts} in place of {one.prompts}"
    if one.is_explicit != other.is_explicit:
        yield "one of them plays a list of conversations"


def _preflights(manifests: Iterable[Manifest]) -> dict[str, tuple[Usage, ...]]:
    """Return the usage of all preflights by cell.

    Each part had its own preflight; copies of one run count once.
    """
    used: dict[str, list[tuple[Usage, ...]]] = {}
    for manifest in manifests:
        for cell, entries in manifest.preflight.items():
            found = used.setdefault(cell, [])
            if entries not in found:
                found.append(entries)
    return {cell: total_usage(chain.from_iterable(found)) for cell, found in used.items()}


def _describe_value(value: object) -> str:
    written = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return f"{written or 'none':.80}"
