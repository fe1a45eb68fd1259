"""Which extras and engines are installed, and whether their native libraries load."""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, requires, version

from dragoman.cli.setting_up.checkup.findings import CheckedThing
from dragoman.core.errors import DragomanError

PART = "installed"

ENGINES = {
    "piper": "piper-tts",
    "kokoro": "kokoro-onnx",
    "vosk": "vosk",
}
"""Engines of speech on this machine, which no extra brings, by the package of each; Whisper has one."""

_REQUIREMENT = re.compile(
    r"(?P<name>[A-Za-z0-9._-]+)(?:\[[^]]*\])?(?P<bounds>[^;]*)(?:;(?P<marker>.*))?"
)
_EXTRA = re.compile(r"extra == ['\"]([^'\"]+)['\"]")
_OLDER_PYTHON = re.compile(r"python_version < ['\"](\d+)\.(\d+)['\"]")
_EXACT = re.compile(r"==\s*([^,\s]+)")


def installed() -> Iterator[CheckedThing]:
    """Yield what is there of every extra, the engines, and the libraries that are not Python."""
    extras = _by_extra(requires("dragoman") or ())
    for extra, wanted in extras.items():
        yield _extra(extra, wanted)
    for engine, package in ENGINES.items():
        found = _version(package)
        todo = "" if found else f"pip install {package}, for --speaker or --asr {engine}/PATH"
        yield CheckedThing(PART, engine, "ok" if found else "missing", found or "not there", todo)
    if _version("espeakng-loader"):
        yield _espeak()


def _by_extra(requirements: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return by extra the packages that it needs on this Python, each with its exact version or ""."""
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


def _extra(extra: str, wanted: Mapping[str, str]) -> CheckedThing:
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
        return CheckedThing(PART, extra, "wrong", ", ".join(others), todo)
    if absent:
        return CheckedThing(PART, extra, "missing", f"without {', '.join(absent)}", todo)
    return CheckedThing(PART, extra, "ok", there)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _espeak() -> CheckedThing:
    from dragoman.speech.embedded.espeak_library import SpeechLibrary

    try:
        SpeechLibrary()
    except (DragomanError, OSError) as error:
        todo = "pip install --force-reinstall espeakng-loader"
        return CheckedThing(PART, "espeak-ng", "wrong", f"does not load: {error}", todo)
    return CheckedThing(PART, "espeak-ng", "ok", "the library loads")
