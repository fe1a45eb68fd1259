"""Where things lie on this machine; nothing else reads the environment."""

import os
from pathlib import Path


def data_folder() -> Path:
    """Return the folder of pulled benchmark data, under XDG_CACHE_HOME or ~/.cache."""
    configured = os.environ.get("XDG_CACHE_HOME", "")
    root = Path(configured) if configured.startswith("/") else Path.home() / ".cache"
    return root / "dragoman" / "data"
