"""Credentials of documents are configuration: in no artifact of a dataset, and an audit finds a planted one."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import msgspec
import polars as pl
import pytest

from dragoman.core.apis.documents import ApiDocument, ApiParameter, Operation
from dragoman.core.apis.tasks import ApiCall, ApiSolution, ApiTask, SolutionStep, TaskSolution
from dragoman.store.dataset import Dataset, NewItem, StepLine, StepOutcome
from dragoman.web.exchange import HttpExchange

Cli = Callable[..., CompletedProcess[str]]
RunJson = Callable[..., Any]
Refused = Callable[..., str]

PLANTED = "PLANT"
"""Every key in the document begins so."""

DOCUMENT = """
openapi: 3.0.3
info:
  {title: Trains, version: "1", x-country: France, x-language: fr,
   description: "Clé d'essai : PLANT01abc999 ; ou curl -u bob:PLANT02pwxyz77"}
servers: [{url: "http://bob:PLANT03pass88@HOST/t?apikey=PLANT04query55"}]
security: [{K: []}]
paths:
  /gares:
    get:
      operationId: gares
      description: "Liste des gares. Exemple: GET /gares?api_key=PLANT05urlxx44"
      parameters:
        - {name: X-API-Key, in: header, required: true,
           schema: {type: string, example: PLANT06hdr333, default: PLANT07def222, enum: [PLANT08enum11]}}
        - {name: api_key, in: query, schema: {type: string}, example: PLANT09qry000, examples: {a: {value: PLANT10exs123}}}
        - {name: jeton, in: query, required: true, schema: {type: string}, example: PLANT11jeton456}
        - {name: X-Foo, in: header, required: true, schema: {type: string}, example: PLANT12xfoo7890abc}
        - {name: sess, in: cookie, schema: {type: string, example: PLANT13cookie99}}
        - {name: Authorization, in: header, schema: {type: string, example: "Bearer PLANT14bearer88"}}
        - {name: ville, in: query, required: true, schema: {type: string},
           examples: {a: {value: Lyon}, b: {value: Paris}, c: {value: "see PLANT06hdr333"}}}
      responses: {"200": {description: ok}}
  /achat:
    post:
      operationId: achat
      description: "Achète. `X-API-Key: PLANT15doc777x`"
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [n, client]
              properties:
                n: {type: integer, example: 3}
                mot_de_passe: {type: string, example: PLANT16mdp666}
                client:
                  type: object
                  properties: {token: {type: string, example: PLANT17nest55}, nom: {type: string, example: Léa}}
            example: {n: 2, client: {token: PLANT18media44, nom: Zoé}}
      responses:
        "200":
          description: ok
          content:
            application/json:
              schema: {type: object, properties: {access_token: {type: string, example: PLANT19resp33}}}
  /{token}/bad: {get: {parameters: [{name: "a key=PLANT24name77", in: nowhere}]}}
components:
  securitySchemes:
    K: {type: apiKey, in: header, name: X-API-Key, description: "Votre clé, ex. PLANT20sch222a", x-example: PLANT21schex11}
    B: {type: http, scheme: bearer, x-default: PLANT22schdef0}
"""
KEYS = {"HEADER_KEY": "REALKEY-0123456789abcdef", "QUERY_KEY": "sh0rtT0k"}
FORMS = ("suite", "itc", "openai", "rows", "text-rows", "parquet", "hf")


@pytest.fixture
def echo() -> Iterator[tuple[str, list[tuple[str, dict[str, str], bytes]]]]:
    """A server that answers with the request that it got, and the list of these requests."""
    asked: list[tuple[str, dict[str, str], bytes]] = []

    class Echo(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            if self.path == "/robots.txt":
                self.send_error(404)
                return
            asked.append((self.path, dict(self.headers), body))
            said = {"data": {"path": self.path, "headers": dict(self.headers), "body": str(body)}}
            content = json.dumps(said).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_GET  # noqa: N815 - the library's name

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"127.0.0.1:{server.server_address[1]}", asked
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.slow
def test_no_artifact_of_the_whole_chain_holds_a_key_of_its_document(
    dragoman: Cli, folder: Path, echo: tuple[str, list[tuple[str, dict[str, str], bytes]]]
) -> None:
    host, asked = echo
    (folder / "trains.yaml").write_text(DOCUMENT.replace("HOST", host), "utf-8")
    printed: list[str] = []

    def run(*arguments: object, status: int = 0) -> str:
        done = dragoman("curate", *arguments, **KEYS)
        printed.append(done.stdout + done.stderr)
        assert done.returncode == status, done.stderr
        return done.stdout

    run("collect", "mine", "trains.yaml")
    keys = ("--key", f"{host}/X-API-Key=HEADER_KEY", "--key", f"{host}/jeton=QUERY_KEY")
    run("verify", "mine", "--allow-local", "--pause", 0, *keys)
    run("monitor", "mine", "--allow-local", "--pause", 0, *keys)
    run("filter", "mine")
    run("generate", "mine")
    with Dataset(folder / "mine", write=False) as dataset:
        queries = [item.record(ApiTask).query for item in dataset.items("task")]
    assert len(queries) == 4
    (folder / "gold.csv").write_text(
        "query,relevance,practicality,linguistic_applicability,clarity,specificity\n"
        + "{},5,5,5,5,5\n".format('"' + queries[0].replace('"', '""') + '"'),
        "utf-8",
    )
    export = ("review", "export", "mine", "--out", "sheets", "--annotators", "ana,bo", "--gold")
    run(*export, "gold.csv", "--least-gold", 1, "--share", 0.5)
    run("answer", "mine", "--calls", "recorded")
    run("check", "mine")
    with Dataset(folder / "mine", write=False) as dataset:
        (document,) = [item.name for item in dataset.items("document")]
    run("split", "mine", "--share", 0.0001, "--test", f"{document}/gares")
    for form in FORMS:
        run("export", "mine", "--to", form, "--out", f"out/{form}")
    run("check", "mine", "--also", "out", "--also", "sheets")
    for words in ("status mine", "status mine --step collect", "card mine", "list mine"):
        run(*words.split())

    made = [path for path in folder.rglob("*") if path.is_file() and path.name != "trains.yaml"]
    assert len(made) > 25
    for path in made:
        content = read(path)
        for key in (PLANTED, *KEYS.values()):
            assert key not in content, (path, key)
    for said in printed:
        assert PLANTED not in said
        assert not any(key in said for key in KEYS.values())

    # The configured values were sent, and the values in the documents never were.
    paths = {path for path, _, _ in asked}
    assert paths == {
        "/t/gares?ville=Lyon&jeton=sh0rtT0k",
        "/t/gares?ville=Paris&jeton=sh0rtT0k",
        "/t/achat",
    }
    assert {headers["X-API-Key"] for _, headers, _ in asked} == {KEYS["HEADER_KEY"]}
    assert {body for _, _, body in asked if body} == {
        '{"n":2,"client":{"nom":"Zoé"}}'.encode(),
        '{"n":3,"client":{"nom":"Zoé"}}'.encode(),
    }


def read(path: Path) -> str:
    """Return the content of a file: of a dataset its records, of a table its rows."""
    if path.suffix == ".parquet":
        return str(pl.read_parquet(path).to_dicts())
    content = path.read_bytes().decode("latin-1")
    if path.name != "dataset.sqlite":
        return content
    with Dataset(path.parent, write=False) as dataset:
        for kind in dataset.kinds():
            for item in dataset.items(kind):
                content += item.name + item.data.decode("utf-8", "replace")
                if kind == "exchange":
                    exchange = item.record(HttpExchange)
                    content += repr(exchange.body) + repr(exchange.request_body)
        content += "".join(f"{line.name} {line.reason}" for line in dataset.ledger())
    return content


CLEAN = ApiDocument(
    "fr",
    "Trains",
    country="France",
    api_list=(Operation("Gares", "https://api.example/gares", "Des gares", required_parameters=(ApiParameter("ville"),)),),
)  # fmt: skip
KEY = "k7Rz93Qw5Tn1"


def task(query: str = "Les gares de Lyon ?", **arguments: object) -> ApiTask:
    gold = (ApiCall("Gares", {"ville": "Lyon", **arguments}),)
    return ApiTask("t-1", query, "fr", "single", ("fr/Gares",), gold, "France", made_by="writer")


def solved(**arguments: object) -> TaskSolution:
    calls = (ApiCall("Gares", {"ville": "Lyon", **arguments}),)
    return TaskSolution("t-1", ApiSolution("writer", (SolutionStep("Je cherche.", calls),)))


def put(folder: Path, *items: tuple[str, str, msgspec.Struct], reason: str = "") -> None:
    with Dataset(folder) as dataset:
        for kind, name, record in items:
            line = StepLine("generate", "brief", f"{kind} {name}", "kept", reason, source="mine")
            dataset.put([StepOutcome(line, (NewItem(kind, name, record),))])


@pytest.fixture
def mine(folder: Path) -> Path:
    """A finished dataset of one task."""
    put(
        folder / "mine",
        ("document", "fr", CLEAN),
        ("task", "t-1", task()),
        ("solution", "t-1", solved()),
    )
    return folder / "mine"


def test_a_dataset_without_keys_passes(run_json: RunJson, mine: Path) -> None:
    (count,) = run_json("curate", "check", mine)["funnel"]
    assert count["kept"] == 1


EXCHANGE = HttpExchange("GET", "https://api.example/gares?ville=Lyon", status=200, body=b"[1]")


@pytest.mark.parametrize(
    ("items", "reason", "said"),
    [
        ([("task", "t-1", task(f"Les gares de Lyon, clé {KEY} ?"))], "", "task 't-1', at query"),
        ([("task", "t-1", task(f"Gares : api_key={KEY}"))], "", "task 't-1', at query"),
        (
            [("task", "t-1", task("Avec sk-proj-abcdefghij0123456789 ?"))],
            "",
            "task 't-1', at query",
        ),
        (
            [("task", "t-1", task(**{"X-API-Key": "swordfish!"}))],
            "",
            "task 't-1', at gold[0].arguments.X-API-Key",
        ),
        (
            [("task", "t-1", task(filtre={"jeton": KEY}))],
            "",
            "task 't-1', at gold[0].arguments.filtre.jeton",
        ),
        (
            [("solution", "t-1", solved(token=KEY))],
            "",
            "solution 't-1', at solution.steps[0].calls[0].arguments.token",
        ),
        (
            [("exchange", "fr/Gares#1", msgspec.structs.replace(EXCHANGE, request_headers={"X-Auth-Jeton": KEY}))],
            "",
            "exchange 'fr/Gares#1', at request_headers.X-Auth-Jeton",
        ),
        (
            [("exchange", "fr/Gares#1", msgspec.structs.replace(EXCHANGE, url=f"https://api.example/g?token={KEY}"))],
            "",
            "exchange 'fr/Gares#1', at url",
        ),
        (
            [("exchange", "fr/Gares#1", msgspec.structs.replace(EXCHANGE, body=b'{"k": "ghp_abcdefghijklmnopqrst012345"}'))],
            "",
            "exchange 'fr/Gares#1', at body",
        ),
        (
            [("document", "fr", msgspec.structs.replace(CLEAN, api_list=(
                Operation("Gares", "https://api.example/g", optional_parameters=(ApiParameter("X-API-Key", place="header", example=KEY),)),
            )))],
            "",
            "document 'fr', at 'Gares', parameter 'X-API-Key'",
        ),
        ([], f"no: password={KEY}", "the ledger of generate, at reason of a brief"),
    ],
)  # fmt: skip
def test_a_planted_key_is_found_with_the_line_where_it_stands(
    refused: Refused,
    mine: Path,
    items: list[tuple[str, str, msgspec.Struct]],
    reason: str,
    said: str,
) -> None:
    with Dataset(mine) as dataset:
        gone = [("brief", f"{kind} {name}") for kind, name, _ in items]
        dataset.forget("generate", gone)
    put(mine, *items or [("brief", "b", CLEAN)], reason=reason)
    line = refused("curate", "check", mine, status=1)
    assert said in line
    assert KEY not in line
    assert "swordfish" not in line


def test_a_planted_key_is_exported_to_nobody(refused: Refused, mine: Path, folder: Path) -> None:
    put(mine, ("brief", "b", task(f"clé : {KEY}")))
    said = refused("curate", "export", mine, "--to", "rows", "--out", "rows", status=1)
    assert "brief 'b', at query" in said
    assert not (folder / "rows").exists()


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("ana.csv", f"id,query\n1,Ma clé est {KEY}\n", "ana.csv, at line 2"),
        ("train.jsonl", json.dumps({"messages": [{"tool_calls": [{"function": {"arguments": json.dumps({"api_key": KEY})}}]}]}), "messages[0].tool_calls[0].function.arguments"),
        ("tasks.jsonl", json.dumps({"gold": [{"arguments": {"token": "swordfish!"}}]}), "gold[0].arguments.token"),
        ("apis.json", json.dumps({"url": f"https://bob:{KEY}@api.example"}), "apis.json, at url"),
    ],
)  # fmt: skip
def test_a_key_in_a_sheet_or_an_export_is_found(
    refused: Refused, mine: Path, name: str, content: str, said: str
) -> None:
    folder = mine.parent
    (folder / "made").mkdir()
    (folder / "made" / name).write_text(content, "utf-8")
    line = refused("curate", "check", mine, "--also", "made", status=1)
    assert said in line
    assert KEY not in line


def test_a_key_in_a_table_is_found(refused: Refused, mine: Path, folder: Path) -> None:
    pl.DataFrame({"gold": [json.dumps([{"arguments": {"token": KEY}}])]}).write_parquet(
        folder / "train.parquet"
    )
    said = refused("curate", "check", mine, "--also", "train.parquet", status=1)
    assert "train.parquet, at row 1, gold[0].arguments.token" in said


def test_a_value_that_a_document_stated_is_found_wherever_it_stands(
    dragoman: Cli, refused: Refused, folder: Path
) -> None:
    (folder / "trains.yaml").write_text(DOCUMENT.replace("HOST", "api.example"), "utf-8")
    assert dragoman("curate", "collect", "mine", "trains.yaml").returncode == 0
    assert dragoman("curate", "check", "mine").returncode == 0
    put(folder / "mine", ("task", "t-1", task("Les gares de PLANT06hdr333 ?")))
    said = refused("curate", "check", "mine", status=1)
    assert "task 't-1', at query: a value that a document states for a credential" in said


def test_a_key_of_the_environment_is_found_wherever_it_stands(dragoman: Cli, mine: Path) -> None:
    put(mine, ("brief", "b", task("Les gares de zzzz-yyyy-xxxx ?")))
    done = dragoman("curate", "check", mine, MY_API_KEY="zzzz-yyyy-xxxx")
    assert done.returncode == 1
    assert "brief 'b', at query: a key of the environment" in done.stderr


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("api.example=KEY", "--key: HOST/NAME=VARIABLE"),
        ("api.example/X-API-Key=k7Rz-93Qw", "--key: HOST/NAME=VARIABLE"),
        ("api.example/X-API-Key=NOT_SET", "--key api.example/X-API-Key=...: the variable that it"),
        ("api.example/X-API-Key=SHORT", "fewer than 6 characters"),
    ],
)
def test_a_key_that_cannot_be_sent_is_one_line(
    refused: Refused, mine: Path, key: str, said: str
) -> None:
    line = refused("curate", "verify", mine, "--key", key, status=2, SHORT="abc")
    assert said in line
    assert "k7Rz" not in line
