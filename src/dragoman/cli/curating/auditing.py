"""What `dragoman curate check` says of credentials in a dataset and in what was made of it."""

from collections.abc import Sequence
from pathlib import Path

from dragoman.cli.output import print_error, print_json
from dragoman.core.errors import UsageError
from dragoman.core.texts.hidden_keys import SHORTEST_KEY
from dragoman.curation.apis.secrecy.auditing import (
    FoundSecret,
    audit_dataset,
    audit_files,
    rules_of,
    told,
)
from dragoman.store.datasets.dataset import Dataset
from dragoman.wiring.environment import key_values


def audited(folder: Path, also: Sequence[Path] = ()) -> list[FoundSecret]:
    """Return where a dataset and some files hold credentials.

    Args:
        folder: The dataset.
        also: Files and folders that were made of it: sheets, exports, rows.

    Raises:
        UsageError: Where one of these is not there.
    """
    missing = next((path for path in also if not path.exists()), None)
    if missing is not None:
        raise UsageError(f"--also {missing}: there is no such file or folder")
    keys = [value for value in key_values() if len(value) >= SHORTEST_KEY]
    with Dataset(folder, write=False) as dataset:
        rules = rules_of(dataset, keys)
        found = list(audit_dataset(dataset, rules))
    for path in also:
        found += audit_files(path, rules)
    return found


def refused_for_secrets(folder: Path, also: Sequence[Path] = (), *, as_json: bool = False) -> bool:
    """Say in a line where credentials stand; whether there are any."""
    found = audited(folder, also)
    if found and as_json:
        print_json({"secrets": found})
    if found:
        print_error(f"{folder}: {told(found)}")
    return bool(found)
