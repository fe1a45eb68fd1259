"""The bundled suite `courier`, and its splits by difficulty."""

from importlib.resources import files

from dragoman.benchmarks.courier.desk import Desk
from dragoman.benchmarks.courier.domain import COURIER
from dragoman.benchmarks.courier.user_setup import UserSide
from dragoman.benchmarks.kit.conversation_suite import ConversationSuite
from dragoman.benchmarks.kit.suite_files import suite_from_files


def courier_suite(split: str = "") -> ConversationSuite:
    """Load the suite, or one split of it."""
    folder = files("dragoman.benchmarks.courier") / "data"
    return suite_from_files("courier", folder, COURIER, {"agent": Desk, "user": UserSide}, split)
