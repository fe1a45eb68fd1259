"""What the released artifacts leave out, declared by domain: one TOML file each."""

import functools
import importlib.resources

from dragoman.benchmarks.kit.declared import decode_declarations
from dragoman.core.language.declarations import Declarations


@functools.cache
def declarations_of(domain: str) -> Declarations:
    """Return what is declared of a domain of tau2-bench."""
    folder = importlib.resources.files("dragoman.benchmarks.tau2.seataubench") / "declarations"
    return decode_declarations(
        (folder / f"{domain}.toml").read_bytes(), f"the declarations of {domain}"
    )
