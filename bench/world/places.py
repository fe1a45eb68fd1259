"""Places: codes and cities are facts, streets and who lives there are not."""

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
"""Postcodes that tasks ask for: street, quarter, and which city."""


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


TABLES = {"br-cep": cep}
