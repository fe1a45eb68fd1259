"""What is in a bundle, and how much of it there may be."""

import re

import msgspec

FORMAT = "dragoman-bundle-1"

MANIFEST = "bundle.json"
REPORT = "report.html"
README = "README.txt"
RUN = "run.sqlite"

MOST_FILES = 400_000
MOST_BYTES = 32 * 2**30
"""All files of a bundle together, unpacked."""

MOST_TIMES = 100
SMALL = 256 * 2**20
"""Unpacked it may be so many times the file, and what is small may always be: a run packs ten times."""

MOST_MANIFEST = 128 * 2**20

AUDIO = re.compile(r"audio/([0-9a-f]{2})/(\1[0-9a-f]{62})\.wav")
"""A sound's name is the hash of its bytes."""


class BundledFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One file: the hash and the length of its bytes."""

    sha256: str
    bytes: int


class BundleManifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a bundle says of itself: its format, who made it, the run's name, its other files."""

    format: str
    dragoman: str
    run: str
    files: dict[str, BundledFile]
