"""Statutory holidays, and other days that are known in advance."""

from datetime import date, timedelta

from bench.world.drawing import MARCH, Table

YEARS = (2025, 2026, 2027)
LANDS = ("BW", "BY", "BE", "BB", "HB", "HH", "HE", "MV", "NI", "NW", "RP", "SL", "SN", "ST", "SH",
         "TH")  # fmt: skip
FIXED = {
    "Neujahr": (1, 1), "Heilige Drei Könige": (1, 6), "Internationaler Frauentag": (3, 8),
    "Tag der Arbeit": (5, 1), "Mariä Himmelfahrt": (8, 15), "Weltkindertag": (9, 20),
    "Tag der Deutschen Einheit": (10, 3), "Reformationstag": (10, 31), "Allerheiligen": (11, 1),
    "1. Weihnachtstag": (12, 25), "2. Weihnachtstag": (12, 26),
}  # fmt: skip
AFTER_EASTER = {"Karfreitag": -2, "Ostermontag": 1, "Christi Himmelfahrt": 39, "Pfingstmontag": 50,
                "Fronleichnam": 60}  # fmt: skip
ONLY = {
    "Heilige Drei Könige": ("BW", "BY", "ST"),
    "Internationaler Frauentag": ("BE", "MV"),
    "Fronleichnam": ("BW", "BY", "HE", "NW", "RP", "SL"),
    "Mariä Himmelfahrt": ("BY", "SL"),
    "Weltkindertag": ("TH",),
    "Reformationstag": ("BB", "HB", "HH", "MV", "NI", "SN", "ST", "SH", "TH"),
    "Allerheiligen": ("BW", "BY", "NW", "RP", "SL"),
    "Buß- und Bettag": ("SN",),
}
REMARKS = {("Mariä Himmelfahrt", "BY"): "nur in Gemeinden mit überwiegend katholischer Bevölkerung"}


def easter(year: int) -> date:
    """Return the date of Easter Sunday (Gauss's rule as Oudin gives it)."""
    golden = year % 19
    century = year // 100
    moon = (century - century // 4 - (8 * century + 13) // 25 + 19 * golden + 15) % 30
    moon -= moon // 28 * (1 - moon // 28 * (29 // (moon + 1)) * ((21 - golden) // 11))
    offset = moon - (year + year // 4 + moon + 2 - century + century // 4) % 7
    month = 3 + (offset + 40) // 44
    return date(year, month, offset + 28 - 31 * (month // 4))


def german_days(year: int) -> dict[str, date]:
    days = {name: date(year, *when) for name, when in FIXED.items()}
    days |= {name: easter(year) + timedelta(days=after) for name, after in AFTER_EASTER.items()}
    advent_eve = date(year, 11, 22)
    days["Buß- und Bettag"] = advent_eve - timedelta(days=(advent_eve.weekday() - 2) % 7)
    return days


def feiertage() -> Table:
    rows = []
    for year in YEARS:
        days = sorted(german_days(year).items(), key=lambda entry: entry[1])
        for land in (*LANDS, "NATIONAL"):
            rows += [
                (year, land, name, day, REMARKS.get((name, land), "-"))
                for name, day in days
                if name not in ONLY or land in ONLY[name]
            ]
    return "jahr:int,land,name,datum,hinweis", rows


def monday(year: int, month: int, which: int) -> date:
    first = date(year, month, 1)
    return first + timedelta(days=(-first.weekday()) % 7 + 7 * (which - 1))


def festivos() -> Table:
    rows = []
    for year in YEARS:
        official = {
            date(year, 1, 1): "Año Nuevo",
            monday(year, 2, 1): "Día de la Constitución",
            monday(year, 3, 3): "Natalicio de Benito Juárez",
            date(year, 5, 1): "Día del Trabajo",
            date(year, 9, 16): "Día de la Independencia",
            monday(year, 11, 3): "Día de la Revolución",
            date(year, 12, 25): "Navidad",
        }
        banks = official | {
            easter(year) - timedelta(days=3): "Jueves Santo",
            easter(year) - timedelta(days=2): "Viernes Santo",
            date(year, 11, 2): "Día de Muertos",
            date(year, 12, 12): "Día del Empleado Bancario",
        }
        for kind, days in (("oficial", official), ("bancario", banks)):
            rows += [(year, kind, day, name) for day, name in sorted(days.items())]
    return "anio:int,tipo,fecha,nombre", rows


LUNAR_MONTHS = (
    (2025, ((1, "2025-01-29"), (2, "2025-02-28"), (3, "2025-03-29"), (4, "2025-04-28"),
            (5, "2025-05-27"), (6, "2025-06-25"), (-6, "2025-07-25"), (7, "2025-08-23"),
            (8, "2025-09-22"), (9, "2025-10-21"), (10, "2025-11-20"), (11, "2025-12-20"),
            (12, "2026-01-19"))),
    (2026, ((1, "2026-02-17"), (2, "2026-03-19"), (3, "2026-04-17"), (4, "2026-05-17"),
            (5, "2026-06-15"), (6, "2026-07-14"), (7, "2026-08-13"), (8, "2026-09-11"),
            (9, "2026-10-10"), (10, "2026-11-09"), (11, "2026-12-09"), (12, "2027-01-08"))),
)  # fmt: skip
"""First days of the months; a leap month has a minus sign."""

NEXT_NEW_YEAR = date(2027, 2, 6)


def lunar() -> Table:
    starts = [
        (year, month, date.fromisoformat(day))
        for year, months in LUNAR_MONTHS
        for month, day in months
    ]
    ends = [start for _, _, start in starts[1:]] + [NEXT_NEW_YEAR]
    rows = []
    for (year, month, start), end in zip(starts, ends, strict=True):
        for day in range((end - start).days):
            lunar_day = f"{day + 1:02}/{abs(month):02}"
            rows.append((start + timedelta(days=day), lunar_day, year, month < 0))
    return "duong,am,nam:int,nhuan:bool", rows


OFF = {
    "元旦": ("2026-01-01", 3), "春节": ("2026-02-15", 9), "清明节": ("2026-04-04", 3),
    "劳动节": ("2026-05-01", 5), "端午节": ("2026-06-19", 3), "中秋节": ("2026-09-25", 3),
    "国庆节": ("2026-10-01", 7),
}  # fmt: skip
MOVED = {
    "2026-01-04": "元旦", "2026-02-14": "春节", "2026-02-28": "春节", "2026-05-09": "劳动节",
    "2026-09-20": "国庆节", "2026-10-10": "国庆节",
}  # fmt: skip
WORKDAY, WEEKEND, HOLIDAY, MOVED_WORKDAY = range(4)


def workdays() -> Table:
    off = {
        date.fromisoformat(first) + timedelta(days=after): name
        for name, (first, count) in OFF.items()
        for after in range(count)
    }
    rows: list[tuple[object, ...]] = []
    for after in range(365):
        day = date(2026, 1, 1) + timedelta(days=after)
        moved = MOVED.get(str(day))
        if day in off:
            rows.append((day, HOLIDAY, off[day], False))
        elif moved:
            rows.append((day, MOVED_WORKDAY, f"{moved}调休", True))
        elif day.weekday() < 5:
            rows.append((day, WORKDAY, "工作日", True))
        else:
            rows.append((day, WEEKEND, "周末", False))
    return "date,type:int,name,work:bool", rows


TOWNS = {
    "1301": 0, "1219": 3, "1220": 3, "1204": 2, "1271": 2, "1608": 12, "1609": 12, "1638": 18,
    "1505": 16, "0228": -40, "0314": -36, "1701": 30, "1906": 50, "2622": 70,
}  # fmt: skip
"""Minutes by which prayer comes before that of Jakarta, by the code of the town."""


def prayers() -> Table:
    rows = []
    for code, earlier in TOWNS.items():
        for day in MARCH:
            drift = (day.day - 1) // 3
            times = (
                280 - drift // 2,
                725 - drift // 3,
                915 + drift // 4,
                1093 - drift // 2,
                1161 - drift // 2,
            )
            shown = [f"{(at - earlier) // 60:02}:{(at - earlier) % 60:02}" for at in times]
            rows.append((code, day, *shown))
    return "kota_id,tanggal,subuh,dzuhur,ashar,maghrib,isya", rows


TABLES = {
    "vn-amlich": lunar,
    "cn-holiday": workdays,
    "id-sholat": prayers,
    "de-feiertage": feiertage,
    "mx-festivos": festivos,
}
