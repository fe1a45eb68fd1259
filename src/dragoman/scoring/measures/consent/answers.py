"""Classification of the user's answer to a proposal: yes, no, a choice, a condition."""

import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import msgspec

from dragoman.scoring.measures.consent.call_values import (
    CallTarget,
    content_words,
    id_kind,
    ids_named,
    is_named,
    with_digits,
)
from dragoman.scoring.measures.consent.phrases import ConsentPhrases, Pattern, normalize_phrase_text
from dragoman.scoring.measures.consent.proposals import PROPOSING, Block

ConsentAnswer = Literal[
    "own",
    "strong",
    "yes",
    "weak",
    "no",
    "bare no",
    "wait",
    "question",
    "hedged",
    "condition",
    "changed",
    "other",
    "unknown",
]
"""The kind of an answer.

`own` names the action, `strong` is a go-ahead regardless of the question, `yes` and `weak` are
answers only to a question, `bare no` is a no without further words, `wait` is not now, `other`
chooses something else of what was proposed.
"""

_LEVELS: tuple[ConsentAnswer, ...] = ("own", "strong", "yes")

YES = frozenset({"own", "strong", "yes", "weak"})

_STOP = re.compile(r"###\w+###")
_END = re.compile(r"(?<![\w.,])\d{3,6}(?![\w.,]*\d)")
_MARKS = re.compile(r"[^\w]+")
_ECHO = 20
_LONG = 32
"""Most signs of an echo, and of an answer in unknown words that may be a yes."""

_TELLING = frozenset({"open", "question", "wishes", "verify", "changes"})
"""Kinds of questions whose answers name things without asking for anything."""

_CHANGING = re.compile(r"(?:^|_)(?:update|modify|change|exchange)(?:_|$)")
_NEAR = 60
"""Signs before an id among which words describe it."""

_CHOICE = 4
"""Words up to which a clause without a yes chooses what it names."""

_ONLY_NO, _FEW = 3, 2
"""Words up to which a no is only a no."""


class AnswerContext(NamedTuple):
    """Context of an answer: the words before it, the call, and the known ids."""

    block: Block
    view: CallTarget
    phrases: ConsentPhrases
    known: Mapping[str, frozenset[str]]


class _Clause(msgspec.Struct, frozen=True):
    sign: int
    level: str
    scope: Literal["own", "other", "global"]
    only: bool
    is_rest: bool = False
    length: int = 0


def read_answer(
    raw: str,
    about: AnswerContext,
) -> ConsentAnswer:
    """Return what an answer is to the words before it, with regard to one call."""
    phrases = about.phrases
    text = normalize_phrase_text(_STOP.sub(" ", raw))
    if not text:
        return "unknown"
    calm = _blank_matches(text, phrases.user["unchanged"])
    change = phrases.answers("change", _blank_matches(calm, phrases.user["harmless"]))
    if change and not _is_the_act(change.group(), about):
        return "changed"
    clauses = _clauses(text, about)
    said = _together(clauses, text)
    is_signed = any(each.sign for each in clauses)
    if said in {"own", "other"} and not is_signed and _asks(text, phrases):
        said = "question"
    is_named_alone = all(not each.sign and not each.only for each in clauses)
    asks = about.block.asks
    is_reported = bool(asks) and all(each.kind in _TELLING for each in asks)
    is_choice = not is_reported or phrases.answers("all", text)
    if said == "own" and is_named_alone and not is_choice:
        # Naming a thing chooses it among the proposals, and does not say yes to anything different.
        said = "unknown"
    if (
        said == "own"
        and not is_choice
        and not any(each.sign and each.scope == "own" for each in clauses)
    ):
        said = "yes"
    if said == "unknown" and any(
        _is_echo(part, about.block) for part in phrases.sentence_break.split(text) if part
    ):
        return "yes"
    if said in {"own", "strong"} and phrases.answers("hedge", text) and _is_put_off(clauses):
        return "wait"
    if said == "unknown" and len(text) > _LONG and not _asks(text, phrases):
        # A yes in unknown words is short; who talks of something else has not agreed.
        is_open = phrases.answers("hedge", text) or phrases.answers("sarcasm", text)
        said = "unknown" if is_open or phrases.answers("condition", text) else "no"
    return _downgrade_doubtful(said, text, phrases)


def _is_put_off(clauses: Sequence[_Clause]) -> bool:
    return any(each.level == "stop" for each in clauses)


def _is_the_act(words: str, about: AnswerContext) -> bool:
    """Return whether words that ask for a change ask for the action itself."""
    modify = about.phrases.actions.get("modify")
    changes = _CHANGING.search(about.view.call.name) is not None
    return about.view.names(words) is not None or (
        changes and modify is not None and modify.words.search(words) is not None
    )


def _downgrade_doubtful(said: ConsentAnswer, text: str, phrases: ConsentPhrases) -> ConsentAnswer:
    """Return an answer as less than a yes where it is hedged, under a condition, or a question."""
    calm = _blank_matches(text, phrases.user["polite"])
    is_doubtful = phrases.answers("sarcasm", text) or phrases.answers("hedge", text)
    if said in {"yes", "weak", "unknown"} and is_doubtful:
        return "hedged"
    condition = phrases.answers("condition", calm)
    if condition and (said in {*YES, "unknown"} or (said == "no" and condition.start() <= _FEW)):
        return "condition"
    if said in {"unknown", "weak"} and _asks(text, phrases):
        return "question" if said == "unknown" else "hedged"
    return said


def _is_echo(text: str, block: Block) -> bool:
    """Return whether a short answer says words of the question again: "Ready?", "Ready."."""
    words = _MARKS.sub(" ", text).strip()
    asked = [_MARKS.sub(" ", each.text) for each in block.asks if each.kind in PROPOSING]
    return 1 < len(words) <= _ECHO and any(f" {words} " in f" {each} " for each in asked)


def _asks(text: str, phrases: ConsentPhrases) -> bool:
    calm = _blank_matches(text, phrases.user["request"])
    return phrases.answers("question", calm) is not None


def _clauses(
    text: str,
    about: AnswerContext,
) -> list[_Clause]:
    phrases = about.phrases
    calm = _blank_matches(text, phrases.user["harmless"])
    found: list[_Clause] = []
    begin = 0
    is_positive = False
    for end in (*(match.start() for match in phrases.clause_break.finditer(text)), len(text)):
        part, quiet = text[begin:end], calm[begin:end]
        begin = end
        if not part.strip():
            continue
        clause = _clause(part, quiet, about, after_yes=is_positive)
        stated = [each.scope for each in found if each.scope != "global"]
        if clause.sign and clause.scope == "global" and stated and phrases.answers("rest", part):
            turned: Literal["own", "other"] = "other" if stated[-1] == "own" else "own"
            clause = msgspec.structs.replace(clause, scope=turned, is_rest=True)
        if any(each.sign < 0 for each in found) and _is_of_another(part, clause, about.view):
            clause = msgspec.structs.replace(clause, sign=0)
        is_short = len(part.split()) <= _ONLY_NO
        if clause.sign < 0 and clause.scope == "global" and is_short and found:
            # "The rug, not that one" is of the rug.
            clause = msgspec.structs.replace(clause, scope=found[-1].scope)
        if clause.level == "yes" and _asks(part, phrases) and any(each.sign < 0 for each in found):
            # Behind a no, "what can one do with that, right" asks for nothing.
            clause = msgspec.structs.replace(clause, sign=0)
        is_positive = is_positive or clause.sign > 0
        found.append(clause)
    return found


def _is_of_another(part: str, clause: _Clause, view: CallTarget) -> bool:
    """Return whether behind a no a clause wants another action: "no, I want to change the date"."""
    return clause.sign > 0 and view.names(part) is None and view.names_other(part) is not None


def _clause(
    part: str,
    quiet: str,
    about: AnswerContext,
    *,
    after_yes: bool,
) -> _Clause:
    sign, level = _sign(part, quiet, about, after_yes=after_yes)
    scope = _scope(part, quiet, about, is_no=sign < 0)
    if scope == "global" and sign < 0:
        scope = _scope_by_action(part, about)
    only = about.phrases.answers("only", part) is not None
    return _Clause(sign, level, scope, only, length=len(part.split()))


def _sign(part: str, quiet: str, about: AnswerContext, *, after_yes: bool) -> tuple[int, str]:
    phrases = about.phrases
    strong = phrases.answers("strong", part)
    yes = phrases.answers("yes", part)
    if after_yes or yes or strong:
        quiet = _blank_matches(quiet, phrases.user["aside"])
    no = phrases.answers("no", quiet)
    stop = phrases.answers("stop", quiet)
    if stop and not (strong and strong.start() > stop.end()):
        return -1, "stop"
    if no:
        return _against(part, no, strong, about)
    if _is_asked_for(part, about):
        return 1, "own"
    if strong:
        return 1, "strong"
    if yes:
        return 1, "yes"
    return (1, "weak") if phrases.answers("weak", part) else (0, "")


def _against(
    part: str,
    no: re.Match[str],
    strong: re.Match[str] | None,
    about: AnswerContext,
) -> tuple[int, str]:
    """Return the meaning of a clause that has a no.

    "no go ahead" gives a go-ahead, "don't go ahead" does not.
    """
    phrases = about.phrases
    rest = part[no.end() :]
    again = phrases.answers("no", _blank_matches(rest, phrases.user["harmless"]))
    is_answer = phrases.answers("no_word", no.group()) is not None
    if is_answer and not again and phrases.answers("only", rest):
        return 1, "own"
    if is_answer and not again and strong and strong.start() >= no.end():
        return 1, "strong"
    if is_answer and not again and _is_asked_for(rest, about):
        return 1, "own"
    return -1, "no"


def _is_asked_for(part: str, about: AnswerContext) -> bool:
    """Return whether a clause asks for the action: only a lead stands before it."""
    phrases = about.phrases
    named = about.view.names(part)
    if named is None or phrases.answers("question", _blank_matches(part, phrases.user["request"])):
        return False
    before = _blank_matches(part[: named.start()], phrases.user["request"])
    return phrases.lead.fullmatch(before) is not None


def _scope(
    part: str, quiet: str, about: AnswerContext, *, is_no: bool
) -> Literal["own", "other", "global"]:
    """Return of what a clause speaks: the call, something else of the proposal, or all of it."""
    if about.phrases.answers("all", part):
        return "own"
    stated = _scope_by_id(with_digits(part, about.phrases), about) or _scope_by_place(part, about)
    by_words = stated or _scope_by_words(part, about, is_no=is_no)
    if by_words:
        return by_words
    if about.view.names(part):
        return "own"
    return "other" if _names_same_other(quiet, about) else "global"


def _scope_by_action(part: str, about: AnswerContext) -> Literal["own", "other", "global"]:
    """Return the scope of a clause among several actions.

    It follows from the words that a block has about each action.
    """
    block, view = about.block, about.view
    own = view.names(block.named)
    if own is None:
        return "global"
    others = [found for each in view.others if (found := each.words.search(block.named))]
    after = [found for found in others if found.start() >= own.end()]
    if not after:
        return "global"
    split = min(found.start() for found in after)
    mine, theirs = _long_words(block.named[:split]), _long_words(block.named[split:])
    said = _long_words(part)
    is_theirs = any(_is_alike(word, each) for word in said for each in theirs - mine)
    is_mine = any(_is_alike(word, each) for word in said for each in mine - theirs)
    return "other" if is_theirs and not is_mine else "global"


def _long_words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W\d_]{4,40}", text))


def _is_alike(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def _names_same_other(part: str, about: AnswerContext) -> bool:
    return any(
        each.words.search(part) and each.words.search(about.block.text)
        for each in about.view.others
    )


def _scope_by_id(part: str, about: AnswerContext) -> Literal["own", "other", ""]:
    view = about.view
    if any(is_named(each, part) for each in view.every_id):
        return "own"
    kinds = set(map(id_kind, view.every_id))
    beside = {id_ for _, id_ in ids_named(part) if id_kind(id_) in kinds}
    # An id that was not proposed is a further wish: "yes, and that one too".
    if any(is_named(each, about.block.named) for each in beside):
        return "other"
    return _scope_by_end(part, about)


def _scope_by_end(part: str, about: AnswerContext) -> Literal["own", "other", ""]:
    """Return which of the ids is meant by its last digits."""
    view = about.view
    options = {*_options(about), *view.every_id}
    meant = {
        id_ for end in _END.findall(part) for id_ in options if id_.endswith(end) and id_ != end
    }
    if not meant:
        return ""
    return "own" if meant & set(view.every_id) else "other"


def _options(about: AnswerContext) -> list[str]:
    """Return the ids among which a block lets the user choose, in their order.

    They are of a kind that the call has.
    """
    block, view = about.block, about.view
    for ids in view.ids.values():
        for kind in dict.fromkeys(map(id_kind, ids)):
            found = [id_ for _, id_ in ids_named(block.named) if id_kind(id_) == kind]
            options = list(dict.fromkeys(found))
            if len(options) > 1 and set(options) & set(view.every_id):
                return options
    return []


def _scope_by_place(part: str, about: AnswerContext) -> Literal["own", "other", ""]:
    view, phrases = about.view, about.phrases
    options = _options(about)
    places = [
        place
        for kind, of_kind in (
            *(("first", (0,)), ("second", (1,)), ("third", (2,)), ("last", (-1,))),
            *(("first_two", (0, 1)), ("last_two", (-1, -2))),
        )
        if phrases.answers(kind, part)
        for place in of_kind
    ]
    if not places:
        return ""
    if options:
        chosen = {options[place] for place in places if place < len(options)}
        return "own" if chosen & set(view.every_id) else "other"
    order = _actions_in_order(about.block, view)
    if "own" not in order or len(order) == 1:
        return ""
    is_own = any(order[place] == "own" for place in places if place < len(order))
    return "own" if is_own else "other"


def _actions_in_order(block: Block, view: CallTarget) -> list[str]:
    own = view.names(block.named)
    every = [(own.start(), "own")] if own else []
    for each in view.others:
        found = each.words.search(block.named)
        if found and not (own and found.start() == own.start()):
            every.append((found.start(), each.name))
    return [name for _, name in sorted(every)]


def _scope_by_words(part: str, about: AnswerContext, *, is_no: bool) -> Literal["own", "other", ""]:
    """Return the scope of a clause by words that distinguish the call's objects.

    The words distinguish these objects from others of their kind.
    """
    said = set(content_words(part, about.phrases))
    options = _options(about)
    rows = {**about.known, **(_descriptions(about, options) if options else {})}
    for ids in about.view.ids.values():
        beside = {id_: rows[id_] for id_ in rows if id_ in ids or id_ not in about.view.every_id}
        scope = _scope_among(said, ids, beside, is_no=is_no)
        if scope:
            return scope
    return ""


def _scope_among(
    said: set[str], ids: Sequence[str], rows: Mapping[str, frozenset[str]], *, is_no: bool
) -> Literal["own", "other", ""]:
    kinds = set(map(id_kind, ids))
    own = {word for id_ in ids for word in rows.get(id_, ())}
    others = {
        word
        for id_, words in rows.items()
        if id_ not in ids and id_kind(id_) in kinds
        for word in words
    }
    if len(ids) > 1 and said & own and not is_no:
        return "own" if _are_all_meant(said, ids, rows) else "other"
    is_own, is_other = bool(said & (own - others)), bool(said & (others - own))
    if is_own == is_other or not others:
        return "own" if is_own and is_no and len(ids) > 1 else ""
    return "own" if is_own else "other"


def _are_all_meant(said: set[str], ids: Sequence[str], rows: Mapping[str, frozenset[str]]) -> bool:
    """Return whether words mention each of several objects that a call takes.

    Only objects that words distinguish count.
    """
    for id_ in ids:
        beside = {word for each in ids if each != id_ for word in rows.get(each, ())}
        alone = set(rows.get(id_, ())) - beside
        if alone and not alone & said:
            return False
    return True


def _descriptions(about: AnswerContext, options: Sequence[str]) -> dict[str, frozenset[str]]:
    """Return the words by which each option is introduced.

    They stand before it ("the lamp (4417002299)"), or behind it where a sentence begins with it.
    """
    text = about.block.named
    places: dict[str, int] = {}
    for place, id_ in ids_named(text):
        if id_ in options:
            places.setdefault(id_, place)
    breaks = [found.end() for found in about.phrases.sentence_break.finditer(text)]
    is_first = {id_: _begins_sentence(text, place, breaks) for id_, place in places.items()}
    found: dict[str, frozenset[str]] = {}
    begin = 0
    ordered = sorted(places.items(), key=lambda entry: entry[1])
    for number, (id_, place) in enumerate(ordered):
        end = place + len(id_) + 1
        following = ordered[number + 1][1] if number + 1 < len(ordered) else len(text)
        if is_first[id_]:
            segment = text[end : min(following, *(at for at in breaks if at > end), len(text))]
        else:
            segment = text[max(begin, place - _NEAR) : place]
        begin = end
        found[id_] = content_words(segment, about.phrases)
    shared = frozenset.intersection(*found.values()) if found else frozenset()
    return {id_: words - shared for id_, words in found.items()}


def _begins_sentence(text: str, place: int, breaks: Sequence[int]) -> bool:
    """Return whether an id begins a sentence or a clause that describes it: "W1 is the lamp"."""
    last = max((at for at in breaks if at <= place), default=0)
    if len(text[last:place].strip(" #-*•\"'(")) <= _FEW:
        return True
    before = re.split(r"[,;:]", text[last:place])[-1]
    said = re.match(r"[\w#-]+\s*(?:\bis\b|\bare\b|=|:)", text[place:])
    return len(before.strip(" #-*•\"'(")) <= _FEW and said is not None


def _together(clauses: Sequence[_Clause], text: str) -> ConsentAnswer:
    """Return what all clauses say of the call: the last word on it counts."""
    own = [each for each in clauses if each.scope == "own"]
    general = [each for each in clauses if each.scope == "global" and each.sign]
    taken = [each for each in clauses if each.scope == "other" and each.sign >= 0]
    if own:
        return _of_own(clauses, own, general, text)
    if taken and (not general or general[-1].sign > 0 or any(each.only for each in taken)):
        return "other"
    if not general:
        return "unknown"
    return _no(clauses, text) if general[-1].sign < 0 else _of_general(general)


def _of_own(
    clauses: Sequence[_Clause], own: Sequence[_Clause], general: Sequence[_Clause], text: str
) -> ConsentAnswer:
    last = next((each for each in reversed(own) if each.sign), own[-1])
    if not last.sign and any(
        (each.is_rest or last.length > _CHOICE) and each.sign > 0 and each.scope == "other"
        for each in clauses
    ):
        return "other"
    is_after = bool(general) and clauses.index(general[-1]) > clauses.index(last)
    if last.sign < 0 or (is_after and general[-1].sign < 0 and not last.only):
        return _no(clauses, text)
    return "own"


def _of_general(general: Sequence[_Clause]) -> ConsentAnswer:
    """Return the answer that several clauses amount to.

    The last yes counts. After a no, it must be more than weak.
    """
    yes = [each.level for each in general if each.sign > 0]
    is_behind_no = any(each.sign < 0 for each in general)
    levels = yes[-1:] if is_behind_no else yes
    best = next((each for each in _LEVELS if each in levels), None)
    return best or ("no" if is_behind_no else "weak")


def _no(clauses: Sequence[_Clause], text: str) -> ConsentAnswer:
    if all(each.level == "stop" for each in clauses if each.sign < 0):
        return "wait"
    is_bare = len(text.split()) <= _ONLY_NO and len(clauses) <= _FEW
    return "bare no" if is_bare else "no"


def _blank_matches(text: str, pattern: Pattern) -> str:
    return pattern.sub(lambda found: " " * len(found.group()), text)
