"""`dragoman curate card`."""

from pathlib import Path

from dragoman.cli.output import print_json, print_line
from dragoman.curation.apis.card import card_of
from dragoman.curation.apis.card_text import card_as_markdown
from dragoman.curation.apis.rows import dataset_rows
from dragoman.store.datasets.dataset import Dataset


def show_card(folder: Path, *, as_json: bool) -> None:
    """Print a dataset's card."""
    with Dataset(folder, write=False) as dataset:
        card = card_of(list(dataset_rows(dataset)), dataset.funnel())
    if as_json:
        print_json(card)
        return
    for line in card_as_markdown(card, folder.name).splitlines():
        print_line(line)
