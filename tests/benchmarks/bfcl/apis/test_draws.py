from dragoman.benchmarks.bfcl.apis.scenario_values import SeededRandom


def test_draws_are_those_of_the_seed() -> None:
    draws = SeededRandom(141_053)
    assert draws.whole(100_000, 999_999) == 251_675
    assert draws.whole(100_000_000_000, 999_999_999_999) == 391_310_425_148


def test_two_generators_of_one_seed_do_not_disturb_each_other() -> None:
    first, second = SeededRandom(7), SeededRandom(7)
    drawn = [first.whole(0, 9) for _ in range(20)]
    assert [second.whole(0, 9) for _ in range(20)] == drawn


def test_a_uniform_draw_stays_between_its_ends() -> None:
    draws = SeededRandom(1)
    assert all(-10.0 <= draws.uniform(-10.0, 40.0) <= 40.0 for _ in range(100))
