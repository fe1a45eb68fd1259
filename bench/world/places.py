"""Places: codes and cities are facts; streets and residents are invented."""

from bench.world.drawing import Table, drawn

CIDADES = (
    ("São Paulo", "SP", "3550100", "013"), ("Campinas", "SP", "3509100", "130"),
    ("Santos", "SP", "3548100", "110"), ("Rio de Janeiro", "RJ", "3304100", "200"),
    ("Niterói", "RJ", "3303100", "240"), ("Belo Horizonte", "MG", "3106100", "301"),
    ("Ouro Preto", "MG", "3146100", "354"), ("Salvador", "BA", "2927100", "400"),
    ("Recife", "PE", "2611100", "500"), ("Olinda", "PE", "2609100", "530"),
    ("Fortaleza", "CE", "2304100", "600"), ("Natal", "RN", "2408100", "590"),
    ("Belém", "PA", "1501100", "660"), ("Manaus", "AM", "1302100", "690"),
    ("Brasília", "DF", "5300100", "700"), ("Goiânia", "GO", "5208100", "740"),
    ("Curitiba", "PR", "4106100", "800"), ("Florianópolis", "SC", "4205100", "880"),
    ("Porto Alegre", "RS", "4314100", "900"), ("Gramado", "RS", "4309100", "956"),
)  # fmt: skip
"""Name, state, a code like the statistics office's, and how its postcodes begin."""

RUAS = ("das Palmeiras", "do Comércio", "Quinze de Março", "das Acácias", "do Farol", "Bela Vista",
        "dos Ipês", "da Matriz", "São Benedito", "das Laranjeiras", "do Sol", "da Aurora")  # fmt: skip
BAIRROS = ("Centro", "Jardim América", "Boa Vista", "Vila Nova", "Santa Luzia", "Praia Grande")
POR_TAREFA = {
    "01310930": ("Avenida dos Bandeirantes Novos", "Bela Vista", 0),
    "20040002": ("Rua do Mercado Velho", "Centro", 3),
    "40020210": ("Ladeira do Farol", "Barra", 7),
    "80010130": ("Rua das Araucárias", "Centro Cívico", 16),
    "50030230": ("Rua da Maré", "Boa Viagem", 8),
    "69005070": ("Travessa do Seringueiro", "Adrianópolis", 13),
    "90010150": ("Rua dos Cataventos", "Cidade Baixa", 18),
}
"""Street, quarter and city of the postcodes that tasks ask for."""


def cep() -> Table:
    random = drawn("br-cep")
    rows = [
        (code, rua, bairro, *CIDADES[city][:3]) for code, (rua, bairro, city) in POR_TAREFA.items()
    ]
    for name, uf, code, start in CIDADES:
        for number in sorted(random.sample(range(10000, 99999), 6)):
            rua = f"{random.choice(('Rua', 'Avenida', 'Travessa'))} {random.choice(RUAS)}"
            rows.append((f"{start}{number}", rua, random.choice(BAIRROS), name, uf, code))
    return "cep,rua,bairro,cidade,uf,codigo", rows


COMMUNES = (
    ("Nantes", "44000", "44109"), ("Amiens", "80000", "80021"), ("Lyon", "69003", "69123"),
    ("Marseille", "13006", "13055"), ("Toulouse", "31000", "31555"), ("Bordeaux", "33000", "33063"),
    ("Lille", "59000", "59350"), ("Rennes", "35000", "35238"), ("Strasbourg", "67000", "67482"),
    ("Dijon", "21000", "21231"), ("Ajaccio", "20000", "2A004"), ("Bastia", "20200", "2B033"),
    ("Ambérieu-en-Bugey", "01500", "01004"), ("Bourg-en-Bresse", "01000", "01053"),
    ("Nice", "06000", "06088"),
)  # fmt: skip
"""Name, a postcode, and the official code."""

VOIES = ("rue des Lilas", "boulevard du Port", "place de la Halle", "avenue des Tilleuls",
         "rue du Moulin", "quai des Brumes", "rue de l'Horloge", "impasse du Lavoir",
         "rue des Tanneurs", "chemin des Vignes", "allée des Platanes", "rue Basse")  # fmt: skip


def adresses() -> Table:
    random = drawn("fr-adresse")
    rows = []
    for name, postcode, code in COMMUNES:
        lon, lat = random.uniform(-1.5, 7.5), random.uniform(43.3, 50.1)
        for voie in VOIES:
            where = (
                round(lon + random.uniform(0, 0.04), 5),
                round(lat + random.uniform(0, 0.03), 5),
            )
            rows.append((f"{voie} {postcode} {name}", postcode, code, name, *where))
    return "label,postcode,citycode,city,lon:float,lat:float", rows


def communes() -> Table:
    random = drawn("fr-commune")
    rows = []
    for name, _, code in COMMUNES:
        people = random.randint(14, 520) * 1000 + random.randint(0, 999)
        rows.append((code, name, people, round(random.uniform(18, 240), 2), code[:2]))
    return "code,nom,population:int,superficie:float,departement", rows


MACHI = ("桜台", "若葉町", "みどり野", "松風", "朝日", "川上", "東雲", "花園")
CITIES_OF_JAPAN = (("東京都", "千代田区", "100"), ("東京都", "世田谷区", "154"), ("大阪府", "大阪市北区", "530"),
                   ("京都府", "京都市中京区", "604"), ("北海道", "札幌市中央区", "060"),
                   ("福岡県", "福岡市博多区", "812"), ("沖縄県", "那覇市", "900"),
                   ("広島県", "広島市中区", "730"))  # fmt: skip


def yubin() -> Table:
    random = drawn("jp-yubin")
    rows = [
        ("1000001", "東京都", "千代田区", "千歳台"),
        ("0600042", "北海道", "札幌市中央区", "白樺通"),
    ]
    for ken, shi, start in CITIES_OF_JAPAN:
        numbers = sorted(random.sample(range(100, 999), 8))
        rows += [(f"{start}0{last}", ken, shi, random.choice(MACHI)) for last in numbers]
    return "zipcode,ken,shi,machi", rows


TABLES = {"jp-yubin": yubin, "fr-adresse": adresses, "fr-commune": communes, "br-cep": cep}
