"""The constants of long contexts as a record."""

import gzip
import json
from pathlib import Path

import pytest

from dragoman.benchmarks.bfcl.apis.results import LongTexts
from dragoman.core.errors import DataError


def test_the_pulled_constants_are_read_with_their_ellipsis(data_folder: Path) -> None:
    packed = (data_folder / "bfcl" / "long_context.json.gz").read_bytes()
    texts = LongTexts.convert(json.loads(gzip.decompress(packed)))
    assert texts.watch_list_extension[-1] is ...
    assert len(texts.watch_list_extension) == 1001
    assert len(texts.populate_file_extension) == 30
    assert len(texts.ma_5_extension) == len(texts.ma_20_extension) == 2000


def test_constants_of_another_form_are_refused_in_one_line() -> None:
    with pytest.raises(DataError, match=r"damaged.*data pull bfcl"):
        LongTexts.convert({"MA_5_EXTENSION": "no list"})
