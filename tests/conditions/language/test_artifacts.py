import json

import pytest

from dragoman.conditions.language.artifacts import (
    Schema,
    ToolReturns,
    TranslationManifest,
    decode_artifact,
    encode_artifact,
)
from dragoman.core.errors import DataError

SCHEMA = {
    "kind": "schema",
    "source_file": "data_model.py",
    "models": {
        "Order": {
            "fields": {
                "status": {"annotation": "Status", "description": "สถานะ", "value_set": "S"}
            },
            "description": "คำสั่งซื้อ",
        }
    },
    "value_sets": {
        "S": {
            "kind": "literal",
            "values": [{"canonical": "open", "localized": "เปิด"}],
            "owner_model": "Order",
            "owner_field": "status",
        },
        "T": {"kind": "enum", "values": [{"canonical": "a", "localized": "b", "member": "A"}]},
    },
}
RETURNS = {
    "exact": {"done": {"source": "Done", "localized": "Xong"}},
    "templates": {"paid": {"pattern": "^a$", "source": "{b}", "localized": "{b}"}},
}
MANIFEST = {
    "assets": {
        "tools.json": {
            "component": "tools",
            "output_file": "tools.json",
            "model": "some/model",
            "source_language": "English",
            "target_language": "Thai",
            "translated_at": "2026-05-23",
            "source_files": [{"path": "tools.py", "sha256": "00"}],
            "manual_patch_at": "2026-05-24",
        }
    },
    "generated_at": "2026-05-25",
}


def released(artifact: object) -> bytes:
    return (json.dumps(artifact, indent=2, ensure_ascii=False) + "\n").encode()


@pytest.mark.parametrize(
    ("kind", "artifact"),
    [(Schema, SCHEMA), (ToolReturns, RETURNS), (TranslationManifest, MANIFEST)],
)
def test_an_artifact_is_written_as_it_was_released(kind: type, artifact: object) -> None:
    content = released(artifact)
    assert encode_artifact(decode_artifact(content, kind, "x")) == content


@pytest.mark.parametrize(
    ("content", "reported"),
    [
        (b"{", "th/data_model.json: Input data was truncated"),
        (b"\xff", "th/data_model.json: "),
        (b'{"kind": "table"}', "th/data_model.json: Invalid enum value 'table'"),
        (released({**SCHEMA, "extra": 1}), "contains unknown field `extra`"),
    ],
)
def test_a_damaged_artifact_is_told_in_one_line(content: bytes, reported: str) -> None:
    with pytest.raises(DataError) as caught:
        decode_artifact(content, Schema, "th/data_model.json")
    assert reported in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1
