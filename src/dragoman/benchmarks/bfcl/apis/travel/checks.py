"""What the TravelAPI finds wrong with a flight as asked for, or with a traveller."""

from datetime import date

from dragoman.benchmarks.bfcl.apis.days import read_day
from dragoman.benchmarks.bfcl.apis.travel.tables import travel_tables

_ADULT = 18
"""Years."""


def flight_problem(travel_date: str, start: str, end: str, travel_class: str) -> str:
    """Return what is wrong with a flight as asked for; "" where nothing is."""
    tables = travel_tables()
    if start not in tables.airports:
        return f"Invalid departure airport code: {start}"
    if end not in tables.airports:
        return f"Invalid destination airport code: {end}"
    if _day(travel_date) is None:
        return "Invalid date format. Use YYYY-MM-DD."
    if travel_class not in tables.class_factors:
        # The reference shows a set, whose order differs between processes.
        return "Invalid travel class. Must be one of {'first', 'business', 'economy'}"
    return ""


def traveler_problem(date_of_birth: str, passport_number: str, today: date) -> str:
    """Return why somebody may not travel; "" where nothing speaks against it."""
    born = _day(date_of_birth)
    if born is None:
        return "Invalid date of birth format. Please use YYYY-MM-DD."
    had_birthday = (today.month, today.day) >= (born.month, born.day)
    if today.year - born.year - (not had_birthday) < _ADULT:
        return f"Traveler must be at least {_ADULT} years old."
    if not passport_number.startswith("US"):
        return "Passport must be issued by the United States."
    return ""


def _day(text: str) -> date | None:
    try:
        return read_day(text).date()
    except ValueError:
        return None
