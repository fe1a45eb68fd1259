import msgspec
import pytest

from dragoman.core.content_keys import content_key
from dragoman.core.errors import UsageError
from dragoman.core.rules import DEFAULT_RULES, DRAGOMAN_1, RULES, TAU2_RULES, Rules


def test_rules_are_found_by_name() -> None:
    assert RULES.find("dragoman-2") is DEFAULT_RULES
    assert RULES.find("dragoman-1") is DRAGOMAN_1
    assert RULES.find("tau2-1.0.1") is TAU2_RULES


def test_an_unknown_name_is_refused_with_those_that_exist() -> None:
    with pytest.raises(UsageError, match=r"'tau2'.*dragoman-1.*tau2-1\.0\.1"):
        RULES.find("tau2")


def test_every_rule_set_is_known_by_its_own_name() -> None:
    assert all(name == rules.name for name, rules in RULES.items())


def test_the_reference_chooses_otherwise_in_all_but_replaying() -> None:
    ours, theirs = msgspec.structs.asdict(DEFAULT_RULES), msgspec.structs.asdict(TAU2_RULES)
    alike = [name for name in ours if ours[name] == theirs[name]]
    assert alike == [
        "replay_must_repeat",
        "phone_answers_in_records",
        "calls_are_read_in_any_syntax",
        "equal_plans_count",
    ]


def test_the_second_version_differs_from_the_first_in_ends_of_conversations_alone() -> None:
    later, earlier = msgspec.structs.asdict(DEFAULT_RULES), msgspec.structs.asdict(DRAGOMAN_1)
    differing = [name for name in later if later[name] != earlier[name]]
    assert differing == ["name", "near_stop_tokens_count", "silence_is_the_users"]


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("dragoman-2-records", DEFAULT_RULES),
        ("dragoman-1-records", DRAGOMAN_1),
        ("seatau", TAU2_RULES),
    ],
)
def test_a_rule_set_with_records_differs_in_the_phone_alone(name: str, rules: Rules) -> None:
    records = RULES.find(name)
    reported = msgspec.structs.replace(records, name=rules.name, phone_answers_in_records=False)
    assert (reported, records.phone_answers_in_records) == (rules, True)


@pytest.mark.parametrize("rules", [DEFAULT_RULES, TAU2_RULES], ids=lambda rules: rules.name)
def test_a_lenient_rule_set_differs_in_replaying_alone(rules: Rules) -> None:
    lenient = RULES.find(f"{rules.name}-lenient")
    strict = msgspec.structs.replace(lenient, name=rules.name, replay_must_repeat=True)
    assert (strict, lenient.replay_must_repeat) == (rules, False)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("dragoman-2", "34c993957c93293de472c2746597134d"),
        ("dragoman-1", "5bbf229acc1cc8baa0b6fe44b005fd87"),
        ("tau2-1.0.1", "f9ff7771f1bcf05aa4820f97dad451bf"),
        ("dragoman-1-records", "b29172858f3ea92ff4e2f768a0f98e65"),
        ("seatau", "63cf48470656e0b149f604dfbeac0e75"),
        ("bfcl-v4", "b5d20ca8dea3f20b6f15a3b89bdb3965"),
    ],
)
def test_what_a_released_rule_set_adds_to_keys_stays_as_it_is(name: str, key: str) -> None:
    assert content_key(RULES.find(name)) == key
