import pytest

from dragoman.benchmarks.bfcl.call_parsers.limits import UnreadableError
from dragoman.benchmarks.bfcl.reply_parser import Form, read_calls
from dragoman.benchmarks.bfcl.rules import BFCL_V4, DEFAULT_RULES, BfclRules

BOTH = pytest.mark.parametrize("rules", [BFCL_V4, DEFAULT_RULES], ids=["bfcl-v4", "dragoman-2"])


def read(text: str, rules: BfclRules, form: Form) -> object:
    """The calls as names with arguments, or the kind of failure."""
    try:
        calls = read_calls(text, form, rules)
    except UnreadableError as error:
        return "wrong format" if error.is_format else "failed"
    return [{call.name: call.arguments} for call in calls]


@BOTH
def test_values_are_source_text_and_strings_lose_their_quotes(rules: BfclRules) -> None:
    text = "[a.b.f(x=5L, y=\"p q\", z='c', u=obj.m(1), v=-1)]"
    assert read(text, rules, "java") == [
        {"a.b.f": {"x": "5L", "y": "p q", "z": "c", "u": "obj.m(1)", "v": "-1"}}
    ]
    assert read("[f(a=true, b={k: [1]}, c=x => x + 1)]", rules, "javascript") == [
        {"f": {"a": "true", "b": "{k: [1]}", "c": "x => x + 1"}}
    ]


@pytest.mark.parametrize("text", ["f(a=5)", "f()", "f(a=obj)", "f(a='c')"])
def test_short_java_calls_are_read_and_refused_by_the_reference(text: str) -> None:
    assert read(text, BFCL_V4, "java") == "failed"
    assert isinstance(read(text, DEFAULT_RULES, "java"), list)
    assert isinstance(read(f"{text};", BFCL_V4, "java"), list)


def test_class_bodies_are_kept_and_lost_in_the_reference() -> None:
    written = 'new HashMap<String, Object>() {{ put("k", 1); }}'
    assert read(f"[f(a={written})]", DEFAULT_RULES, "java") == [{"f": {"a": written}}]
    assert read(f"[f(a={written})]", BFCL_V4, "java") == [
        {"f": {"a": "new HashMap<String,Object>()"}}
    ]


def test_spaces_are_kept_and_lost_in_the_reference() -> None:
    text = '[f(a=new String[]{"a", "b"}, b=new Foo("x",1))]'
    assert read(text, BFCL_V4, "java") == [
        {"f": {"a": 'new String[]{"a","b"}', "b": 'new Foo("x", 1)'}}
    ]
    assert read(text, DEFAULT_RULES, "java") == [
        {"f": {"a": 'new String[]{"a", "b"}', "b": 'new Foo("x",1)'}}
    ]


def test_characters_beyond_ascii_shift_nothing_except_in_the_reference() -> None:
    assert read('[f(a="日本")]', DEFAULT_RULES, "java") == [{"f": {"a": "日本"}}]
    assert read('[f(a="日本")]', BFCL_V4, "java") == [{"f": {"a": '日本"'}}]


def test_escapes_are_read_and_left_in_the_reference() -> None:
    text = '[f(alpha="q\\"uoted\\u0041")]'
    assert read(text, DEFAULT_RULES, "java") == [{"f": {"alpha": 'q"uotedA'}}]
    assert read(text, BFCL_V4, "java") == [{"f": {"alpha": 'q\\"uoted\\u0041'}}]


def test_several_calls_are_read_and_not_by_the_reference() -> None:
    text = '[f(a="x"), g(b="y")]'
    both = [{"f": {"a": "x"}}, {"g": {"b": "y"}}]
    assert read(text, DEFAULT_RULES, "java") == read(text, DEFAULT_RULES, "javascript") == both
    assert read(text, BFCL_V4, "java") == "failed"
    assert read(text, BFCL_V4, "javascript") == "wrong format"


def test_a_bare_name_among_the_arguments_is_a_positional_and_nameless_in_the_reference() -> None:
    (call,) = read_calls('[f(someName, "x")]', "java", DEFAULT_RULES)
    assert call.positionals == ("someName", "x")
    assert read('[f(someName, "x")]', BFCL_V4, "java") == [{"f": {"": "someName"}}]
    assert read("[f(someName, other)]", BFCL_V4, "java") == "failed"
    assert read("[f(true, 'x')]", BFCL_V4, "javascript") == [{"f": {"": "true"}}]


@BOTH
def test_an_argument_given_twice_is_unreadable(rules: BfclRules) -> None:
    for form in ("java", "javascript"):
        assert read('[function(a="x", a="y")]', rules, form) == "failed"


def test_text_without_a_call_has_a_wrong_format_and_is_unreadable_for_us() -> None:
    cases: tuple[tuple[str, Form], ...] = (
        ("['someFunction(a=b)']", "java"),
        ("hello", "javascript"),
        ("new F()", "javascript"),
    )
    for text, form in cases:
        assert read(text, BFCL_V4, form) == "wrong format"
        assert read(text, DEFAULT_RULES, form) == "failed"
    assert read("[]", DEFAULT_RULES, "java") == []
    assert read("[]", BFCL_V4, "java") == "wrong format"


@BOTH
@pytest.mark.parametrize(
    "text",
    [
        "someFunction(a=[1, 2])",
        'someFunction(a={"k": 1})',
        "someFunction(a=b",
        "someFunction(a=b))",
        "someFunction(a=b c)",
        "Sorry, that cannot be done.",
        "someFunction(a=#)",
        "someFunction(a=b,)",
    ],
)
def test_what_is_no_java_is_unreadable(text: str, rules: BfclRules) -> None:
    assert read(text, rules, "java") == "failed"


@BOTH
@pytest.mark.parametrize(
    "value",
    [
        "(Foo) bar",
        "(int) -1",
        "x ? y : z",
        "(p, q) -> { return p; }",
        "Foo::bar",
        "int.class",
        "a.<T>b()",
        "x >>> 2 >= 1",
        "new Foo() { void m() { run(); } }",
        "new int[][]{{1}, {2,},}",
        "x instanceof Foo",
        'a + "b" + c++',
        '"""text"""',
        "0x1F + 1_000L + .5e-3f",
    ],
)
def test_expressions_of_java_are_understood(value: str, rules: BfclRules) -> None:
    (call,) = read_calls(f"[someFunction(a={value}, b=c)]", "java", rules)
    assert list(call.arguments) == ["a", "b"]


@BOTH
@pytest.mark.parametrize(
    "value",
    [
        "function (x, ...y) { return '}'; }",
        "async (x) => await x",
        "async function* g() {}",
        "class A extends B { m() {} }",
        "`a${b}c`",
        "tag`x`",
        "/[/]\\//g.test(x)",
        "a?.b?.[0] ?? c?.(d)",
        "typeof x === 'y' ? [1,, ...z] : {a, 'b': 1, [c]: 2, get d() { return 1; }, ...e}",
        "new Map([[1, 2]])",
        "new Foo",
        "-1n ** 2n",
        "{async m() {}, async, set: 1}",
    ],
)
def test_expressions_of_javascript_are_understood(value: str, rules: BfclRules) -> None:
    (call,) = read_calls(f"[f(a={value}, b=c)]", "javascript", rules)
    assert call.arguments == {"a": value, "b": "c"}


def test_java_size_without_elements_breaks_only_the_reference() -> None:
    assert read("[function(a=new int[3])]", BFCL_V4, "java") == "failed"
    assert read("[function(a=new int[3])]", DEFAULT_RULES, "java") == [
        {"function": {"a": "new int[3]"}}
    ]
