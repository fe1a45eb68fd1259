"""Signatures of functions whose options are written elsewhere."""

import inspect
from collections.abc import Callable, Iterable
from types import NoneType
from typing import Any, TypeVar, get_args, get_type_hints

from dragoman.wiring.grid.config import RunRequest
from dragoman.wiring.grid.options import keys_of

Function = TypeVar("Function", bound=Callable[..., Any])


def taking(parameters: Iterable[inspect.Parameter]) -> Callable[[Function], Function]:
    """Give a function a signature with these parameters in place of its `**rest`."""

    def add(function: Function) -> Function:
        signature = inspect.signature(function)
        own = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
        before = [each for each in own if each.kind is not each.KEYWORD_ONLY]
        after = [each for each in own if each.kind is each.KEYWORD_ONLY]
        function.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=[*before, *parameters, *after]
        )
        return function

    return add


def keyword(name: str, default: object, annotation: object) -> inspect.Parameter:
    """Return a parameter that is given by its name."""
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=annotation)


def taking_options(options: type) -> Callable[[Function], Function]:
    """Give a function the options of a run that a typed dictionary names, with their defaults.

    Where None is allowed it is the default: what holds then is decided later.
    """
    keys = {name: key for key in keys_of(RunRequest) for name in key.spellings}
    return taking(
        keyword(
            name,
            None
            if NoneType in get_args(kind)
            else ()
            if keys[name].is_required
            else keys[name].default,
            kind,
        )
        for name, kind in get_type_hints(options).items()
    )
