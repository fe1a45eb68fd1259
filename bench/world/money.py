"""Rates of exchange, each source with its own walk, so that two never agree to the last digit."""

from bench.world.drawing import TODAY, Table, drawn, walk, working_days

PER_EURO = {
    "EUR": 1.0, "USD": 1.0912, "GBP": 0.8446, "CHF": 0.9571, "NOK": 11.482, "SEK": 11.215,
    "DKK": 7.4592, "PLN": 4.2718, "CZK": 24.913, "TRY": 46.37, "EGP": 55.12, "KES": 141.3,
    "INR": 97.84, "THB": 37.62, "VND": 28240.0, "IDR": 17830.0, "PHP": 63.41, "CNY": 7.8125,
    "JPY": 168.35, "KRW": 1571.0, "BRL": 6.1843, "MXN": 21.907, "PYG": 8140.0, "ZAR": 19.846,
}  # fmt: skip
DAYS = working_days(TODAY, 20)
BULLETINS = (("10:08:21", "ABERTURA"), ("12:11:05", "INTERMEDIÁRIO"), ("13:07:42", "FECHAMENTO"))


def market() -> Table:
    rows = []
    for code, start in PER_EURO.items():
        step = 0.0 if code == "EUR" else 0.006
        values = walk(drawn(f"fx/{code}"), start, step, len(DAYS))
        rows += [(day, code, _six(value)) for day, value in zip(DAYS, values, strict=True)]
    return "date,currency,per_eur:float", rows


def ptax() -> Table:
    rows = []
    for code in ("USD", "EUR", "GBP", "CHF", "JPY", "CAD", "AUD", "DKK", "SEK", "NOK"):
        start = PER_EURO["BRL"] / {**PER_EURO, "CAD": 1.512, "AUD": 1.669}[code]
        random = drawn(f"ptax/{code}")
        for day, value in zip(DAYS, walk(random, start, 0.006, len(DAYS)), strict=True):
            for hour, name in BULLETINS:
                bid = value * (1 + random.uniform(-0.002, 0.002))
                ask = round(bid + 0.0006, 4)
                rows.append((code, day, f"{day} {hour}", name, round(bid, 4), ask))
    return "moeda,data,quando,boletim,compra:float,venda:float", rows


def _six(value: float) -> float:
    return float(f"{value:.6g}")


TABLES = {"fx": market, "br-ptax": ptax}
