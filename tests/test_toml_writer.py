import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.toml_writer import encode_toml

from dragoman.core.errors import DataError

keys = st.text(max_size=6)
plain = st.one_of(
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.text(max_size=8).filter(lambda text: text.isprintable()),
    st.dates(),
)
values = st.recursive(
    st.one_of(plain, st.lists(plain, max_size=3)),
    lambda inner: st.one_of(
        st.dictionaries(keys, inner, max_size=3),
        st.lists(st.dictionaries(keys, inner, max_size=2), min_size=1, max_size=2),
    ),
    max_leaves=8,
)


@given(st.dictionaries(keys, values, max_size=4))
def test_what_is_written_reads_back(database: dict[str, object]) -> None:
    assert tomllib.loads(encode_toml(database).decode("utf-8")) == database


def test_a_database_is_laid_out_as_released() -> None:
    database = {
        "customers": [
            {
                "id": "C1",
                "lines": ["L1", "L2"],
                "none": [],
                "methods": [{"type": "Card", "last": 4}],
                "address": {"city": "Đà Nẵng"},
            },
            {"id": "C2"},
        ],
        "rate": 2.0,
    }
    assert encode_toml(database).decode("utf-8") == (
        "rate = 2.0\n"
        "[[customers]]\n"
        'id = "C1"\n'
        'lines = [ "L1", "L2",]\n'
        "none = []\n"
        "[[customers.methods]]\n"
        'type = "Card"\n'
        "last = 4\n"
        "\n"
        "\n"
        "[customers.address]\n"
        'city = "Đà Nẵng"\n'
        "[[customers]]\n"
        'id = "C2"\n'
        "\n"
    )


def test_what_toml_has_no_form_for_is_refused() -> None:
    with pytest.raises(DataError, match="TOML has no form for NoneType"):
        encode_toml({"a": None})
