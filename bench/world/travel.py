"""Trains and buses that exist in tables only."""

from bench.world.drawing import Table, drawn

STATIONS = {
    "Asd": "Amsterdam Centraal", "Ut": "Utrecht Centraal", "Rtd": "Rotterdam Centraal",
    "Gvc": "Den Haag Centraal", "Ehv": "Eindhoven Centraal", "Gn": "Groningen", "Zl": "Zwolle",
    "Amf": "Amersfoort Centraal", "Mt": "Maastricht", "Ledn": "Leiden Centraal", "Hlm": "Haarlem",
    "Nm": "Nijmegen", "Ah": "Arnhem Centraal", "Bd": "Breda", "Shl": "Schiphol Airport",
    "Lw": "Leeuwarden",
}  # fmt: skip


def clock(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"


def vertrektijden() -> Table:
    random = drawn("nl-vertrek")
    rows: list[tuple[object, ...]] = []
    for code, name in STATIONS.items():
        minutes = 11 * 60
        for _ in range(8):
            minutes += random.randint(2, 9)
            goal = random.choice([each for each in STATIONS.values() if each != name])
            kind = random.choice(("Intercity", "Sprinter"))
            late = random.choice((0, 0, 0, 3, 7))
            rows.append((code, clock(minutes), goal, kind, f"{random.randint(1, 15)}", late))
    return "station,tijd,bestemming,soort,spoor,vertraging:int", rows


EGYPT = ("القاهرة", "الإسكندرية", "أسيوط", "الأقصر", "أسوان", "طنطا", "المنصورة", "بورسعيد",
         "الإسماعيلية", "سوهاج", "المنيا", "بني سويف")  # fmt: skip
ARABIC_DIGITS = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
CLASSES = ("مكيف أولى", "مكيف ثانية", "روسي", "نوم")


def egyptian_trains() -> Table:
    random = drawn("eg-qitar")
    rows = []
    number = 900
    pairs = [*((EGYPT[0], goal) for goal in EGYPT[1:]), ("الإسكندرية", "طنطا")]
    for one, other in pairs:
        for start, end in ((one, other), (other, one)):
            for hour in sorted(random.sample(range(5, 22), 3)):
                leaves = hour * 60 + random.choice((0, 15, 30, 45))
                comes = (leaves + random.randint(110, 700)) % 1440
                number += random.randint(1, 9)
                facts = (clock(leaves), clock(comes), str(random.randrange(60, 480, 5)))
                shown = [fact.translate(ARABIC_DIGITS) for fact in (str(number), *facts)]
                rows.append((start, end, shown[0], random.choice(CLASSES), *shown[1:]))
    return "from,to,number,class,departs,arrives,fare", rows


LINES = (
    ("27001", "京都", ("大阪", "米原")), ("27002", "大阪", ("京都", "神戸")),
    ("13001", "東京", ("新宿", "横浜")), ("13014", "日本橋", ("渋谷", "浅草")),
    ("27114", "日本橋", ("難波", "天神橋")), ("13008", "新宿", ("東京", "八王子")),
    ("01001", "札幌", ("小樽", "千歳")), ("40001", "博多", ("小倉", "久留米")),
)  # fmt: skip
KINDS = ("普通", "快速", "新快速", "急行")


def timetable() -> Table:
    random = drawn("jp-jikoku")
    rows = []
    for code, _, goals in LINES:
        for goal in goals:
            for day in ("平日", "土曜", "休日"):
                for base in (5, 7, 8, 12, 17, 18, 20, 22, 23, 24):
                    at = base * 60 + random.randint(0, 25 if base == 24 else 59)
                    rows.append((code, goal, day, clock(at), random.choice(KINDS)))
    return "station_id,houmen,youbi,time,type,goal", [(*row, row[1]) for row in rows]


SUBWAY = (
    ("홍대입구", "2호선"), ("홍대입구", "공항철도"), ("강남", "2호선"), ("서울", "1호선"), ("서울", "4호선"),
    ("종로3가", "1호선"), ("종로3가", "3호선"), ("잠실", "2호선"), ("잠실", "8호선"), ("사당", "4호선"),
    ("신도림", "1호선"), ("시청", "2호선"), ("여의도", "5호선"), ("고속터미널", "3호선"), ("이태원", "6호선"),
    ("건대입구", "7호선"), ("왕십리", "5호선"), ("김포공항", "9호선"),
)  # fmt: skip
ENDS = {"1호선": ("인천", "소요산"), "2호선": ("내선순환", "외선순환"), "3호선": ("대화", "오금"),
        "4호선": ("진접", "오이도"), "5호선": ("방화", "마천"), "6호선": ("응암", "신내"),
        "7호선": ("장암", "석남"), "8호선": ("암사", "모란"), "9호선": ("개화", "중앙보훈병원"),
        "공항철도": ("서울", "인천공항")}  # fmt: skip


def arrivals() -> Table:
    random = drawn("kr-jihacheol")
    rows = []
    for station, line in SUBWAY:
        for goal in ENDS[line]:
            seconds = random.randrange(40, 600, 10)
            message = f"{seconds // 60}분 {seconds % 60}초 후"
            rows.append((station, line, goal, str(seconds), message))
    return "station,line,goal,seconds,message", rows


PORTS = (("Batangas", "Calapan", "420"), ("Cebu", "Tagbilaran", "800"), ("Iloilo", "Bacolod", "510"),
         ("Lucena", "Balanacan", "390"), ("Matnog", "Allen", "260"), ("Dumaguete", "Siquijor", "300"))  # fmt: skip
WEEK = ("Lunes", "Martes", "Miyerkoles", "Huwebes", "Biyernes", "Sabado", "Linggo")
BOATS = ("MV Bituing Dagat", "MV Habagat", "MV Perlas", "MV Amihan", "MV Sampaguita")


def ferries() -> Table:
    random = drawn("ph-lantsa")
    rows = []
    for one, other, fare in PORTS:
        for start, end in ((one, other), (other, one)):
            for day in WEEK:
                for hour in sorted(random.sample(range(4, 20), 3)):
                    leaves = hour * 60 + random.choice((0, 30))
                    comes = leaves + random.choice((90, 120, 135))
                    rows.append(
                        (start, end, day, clock(leaves), clock(comes), random.choice(BOATS), fare)
                    )
    return "mula,patungo,araw,alis,dating,barko,pamasahe:int", rows


TABLES = {
    "eg-qitar": egyptian_trains,
    "jp-jikoku": timetable,
    "kr-jihacheol": arrivals,
    "ph-lantsa": ferries,
    "nl-vertrek": vertrektijden,
}
