"""Commands that explain what was heard."""

from typing import Annotated

import typer

from dragoman.cli.commands.declaring import Json, command, group

app = group()


def _tags(incomplete: str) -> list[str]:
    from dragoman.core.values.lexicon import FULL_LANGUAGES

    return [tag for tag in FULL_LANGUAGES if tag.startswith(incomplete)]


@command(app, "heard", 'heard "It costs $5,000" "it costs five thousand dollars" --value "$5,000"')
def heard(
    said: Annotated[str, typer.Argument(metavar="SAID", help="What was said.")],
    transcript: Annotated[
        str, typer.Argument(metavar="HEARD", help="What a recognizer wrote; may be empty.")
    ],
    language: Annotated[
        str,
        typer.Option(
            metavar="TAG", help="The language of both, as a BCP 47 tag.", autocompletion=_tags
        ),
    ] = "en",
    values: Annotated[
        list[str] | None,
        typer.Option(
            "--value", metavar="VALUE", help="A value to look for; given again for each one."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Explain what was heard: the transcript, the units that are counted, the errors and the values.

    Both texts are shown after scoring normalization, unit by unit, with every error marked. Each
    value is looked for in both. A text that begins with a dash goes behind `--`.
    """
    from dragoman.cli.heard import HeardQuestion, explain

    explain(HeardQuestion(said, transcript, language, tuple(values or ())), as_json=as_json)
