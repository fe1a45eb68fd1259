"""Rule sets of localized tool views: the behaviour of SEATauBench, and the default one."""

from typing import Literal

from dragoman.core.rules import RuleSet, RuleSets

Part = Literal["descriptions", "choices", "results"]
"""A part of what a participant sees of a tool.

`descriptions` are those of the tool and its parameters, `choices` the rest of its schema, `results`
what it answers, errors and names of database records among it.
"""

ALL_PARTS: frozenset[Part] = frozenset(("descriptions", "choices", "results"))


class ViewRules(RuleSet, frozen=True):
    """One set of rules; each field names the behaviour it switches on.

    Attributes:
        described_labels_are_taken: A label that only a description shows is taken; otherwise only
            those of parameters whose schema lists values, and none if only descriptions are in
            the language.
        nested_choices_are_read: Values inside objects that a schema refers to are read too.
        spellings_are_folded: A label is taken in another case, Unicode form or spacing, in quotes,
            and by its declared aliases; otherwise exactly as written.
        other_languages_are_taken: A label of another language of the same set of tools is taken;
            otherwise it reaches the tool as it is.
        user_tools_are_described: Descriptions of the user's tools are in the language.
        values_keep_their_field: A value is labelled by the field it stands in; otherwise every text
            that equals a value of the domain is, with the label of whatever set came last.
        errors_are_explained: A refusal says in the language what is wrong; otherwise a record with
            a code repeats the call.
        output_is_utf8: Letters are written as they are; otherwise all but ASCII is escaped.
    """

    described_labels_are_taken: bool
    nested_choices_are_read: bool
    spellings_are_folded: bool
    other_languages_are_taken: bool
    user_tools_are_described: bool
    values_keep_their_field: bool
    errors_are_explained: bool
    output_is_utf8: bool


DEFAULT_VIEW_RULES = ViewRules(
    name="dragoman-language-view-1",
    described_labels_are_taken=True,
    nested_choices_are_read=True,
    spellings_are_folded=True,
    other_languages_are_taken=False,
    user_tools_are_described=True,
    values_keep_their_field=True,
    errors_are_explained=True,
    output_is_utf8=True,
)

SEATAU_VIEW_RULES = ViewRules(
    name="seatau",
    described_labels_are_taken=False,
    nested_choices_are_read=False,
    spellings_are_folded=False,
    other_languages_are_taken=False,
    user_tools_are_described=False,
    values_keep_their_field=False,
    errors_are_explained=False,
    output_is_utf8=False,
)

VIEW_RULES = RuleSets("rules of views", DEFAULT_VIEW_RULES, SEATAU_VIEW_RULES)
