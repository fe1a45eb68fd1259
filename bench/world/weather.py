"""Invented weather: forecasts, observations and dust."""

from datetime import datetime, timedelta, timezone

from bench.world.drawing import PAST, TODAY, Table, drawn
from bench.world.places import CIDADES

CONDICOES = (
    "Ensolarado",
    "Parcialmente nublado",
    "Nublado",
    "Pancadas de chuva",
    "Chuva",
    "Trovoadas",
)


def tempo() -> Table:
    random = drawn("br-tempo")
    rows = []
    for _, _, code, _ in CIDADES:
        low = random.randint(14, 24)
        for ahead in range(1, 11):
            minimum = low + random.randint(-2, 2)
            rain = random.choice((5, 10, 20, 30, 60, 80, 90))
            sky = CONDICOES[min(5, rain // 15)]
            day = TODAY + timedelta(days=ahead)
            rows.append((code, day, sky, minimum, minimum + random.randint(5, 11), rain))
    return "codigo,data,condicao,minima:int,maxima:int,chuva:int", rows


STATIONEN = (
    ("DESN025", "Leipzig-Mitte", "Leipzig", "Verkehr"),
    ("DESN059", "Leipzig-West", "Leipzig", "Stadtrand"),
    ("DESN061", "Dresden-Nordplatz", "Dresden", "Verkehr"),
    ("DEBE010", "Berlin Alter Hafen", "Berlin", "Wohngebiet"),
    ("DEBE034", "Berlin Ringallee", "Berlin", "Verkehr"),
    ("DEBY037", "München Lindenplatz", "München", "Verkehr"),
    ("DEBY115", "München-Ost", "München", "Wohngebiet"),
    ("DEHH008", "Hamburg Kaispeicher", "Hamburg", "Hafen"),
    ("DENW071", "Köln Rheinufer", "Köln", "Verkehr"),
    ("DENW094", "Dortmund Zechenstraße", "Dortmund", "Industrie"),
    ("DEHE044", "Frankfurt-Höhe", "Frankfurt am Main", "Industrie"),
    ("DEBB029", "Frankfurt Brückenplatz", "Frankfurt (Oder)", "Verkehr"),
    ("DEBW013", "Stuttgart Talkessel", "Stuttgart", "Verkehr"),
    ("DENI048", "Hannover Leinebogen", "Hannover", "Wohngebiet"),
    ("DETH036", "Erfurt Domblick", "Erfurt", "Verkehr"),
)  # fmt: skip
USUAL = {"PM10": 24, "NO2": 31, "O3": 58}


def stationen() -> Table:
    also = {"DEBB029": "Frankfurt an der Oder"}
    rows = [(*station, also.get(station[0])) for station in STATIONEN]
    return "id,name,ort,umgebung,_auch", rows


def luftwerte() -> Table:
    random = drawn("de-luftwert")
    rows = []
    for station, *_ in STATIONEN:
        for day in PAST:
            for what, usual in USUAL.items():
                mean = round(usual * random.uniform(0.4, 1.7), 1)
                most = None if random.random() < 0.1 else round(mean * random.uniform(1.2, 2), 1)
                rows.append((station, day, what, mean, most))
    return "station,datum,schadstoff,mittel:float,max:float", rows


ESTADOS = ("Oaxaca", "Guerrero", "Chiapas", "Michoacán", "Jalisco", "Colima", "Puebla", "Veracruz",
           "Baja California", "Ciudad de México")  # fmt: skip
LUGARES = ("Las Palmas", "Río Seco", "Santa Inés", "El Mirador", "Puerto Escondido", "La Ceiba")


def sismos() -> Table:
    random = drawn("mx-sismos")
    rows: list[tuple[object, ...]] = []
    for _ in range(150):
        day = TODAY - timedelta(days=random.randint(0, 29))
        hour = f"{random.randint(0, 23):02}:{random.randint(0, 59):02}"
        size = round(3.2 + random.expovariate(1.6), 1)
        where = (
            f"{random.randint(5, 90)} km al {random.choice(('norte', 'sur', 'este', 'oeste'))} de"
        )
        row = (day, hour, random.choice(ESTADOS), size, random.randint(5, 120))
        rows.append((*row, f"{where} {random.choice(LUGARES)}"))
    return "fecha,hora,estado,magnitud:float,profundidad_km:int,lugar", sorted(
        rows, reverse=True, key=str
    )


CHANGWAT_WITH_DUST = ("10", "11", "12", "13", "19", "20", "30", "40", "41", "50", "51", "52", "53", "54",
                      "55", "56", "57", "58", "83", "90")  # fmt: skip
LEVELS = (
    (15, "ดีมาก"),
    (25, "ดี"),
    (37.5, "ปานกลาง"),
    (75, "เริ่มมีผลกระทบต่อสุขภาพ"),
    (999, "มีผลกระทบต่อสุขภาพ"),
)


def dust() -> Table:
    random = drawn("th-pm25")
    rows = []
    for code in CHANGWAT_WITH_DUST:
        usual = random.uniform(55, 95) if code.startswith("5") else random.uniform(12, 45)
        for day in PAST:
            value = round(usual * random.uniform(0.8, 1.25), 1)
            level = next(name for most, name in LEVELS if value <= most)
            rows.append((code, day, value, level))
    return "province_code,date,pm25:float,level", rows


AREAS = {"016000": -2, "020000": 3, "040000": 7, "130000": 12, "140000": 12, "150000": 8, "230000": 12,
         "260000": 12, "270000": 13, "340000": 13, "400000": 14, "471000": 20}  # fmt: skip
SKIES = ("晴れ", "晴れ時々くもり", "くもり", "くもり一時雨", "雨", "雪")


def yohou() -> Table:
    random = drawn("jp-tenki")
    rows = []
    for area, usual in AREAS.items():
        for ahead in range(8):
            low = usual + random.randint(-4, 2)
            rain = random.randrange(0, 100, 10)
            sky = "雪" if rain >= 60 and low < 0 else SKIES[min(4, rain // 20)]
            rows.append(
                (area, TODAY + timedelta(days=ahead), sky, low, low + random.randint(4, 9), rain)
            )
    return "area_code,date,weather,low:int,high:int,pop:int", rows


JST = timezone(timedelta(hours=9))


def amedas() -> Table:
    random = drawn("jp-amedas")
    rows = []
    for area, usual in AREAS.items():
        for hours in range(36):
            at = datetime(2026, 3, 15, 8, tzinfo=JST) + timedelta(hours=hours)
            warmth = 4 - abs(at.hour - 14) / 2
            temp = round(usual + warmth + random.uniform(-1, 1), 1)
            rows.append(
                (
                    area,
                    f"{at:%Y-%m-%dT%H}:00",
                    temp,
                    random.randint(35, 95),
                    round(random.uniform(0.3, 9), 1),
                )
            )
    return "area_code,jikan,temp:float,humidity:int,wind:float", rows


TABLES = {
    "th-pm25": dust,
    "jp-tenki": yohou,
    "jp-amedas": amedas,
    "de-luftstation": stationen,
    "de-luftwert": luftwerte,
    "mx-sismos": sismos,
    "br-tempo": tempo,
}
