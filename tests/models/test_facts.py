"""The table of providers and models that ships."""

from dragoman.models.catalog import LITELLM, load_provider_catalog
from dragoman.models.model_spec import parse_base_url, parse_model_spec

FACTS = load_provider_catalog()


def test_every_address_is_one_and_keys_go_over_encrypted_connections() -> None:
    for provider in FACTS.providers.values():
        if provider.url and not provider.url.startswith(LITELLM):
            assert parse_base_url(provider.url, "url") == provider.url
        if provider.needs_key:
            assert provider.url.startswith("https://")


def test_whoever_needs_a_key_says_where_it_is() -> None:
    assert [
        name
        for name, provider in FACTS.providers.items()
        if not provider.key_env.isidentifier() and not provider.url.startswith(LITELLM)
    ] == []


def test_only_known_parameters_are_refused_or_named_instead() -> None:
    refused = {name for provider in FACTS.providers.values() for name in provider.refuses}
    for family in FACTS.models:
        refused |= {*family.refuses, *family.instead, *family.instead.values()}
        assert set(family.instead) <= set(family.refuses)
        assert not set(family.instead.values()) & set(family.refuses)
    assert refused <= set(FACTS.parameters)


def test_families_name_models_of_known_providers() -> None:
    for family in FACTS.models:
        for pattern in family.match:
            assert pattern.partition("/")[0] in FACTS.providers


def test_a_model_without_a_family_refuses_nothing() -> None:
    assert FACTS.family("vllm/qwen").refuses == ()
    assert FACTS.family("openai/o3-mini").seeds is False


def test_every_provider_can_be_named() -> None:
    named = [parse_model_spec(f"{name}/m").provider for name in FACTS.providers]
    assert named == list(FACTS.providers.values())
