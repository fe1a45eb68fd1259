"""Exchange rates; each source has its own walk, so two never agree to the last digit."""

from bench.world.drawing import TODAY, Table, drawn, walk, working_days
from bench.world.places import COMMUNES, VOIES

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


def nbp() -> Table:
    rows: list[tuple[object, ...]] = []
    for code in ("USD", "EUR", "GBP", "CHF", "JPY", "CZK", "SEK", "NOK", "DKK", "TRY"):
        start = PER_EURO["PLN"] / PER_EURO[code]
        for day, value in zip(
            DAYS, walk(drawn(f"nbp/{code}"), start, 0.005, len(DAYS)), strict=True
        ):
            rows.append(("A", code, day, _six(value), None, None))
            rows.append(("C", code, day, None, _six(value * 0.99), _six(value * 1.01)))
    return "tabela,kod,data,mid:float,bid:float,ask:float", rows


BRANDS = ("Relais Bleu", "Carbo Plus", "Station du Canal", "Étoile Énergie", "Le Bon Plein")
FUELS = {"Gazole": 1672, "SP95-E10": 1748, "SP98": 1839, "E85": 812}


def carburants() -> Table:
    random = drawn("fr-carburant")
    rows = []
    for _, _, code in COMMUNES:
        for fuel, usual in FUELS.items():
            prices = sorted(usual + random.randint(-60, 70) for _ in BRANDS)
            for brand, price in zip(random.sample(BRANDS, len(BRANDS)), prices, strict=True):
                street = f"{random.randint(1, 180)} {random.choice(VOIES)}"
                rows.append((code, fuel, brand, street, price, f"2026-03-{random.randint(13, 16)}"))
    return "code_commune,carburant,station,adresse,prix:int,maj", rows


def _six(value: float) -> float:
    return float(f"{value:.6g}")


FUEL_DAYS = ("2026-01-29", "2026-02-05", "2026-02-12", "2026-02-19", "2026-02-26", "2026-03-05",
             "2026-03-12")  # fmt: skip


def xangdau() -> Table:
    rows = []
    for kind, start in (("RON95-III", 23150), ("E5RON92", 22480), ("DO0.05S", 20110)):
        for day, value in zip(
            FUEL_DAYS, walk(drawn(kind), start, 0.02, len(FUEL_DAYS)), strict=True
        ):
            for zone, more in ((1, 1.0), (2, 1.02)):
                price = f"{round(value * more, -1):,.0f}".replace(",", ".")
                rows.append((kind, zone, day, price))
    return "loai,vung:int,ngay,gia", rows


CROPS = {"Wheat": 2480, "Rice": 3150, "Onion": 1890, "Potato": 1240, "Tomato": 1660, "Mustard": 5720,
         "Cotton": 7150, "Gram": 5480}  # fmt: skip
MANDIS = {
    "Madhya Pradesh": ("Indore", "Ujjain"), "Maharashtra": ("Nashik", "Pune"),
    "Punjab": ("Ludhiana", "Amritsar"), "Uttar Pradesh": ("Agra", "Kanpur"),
    "Rajasthan": ("Jaipur", "Kota"), "Bihar": ("Patna", "Gaya"),
}  # fmt: skip


def indian(number: float) -> str:
    """Return whole rupees with Indian grouping: the last three digits, then pairs."""
    digits = f"{number:.0f}"
    head, tail = digits[:-3], digits[-3:]
    pairs = [head[max(0, end - 2) : end] for end in range(len(head), 0, -2)][::-1]
    return ",".join([*pairs, tail])


def mandi() -> Table:
    random = drawn("in-mandi")
    rows = []
    for crop, usual in CROPS.items():
        for state, markets in MANDIS.items():
            for day in DAYS[-6:]:
                modal = usual * random.uniform(0.9, 1.1)
                prices = (indian(modal * 0.94), indian(modal * 1.05), indian(modal))
                rows.append((crop, state, f"{day:%d/%m/%Y}", random.choice(markets), *prices))
    return "commodity,state,date,mandi,low,high,modal", rows


TABLES = {
    "vn-xangdau": xangdau,
    "in-mandi": mandi,
    "fx": market,
    "br-ptax": ptax,
    "pl-nbp": nbp,
    "fr-carburant": carburants,
}
