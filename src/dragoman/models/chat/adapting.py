"""Finds the form of history that an endpoint asks for by refusing another one."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import msgspec

from dragoman.core.texts.carried_fields import CALL_FIELDS
from dragoman.core.usage import RemarkKind
from dragoman.models.history_form import HistoryForm
from dragoman.models.wire.refusals import RefusalReason


class AdaptedForm(NamedTuple):
    """A form to ask again with, and the remark that says what was changed."""

    form: HistoryForm
    remark: RemarkKind


def adapted_form(reason: RefusalReason, form: HistoryForm) -> AdaptedForm | None:
    """Return the form that a refusal asks for; None where it asks for none, or for the one it refused.

    Args:
        reason: What the refusal says.
        form: The form that was refused.
    """
    found = (adapted for way in _WAYS for adapted in way(reason, form) if adapted.form != form)
    return next(found, None)


def _of_roles(reason: RefusalReason, form: HistoryForm) -> Iterator[AdaptedForm]:
    if reason.refuses_system and form.takes_system:
        # The policy is then a user's message, beside the user's own words.
        yield AdaptedForm(
            msgspec.structs.replace(form, takes_system=False, takes_any_order=False),
            "system_as_user",
        )
    elif reason.wants_alternating_roles:
        yield AdaptedForm(msgspec.structs.replace(form, takes_any_order=False), "alternating_roles")


def _of_reasoning(reason: RefusalReason, form: HistoryForm) -> Iterator[AdaptedForm]:
    if reason.wants_reasoning:
        if form.reasoning in {"never", "with_calls"}:
            yield AdaptedForm(
                msgspec.structs.replace(form, reasoning="always"), "reasoning_returned"
            )
        else:
            yield AdaptedForm(msgspec.structs.replace(form, reasoning="filled"), "reasoning_filled")
    elif reason.refuses_reasoning:
        is_extra = any(name in reason.said for name in ("extra_content", *CALL_FIELDS))
        changed = {"keeps_extras": False} if is_extra else {"reasoning": "never"}
        yield AdaptedForm(msgspec.structs.replace(form, **changed), "reasoning_left_out")


def _of_content(reason: RefusalReason, form: HistoryForm) -> Iterator[AdaptedForm]:
    if reason.refuses_empty and form.takes_empty:
        yield AdaptedForm(
            msgspec.structs.replace(form, takes_empty=False), "empty_content_replaced"
        )
    elif reason.refuses_null and form.wordless_calls == "null":
        yield AdaptedForm(
            msgspec.structs.replace(form, wordless_calls="empty"), "null_content_replaced"
        )
    elif reason.refuses_null or reason.refuses_empty:
        yield AdaptedForm(
            msgspec.structs.replace(form, wordless_calls="filled"), "empty_calls_filled"
        )


def _of_calls(reason: RefusalReason, form: HistoryForm) -> Iterator[AdaptedForm]:
    if reason.wants_names and not form.names_results:
        yield AdaptedForm(msgspec.structs.replace(form, names_results=True), "results_named")
    elif reason.refuses_ids:
        yield AdaptedForm(
            msgspec.structs.replace(form, keeps_ids=False, keeps_tied_ids=False), "ids_replaced"
        )


def _of_other_fields(reason: RefusalReason, form: HistoryForm) -> Iterator[AdaptedForm]:
    if reason.refuses_extras:
        changed = msgspec.structs.replace(form, reasoning="never", keeps_extras=False)
        yield AdaptedForm(changed, "reasoning_left_out")


_WAYS: tuple[Callable[[RefusalReason, HistoryForm], Iterator[AdaptedForm]], ...] = (
    _of_roles,
    _of_reasoning,
    _of_content,
    _of_calls,
    _of_other_fields,
)
"""What may be changed, the most telling words first."""
