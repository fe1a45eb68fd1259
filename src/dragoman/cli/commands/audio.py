"""Declarations of `speak` and `check_transcript`: speech synthesis and scores of transcripts."""

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.commands.options import (
    Json,
    ReadTimeout,
    command,
    exit_with_status,
    group,
    option_of_run,
)
from dragoman.core.errors import UsageError

app = group()


@command(
    app,
    "speak",
    "speak bfcl:non_live,bfcl:multi_turn --out bfcl-spoken --asr mixed,simulated:15",
    is_long=True,
)
def speak(  # noqa: PLR0913, PLR0917 - the options of one command
    suites: Annotated[
        str,
        typer.Argument(
            metavar="[SUITE]", help="Suites with fixed user messages; several by commas."
        ),
    ] = "",
    rewriter: Annotated[
        str,
        typer.Option(help="The rewriter of typed text as natural speech: rules or PROVIDER/MODEL."),
    ] = "rules",
    topics: Annotated[
        str, typer.Option(help="PROVIDER/MODEL that names the topics of whitelists [none].")
    ] = "",
    out: Annotated[Path | None, typer.Option(help="The set's folder.")] = None,
    texts_only: Annotated[
        bool, typer.Option("--texts-only", help="No audio: texts, whitelists and a card.")
    ] = False,
    tts: Annotated[
        str,
        typer.Option(
            "--speaker",
            "--tts",
            metavar="VOICE,...",
            help="Voices, one of which is drawn for each text: names of embedded voices, "
            "embedded for all of them, or PROVIDER/VOICE?model=MODEL [embedded].",
        ),
    ] = "",
    asr: Annotated[
        str,
        typer.Option(
            metavar="NAME,...",
            help="Recognizers of all audio: generic, mixed, PROVIDER/MODEL or simulated:15 "
            "[mixed].",
        ),
    ] = "",
    line: Annotated[
        str,
        typer.Option(
            "--voice",
            "--line",
            help="The channel, a name of `dragoman list voices` [studio].",
        ),
    ] = "",
    sample: Annotated[
        int,
        typer.Option(
            "--limit",
            "--sample",
            metavar="N",
            help="Number of tasks, drawn by their ids; 0 for all.",
        ),
    ] = 0,
    seed: Annotated[int, typer.Option(help="Seed of the wording and the voices.")] = 1,
    concurrency: Annotated[
        int, typer.Option(help="Number of messages processed at the same time.")
    ] = 8,
    workers: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="Processes for synthesis and recognition; with --ray, workers of the cluster.",
        ),
    ] = 1,
    ray: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Run on a Ray cluster: its address, or auto for the one on this machine [no"
            " cluster].",
        ),
    ] = "",
    max_cost: Annotated[
        str,
        typer.Option(
            help="Budget after which the command stops: '5 USD', '2M tokens' or '90 min'."
        ),
    ] = "",
    prices: Annotated[Path | None, option_of_run("prices")] = None,
    read_timeout: ReadTimeout = None,
    verify: Annotated[
        Path | None, typer.Option(help="Check an existing set instead of making one.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Make an audio set of a suite: user texts as speech, with each recognizer's transcripts.

    Texts are rewritten as natural speech, with proof that no value is lost. Each distinct text
    is spoken once, and every recognizer hears its audio. The same command resumes where it
    stopped, and may name more recognizers. The exit status is 1 if --verify finds a problem.
    """
    from dragoman.cli.audio_sets import SpeakOptions, print_verified, speak_suites

    if verify is not None:
        return exit_with_status(print_verified(verify, as_json=as_json))
    if out is None:
        raise UsageError("speak: name the set's folder with --out SET")
    asked = SpeakOptions(
        suites,
        rewriter,
        topics,
        out,
        texts_only,
        tts,
        asr,
        line,
        seed,
        concurrency,
        max_cost,
        prices,
        sample,
        workers,
        ray,
        read_timeout,
    )
    return exit_with_status(speak_suites(asked, as_json=as_json))


def _tags(incomplete: str) -> list[str]:
    from dragoman.core.value_matching.lexicon import FULL_LANGUAGES

    return [tag for tag in FULL_LANGUAGES if tag.startswith(incomplete)]


@command(app, "heard", 'heard "It costs $5,000" "it costs five thousand dollars" --value "$5,000"')
def check_transcript(
    said: Annotated[str, typer.Argument(metavar="SAID", help="The text that was said.")],
    transcript: Annotated[
        str, typer.Argument(metavar="HEARD", help="The recognizer's transcript; may be empty.")
    ],
    language: Annotated[
        str,
        typer.Option(
            metavar="TAG", help="The language of both texts, as a BCP 47 tag.", autocompletion=_tags
        ),
    ] = "en",
    values: Annotated[
        list[str] | None,
        typer.Option(
            "--value", metavar="VALUE", help="A value to look for in both texts; repeatable."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Explain a transcript: the text, the counted units, the errors, and the values.

    Both texts are shown after scoring normalization, unit by unit, with every error marked.
    Each value is searched in both. A text that begins with a dash goes after `--`.
    """
    from dragoman.cli.transcript_explanation import TranscriptQuestion, explain

    explain(TranscriptQuestion(said, transcript, language, tuple(values or ())), as_json=as_json)
