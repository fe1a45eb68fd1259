"""The model card of trained weights: data, recipe and versions, so that they can be reproduced."""

import hashlib
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec

from dragoman.core.texts.characters import escape_controls
from dragoman.core.texts.counts import format_count
from dragoman.core.version import VERSION
from dragoman.finetuning.preparation import Prepared
from dragoman.finetuning.result import describe_use
from dragoman.store.training_results import TrainingResult

_PACKAGES = ("torch", "transformers", "trl", "peft", "accelerate", "tokenizers", "datasets")
_CHUNK = 1 << 20


def training_card(prepared: Prepared, trained: TrainingResult) -> str:
    """Return the card as Markdown."""
    return "\n".join((*_model(prepared, trained), *_rows(prepared, trained), *_made_with(prepared)))


def _model(prepared: Prepared, trained: TrainingResult) -> Iterator[str]:
    recipe, model = prepared.recipe, prepared.model
    yield f"# {Path(recipe.out).name}"
    yield ""
    what = "An adapter (LoRA)" if recipe.weights == "lora" else "All weights"
    yield (
        f"{what} of `{Path(recipe.model).name}`, a {model.kind} of {model.parameters:,} parameters."
    )
    yield ""
    yield "| trained from | SHA-256 |"
    yield "|---|---|"
    for file in sorted(Path(recipe.model).glob("*.safetensors")):
        yield f"| {file.name} | `{_sha256(file)}` |"
    yield ""
    loss = "none" if trained.loss is None else f"{trained.loss:.4f}"
    yield (
        f"{trained.steps} steps over {trained.rows} rows on {trained.device}; the last loss is "
        f"{loss}."
    )
    yield f"Used: {describe_use(trained)}."
    yield ""


def _rows(prepared: Prepared, trained: TrainingResult) -> Iterator[str]:
    yield "## Rows"
    yield ""
    yield "| file | SHA-256 |"
    yield "|---|---|"
    for name, digest in prepared.files.items():
        yield f"| {escape_controls(Path(name).name)} | `{digest}` |"
    yield ""
    languages = Counter(row.origin.language for row in prepared.rows)
    spread = ", ".join(f"{name} {count}" for name, count in sorted(languages.items()))
    yield f"By language, as rows state it: {spread}."
    licences = sorted({row.origin.licence or "not stated" for row in prepared.rows})
    yield f"Licences of the data: {', '.join(map(escape_controls, licences))}."
    yield ""
    if prepared.recipe.evaluation:
        kinds = Counter(leak.kind for each in prepared.leaks.values() for leak in each)
        shared = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())) or "none"
        yield (
            f"Compared with {format_count(prepared.evaluated, 'task')} of "
            f"{', '.join(prepared.recipe.evaluation)}: "
            f"{format_count(len(prepared.leaks), 'row')} refused (shared: {shared})."
        )
    else:
        yield "Compared with no evaluation: nothing is known of what they share with one."
    yield f"{format_count(len(trained.unused), 'row')} could not be learnt from."
    yield ""


def _made_with(prepared: Prepared) -> Iterator[str]:
    yield "## Recipe"
    yield ""
    yield "```json"
    fields = msgspec.structs.asdict(prepared.recipe)
    own = {
        **fields,
        "model": Path(prepared.recipe.model).name,
        "out": Path(prepared.recipe.out).name,
    }
    own["rows"] = [Path(name).name for name in prepared.recipe.rows]
    yield msgspec.json.format(msgspec.json.encode(own), indent=2).decode()
    yield "```"
    yield ""
    yield f"Made by dragoman {VERSION} with {', '.join(_versions())}."
    yield ""


def _versions() -> Iterator[str]:
    for name in _PACKAGES:
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:
            yield f"{name} (version unknown)"


def _sha256(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as opened:
        while part := opened.read(_CHUNK):
            digest.update(part)
    return digest.hexdigest()
