from dragoman.conditions.voice.verbalization.spoken_form import Hesitation, add_hesitations

SAID = "The postcode is K L four. The name is Holt, I think."


def test_who_never_hesitates_says_it_as_it_is() -> None:
    assert add_hesitations(SAID, Hesitation(0, 0, ("um",)), 1) == SAID


def test_pauses_are_commas_between_words() -> None:
    assert add_hesitations(SAID, Hesitation(1, 0, ("um",)), 1) == (
        "The, postcode, is, K, L, four. The, name, is, Holt, I, think."
    )


def test_fillers_stand_before_sentences() -> None:
    assert add_hesitations(SAID, Hesitation(0, 1, ("um",)), 1) == (
        "um, the postcode is K L four. um, the name is Holt, I think."
    )


def test_after_a_filler_a_word_of_no_name_begins_small() -> None:
    said = "What is it? I know. Tom knows. It's his. IT is K L."
    assert add_hesitations(said, Hesitation(0, 1, ("um",)), 1) == (
        "um, what is it? um, I know. um, Tom knows. um, it's his. um, IT is K L."
    )


def test_the_same_seed_hesitates_in_the_same_places() -> None:
    hesitation = Hesitation(0.3, 0.5, ("um", "uh"))
    heard = {add_hesitations(SAID, hesitation, seed) for seed in range(30)}
    assert len(heard) > 10
    assert add_hesitations(SAID, hesitation, 7) == add_hesitations(SAID, hesitation, 7)


def test_nothing_said_stays_nothing() -> None:
    assert add_hesitations("", Hesitation(1, 1, ("um",)), 1) == ""
