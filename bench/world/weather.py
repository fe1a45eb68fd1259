"""Weather that nobody saw: forecasts, observations and dust."""

from datetime import timedelta

from bench.world.drawing import TODAY, Table, drawn
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


TABLES = {"br-tempo": tempo}
