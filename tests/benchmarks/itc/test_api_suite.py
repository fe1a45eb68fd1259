"""Tasks over web APIs as a suite: names that providers take, gold with references, text, verdicts."""

from collections.abc import Mapping
from typing import NamedTuple

import msgspec
import pytest

from dragoman.benchmarks.itc.suite import ApiSuite
from dragoman.benchmarks.itc.task_sets import ApiReply, CallSet, SetTask
from dragoman.benchmarks.kit.api_tools import native_tool_names, operation_tool
from dragoman.core.apis.documents import ApiDocument, ApiParameter, Operation
from dragoman.core.apis.itc_answers import FORM
from dragoman.core.apis.tasks import ApiCall, ApiTask, CallKind
from dragoman.core.conditions import PLAIN, condition_from
from dragoman.core.episodes import Episode, Event, Message, Termination
from dragoman.core.errors import DataError, UsageError
from dragoman.core.protocols import Ask, Limits, Provenance
from dragoman.core.replies import Reply, TextReply, ToolCallReply, UnparsedReply, text_reply
from dragoman.core.rules import RULES, Rules
from dragoman.core.scores import Scored, Unscored
from dragoman.core.tasks import Task
from dragoman.core.tools import ToolCall, ToolResult

RULE = RULES.find("dragoman-2")
CITY = ApiParameter("cidade", description="Código de 7 dígitos.")
DOCUMENTS = (
    ApiDocument("br", "Brasil", country="Brazil", api_list=(
        Operation("Consulta CEP", "http://x/cep/{cep}", "O endereço de um CEP.", category="Location",
                  required_parameters=(ApiParameter("cep", place="path"),)),
        Operation("Previsão do Tempo", "http://x/tempo", "O tempo.", category="Weather",
                  required_parameters=(CITY,), optional_parameters=(ApiParameter("dias", "integer", default=1),)),
    )),
    ApiDocument("fr", "France", country="France", api_list=(
        Operation("Recherche d'adresse", "http://x/adresse", "Une adresse.", category="Location",
                  required_parameters=(ApiParameter("q"),)),
    )),
)  # fmt: skip
OFFERED = ("br/Consulta CEP", "br/Previsão do Tempo", "fr/Recherche d'adresse")
NESTED = (
    ApiCall("Consulta CEP", {"cep": "20040002"}),
    ApiCall("Previsão do Tempo", {"cidade": {"from": "$1.data.cidades.0"}}),
)


def answered(operation: str, arguments: dict[str, object]) -> ApiReply:
    if operation == "Consulta CEP" and arguments == {"cep": "20040002"}:
        return ApiReply('{"data": {"cidades": ["3304557"]}}')
    return ApiReply("nada", is_error=True)


def suite(
    *gold: ApiCall, kind: CallKind = "single", replies: object = None, no_tools: str = ""
) -> ApiSuite:
    task = ApiTask("t", "Vai chover no CEP 20040-002?", "pt-BR", kind, OFFERED, gold, "Brazil")
    reported = SetTask(task, no_tools)
    return ApiSuite(
        CallSet("itc:test", DOCUMENTS, (reported,), Provenance("", "", "", ""), replies=replies)  # type: ignore[arg-type]
    )


def judged(
    played: ApiSuite, *replies: Reply, call_form: str = "", rules: Rules = RULE
) -> Scored | Unscored | None:
    task = played.tasks[0]
    moves = tuple(Message("agent", reply, call_form=call_form) for reply in replies)
    (component,) = played.check(rules).components(
        task, Episode(moves, Termination("turns_done"), 1, 0)
    )
    return component.verdict


def calls(*made: tuple[str, dict[str, object]]) -> ToolCallReply:
    return ToolCallReply(
        tuple(ToolCall(str(n), name, given) for n, (name, given) in enumerate(made))
    )


def test_functions_have_names_that_every_provider_takes_and_keep_their_own_in_words() -> None:
    names = native_tool_names(
        [
            "get_rates",
            "Consulta CEP",
            "Recherche d'adresse",
            "郵便番号検索",
            "consulta-cep",
            "Consulta cep",
        ]
    )
    assert names["get_rates"] == "get_rates"
    assert names["Recherche d'adresse"] == "recherche_d_adresse"
    assert names["郵便番号検索"].startswith("api_")
    assert len(set(names.values())) == 6
    played = suite()
    (cep, weather, _) = played.tools(played.tasks[0])
    assert (cep.name, cep.description) == ("consulta_cep", "Consulta CEP: O endereço de um CEP.")
    assert weather.parameters["required"] == ["cidade"]
    assert operation_tool(DOCUMENTS[0].api_list[1], "tempo").parameters["properties"]["dias"] == {  # type: ignore[index]
        "type": "integer",
        "description": "Default: 1",
    }


def test_what_a_call_takes_from_an_earlier_result_is_put_into_the_plan() -> None:
    played = suite(*NESTED, kind="nested", replies=answered)
    criteria = played.tasks[0].criteria
    assert criteria is not None
    assert [(each.name, each.arguments) for each in criteria.actions or ()] == [
        ("consulta_cep", {"cep": "20040002"}),
        ("previsao_do_tempo", {"cidade": "3304557"}),
    ]
    assert played.tasks[0].labels == {
        "language": "pt-BR", "country": "Brazil", "category": "Location", "kind of call": "nested",
    }  # fmt: skip


def test_gold_that_no_result_holds_is_unscored_with_its_reason() -> None:
    lost = (NESTED[0], ApiCall("Previsão do Tempo", {"cidade": {"from": "$1.data.nowhere"}}))
    played = suite(*lost, kind="nested", replies=answered)
    right = calls(("consulta_cep", {"cep": "x"}), ("previsao_do_tempo", {}))
    assert judged(played, right) == Unscored(
        "$1.data.nowhere: the result of call 1 does not hold it"
    )
    assert judged(played, calls(("consulta_cep", {}))) == Scored(0.0)
    unknown = suite(NESTED[0], no_tools="its action is not among the functions")
    assert judged(unknown, right) == Unscored("its action is not among the functions")


def test_a_reply_earns_1_for_all_gold_calls_as_they_are_and_no_other() -> None:
    gold: tuple[str, dict[str, object]] = ("consulta_cep", {"cep": "20040002"})
    played = suite(NESTED[0])
    assert judged(played, calls(gold)) == Scored(1.0)
    assert judged(played, calls(gold, gold)) == Scored(0.0)
    assert judged(played, calls(("consulta_cep", {"cep": "20040-002"}))) == Scored(0.0)
    assert judged(played, text_reply("Não sei.")) == Scored(0.0)
    assert judged(played, UnparsedReply("[x(", "no end")) == Scored(0.0)


def test_where_nothing_can_be_called_the_agent_says_so() -> None:
    played = suite(kind="none")
    assert judged(played, text_reply("Falta o CEP da sua rua.")) == Scored(1.0)
    assert judged(played, text_reply("...")) == Scored(0.0)
    assert judged(played, calls(("consulta_cep", {"cep": "1"}))) == Scored(0.0)


def test_text_offers_functions_by_their_own_names_and_reads_calls_of_them() -> None:
    played = suite(NESTED[0])
    task = played.tasks[0]
    text = played.text_protocol({"calls": FORM}, RULE)
    offered = text.offer(task, played.tools(task))
    listed = msgspec.json.decode(offered.splitlines()[-1])
    assert [each["name"] for each in listed] == [
        "Consulta CEP", "Previsão do Tempo", "Recherche d'adresse",
    ]  # fmt: skip
    assert '{"Thought": ' in offered
    written = '{"Thought": "É o CEP.", "Action": "[Recherche d\'adresse(q=\'x\'), Nowhere(a=1)]"}'
    read = text.read(task, written)
    assert isinstance(read, ToolCallReply)
    assert [call.name for call in read.calls] == ["recherche_d_adresse", "Nowhere"]
    assert read.text == written
    assert isinstance(text.read(task, '{"Thought": "Falta.", "Action": "[]"}'), TextReply)
    assert isinstance(text.read(task, '{"Thought": "x", "Action": "[f(a=]"}'), UnparsedReply)
    assert text.results([(read.calls[0], '{"a": 1}')]).endswith(
        '{"function":"recherche_d_adresse","result":"{\\"a\\": 1}"}'
    )
    with pytest.raises(UsageError, match="calls=thought-action"):
        played.text_protocol({"calls": "python"}, RULE)


def test_a_nested_task_is_answered_step_by_step_and_others_end_with_the_first_reply() -> None:
    nested = suite(*NESTED, kind="nested", replies=answered)
    task: Task = nested.tasks[0]
    environment = nested.factory(RULE)(task)
    reported = environment.call(ToolCall("1", "consulta_cep", {"cep": "20040002"}))
    assert (reported.error, "3304557" in reported.content) == (False, True)
    assert environment.call(ToolCall("2", "consulta_cep", {"cep": "1"})).error
    assert (
        environment.call(ToolCall("3", "nowhere", {})).content
        == "Error: there is no function 'nowhere'"
    )


def test_it_is_played_as_it_is_written() -> None:
    played = suite(NESTED[0])
    assert played.not_applicable(PLAIN) == ""
    thai = condition_from("th:domain/text/none")
    assert "languages of their own" in played.not_applicable(thai)
    assert "no room" in played.not_applicable(PLAIN.with_axes(persona="anxious"))
    assert "English" in played.not_applicable(PLAIN.with_axes(voice="simulated:10"))


class SoFar(NamedTuple):
    """The state of a conversation so far."""

    events: tuple[Event, ...]
    steps: int = 0
    errors: int = 0
    seconds: float = 0.0


def test_an_agent_goes_on_from_a_result_where_nobody_says_anything_more() -> None:
    made = Message("agent", calls(("consulta_cep", {"cep": "20040002"})))
    history = (
        Message("user", text_reply("Vai chover?")),
        made,
        ToolResult("0", "consulta_cep", "{}"),
    )
    task = ApiTask("t", "", "pt-BR", "single", OFFERED, (NESTED[0],))
    played = ApiSuite(
        CallSet(
            "itc:test", DOCUMENTS, (SetTask(task, history=history),), Provenance("", "", "", "")
        )
    )
    turn_protocol = played.turn_protocol(
        played.tasks[0], played.factory(RULE)(played.tasks[0]), RULE, Limits()
    )
    assert turn_protocol.opening() == history
    assert isinstance(turn_protocol.next(SoFar(history)), Ask)
    assert turn_protocol.next(
        SoFar((*history, Message("agent", text_reply("Não."))))
    ) == Termination("turns_done")


NEW_RULE = RULES.find("itc-2")


@pytest.mark.parametrize(
    ("gold", "made"),
    [
        ({"cidade": "1", "dias": 1}, {"cidade": "1"}),
        ({"cidade": "1"}, {"cidade": "1", "dias": 1}),
        ({"cidade": "1"}, {"cidade": "1", "dias": "1"}),
    ],
)
def test_a_declared_default_is_as_good_as_none_under_the_newer_rules(
    gold: dict[str, object], made: dict[str, object]
) -> None:
    played = suite(ApiCall("Previsão do Tempo", gold))
    reply = calls(("previsao_do_tempo", made))
    assert judged(played, reply, rules=NEW_RULE) == Scored(1.0)
    assert judged(played, reply) == Scored(0.0)


@pytest.mark.parametrize("made", [{"cidade": "1", "dias": 2}, {"cidade": "2"}, {"dias": 1}])
def test_what_is_no_default_is_as_wrong_as_before(made: dict[str, object]) -> None:
    played = suite(ApiCall("Previsão do Tempo", {"cidade": "1", "dias": 1}))
    assert judged(played, calls(("previsao_do_tempo", made)), rules=NEW_RULE) == Scored(0.0)


def test_a_default_among_other_values_that_are_right_may_be_left_out() -> None:
    played = suite(ApiCall("Previsão do Tempo", {"cidade": "1", "dias": 1}, {"dias": (6,)}))
    for given in ({}, {"dias": 1}, {"dias": 6}):
        reply = calls(("previsao_do_tempo", {"cidade": "1", **given}))
        assert judged(played, reply, rules=NEW_RULE) == Scored(1.0)
    reply = calls(("previsao_do_tempo", {"cidade": "1", "dias": 3}))
    assert judged(played, reply, rules=NEW_RULE) == Scored(0.0)


TWICE = {
    ("Consulta CEP", "1,2"): '{"rates": {"a": 1, "b": 2}}',
    ("Consulta CEP", "1"): '{"rates": {"a": 1}}',
    ("Consulta CEP", "2"): '{"rates": {"b": 2}}',
    ("Consulta CEP", "3"): '{"rates": {"b": 3}}',
}


def looked_up(operation: str, arguments: Mapping[str, object]) -> ApiReply:
    found = TWICE.get((operation, str(arguments["cep"])))
    return ApiReply(found) if found else ApiReply("nada", is_error=True)


def of_plans(*plans: tuple[ApiCall, ...]) -> ApiSuite:
    task = ApiTask(
        "t", "?", "pt", "single", OFFERED, (ApiCall("Consulta CEP", {"cep": "1,2"}),), plans=plans
    )
    given = CallSet(
        "itc:test", DOCUMENTS, (SetTask(task),), Provenance("", "", "", ""), replies=looked_up
    )
    return ApiSuite(given)


def cep(*values: str) -> tuple[ApiCall, ...]:
    return tuple(ApiCall("Consulta CEP", {"cep": each}) for each in values)


def test_another_plan_is_as_right_under_the_newer_rules_and_says_so() -> None:
    played = of_plans(cep("1", "2"))
    reply = calls(("consulta_cep", {"cep": "2"}), ("consulta_cep", {"cep": "1"}))
    assert judged(played, reply, rules=NEW_RULE) == Scored(1.0)
    assert judged(played, reply) == Scored(0.0)
    half = calls(("consulta_cep", {"cep": "1"}))
    assert judged(played, half, rules=NEW_RULE) == Scored(0.0)
    episode = Episode((Message("agent", reply),), Termination("turns_done"), 1, 0)
    (component,) = played.check(NEW_RULE).components(played.tasks[0], episode)
    assert "the calls make plan 1, which is as right as gold" in {
        each.why for each in component.evidence
    }


def test_plans_change_no_key() -> None:
    assert of_plans(cep("1", "2")).tasks[0].digest == of_plans().tasks[0].digest


@pytest.mark.parametrize(
    ("plan", "why"),
    [
        (cep("1"), "its plan 1 does not give what gold gives: .'b', '2'."),
        (cep("1", "3"), "its plan 1 does not give what gold gives"),
        (cep("9"), "its plan 1 is refused: consulta_cep: nada"),
    ],
)
def test_a_plan_that_gives_something_else_is_refused(plan: tuple[ApiCall, ...], why: str) -> None:
    with pytest.raises(DataError, match=f"itc:test, task t: {why}"):
        of_plans(plan)


@pytest.mark.parametrize(
    ("text", "syntax"),
    [
        ('[{"name": "Consulta CEP", "arguments": {"cep": "20040002"}}]', "json"),
        (
            '<tool_call>{"name": "Consulta CEP", "arguments": {"cep": "20040002"}}</tool_call>',
            "hermes",
        ),
        ("Vou ver.\nConsulta CEP(cep='20040002')", "bare-calls"),
        ('Action: Consulta CEP\nAction Input: {"cep": "20040002"}', "react"),
    ],
)
def test_calls_in_other_syntaxes_are_calls_under_the_newer_rules(text: str, syntax: str) -> None:
    played = suite(ApiCall("Consulta CEP", {"cep": "20040002"}))
    task = played.tasks[0]
    older = played.text_protocol({"calls": FORM}, RULE).read(task, text)
    assert not isinstance(older, ToolCallReply)
    newer = played.text_protocol({"calls": FORM}, NEW_RULE).read(task, text)
    assert isinstance(newer, ToolCallReply)
    episode = Episode((Message("agent", newer, call_form=FORM),), Termination("turns_done"), 1, 0)
    (component,) = played.check(NEW_RULE).components(task, episode)
    assert component.verdict == Scored(1.0)
    assert f"calls were written as {syntax}" in {each.why for each in component.evidence}
