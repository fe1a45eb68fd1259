from dragoman.core.tasks import FixedTurn, Instructions, KnownFact, Scenario, Task
from dragoman.simulation.prompts import scenario_text, spoken_script, task_script

PARTS = Instructions(
    domain="shop",
    reason_for_call="Cancel it.\nAnd be quick.",
    task_instructions="Be polite.",
    known_info="You are Maren.",
    unknown_info=".",
)


def test_a_scenario_is_laid_out_as_the_reference_does() -> None:
    assert scenario_text(Scenario(PARTS, persona="Hurried\nand kind")) == (
        "Persona:\n\tHurried\n\tand kind\n"
        "Instructions:\n"
        "\tDomain: shop\n"
        "\tReason for call:\n\t\tCancel it.\n\t\tAnd be quick.\n"
        "\tKnown info:\n\t\tYou are Maren.\n"
        "\tUnknown info:\n\t\t.\n"
        "\tTask instructions:\n\t\tBe polite."
    )


def test_parts_that_are_absent_are_left_out() -> None:
    bare = Instructions("shop", "Cancel it.", "Be polite.")
    text = scenario_text(Scenario(bare))
    assert "nown info" not in text
    assert not text.startswith("Persona")


def test_instructions_in_one_piece_stay_in_one_piece() -> None:
    assert scenario_text(Scenario("Ask.\nStop.")) == "Instructions:\n\tAsk.\n\tStop."
    assert spoken_script(Scenario("Ask.\nStop.")) == "Ask.\nStop."


def test_the_spoken_script_holds_every_part_that_says_something() -> None:
    assert spoken_script(Scenario(PARTS)) == (
        "Cancel it.\nAnd be quick.\nYou are Maren.\nBe polite."
    )


def test_what_the_offline_user_may_tell_is_its_facts_or_else_its_script() -> None:
    script = Scenario("My zip is 83702, my dog is Rex.")
    structured = Scenario(script.instructions, opening="Hi.", facts=(KnownFact("zip", "83702"),))
    assert task_script(Task("1", "s", "", script)) == script.instructions
    assert task_script(Task("1", "s", "", structured)) == "Hi.\n83702"


def test_where_turns_are_fixed_their_words_are_what_is_told() -> None:
    turns = (FixedTurn(("One.", "Two.")), FixedTurn(()), FixedTurn(("Three.",)))
    assert task_script(Task("1", "s", "", Scenario("Else."), turns=turns)) == "One.\nTwo.\nThree."
