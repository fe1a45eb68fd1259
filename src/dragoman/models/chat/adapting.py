"""Finds the form of history that an endpoint asks for by refusing another one."""

from typing import NamedTuple

import msgspec

from dragoman.models.history_form import HistoryForm
from dragoman.models.wire.refusals import RefusalReason


class AdaptedForm(NamedTuple):
    """A form to ask again with, and the remark that says what was changed."""

    form: HistoryForm
    remark: str


def adapted_form(reason: RefusalReason, form: HistoryForm) -> AdaptedForm | None:
    """Return the form that a refusal asks for; None where it asks for none, or for the one it refused.

    Args:
        reason: What the refusal says.
        form: The form that was refused.
    """
    changed: HistoryForm | None = None
    remark = ""
    if reason.refuses_system and form.takes_system:
        # The policy is then a user's message, beside the user's own words.
        changed = msgspec.structs.replace(form, takes_system=False, takes_any_order=False)
        remark = "system_as_user"
    elif reason.wants_alternating_roles and form.takes_any_order:
        changed = msgspec.structs.replace(form, takes_any_order=False)
        remark = "alternating_roles"
    elif reason.wants_reasoning and form.reasoning != "always":
        changed = msgspec.structs.replace(form, reasoning="always")
        remark = "reasoning_returned"
    elif reason.refuses_reasoning and (form.reasoning != "never" or form.keeps_extras):
        is_extra = "extra_content" in reason.said
        changed = msgspec.structs.replace(
            form,
            reasoning=form.reasoning if is_extra else "never",
            keeps_extras=form.keeps_extras and not is_extra,
        )
        remark = "reasoning_left_out"
    elif reason.refuses_empty and form.takes_empty:
        changed = msgspec.structs.replace(form, takes_empty=False)
        remark = "empty_content_replaced"
    elif reason.refuses_ids and form.keeps_ids:
        changed = msgspec.structs.replace(form, keeps_ids=False)
        remark = "ids_replaced"
    return None if changed is None or changed == form else AdaptedForm(changed, remark)
