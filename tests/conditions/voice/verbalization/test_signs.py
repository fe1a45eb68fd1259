"""Formulas, units, paths, tags, marks and words in capitals as a caller says them: literals, by hand."""

import re
import string
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.conditions.voice.verbalization.spelling import iter_groups
from dragoman.conditions.voice.verbalization.spoken_form import (
    MAX_CHARACTERS,
    VERBALIZATION,
    verbalize,
)


def says(text: str, spoken: str) -> None:
    assert verbalize(text) == spoken


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("2x^2 + 3x - 5", "two x squared plus three x minus five"),
        ("x^3, x^n and x**4", "x cubed, x to the power of n and x to the power of four"),
        ("(x + 1)^2", "the quantity x plus one, squared"),
        ("of f(x) = 3x^2.", "of f of x equals three x squared."),
        ("f'(x) and sin(x)", "f prime of x and sine of x"),
        ("'x^2' of 2x² - 1", "'x squared' of two x squared minus one"),
        ("exp(-x^2) from -2 to 2", "the exponential of minus x squared from minus two to two"),
        ("a^2 + b^2 = c^2", "A squared plus b squared equals c squared"),
        ("x_1 + x_2 >= 3", "x one plus x two is greater than or equal to three"),
        ("x<5 and sqrt(2)", "x is less than five and the square root of two"),
        ("bx + c = 0", "bx plus c equals zero"),
        ("E=mc^2", "E equals m c squared"),
        ("O(n^2)", "O of n squared"),
        ("443 * 349, 1+1", "four hundred forty three times three hundred forty nine, one plus one"),
        ("log a complaint", "log a complaint"),
        ("between a = 1, b=-3", "between A equals one, b equals minus three"),
        ("6.02e23", "six point zero two times ten to the power of twenty three"),
        ("5 x 10^-12 F/m", "five times ten to the power of minus twelve farads per meter"),
        (
            "1/2, 3/4, 1 1/2 and 13/52",
            "one half, three quarters, one and one half and thirteen over fifty two",
        ),
        (
            "a 2x2 table of 1920x1080",
            "a two by two table of one thousand nine hundred twenty by one thousand eighty",
        ),
        ("[1, 2, 3] and [[10,20],[30]]", "one, two, three and ten, twenty, thirty"),
        ("flows=[200,300,400]", "flows equals two hundred, three hundred, four hundred"),
        ("items 1, 2, 3 and 4", "items one, two, three and four"),
    ],
)
def test_a_formula_is_said_as_a_whole(text: str, spoken: str) -> None:
    says(text, spoken)


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("m/s and km/h", "meters per second and kilometers per hour"),
        ("at 9.8 m/s^2", "at nine point eight meters per second squared"),
        ("at 9.8 m/s²", "at nine point eight meters per second squared"),
        ("1 m/s for 5 m", "one meter per second for five meters"),
        ("50 kg*m/s", "fifty kilogram meters per second"),
        ("2 meters/second^2", "two meters per second squared"),
        (
            "5.2 g/cm^3, 0.01m²",
            "five point two grams per cubic centimeter, zero point zero one square meters",
        ),
        ("100\u00b5F and 50mH", "one hundred microfarads and fifty millihenries"),
        (
            "20°C, 68 °F, 3.5 Å",
            "twenty degrees Celsius, sixty eight degrees Fahrenheit, three point five angstroms",
        ),
        ("298K and 5J/K", "two hundred ninety eight K and five joules per kelvin"),
        (
            "(33.4484 N, 112.07 W)",
            "(thirty three point four four eight four N, one hundred twelve point zero seven W)",
        ),
        ("1 km, 256GB, 20ft", "one kilometer, two hundred fifty six gigabytes, twenty feet"),
        ("seat 12A of flight 6E123", "seat one two A of flight six E one, two three"),
        ("20% of 3.5 %", "twenty percent of three point five percent"),
        ("5-10 kg, 1990-2000", "five to ten kilograms, nineteen ninety to two thousand"),
        ("-5 degrees, (-3)", "minus five degrees, (minus three)"),
        (
            "-$50, $2.5M, €20, ¥5,000",
            "minus fifty dollars, two point five million dollars, twenty euros, five thousand yen",
        ),
        ("$3.5 million", "three point five million dollars"),
        ("the 1990s", "the nineteen nineties"),
        ("at 15400 GBP", "at fifteen thousand four hundred G B P"),
        ("6'2\" tall", "six foot two tall"),
        ("a 0.5-second window", "a zero point five-second window"),
    ],
)
def test_units_ranges_and_money_have_their_names(text: str, spoken: str) -> None:
    says(text, spoken)


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("at 10:00", "at ten o'clock"),
        ("at 5:30", "at five thirty"),
        ("at 5:30 AM", "at five thirty A M"),
        ("at 17:00 and 17:05", "at five P M and five oh five P M"),
        ("at 09:00", "at nine A M"),
        ("at 07:30:00", "at seven thirty A M"),
        ("on 2022/08/16", "on August sixteenth, twenty twenty two"),
        ("on 19/03/2024", "on March nineteenth, twenty twenty four"),
        ("on 12-01-2022", "on December first, twenty twenty two"),
        ("expires 12/26", "expires twelve slash twenty six"),
    ],
)
def test_the_half_of_the_day_is_said_where_the_writing_tells_it(text: str, spoken: str) -> None:
    says(text, spoken)


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("Ticket #7423", "Ticket seven four, two three"),
        ("my #7423", "my number seven four, two three"),
        ("#1 of 2", "number one of two"),
        ("#W2378156", "hash W two three, seven eight one, five six"),
        ("J-O-H-N S-M-I-T-H", "J O, H N, S M I, T H"),
        ("id AB12345", "id A B one, two three, four five"),
        ("192.168.1.10", "one nine two dot one six eight dot one dot ten"),
        ("password P@ssw0rd", "password P at S S W, zero R D"),
    ],
)
def test_no_sign_of_an_id_is_said_alone(text: str, spoken: str) -> None:
    says(text, spoken)


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("that's THE PLAZA", "that's the plaza"),
        ("this is IMPORTANT", "this is important"),
        ("WE NEED YOU to call JOHN", "we need you to call john"),
        ("from SFO TO the USA", "from S F O T O the U S A"),
        ("the HTML of AAPL", "the H T M L of A A P L"),
        ("my code is HONDA", "my code is H O N D A"),
        ("prices of OMEG", "prices of O M E G"),
        ("in Portland, ME", "in Portland, M E"),
    ],
)
def test_shouted_words_are_words_and_acronyms_are_spelled(text: str, spoken: str) -> None:
    says(text, spoken)


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        (r"I\'ll come.\nSay \"hi\"", 'I\'ll come. Say "hi"'),
        ("See you soon.Please call me", "See you soon. Please call me"),
        ("**bold** and `code`\n# Title\n* one", "bold and code\nTitle\none"),
        ("and/or he/she", "and or he or she"),
        ("Open /home/user/doc.txt", "Open slash home slash user slash doc dot T X T"),
        ("in C:\\data\\old", "in C colon backslash data backslash old"),
        ("#ItineraryReady by @mike", "hashtag itinerary ready by at mike"),
        ("snake_case and <name> in {city}", "snake underscore case and name in city"),
        ("SELECT * FROM x WHERE y = 'z'", "select star from x where y equals 'z'"),
        ('{"name": "Ann", "age": 5}', '"name": "Ann", "age": five'),
        ("Student | Math", "Student, Math"),
        ("C# and C++", "C sharp and C plus plus"),
        ("24/7", "twenty four seven"),
        (
            "https://api.example.com/data?x=1",
            "H T T, P S colon slash slash api dot example dot com slash data question mark X equals one",
        ),
    ],
)
def test_marks_are_left_out_and_paths_and_tags_said_by_name(text: str, spoken: str) -> None:
    says(text, spoken)


@pytest.mark.parametrize("size", range(6))
@pytest.mark.parametrize("count", range(20))
def test_groups_hold_all_signs_and_the_last_is_never_one_alone(size: int, count: int) -> None:
    signs = string.ascii_lowercase[:count]
    groups = list(iter_groups(signs, size))
    assert "".join("".join(group) for group in groups) == signs
    assert size == 1 or count == 1 or all(len(group) > 1 for group in groups)


SIGNS = st.sampled_from(
    [
        *"0123456789",
        *"xyabnmsgK",
        *"^*/+-=<>()[]{}_\\#@~|.,:'\"$€%&?! ",
        "m/s",
        "x^2",
        "10:",
        "²",
        "AB",
    ]
)


@given(st.one_of(st.lists(SIGNS, max_size=40).map("".join), st.text(max_size=60)))
@settings(deadline=None)
def test_no_sign_of_formulas_or_code_is_left(text: str) -> None:
    assert re.search(r"[\\^={}\[\]<>*~|_#`/]", verbalize(text)) is None


@pytest.mark.parametrize(
    "piece",
    [
        "\n",
        "{",
        "(x+1",
        "1/2 ",
        "a=",
        "x^",
        "m/s*",
        "/a",
        "#a ",
        "<a ",
        "*a ",
        "1,",
        "[1,",
        "ORDER ",
        "\\n",
        " |",
    ],
)
def test_long_texts_take_bounded_time(piece: str) -> None:
    text = (piece * MAX_CHARACTERS)[:MAX_CHARACTERS]
    begin = time.process_time()
    verbalize(text)
    assert time.process_time() - begin < 3


def test_the_verbalization_has_a_version() -> None:
    assert VERBALIZATION == "dragoman-verbalization-2"
