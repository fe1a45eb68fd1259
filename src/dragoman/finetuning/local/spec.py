"""A model in a folder as a person writes it: `local/PATH?adapter=FOLDER&name=value`, read strictly."""

import difflib
from typing import Annotated, Literal

import msgspec

from dragoman.core.errors import UsageError
from dragoman.models.model_spec import parse_parameters, parse_value

LOCAL = "local/"


class Sampling(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How answers are drawn; at temperature 0 the likeliest token is taken.

    `max_tokens` are those of one answer. `batch` is how many are written at once: it changes the time
    and not the answers. On a `gpu` numbers are bf16, on a `cpu` fp32.
    """

    temperature: Annotated[float, msgspec.Meta(ge=0, le=100)] = 0.0
    top_p: Annotated[float, msgspec.Meta(gt=0, le=1)] = 1.0
    max_tokens: Annotated[int, msgspec.Meta(gt=0, le=100_000)] = 512
    batch: Annotated[int, msgspec.Meta(gt=0, le=1024)] = 16
    device: Literal["auto", "cpu", "gpu"] = "auto"


class FolderModel(msgspec.Struct, frozen=True):
    """A model in a folder, with what was learnt on top of it.

    `name` is what tables and ledgers say; `adapter` is "" for none.
    """

    name: str
    folder: str
    adapter: str
    sampling: Sampling


def read_local(written: str) -> FolderModel:
    """Read the name of a local model.

    Raises:
        UsageError: Where it names no folder, or a parameter does not exist or fit.
    """
    head, _, query = written.partition("?")
    folder = head.removeprefix(LOCAL)
    if not folder:
        raise UsageError(f"{written!r} names no model: write {LOCAL}FOLDER")
    given = dict(parse_parameters(query, written))
    adapter = given.pop("adapter", None)
    if adapter is not None and not adapter:
        raise UsageError(f"{written}: adapter= names no folder")
    for name in given:
        if name not in Sampling.__struct_fields__:
            known = ["adapter", *Sampling.__struct_fields__]
            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"
            raise UsageError(f"{written}: unknown parameter {name!r}: {hint}")
    try:
        sampling = msgspec.convert({k: parse_value(v) for k, v in given.items()}, Sampling)
    except msgspec.ValidationError as error:
        raise UsageError(f"{written}: {error}") from error
    name = head if adapter is None else f"{head}?adapter={adapter}"
    return FolderModel(name, folder, adapter or "", sampling)
