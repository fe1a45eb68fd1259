"""The sound of one utterance, in pieces where a browser asks for them."""

import re

from aiohttp import web

from dragoman.store.audio_files import FOLDER, audio_path
from dragoman.viewer.requests import PageRequest, Route

_HASH = re.compile(r"[0-9a-f]{64}")


def is_hash(name: str) -> bool:
    """Whether a name can be that of a stored sound: a content hash, and nothing else."""
    return _HASH.fullmatch(name) is not None


def send(asked: PageRequest) -> web.StreamResponse:
    """Send a sound from the run's own folder, whole or the range that is asked for.

    Raises:
        HTTPNotFound: Where the name is no hash, or the folder has no such sound.
    """
    name = asked.names["hash"]
    missing = web.HTTPNotFound(text="This run has no such sound.")
    if not is_hash(name):
        raise missing
    folder = asked.run().folder
    path = (folder / audio_path(name)).resolve()
    # A link in a folder that somebody sent could lead anywhere.
    if not path.is_file() or not path.is_relative_to((folder / FOLDER).resolve()):
        raise missing
    return web.FileResponse(path, headers={"Content-Type": "audio/wav"})


ROUTE = Route("/run/{run}/audio/{hash}.wav", send)
