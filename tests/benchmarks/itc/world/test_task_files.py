"""A task that does not fit the APIs is reported in one line, with file and task."""

import pytest

from dragoman.benchmarks.itc.world.api_data import apis
from dragoman.benchmarks.itc.world.tasks import read_tasks
from dragoman.core.errors import DataError

CEP = '{ api = "br-cep", with = { cep = "01310930" } }'


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ('calls = [{ api = "br-zip" }]', "no API br-zip"),
        (f'calls = [{CEP}]\ntraps = ["speed"]', "no trap speed"),
        (f'calls = [{CEP}]\ncountry = "Brazil"', "names its country, another does not"),
        ('offer = ["br-cep"]', "names its country, another does not"),
        ('calls = [{ api = "br-cep" }]', "call 1: br-cep needs cep"),
        ('calls = [{ api = "br-cep", with = { cep = "1", uf = "SP" } }]', "has no parameter uf"),
        ('calls = [{ api = "br-cep", with = { cep = 1310930 } }]', "cep: 1310930 is not of type string"),
        ('calls = [{ api = "g-loan", with = { principal = true, annual_rate = 1, years = 1 } }]', "principal: True"),
        ('calls = [{ api = "br-cep", with = { cep = { from = "$1.a" } } }]', "is not an earlier result"),
        (f'calls = [{CEP}, {{ api = "br-cep", with = {{ cep = {{ from = "data" }} }} }}]', "is not an earlier result"),
        ('calls = [{ api = "g-hash", with = { text = "a", algorithm = "crc" } }]', "not one of its choices"),
        ("level = 3", "unknown field"),
    ],
)  # fmt: skip
def test_a_task_that_does_not_fit_is_refused(lines: str, says: str) -> None:
    content = f'language = "pt"\n[[task]]\nid = "a"\nquery = "?"\n{lines}\n'.encode()
    with pytest.raises(DataError, match=r"^tasks pt\.toml: ") as wrong:
        read_tasks(content, "pt.toml", apis())
    assert says in str(wrong.value)
