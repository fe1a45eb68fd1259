"""Supervised fine-tuning: trl's trainer over examples whose labels are made here."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from dragoman.core.errors import DataError, UsageError
from dragoman.finetuning.checkpoints import disk_errors, newest_complete, weights_folder
from dragoman.finetuning.cost_estimate import format_gib, free_memory, memory_needs, require_memory
from dragoman.finetuning.loss_masking import LabelledRow, chat_tokenizer, labelled_rows
from dragoman.finetuning.model_card import training_card
from dragoman.finetuning.model_folder import LOADED_WEIGHTS, write_base
from dragoman.finetuning.optional_dependencies import require_extra
from dragoman.finetuning.preparation import Prepared
from dragoman.finetuning.progress import LossFile, TrainingProgress
from dragoman.finetuning.recipe import Recipe
from dragoman.finetuning.result import UseFile, with_price
from dragoman.store.atomic_files import atomic_write
from dragoman.store.folder_contents import TRAINING_FILE
from dragoman.store.training_results import RESULT, TrainingResult, UnusedRow

CHECKPOINTS = "checkpoints"
LOSSES, BEGUN, REFUSED, CARD = "losses.jsonl", TRAINING_FILE, "refused.jsonl", "README.md"
USED = "used.jsonl"


class _Begun(msgspec.Struct):
    identity: str


def train(
    prepared: Prepared, progress: TrainingProgress, price_per_hour: float | None = None
) -> TrainingResult:
    """Train as a recipe says; go on where the same training was cut off.

    Args:
        prepared: The prepared training.
        progress: Receives each step's loss and the remaining time.
        price_per_hour: The price of the machine, in US dollars; None if it is unknown.

    Raises:
        UsageError: If the extra is missing, the folder belongs to another training, the template
            teaches nothing, or memory or disk are too small.
        StoreError: If something cannot be written.
        DataError: If a checkpoint cannot be read.
    """
    require_extra()
    recipe, out = prepared.recipe, Path(prepared.recipe.out)
    _require_own(out, prepared.identity)
    import torch

    on_gpu = _takes_gpu(prepared, is_there=torch.cuda.is_available())
    memory = torch.cuda.mem_get_info()[0] if on_gpu else free_memory()
    require_memory(
        memory_needs(recipe, prepared.model, on_gpu=on_gpu), memory, out, _where(on_gpu=on_gpu)
    )
    tokenizer = chat_tokenizer(recipe, prepared.rows)
    rows, found = labelled_rows(prepared.rows, tokenizer, recipe.max_length)
    unused = (*prepared.unused, *found)
    if not rows:
        raise UsageError(f"no row can be learnt from: {unused[0].row}: {unused[0].why}")
    with disk_errors(out):
        _begin(out, prepared, unused)
        model, state, resumed = _fit(recipe, out, tokenizer, rows, progress, on_gpu=on_gpu)
    folders = _save(recipe, out, model, tokenizer)
    trained = TrainingResult(
        tuple(map(str, folders)),
        len(rows),
        unused,
        state.global_step,
        resumed,
        progress.seconds,
        LossFile(out / LOSSES).last(),
        _where(on_gpu=on_gpu),
        prepared.identity,
        UseFile(out / USED).total(),
    )
    trained = with_price(trained, price_per_hour)
    atomic_write(out / RESULT, msgspec.json.encode(trained))
    atomic_write(out / CARD, training_card(prepared, trained).encode())
    # From here on a repeated command says that it is done, and no checkpoint is of use.
    shutil.rmtree(out / CHECKPOINTS, ignore_errors=True)
    return trained


def _takes_gpu(prepared: Prepared, *, is_there: bool) -> bool:
    recipe = prepared.recipe
    if recipe.device == "gpu" and not is_there:
        needed = format_gib(memory_needs(recipe, prepared.model, on_gpu=True).memory)
        raise UsageError(
            f"device = gpu, and there is none here: go where there is one with {needed} of "
            "memory, or "
            "write device = cpu"
        )
    if recipe.packing:
        from transformers.utils import is_flash_attn_2_available

        if not (is_there and is_flash_attn_2_available()):
            raise UsageError(
                "packing needs a GPU with flash-attn: without it rows would see each other; leave "
                "it out"
            )
    return is_there and recipe.device != "cpu"


def _where(*, on_gpu: bool) -> str:
    return "the GPU" if on_gpu else "this machine"


def _require_own(out: Path, identity: str) -> None:
    """Refuse a folder that holds something else."""
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    try:
        begun = msgspec.json.decode((out / BEGUN).read_bytes(), type=_Begun)
    except (OSError, msgspec.MsgspecError) as error:
        raise UsageError(f"{out} is there already and no training: name another folder") from error
    if begun.identity != identity:
        raise UsageError(
            f"{out} holds another training (recipe, rows or model differ): name another folder"
        )
    if (out / CARD).is_file():
        raise UsageError(f"{out} is trained already: name another folder to do it again")


def _begin(out: Path, prepared: Prepared, unused: Sequence[UnusedRow]) -> None:
    encode = msgspec.json.encode
    leaks = [leak for each in prepared.leaks.values() for leak in each]
    atomic_write(out / REFUSED, (encode(each) + b"\n" for each in (*leaks, *unused)))
    atomic_write(out / BEGUN, encode(_Begun(prepared.identity)))


def _fit(  # noqa: PLR0913 - one training's parts
    recipe: Recipe,
    out: Path,
    tokenizer: Any,  # noqa: ANN401 - the library has no types here
    rows: Sequence[LabelledRow],
    progress: TrainingProgress,
    *,
    on_gpu: bool,
) -> tuple[Any, Any, int]:
    import torch
    from datasets import Dataset
    from transformers import AutoModelForCausalLM, PrinterCallback, set_seed
    from trl import SFTTrainer

    from dragoman.finetuning.torch_helpers import set_thread_count
    from dragoman.finetuning.trainer_callback import watch_training

    # Draws and computations are deterministic; filling buffers for that would cost time and bring
    # nothing.
    torch.use_deterministic_algorithms(mode=not on_gpu)
    torch.utils.deterministic.fill_uninitialized_memory = False
    set_seed(recipe.seed)
    dtype = torch.bfloat16 if on_gpu and recipe.weights == "lora" else torch.float32
    model = AutoModelForCausalLM.from_pretrained(recipe.model, dtype=dtype, **LOADED_WEIGHTS)
    if not on_gpu:
        set_thread_count(model.num_parameters())
    data = Dataset.from_list([{"input_ids": list(r.ids), "labels": list(r.labels)} for r in rows])
    checkpoint = newest_complete(
        out / CHECKPOINTS,
        lambda each: progress.note(f"{each} is broken and passed over: its steps are made again"),
    )
    losses = LossFile(out / LOSSES)
    resumed = 0 if checkpoint is None else checkpoint.step
    losses.cut_after(resumed)
    use = UseFile(out / USED)
    use.begin()
    trainer = SFTTrainer(
        model=model,
        args=_settings(recipe, out, on_gpu=on_gpu),
        train_dataset=data,
        processing_class=tokenizer,
        peft_config=_lora(recipe),
        callbacks=[watch_training(losses, use, progress)],
    )
    trainer.remove_callback(PrinterCallback)
    progress.begins()
    try:
        trainer.train(resume_from_checkpoint=None if checkpoint is None else str(checkpoint.folder))
    except torch.OutOfMemoryError as error:
        raise UsageError(
            "too little memory on the GPU: take a smaller batch or max_length, or LoRA"
        ) from error
    return trainer.model, trainer.state, resumed


def _settings(recipe: Recipe, out: Path, *, on_gpu: bool) -> Any:  # noqa: ANN401 - no types
    from trl import SFTConfig

    return SFTConfig(
        output_dir=str(out / CHECKPOINTS),
        num_train_epochs=recipe.epochs,
        per_device_train_batch_size=recipe.batch,
        gradient_accumulation_steps=recipe.accumulation,
        learning_rate=recipe.learning_rate,
        lr_scheduler_type=recipe.schedule,
        warmup_steps=recipe.warmup,
        max_length=recipe.max_length,
        packing=recipe.packing,
        bf16=on_gpu,
        fp16=False,
        use_cpu=not on_gpu,
        activation_checkpointing=False,
        dataloader_num_workers=0,
        dataloader_pin_memory=on_gpu,
        logging_steps=1,
        save_strategy="steps",
        save_steps=recipe.save_steps,
        save_total_limit=2,
        report_to="none",
        seed=recipe.seed,
        data_seed=recipe.seed,
        disable_tqdm=True,
    )


def _lora(recipe: Recipe) -> Any:  # noqa: ANN401 - no types
    if recipe.weights == "all":
        return None
    from peft import LoraConfig

    return LoraConfig(
        r=recipe.rank,
        lora_alpha=2 * recipe.rank,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
    )


def _save(recipe: Recipe, out: Path, model: Any, tokenizer: Any) -> list[Path]:  # noqa: ANN401
    """Write what was trained; return the folders."""
    name = "adapter" if recipe.weights == "lora" else "model"
    folders = [out / name]
    with weights_folder(out / name) as part:
        model.save_pretrained(part)
        tokenizer.save_pretrained(part)
        if recipe.weights == "lora":
            write_base(part, Path(recipe.model))
    if recipe.merge and recipe.weights == "lora":
        folders.append(out / "merged")
        with weights_folder(out / "merged") as part:
            model.merge_and_unload().save_pretrained(part)
            tokenizer.save_pretrained(part)
    if not all((folder / "tokenizer.json").is_file() for folder in folders):
        raise DataError(f"{out}: the tokenizer was not written: it is none that one file holds")
    return folders
