"""Messages of tools: every translation can be filled as its source is, and matched back."""

from dragoman.conditions.language.artifacts import TOOL_RETURNS
from dragoman.conditions.language.lint.assets import Found, LanguageAssets
from dragoman.conditions.language.messages import pattern_of, placeholders


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
            if message.source == message.localized:
                place = f"{section}.{key}"
                yield assets.defect("untranslated-leaf", TOOL_RETURNS, "as in English", place=place)


def wrong_patterns(assets: LanguageAssets) -> Found:
    """Find patterns that are not those of their message; a foreign pattern is never tried."""
    for key, template in assets.tool_returns.templates.items():
        if template.pattern != pattern_of(template.source):
            what = f"{template.pattern!r} is not the pattern of its message"
            yield assets.defect("message-pattern", TOOL_RETURNS, what, place=f"templates.{key}")
