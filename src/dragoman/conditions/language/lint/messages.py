"""Messages of tools: every translation can be filled as its source is, and matched back."""

from collections.abc import Mapping

from dragoman.conditions.language.artifacts import TOOL_RETURNS
from dragoman.conditions.language.lint.assets import Found, LanguageAssets
from dragoman.conditions.language.messages import Messages, fill, pattern_of, placeholders
from dragoman.conditions.language.surface import filling_of


def lost_placeholders(assets: LanguageAssets) -> Found:
    """Find messages whose translation has other placeholders."""
    for key, template in assets.tool_returns.templates.items():
        if placeholders(template.source) != placeholders(template.localized):
            what = f"{template.localized!r} has other placeholders than {template.source!r}"
            yield assets.defect("placeholder-lost", TOOL_RETURNS, what, place=f"templates.{key}")


def untranslated_messages(assets: LanguageAssets) -> Found:
    """Find messages that are as in English."""
    returns = assets.tool_returns
    for section, messages in (("exact", returns.exact), ("templates", returns.templates)):
        for key, message in messages.items():
            is_meant = message.source in assets.same_as_english
            if message.source == message.localized and not is_meant:
                place = f"{section}.{key}"
                yield assets.defect("untranslated-leaf", TOOL_RETURNS, "as in English", place=place)


def wrong_patterns(assets: LanguageAssets) -> Found:
    """Find patterns that are not those of their message; a foreign pattern is never tried."""
    for key, template in assets.tool_returns.templates.items():
        if template.pattern != pattern_of(template.source):
            what = f"{template.pattern!r} is not the pattern of its message"
            yield assets.defect("message-pattern", TOOL_RETURNS, what, place=f"templates.{key}")


def missing_messages(assets: LanguageAssets) -> Found:
    """Find what tools say in sentences and no message translates."""
    returns = assets.tool_returns
    translated = {each.source for each in returns.exact.values()}
    translated |= {each.source for each in returns.templates.values()}
    for text in assets.english.declared.messages.texts:
        if text not in translated:
            what = f"{text!r} is not translated"
            yield assets.defect("message-missing", TOOL_RETURNS, what)


def ambiguous_messages(assets: LanguageAssets) -> Found:
    """Find declared messages that, filled, cannot be read back: another has a text like theirs."""
    declared = assets.english.declared
    messages = Messages(assets.tool_returns, TOOL_RETURNS, filling_of(declared, assets.value_sets))
    translated = {each.source for each in assets.tool_returns.templates.values()}
    texts = [text for text in declared.messages.texts if text in translated]
    around = [text for text in texts if placeholders(text) & declared.messages.nested]
    samples = _samples(assets)
    for text in texts:
        if text in around:
            continue
        filled = _filled(text, samples)
        outer = (_filled(other, dict.fromkeys(placeholders(other), filled)) for other in around)
        if None in map(messages.label, (filled, *outer)):
            what = f"{filled!r} cannot be told from another message in the language"
            yield assets.defect("message-ambiguous", TOOL_RETURNS, what)


def _samples(assets: LanguageAssets) -> dict[str, str]:
    """Return something that each placeholder may hold, where what it holds is known."""
    spoken, sets = assets.english.declared.messages, assets.value_sets
    values = {name: [*sets[key].labels] for name, key in spoken.values.items() if key in sets}
    return {name: known[0] for name, known in {**values, **spoken.words}.items() if known}


def _filled(text: str, samples: Mapping[str, str]) -> str:
    return fill(text, {name: samples.get(name, name) for name in placeholders(text)})
