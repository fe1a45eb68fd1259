"""What a checkout of tau2-bench or of its fork holds beside its data: modules, which are read as text."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from dragoman.conditions.language.artifacts import ToolReturns
from dragoman.conditions.language.tool_messages import messages_of_module
from dragoman.core.errors import DataError
from dragoman.core.texts.decoding import OutsideErrors
from dragoman.core.tools import Role

_DOMAINS = "src/tau2/domains"
_RECORDS: Mapping[Role, str] = {"agent": "data_model.py", "user": "user_data_model.py"}
_TOOLS = "tools.py"


def checkout_hashes(given: Path, domain: str) -> dict[str, str]:
    """Return the hashes of a domain's modules by their path upstream; none where there are none."""
    return {
        f"{_DOMAINS}/{domain}/{path.name}": hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted((given / _DOMAINS / domain).glob("*.py"))
    }


def checkout_modules(given: Path, domain: str) -> dict[Role, dict[str, str]]:
    """Return the texts of the modules with a domain's records by side and path.

    Raises:
        DataError: Where one cannot be read.
    """
    paths = {side: f"{_DOMAINS}/{domain}/{name}" for side, name in _RECORDS.items()}
    return {
        side: {path: _text(given / path)}
        for side, path in paths.items()
        if (given / path).is_file()
    }


def checkout_messages(given: Path, domain: str) -> ToolReturns:
    """Return what a domain's tools say; nothing where no module tells.

    Raises:
        DataError: Where the module cannot be read.
    """
    path = given / _DOMAINS / domain / _TOOLS
    return messages_of_module(_text(path), str(path)) if path.is_file() else ToolReturns()


def _text(path: Path) -> str:
    with OutsideErrors(DataError, f"{path} cannot be read"):
        return path.read_text("utf-8")
