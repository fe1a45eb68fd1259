"""Our training against plain `trl`: `python -m bench.tuning.against_trl BASE ROWS`.

The results are ratios. Both trainings see the same rows, batch and steps, each in a separate
process. The plain one is `trl`'s trainer over conversations with its own defaults (its tokens,
masks and recomputing), except for settings that the device requires.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from dragoman.finetuning.recipe import Recipe

WAYS = ("dragoman", "trl")
BATCH, STEPS = 8, 20


def ours(base: Path, rows: Path, out: Path) -> dict[str, float]:
    from dragoman.finetuning.loss_masking import labelled_rows
    from dragoman.finetuning.preparation import prepare
    from dragoman.finetuning.progress import TrainingProgress
    from dragoman.finetuning.training import train

    recipe = Recipe(
        str(base),
        (str(rows),),
        str(out),
        weights="all",
        epochs=1,
        batch=BATCH,
        accumulation=1,
        limit=BATCH * STEPS,
        max_length=1024,
        save_steps=10_000,
    )
    prepared = prepare(recipe)
    instructions = TrainingProgress(lambda _: None)
    train(prepared, instructions)
    from transformers import AutoTokenizer

    found, _ = labelled_rows(prepared.rows, AutoTokenizer.from_pretrained(base), 1024)
    return {"tokens": sum(len(row.ids) for row in found), "seconds": instructions.seconds}


def plain(base: Path, rows: Path, out: Path) -> dict[str, float]:
    import torch
    from datasets import Dataset
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from trl import SFTConfig, SFTTrainer

    lines = [json.loads(line) for line in rows.read_text("utf-8").splitlines()][: BATCH * STEPS]
    tokenizer = AutoTokenizer.from_pretrained(base)
    has_gpu = torch.cuda.is_available()
    config = SFTConfig(
        output_dir=str(out),
        max_steps=STEPS,
        per_device_train_batch_size=BATCH,
        use_cpu=not has_gpu,
        bf16=has_gpu,
        assistant_only_loss=True,
        report_to="none",
        disable_tqdm=True,
    )
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32),
        args=config,
        train_dataset=Dataset.from_list([{"messages": line["messages"]} for line in lines]),
        processing_class=tokenizer,
    )
    begun = time.perf_counter()
    trainer.train()
    seconds = time.perf_counter() - begun
    return {
        "tokens": float(trainer.state.num_input_tokens_seen or _tokens(trainer)),
        "seconds": seconds,
    }


def _tokens(trainer: object) -> int:
    data = trainer.train_dataset  # type: ignore[attr-defined]  # the library has no types here
    return sum(len(row["input_ids"]) for row in data)


def peak_mib() -> float:
    """Return the peak memory of the GPU if it is used, otherwise of this process."""
    import torch

    if torch.cuda.is_available():
        return float(torch.cuda.max_memory_allocated()) / 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.tuning.against_trl")
    parser.add_argument("base", type=Path)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--way", choices=WAYS)
    given = parser.parse_args()
    if given.way:
        with tempfile.TemporaryDirectory() as folder:
            made = {"dragoman": ours, "trl": plain}[given.way](
                given.base, given.rows, Path(folder) / "out"
            )
        print(json.dumps({**made, "mib": peak_mib()}))
        return
    found = {way: _in_a_process(given.base, given.rows, way) for way in WAYS}
    rates = {way: each["tokens"] / each["seconds"] for way, each in found.items()}
    for way in WAYS:
        print(f"{way:<9} {rates[way]:8.0f} tokens/s  {found[way]['mib']:7.0f} MiB at most")
    memory = found["dragoman"]["mib"] / found["trl"]["mib"]
    print(
        f"dragoman / trl: {rates['dragoman'] / rates['trl']:.2f} of the speed, {memory:.2f} of the memory"
    )


def _in_a_process(base: Path, rows: Path, way: str) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.tuning.against_trl", str(base), str(rows), "--way", way]
    done = subprocess.run(command, check=True, capture_output=True, env=os.environ)
    made: dict[str, float] = json.loads(done.stdout.decode().splitlines()[-1])
    return made


if __name__ == "__main__":
    main()
