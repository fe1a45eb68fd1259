"""Chains are seen by the names of answered fields and of required parameters."""

from dragoman.core.apis.documents import ApiParameter, Operation
from dragoman.curation.apis.generating.chains import Chain, chains_among


def test_a_field_that_is_sometimes_null_leads_on_as_one_of_a_single_type_does() -> None:
    known = {
        "a/find": Operation("find", "https://api.example/find"),
        "b/show": Operation(
            "show",
            "https://api.example/show",
            required_parameters=(ApiParameter("station"),),
        ),
    }
    observed = {
        "a/find": {"type": "object", "properties": {"station": {"type": ["null", "string"]}}}
    }

    assert chains_among(known, observed) == [Chain("a/find", "b/show", "station", "station")]
