"""Checks of `dragoman doctor`: extras, API keys, benchmark data, prices and disk space.

Each check looks at one kind of thing and changes nothing. Keys are reported by their names only.
"""

import os
import re
import resource
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Literal

import msgspec

from dragoman.composition.concurrency import DEFAULT_CONCURRENCY
from dragoman.composition.setup import SEARCH_KEY
from dragoman.config.environment import cache_folder, data_folder, environment_variable
from dragoman.core.capabilities import PulledState, PullsData
from dragoman.core.errors import DragomanError, StoreError
from dragoman.models.catalog import load_provider_catalog
from dragoman.models.prices import OLD_DAYS, load_prices
from dragoman.models.realtime_spec import load_realtime_catalog
from dragoman.registry.agents import TOKEN_VARIABLE
from dragoman.registry.suites import benchmarks
from dragoman.report import formatting
from dragoman.runs.process_limits import SPARE
from dragoman.speech.specs import load_speech_facts
from dragoman.store.reply_cache import FILE, describe_replies

FindingState = Literal["ok", "missing", "old", "wrong"]
"""The state of a finding.

`missing` is dispensable, `old` may be out of date; `wrong` breaks or falsifies something.
"""


class DoctorFinding(msgspec.Struct, frozen=True):
    """The finding of one check.

    Attributes:
        part: The group: installed, keys, data, prices, storage, model.
        subject: The name of the checked thing.
        state: The result of the check.
        found: The finding, for people.
        todo: The repair; "" for none.
        cause: For a model: the problem as one word for programs; "" for none.
    """

    part: str
    subject: str
    state: FindingState
    found: str
    todo: str = ""
    cause: str = ""


DATA_PART = "data"
_NAMED = 3


def check_data() -> Iterator[DoctorFinding]:
    """Yield the finding about each data source; each file is read and hashed."""
    for each in benchmarks():
        if isinstance(each, PullsData):
            for name, source in each.sources().items():
                yield _finding(name, source.state(data_folder()))


def _finding(name: str, found: PulledState) -> DoctorFinding:
    todo = f"dragoman data pull {name}"
    if not found.is_there:
        return DoctorFinding(DATA_PART, name, "missing", "not pulled", todo)
    if found.wrong:
        some = ", ".join(found.wrong[:_NAMED])
        more = f" and {len(found.wrong) - _NAMED} more" if len(found.wrong) > _NAMED else ""
        return DoctorFinding(DATA_PART, name, "wrong", f"not as pinned: {some}{more}", todo)
    files = formatting.format_count(found.files, "file")
    return DoctorFinding(DATA_PART, name, "ok", f"{files} as pinned, {found.bytes / 1e6:,.1f} MB")


INSTALLED_PART = "installed"

ENGINES = {
    "piper": "piper-tts",
    "kokoro": "kokoro-onnx",
    "vosk": "vosk",
}
"""Speech engines on this machine that no extra installs, with the package of each.

Whisper has an extra.
"""

_REQUIREMENT = re.compile(
    r"(?P<name>[A-Za-z0-9._-]+)(?:\[[^]]*\])?(?P<bounds>[^;]*)(?:;(?P<marker>.*))?"
)
_EXTRA = re.compile(r"extra == ['\"]([^'\"]+)['\"]")
_OLDER_PYTHON = re.compile(r"python_version < ['\"](\d+)\.(\d+)['\"]")
_EXACT = re.compile(r"==\s*([^,\s]+)")


def check_installation() -> Iterator[DoctorFinding]:
    """Yield the findings about extras, speech engines and non-Python libraries."""
    extras = _by_extra(requires("dragoman") or ())
    for extra, wanted in extras.items():
        yield _extra(extra, wanted)
    for engine, package in ENGINES.items():
        found = _version(package)
        todo = "" if found else f"pip install {package}, for --speaker or --asr {engine}/PATH"
        yield DoctorFinding(
            INSTALLED_PART,
            engine,
            "ok" if found else "missing",
            found or "not installed (optional)",
            todo,
        )
    if _version("espeakng-loader"):
        yield _espeak()


def _by_extra(requirements: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the packages that each extra needs on this Python, by extra.

    Each package has its exact version or "".
    """
    extras: dict[str, dict[str, str]] = {}
    for requirement in requirements:
        found = _REQUIREMENT.match(requirement)
        extra = _EXTRA.search(requirement)
        if found is None or extra is None or not _is_for_this_python(requirement):
            continue
        exact = _EXACT.search(found["bounds"])
        extras.setdefault(extra[1], {})[found["name"]] = exact[1] if exact else ""
    return extras


def _is_for_this_python(requirement: str) -> bool:
    older = _OLDER_PYTHON.search(requirement)
    return older is None or sys.version_info[:2] < (int(older[1]), int(older[2]))


def _extra(extra: str, wanted: Mapping[str, str]) -> DoctorFinding:
    found = {name: _version(name) for name in wanted}
    absent = [name for name, there in found.items() if not there]
    others = [
        f"{name} {there} instead of {wanted[name]}"
        for name, there in found.items()
        if there and wanted[name] not in {"", there}
    ]
    there = ", ".join(f"{name} {number}" for name, number in found.items() if number)
    todo = f"pip install 'dragoman[{extra}]'" if absent or others else ""
    if others:
        return DoctorFinding(INSTALLED_PART, extra, "wrong", ", ".join(others), todo)
    if absent:
        return DoctorFinding(
            INSTALLED_PART, extra, "missing", f"missing: {', '.join(absent)}", todo
        )
    return DoctorFinding(INSTALLED_PART, extra, "ok", there)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _espeak() -> DoctorFinding:
    from dragoman.speech.embedded.espeak_library import SpeechLibrary

    try:
        SpeechLibrary()
    except (DragomanError, OSError) as error:
        todo = "pip install --force-reinstall espeakng-loader"
        return DoctorFinding(INSTALLED_PART, "espeak-ng", "wrong", f"does not load: {error}", todo)
    return DoctorFinding(INSTALLED_PART, "espeak-ng", "ok", "the library loads")


KEYS_PART = "keys"


def check_keys() -> Iterator[DoctorFinding]:
    """Yield the finding about each variable of an API key, with its purpose."""
    for name, uses in _uses().items():
        used = ", ".join(dict.fromkeys(uses))
        if environment_variable(name):
            yield DoctorFinding(KEYS_PART, name, "ok", f"set; for {used}")
        else:
            yield DoctorFinding(KEYS_PART, name, "missing", f"not set; for {used}")


def _uses() -> dict[str, list[str]]:
    uses: dict[str, list[str]] = {}
    chat = load_provider_catalog().providers.items()
    realtime = load_realtime_catalog().providers.items()
    speech = ((name, each.at) for name, each in load_speech_facts().providers.items())
    for name, provider in load_provider_catalog().providers.items():
        for variable_name in provider.other_keys:
            uses.setdefault(variable_name, []).append(f"{name} (models)")
    for kind, providers in (("models", chat), ("realtime", realtime), ("speech", speech)):
        for name, provider in providers:
            if provider.key_env:
                uses.setdefault(provider.key_env, []).append(f"{name} ({kind})")
    uses.setdefault(SEARCH_KEY, []).append("bfcl:web_search_*")
    uses.setdefault(TOKEN_VARIABLE, []).append("agents behind HTTP that need one")
    return uses


PRICES_PART, SUBJECT = "prices", "price table"


def check_prices(today: date) -> DoctorFinding:
    """Return the number of bundled prices that are old on a day, and the repair."""
    table = load_prices(None)
    aged = table.aged(table.prices, today)
    if not aged:
        return DoctorFinding(PRICES_PART, SUBJECT, "ok", f"{len(table.prices):,}, {table.as_of}")
    found = (
        f"{len(aged):,} of {len(table.prices):,} prices were looked up more than "
        f"{OLD_DAYS} days ago, the oldest on {aged[0].origin.as_of}"
    )
    todo = "give the prices of your models with --prices FILE (docs/how_to/costs.md)"
    return DoctorFinding(PRICES_PART, SUBJECT, "old", found, todo)


STORAGE_PART = "storage"

LEAST_FREE = 1_000_000_000
"""Free disk space in bytes below which audio runs or pulled data may not fit."""


def check_storage() -> Iterator[DoctorFinding]:
    """Yield the findings about caches, disks and the limit of open files."""
    yield _replies(cache_folder() / FILE)
    speech = cache_folder() / "speech"
    yield DoctorFinding(
        STORAGE_PART, "speech models", "ok", f"{_size(_bytes_in(speech))} in {speech}"
    )
    for name, folder in (("cache", cache_folder()), ("this folder", Path.cwd())):
        yield _disk(name, folder)
    yield _open_files()


def _replies(path: Path) -> DoctorFinding:
    try:
        facts = describe_replies(path)
    except StoreError as error:
        return DoctorFinding(STORAGE_PART, "replies", "wrong", str(error), "dragoman cache clear")
    return DoctorFinding(
        STORAGE_PART,
        "replies",
        "ok",
        f"{facts.replies:,} cached, {_size(facts.bytes)} in {path}",
    )


def _disk(name: str, folder: Path) -> DoctorFinding:
    """Return the free space on the disk of an existing or future folder."""
    there = next(each for each in (folder, *folder.parents) if each.exists())
    if not os.access(there, os.W_OK):
        todo = "choose another folder, or XDG_CACHE_HOME for the cache"
        return DoctorFinding(STORAGE_PART, name, "wrong", f"{there} cannot be written", todo)
    free = shutil.disk_usage(there).free
    found = f"{_size(free)} free at {folder}"
    if free < LEAST_FREE:
        return DoctorFinding(
            STORAGE_PART, name, "wrong", found, "free disk space: spoken runs store their audio"
        )
    return DoctorFinding(STORAGE_PART, name, "ok", found)


def _open_files() -> DoctorFinding:
    """Return the limit of open files of a process, after it raises the limit itself."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard == resource.RLIM_INFINITY:
        return DoctorFinding(STORAGE_PART, "open files", "ok", "no limit")
    wanted = DEFAULT_CONCURRENCY
    fitting = hard - SPARE
    found = f"at most {hard:,}, enough for {max(fitting, 1):,} conversations at a time"
    if fitting < wanted:
        return DoctorFinding(
            STORAGE_PART, "open files", "wrong", found, f"ulimit -n {wanted + SPARE}"
        )
    return DoctorFinding(STORAGE_PART, "open files", "ok", found)


def _bytes_in(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _size(count: int) -> str:
    # One GB.
    return f"{count / 1e9:,.1f} GB" if count >= 1e9 else f"{count / 1e6:,.1f} MB"  # noqa: PLR2004
