"""Rule sets of BFCL: each difference between the reference and our defaults has a name."""

import msgspec

from dragoman.core.rules import RuleSet, RuleSets


class BfclRules(RuleSet, frozen=True):
    """One rule set; each field names the behaviour it switches on.

    Attributes:
        positionals_are_bound: Arguments without a name take those of the signature, in its order;
            otherwise they are dropped.
        signs_keep_their_meaning: `+1`, `~5` and `not True` have their values in Python; otherwise
            every sign before a constant is a minus.
        odd_calls_are_unreadable: A call that is not plain makes the text unreadable: a callee that
            is not a dotted name, unpacking, an argument given twice; otherwise the last attribute
            counts as the name, unpacking is dropped and the last value is kept.
        json_is_read_whole: JSON calls are read by the grammar of JSON; otherwise by a pattern that
            cuts nested lists of objects, and text that is not JSON holds no calls.
        source_is_read_as_written: Java and JavaScript text is split into calls by the languages'
            grammar; otherwise with the faults of one parser and its error recovery: one call is
            read, short ones fail, class bodies are lost, characters beyond ASCII shift what
            follows, and a bare name becomes an argument without a name.
        source_values_are_read: A Java or JavaScript value is read by the language's grammar;
            otherwise by patterns that know some spellings and split at every comma.
        matching_is_perfect: Calls in any order pass if they can be paired with the expected ones;
            otherwise each expected call takes the first that passes and never gives it back.
        strings_match_exactly: Strings are compared as they are; otherwise without case, spaces and
            some punctuation.
        elements_follow_the_schema: Elements have the types that the schema gives at every depth,
            where a whole number serves as a float; otherwise only the elements of one list level
            are looked at, never as floats, and not at all where the list may be omitted.
        any_alternative_sets_the_type: A value of another type than the schema's passes if it
            equals any alternative; otherwise only if it has the type of the first one.
        booleans_are_not_numbers: True never equals 1; otherwise it does inside lists and objects.
        markers_are_not_values: The mark of an optional argument says no more than that; otherwise
            it is also an empty string, an empty list and an end to checking elements.
        nested_objects_hold_alternatives: An expected object inside an object may hold lists of
            alternatives itself; otherwise it is compared as it stands.
        defaults_may_be_given: An argument given with its default counts as omitted; otherwise it
            is unexpected where the answer does not list it.
        open_schemas_are_judged: A type unknown to BFCL, or a list without element type, is not
            checked; otherwise no verdict is possible, because the reference raises an error there.
        attempts_are_not_abstention: A reply that tries to call an offered function and cannot be
            read is a call where none was wanted; otherwise it counts as having called nothing.
        malformed_calls_are_answered: A call with unreadable arguments is answered with an error,
            and the agent may correct it; otherwise it ends the turn, and no call of its reply is
            executed.
        forced_ends_always_count: A conversation that did not end by itself fails; otherwise it does
            not if that happened in its last turn.
        idle_turns_are_checked: After a turn that asks for something impossible, the state must be
            unchanged; otherwise nothing is compared there.
        results_match_by_value: Results are the same if they hold the same values: 8 and 8.0, and
            entries in any order; otherwise only if their texts are.
        answers_are_judged_alone: Of a final reply in the requested form, only the answer counts;
            otherwise the text around it counts too.
        answers_end_where_words_do: An answer may begin or end with a sign, as in $5 or 5%;
            otherwise it is not found there unless a letter or digit is next to it.
        answers_keep_their_numbers: A decimal point and a minus before a number count; otherwise
            3.5 is 35 and -5 is 5.
        written_calls_are_calls: A reply in which a call is written as text, in any form that models
            are known to write, is a call where none was wanted; otherwise only one in the form that
            was asked for, or with the marks that `attempts_are_not_abstention` looks for.
    """

    positionals_are_bound: bool
    signs_keep_their_meaning: bool
    odd_calls_are_unreadable: bool
    json_is_read_whole: bool
    source_is_read_as_written: bool
    source_values_are_read: bool
    matching_is_perfect: bool
    strings_match_exactly: bool
    elements_follow_the_schema: bool
    any_alternative_sets_the_type: bool
    booleans_are_not_numbers: bool
    markers_are_not_values: bool
    nested_objects_hold_alternatives: bool
    defaults_may_be_given: bool
    open_schemas_are_judged: bool
    attempts_are_not_abstention: bool
    malformed_calls_are_answered: bool
    forced_ends_always_count: bool
    idle_turns_are_checked: bool
    results_match_by_value: bool
    answers_are_judged_alone: bool
    answers_end_where_words_do: bool
    answers_keep_their_numbers: bool
    written_calls_are_calls: bool


DIFFERENCES = tuple(field for field in BfclRules.__struct_fields__ if field != "name")
"""The names of the behaviours in which rule sets differ."""

DEFAULT_RULES = BfclRules("dragoman-2", *(True for _ in DIFFERENCES))

DRAGOMAN_1 = msgspec.structs.replace(
    DEFAULT_RULES, name="dragoman-1", written_calls_are_calls=False
)

BFCL_V4 = BfclRules("bfcl-v4", *(False for _ in DIFFERENCES))

RULES = RuleSets("rules", DEFAULT_RULES, DRAGOMAN_1, BFCL_V4)
