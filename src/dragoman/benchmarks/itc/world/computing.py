"""The few APIs whose answers are computed, not looked up."""

import hashlib
import random
import string
from collections.abc import Callable, Sequence
from typing import cast

from dragoman.benchmarks.itc.world.given import Given
from dragoman.benchmarks.itc.world.reading import Row
from dragoman.core.keys import derive_seed

Computed = Callable[[Given, Sequence[Row]], dict[str, object] | None]
"""Makes one row of what was given and found; None where there is none."""

_DIGITS = 6
_SYMBOLS = "!#$%&*+-=?@_"


def exchange_rates(given: Given, rows: Sequence[Row]) -> dict[str, object] | None:
    """Return the rates of some currencies for one unit of another, on the latest day of rates."""
    per_euro = {str(row["currency"]): cast("float", row["per_eur"]) for row in rows}
    base = str(given["from"]).upper()
    wanted = [code.strip().upper() for code in str(given["to"]).split(",")]
    if base not in per_euro or not all(code in per_euro for code in wanted):
        return None
    rates = {code: round(per_euro[code] / per_euro[base], _DIGITS) for code in wanted}
    return {"base": base, "date": rows[0]["date"], "rates": rates}


def converted(given: Given, rows: Sequence[Row]) -> dict[str, object] | None:
    """Return a value in another unit of the same dimension; numbers as text, as some APIs have them."""
    units = {str(row["unit"]): row for row in rows}
    one, other = units.get(str(given["from"])), units.get(str(given["to"]))
    if one is None or other is None or one["dimension"] != other["dimension"]:
        return None
    value = cast("float", given["value"])
    base = value * cast("float", one["factor"]) + cast("float", one["offset"])
    result = (base - cast("float", other["offset"])) / cast("float", other["factor"])
    return {
        "from": one["unit"],
        "to": other["unit"],
        "value": f"{value:g}",
        "result": f"{result:.6g}",
    }


def compound_growth(given: Given, rows: Sequence[Row]) -> dict[str, object] | None:  # noqa: ARG001
    """Return what a sum grows to; the rate is in per cent a year."""
    principal, rate = cast("float", given["principal"]), cast("float", given["annual_rate"])
    years, periods = cast("float", given["years"]), cast("int", given["periods_per_year"])
    final = principal * (1 + rate / 100 / periods) ** (years * periods)
    return {
        "principal": principal,
        "final_amount": round(final, 2),
        "interest": round(final - principal, 2),
    }


def password(given: Given, rows: Sequence[Row]) -> dict[str, object] | None:  # noqa: ARG001
    """Return a password that depends on the seed alone: of use to tests, and to nobody else."""
    alphabet = string.ascii_letters
    alphabet += string.digits if given.get("numbers") else ""
    alphabet += _SYMBOLS if given.get("symbols") else ""
    length = cast("int", given["length"])
    drawn = random.Random(derive_seed(str(given.get("seed", 0)), "password"))  # noqa: S311 - a toy
    return {"password": "".join(drawn.choice(alphabet) for _ in range(length)), "length": length}


def text_hash(given: Given, rows: Sequence[Row]) -> dict[str, object] | None:  # noqa: ARG001
    """Return the hash of a text in hex."""
    algorithm = str(given["algorithm"])
    made = hashlib.new(algorithm, str(given["text"]).encode(), usedforsecurity=False)
    return {"algorithm": algorithm, "hash": made.hexdigest()}


def scaled_recipe(given: Given, rows: Sequence[Row]) -> dict[str, object] | None:
    """Return a recipe with its amounts for so many people."""
    if not rows:
        return None
    recipe = rows[0]
    people, written = cast("int", given["raciones"]), cast("int", recipe["raciones"])
    amounts = [
        {**each, "cantidad": round(each["cantidad"] * people / written, 2)}
        for each in cast("list[dict[str, float]]", recipe["ingredientes"])
    ]
    return {**recipe, "raciones": people, "ingredientes": amounts}


COMPUTED: dict[str, Computed] = {
    "rates": exchange_rates,
    "units": converted,
    "growth": compound_growth,
    "password": password,
    "hash": text_hash,
    "recipe": scaled_recipe,
}
