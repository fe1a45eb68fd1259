"""A checkout of upstream as the English side: its modules are read as text."""

import hashlib
from pathlib import Path

import pytest

from dragoman.composition.conditions.language_artifacts import english_side
from dragoman.core.errors import DataError
from dragoman.core.language.translated_domains import EnglishDomain
from dragoman.core.tools import Toolset, ToolSpec
from dragoman.curation.translation.discovery import translatable

RECORDS = '''
class Status(str, Enum):
    OPEN = "open"
class Bill(BaseModel):
    """A bill."""
    status: Status = Field(description="How far it is")
'''
PHONE = """
class Phone(BaseModel):
    signal: Literal["good", "poor"]
"""
TOOLS = """
TOOL_RETURN_MESSAGES: dict[str, str] = {
    "done": "All done",
    "sent": "Sent to {who}",
    OTHER: "left out",
}
raise SystemExit
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    modules = tmp_path / "src/tau2/domains/phones"
    modules.mkdir(parents=True)
    (modules / "data_model.py").write_text(RECORDS)
    (modules / "user_data_model.py").write_text(PHONE)
    (modules / "tools.py").write_text(TOOLS)
    data = tmp_path / "data/tau2/domains/phones"
    data.mkdir(parents=True)
    (data / "policy.md").write_text("# The checkout's policy\n")
    return tmp_path


def phones() -> EnglishDomain:
    tools = Toolset((ToolSpec("pay", "Pays a bill.", {"properties": {}}, "write"),))
    return EnglishDomain(
        name="phones",
        toolsets={"agent": tools},
        files=lambda: {"policy.md": b"# Another\n", "db.toml": b"a = 1\n"},
        databases={"agent": "db.toml"},
        policy_files=("policy.md",),
        compose_policy="".join,
        decode_tasks=lambda *_: (),
        source_root="data/tau2/domains",
    )


def test_schemas_and_messages_come_from_the_modules_of_a_checkout(checkout: Path) -> None:
    domain = translatable(phones(), english_side(phones(), str(checkout), checkout / "none"))
    found = {each.name: [segment.source for segment in each.segments] for each in domain.artifacts}
    assert found == {
        "data_model.json": ["A bill.", "How far it is", "open"],
        "user_data_model.json": ["good", "poor"],
        "tools.json": ["Pays a bill."],
        "tool_returns.json": ["All done", "Sent to {who}"],
        "db.toml": [],
        "policy.md": ["# The checkout's policy\n"],
    }
    schema = domain.artifacts[0]
    path = "src/tau2/domains/phones/data_model.py"
    assert [(source.path, source.sha256) for source in schema.sources] == [
        (path, hashlib.sha256(RECORDS.encode()).hexdigest())
    ]


def test_a_module_that_is_none_is_named(checkout: Path) -> None:
    (checkout / "src/tau2/domains/phones/tools.py").write_text("TOOL_RETURN_MESSAGES = (")
    with pytest.raises(DataError, match=r"tools\.py: not valid Python"):
        english_side(phones(), str(checkout), checkout / "none")
