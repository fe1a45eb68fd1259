"""Backends: where the conversations of a run are played."""

from typing import TYPE_CHECKING

from dragoman.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from dragoman.runs.backend import Backend, BackendContext, CellSpec, PlayResult, RunSpec
    from dragoman.runs.worker_backend import remote_player

__all__ = ["Backend", "BackendContext", "CellSpec", "PlayResult", "RunSpec", "remote_player"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "dragoman.runs.backend": (
                "Backend",
                "BackendContext",
                "CellSpec",
                "PlayResult",
                "RunSpec",
            ),
            "dragoman.runs.worker_backend": ("remote_player",),
        },
    )
