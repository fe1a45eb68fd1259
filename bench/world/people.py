"""Jobs, advice and other texts that are assembled from parts."""

from random import Random

from bench.world.drawing import WINDOW, Table, drawn

BERUFE = ("Krankenpfleger", "Elektriker", "Softwareentwicklerin", "Erzieherin", "Koch", "Lokführer",
          "Buchhalterin", "Dachdecker", "Apothekerin", "Lagerist", "Friseurin", "Bauleiter")  # fmt: skip
FIRMEN = ("Sonnenhof GmbH", "Brückner & Kranz", "Nordlicht AG", "Werkhalle 7", "Haus am Anger",
          "Talblick Service", "Kupfer und Söhne", "Rotmilan KG")  # fmt: skip
UMLAND = {
    "Dresden": (("Dresden", 0), ("Radebeul", 8), ("Pirna", 18), ("Meißen", 24), ("Bautzen", 52)),
    "Leipzig": (("Leipzig", 0), ("Markkleeberg", 7), ("Halle (Saale)", 33), ("Grimma", 28)),
    "Hamburg": (("Hamburg", 0), ("Norderstedt", 17), ("Ahrensburg", 22), ("Lüneburg", 45)),
    "München": (("München", 0), ("Dachau", 17), ("Freising", 32), ("Starnberg", 24)),
    "Köln": (("Köln", 0), ("Leverkusen", 13), ("Bonn", 26), ("Düren", 38)),
}


def jobs() -> Table:
    random = drawn("de-jobs")
    rows = []
    for centre, towns in UMLAND.items():
        for beruf in BERUFE:
            for town, km in random.sample(towns, 3):
                title = f"{beruf} (m/w/d) {random.choice(('Vollzeit', 'Teilzeit', 'befristet'))}"
                number = f"10001-{random.randint(10**6, 10**7 - 1)}-S"
                rows.append((number, title, random.choice(FIRMEN), town, km, centre))
    return "refnr,titel,arbeitgeber,ort,km:int,_zentrum", rows


LAENDER = (
    ("Peru", "PER", 1), ("Ägypten", "EGY", 2), ("Japan", "JPN", 0), ("Kenia", "KEN", 1),
    ("Thailand", "THA", 1), ("Mexiko", "MEX", 1), ("Türkei", "TUR", 1), ("Brasilien", "BRA", 1),
    ("Portugal", "PRT", 0), ("Island", "ISL", 0), ("Nepal", "NPL", 1), ("Äthiopien", "ETH", 3),
    ("Bolivien", "BOL", 1), ("Kolumbien", "COL", 2), ("Marokko", "MAR", 0), ("Vietnam", "VNM", 0),
    ("Indonesien", "IDN", 1), ("Philippinen", "PHL", 2), ("Jordanien", "JOR", 2),
    ("Pakistan", "PAK", 3), ("Nigeria", "NGA", 3), ("Südafrika", "ZAF", 1), ("Norwegen", "NOR", 0),
    ("Costa Rica", "CRI", 0), ("Paraguay", "PRY", 0),
)  # fmt: skip
STUFEN = (
    ("Keine besonderen Hinweise", "Es gelten die üblichen Regeln der Vorsicht."),
    (
        "Sicherheitshinweis",
        "In Großstädten ist auf Taschendiebe zu achten; meiden Sie Menschenmengen.",
    ),
    ("Teilreisewarnung", "Vor Reisen in die Grenzgebiete wird gewarnt."),
    ("Reisewarnung", "Vor Reisen in das Land wird gewarnt. Deutsche sollen es verlassen."),
)


def reisehinweise() -> Table:
    random = drawn("de-travel")
    rows = []
    for land, code, level in LAENDER:
        name, text = STUFEN[level]
        html = f"<h2>{land}</h2><p>{text}</p><ul><li>Stand: März 2026</li></ul>"
        rows.append(
            (
                land,
                code,
                name,
                level >= 2,
                f"2026-0{random.randint(1, 3)}-1{random.randint(0, 5)}",
                html,
            )
        )
    return "land,iso3,stufe,warnung:bool,stand,inhalt", rows


ILLER = {
    "İstanbul": ("Kadıköy", "Beşiktaş", "Üsküdar", "Fatih"), "İzmir": ("Bornova", "Konak", "Karşıyaka"),
    "Ankara": ("Çankaya", "Keçiören"), "Antalya": ("Muratpaşa", "Alanya"),
    "Diyarbakır": ("Bağlar", "Sur"), "Isparta": ("Eğirdir", "Yalvaç"), "Trabzon": ("Akçaabat", "Of"),
}  # fmt: skip
ECZANELER = ("Yeni Umut", "Çınar", "Işık", "Günebakan", "Şifa Yolu", "Lale", "Kırmızı Kapı", "Deniz",
             "İnci", "Ihlamur")  # fmt: skip
SOKAKLAR = ("Zeytin Sokak", "İskele Caddesi", "Gül Sokak", "Çarşı Caddesi", "Ilıca Sokak")


def eczaneler() -> Table:
    random = drawn("tr-eczane")
    rows = []
    for il, ilceler in ILLER.items():
        for ilce in ilceler:
            for day in WINDOW:
                for ad in random.sample(ECZANELER, 2):
                    street = f"{random.choice(SOKAKLAR)} No: {random.randint(1, 90)}"
                    rows.append(
                        (
                            il,
                            ilce,
                            day,
                            f"{ad} Eczanesi",
                            street,
                            f"0 000 {random.randint(1000, 9999)}",
                        )
                    )
    return "il,ilce,tarih,ad,adres,telefon", rows


TEAMS = ("Mumbai", "Chennai", "Delhi", "Kolkata", "Jaipur", "Lucknow", "Hyderabad", "Bengaluru")
GAMES = (("2026-03-14", "T20", "Mumbai", "Chennai"), ("2026-03-12", "ODI", "Delhi", "Kolkata"),
         ("2026-03-15", "T20", "Lucknow", "Bengaluru"), ("2026-03-08", "ODI", "Mumbai", "Jaipur"))  # fmt: skip


def score(random: Random, kind: str) -> tuple[str, str]:
    """Return runs for wickets, and overs with balls after the point.

    19.4 are nineteen overs and four balls.
    """
    most = {"T20": 20, "ODI": 50, "Test": 90}[kind]
    overs = f"{most - random.randint(1, 4)}.{random.randint(1, 5)}"
    runs = int(most * random.uniform(6.5, 8.5))
    return f"{runs}/{random.randint(3, 9)}", overs


def cricket() -> Table:
    random = drawn("in-cricket")
    games: list[tuple[str, ...]] = list(GAMES)
    for day in range(1, 37):
        pair = random.sample(TEAMS, 2)
        when = f"2026-02-{day:02}" if day <= 28 else f"2026-03-0{day - 28}"
        games.append((when, random.choice(("T20", "ODI", "Test")), *pair))
    rows: list[tuple[object, ...]] = []
    for when, kind, one, other in games:
        rows.append(
            (
                when,
                kind,
                one,
                other,
                *score(random, kind),
                *score(random, kind),
                random.choice((one, other)),
            )
        )
    return "date,format,team1,team2,runs1,overs1,runs2,overs2,winner", rows


PLACES = {
    "서울": ("한빛 소극장", "강변 전시관"), "부산": ("바다빛 공연장", "동백 미술관"),
    "대구": ("달구벌 회관", "사과나무 극장"), "인천": ("등대 문화관", "섬마을 무대"),
    "광주": ("무등 예술터", "빛고을 소극장"), "대전": ("한밭 갤러리", "과학마당"),
    "전주": ("한지 전시장", "온고을 마당"), "제주": ("오름 야외무대", "감귤 미술관"),
}  # fmt: skip
SHOWS = ("판소리 한마당", "봄맞이 실내악", "그림책 원화전", "거리극 축제", "재즈의 밤", "도자기 특별전",
         "청년 연극제", "별빛 영화제")  # fmt: skip


def culture() -> Table:
    random = drawn("kr-munhwa")
    rows = []
    for region, halls in PLACES.items():
        for title in SHOWS:
            first = random.randint(1, 27)
            last = min(31, first + random.randint(0, 6))
            fee = random.choice(("무료", "10000원", "25000원"))
            days = (f"202603{first:02}", f"202603{last:02}")
            rows.append((region, title, random.choice(halls), *days, fee, fee == "무료"))
    return "region,title,place,start,end,fee,free:bool", rows


TABLES = {
    "tr-eczane": eczaneler,
    "in-cricket": cricket,
    "kr-munhwa": culture,
    "de-jobs": jobs,
    "de-travel": reisehinweise,
}
