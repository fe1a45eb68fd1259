"""Parser of error responses: why an endpoint rejected a request, and who caused it.

Servers have no common error codes. The parser recognizes the wording of each common server for
three
cases: a conversation that exceeds the context window, a tool call that the server could not parse,
and a history in a format that the server's chat template does not accept. The first two are results
of the model; the client corrects the last one.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from dragoman.core.texts.decoding import DECODING_ERRORS

MOST_SHOWN = 300
_MOST_READ = 20_000
_MOST_DEPTH = 8

_MESSAGES = ("message", "msg", "detail", "error", "errors", "title", "base_resp", "status_msg")
"""Fields with the text of an error, the most informative first."""

_BESIDE_ERRORS = ("code", "status", "status_code", "success")
"""Fields next to the text of an error that a gateway sends in place of a completion."""

_FINE = (None, True, 0, 200, "0", "200", "ok", "success", "completed", "processing", "in_progress")
"""Values of these fields that do not mean an error."""

_CONTEXT = re.compile(
    r"context[ _]?(?:length|window|size)|maximum context|exceed_context|model_?_?context"
    r"|maximum model length|max_model_len|maximum (?:input|prompt|sequence) length"
    r"|maximum number of (?:input )?tokens|(?:prompt|input) is too long|(?:input|prompt) too long"
    r"|too many (?:input |total )?tokens|model token limit|exceeds? (?:the )?(?:model'?s "
    r")?(?:max|token limit)"
    r"|tokens? (?:count )?(?:of \d+ )?exceeds? the limit|reduce the length of the (?:messages"
    r"|prompt|input)"
    r"|requested tokens|range of input length|inputs?`? tokens? \+ `?max_new_tokens|longer "
    r"than the (?:model|maximum)"
    r"|too large for model with|max_tokens must be at least 1, got -|prompt length is \d+ but"
    r"|input length (?:and `max_tokens` )?exceed|exceed max message tokens|must have less than "
    r"\d+ tokens"
    r"|max_seq_len|session_len|max_num_tokens|max sequence length|(?:model )?input length "
    r"limit|max input tokens"
    r"|model(?:'?s)? max(?:imum)? length"
    r"|(?:input|prompt) tokens[^.]{0,40}cannot exceed|tokens in the prompt cannot exceed|total "
    r"tokens limit|(?:conversation|prompt|input) (?:is )?(?:too long|too large)"
    r"|input tokens exceed|token limit exceeded|max_prompt_tokens_exceeded"
    r"|超长|(?:上下文|输入|提示词?)[^。]{0,20}(?:超过|超出|过长)",
    re.IGNORECASE,
)
_OF_A_RATE = re.compile(
    r"per (?:minute|day|hour|second)|\b(?:daily|monthly|quota)\b|\bTPM\b|\bRPM\b|rate[ _]limit",
    re.IGNORECASE,
)
_OF_A_SETTING = re.compile(
    r"supports at most \d+ completion tokens|maximum value for `?max", re.IGNORECASE
)
_FAILED_CALL = re.compile(
    r"tool_use_failed|failed to call a function|output_parse_failed|json_validate_failed"
    r"|tool call validation failed|error parsing tool call|(?:could not|failed to|unable to) "
    r"parse (?:the )?"
    r"(?:tool call|function call|model output|input at pos)(?! arguments)"
    r"|malformed_function_call|malformed function call"
    r"|model (?:produced|generated) (?:an )?(?:invalid|output that could not)|model did not "
    r"call a tool"
    r"|unexpected tokens remaining in message header|invalid diff:",
    re.IGNORECASE,
)
_ROLES = re.compile(
    r"roles? must alternate|must alternate between|alternat\w+ user/assistant|first message "
    r"(?:role )?must be"
    r"|must start with a user|first (?:content|message|turn) should be|after the optional "
    r"system message"
    r"|function call turn comes immediately after a user turn|incorrect role information"
    r"|first (?:non-system )?message (?:must|should) (?:use|have|come)|have role user but got"
    r"|must begin with a user"
    r"|expected (?:the )?first|consecutive (?:user|assistant|messages)|(?:user|assistant) "
    r"messages? in a row"
    r"|(?:same|identical) role|unexpected role [\"'`]?(?:user|assistant)|expected last role",
    re.IGNORECASE,
)
_SYSTEM = re.compile(
    r"system (?:role|message|prompt)s? (?:is |are )?not (?:supported|allowed)|developer "
    r"instruction is not enabled"
    r"|does(?: not|n't) support (?:the )?system|(?:unexpected|invalid|unsupported|unknown) "
    r"role:? [\"'`]?system"
    r"|top-level [\"'`]?system|role [\"'`]?system[\"'`]? (?:is )?(?:not|invalid|unsupported)",
    re.IGNORECASE,
)
_REASONING_FIELD = re.compile(
    r"\b(reasoning_content|reasoning_details|reasoning_text|thinking_blocks|reasoning|extra_content"
    r"|thought_signature|provider_specific_fields)\b"
)
_IS_REFUSED = re.compile(
    r"unsupported|not (?:supported|permitted|allowed)|unexpected|unknown|unrecogni[sz]ed"
    r"|forbidden|extra (?:input|field)"
    r"|additional propert|cannot be|should not be|must not|invalid (?:field|property|key)|does "
    r"not (?:match|support)",
    re.IGNORECASE,
)
_IS_UNKNOWN = re.compile(
    r"(?:unknown|unrecogni[sz]ed|unexpected|unsupported|additional|extra)[ _](?:propert|field"
    r"|key|argument|param|input|name|request arg)"
    r"|extra_forbidden|does not support",
    re.IGNORECASE,
)
PARAMETERS = ("seed", "tool_choice", "stream_options", "response_format", "tools", "stream")
"""Parameters of requests that the user did not set."""

_IS_WANTED = re.compile(
    r"(?:must|should|needs? to) be (?:passed|provided|included|sent|returned|present)|must "
    r"(?:include|contain|have)"
    r"|missing|required|is not passed",
    re.IGNORECASE,
)
_NULL_CONTENT = re.compile(
    r"(?<!\w)content\b.{0,160}(?:must be|should be|has to be|needs to be|expected|is not) (?:a "
    r"|an )?(?:valid )?(?:string|text|array)"
    r"|(?<!\w)content\b.{0,80}(?:(?:cannot|must not|may not|can't) be (?:null|none|nil)|(?:is"
    r"|was|got|be) (?:null|none|nil)\b)"
    r"|(?<!\w)content\b.{0,40}(?:field )?(?:is )?(?:required|missing)|missing field `?content"
    r"|invalid type: null"
    r"|(?<!\w)content\b.{0,80}(?:nonetype|null value)",
    re.IGNORECASE | re.DOTALL,
)
_UNNAMED_RESULT = re.compile(
    r"(?:function_response|functionresponse)\W{0,3}name|(?:tool"
    r"|function)\b.{0,120}\bname\b.{0,60}(?:required|missing|empty)"
    r"|\bname\b.{0,80}(?:required|missing|must be|needed).{0,80}(?:tool|function)"
    r"|(?:missing|requires?|must have|without)[^.]{0,40}\bname\b[^.]{0,60}(?:tool|function)",
    re.IGNORECASE | re.DOTALL,
)
_MODERATED = re.compile(
    r"content[_ ]filter|content management policy|responsible_?ai|data_?inspection"
    r"|inappropriate content"
    r"|content[_ ]policy|flagged|moderation|prohibited_content|sensitive content|敏感",
    re.IGNORECASE,
)

_EMPTY = re.compile(
    r"non-?empty|must not be empty|cannot be empty|empty (?:content|message|text)|content "
    r"(?:is|was) empty"
    r"|must have (?:non-empty )?content|at least one (?:of|parts?)",
    re.IGNORECASE,
)
_IDS = re.compile(
    r"tool_calls\[\d+\]\.id.{0,80}(?:too long|length)|tool[_ ]calls?(?:\[\d+\]\.|[_ "
    r"])?id.{0,80}(?:a-z|length|invalid|duplicate|unique)|length of 9|duplicate tool|"
    r"(?:ids?|identifiers?) must be unique|`?tool_use`? ids must be unique",
    re.IGNORECASE,
)


class ErrorDetails(msgspec.Struct, frozen=True):
    """Parsed content of a refusal.

    Attributes:
        message: Text of the error, on one line and truncated.
        code: Code or type of the error; "" for none.
        param: Parameter that caused the error; "" for none.
        said: All texts of the body, which are searched for known wordings.
        failed: Output of the model if the server could not parse its call.
    """

    message: str = ""
    code: str = ""
    param: str = ""
    said: str = ""
    failed: str = ""

    @property
    def is_context(self) -> bool:
        """Whether the conversation is longer than the model's context."""
        if _OF_A_RATE.search(self.said) or _OF_A_SETTING.search(self.said):
            return False
        return _CONTEXT.search(self.said) is not None

    @property
    def is_failed_call(self) -> bool:
        """Whether the server could not parse the model's tool call."""
        return bool(self.failed) or _FAILED_CALL.search(self.said) is not None

    @property
    def wants_alternating_roles(self) -> bool:
        """Whether the model's template requires user and assistant to alternate."""
        return _ROLES.search(self.said) is not None

    @property
    def refuses_system(self) -> bool:
        """Whether the model's template does not accept a system message."""
        return _SYSTEM.search(self.said) is not None

    @property
    def refuses_reasoning(self) -> bool:
        """Whether the server does not accept the reasoning that it sent."""
        named = _REASONING_FIELD.search(self.said)
        return named is not None and _IS_REFUSED.search(self.said) is not None

    @property
    def wants_reasoning(self) -> bool:
        """Whether the server requires the reasoning of every reply in the history."""
        named = _REASONING_FIELD.search(self.said)
        return named is not None and _IS_WANTED.search(self.said) is not None

    @property
    def refuses_extras(self) -> bool:
        """Whether the server accepts only OpenAI's message fields.

        The error does not name the field that was refused.
        """
        if any(self.refuses_parameter(name) for name in PARAMETERS):
            return False
        is_of_another = self.param and not self.param.startswith("messages")
        return not is_of_another and _IS_UNKNOWN.search(self.said) is not None

    @property
    def refuses_null(self) -> bool:
        """Whether the server does not accept a call without text next to it."""
        return _NULL_CONTENT.search(self.said) is not None

    @property
    def wants_names(self) -> bool:
        """Whether the server requires the function's name next to its result."""
        return _UNNAMED_RESULT.search(self.said) is not None

    @property
    def is_moderated(self) -> bool:
        """Whether the content of this conversation is the reason of the refusal."""
        return _MODERATED.search(self.said) is not None

    @property
    def wants_another_form(self) -> bool:
        """Whether the format of the history is refused, in a wording that no server fault has."""
        return (
            self.wants_alternating_roles
            or self.refuses_system
            or self.wants_reasoning
            or self.refuses_reasoning
            or self.refuses_null
        )

    def refuses_parameter(self, name: str) -> bool:
        """Return whether the server does not accept a parameter of the request."""
        if self.param == name:
            return True
        named = re.search(rf"(?<![\w/-]){re.escape(name)}(?![\w/-])", self.said)
        return (
            named is not None
            and (_IS_REFUSED.search(self.said) or _IS_UNKNOWN.search(self.said)) is not None
        )

    @property
    def refuses_empty(self) -> bool:
        """Whether the server does not accept a message without text."""
        return _EMPTY.search(self.said) is not None

    @property
    def refuses_ids(self) -> bool:
        """Whether the server accepts only call ids of another form."""
        return _IDS.search(self.said) is not None


def parse_error_response(body: bytes) -> ErrorDetails:
    """Parse a refusal, in the shapes of common servers or as plain text."""
    try:
        given = msgspec.json.decode(body)
    except DECODING_ERRORS:
        text = body[:_MOST_READ].decode("utf-8", "replace")
        return ErrorDetails(message=_line(text), said=text)
    error = _error(given)
    fields = error if isinstance(error, dict) else {}
    said = " ".join(_texts(given))[:_MOST_READ]
    code = next((str(fields[name]) for name in ("code", "type", "status") if fields.get(name)), "")
    param = fields.get("param")
    failed = fields.get("failed_generation")
    return ErrorDetails(
        message=_line(_message(error) or said),
        code=code,
        param=param if isinstance(param, str) else "",
        said=f"{code} {said}",
        failed=failed if isinstance(failed, str) else "",
    )


def is_request_error(body: bytes) -> bool:
    """Return whether an error of the server is about this request, whatever its status says.

    llama.cpp and Ollama answer 500 if they could not parse the model's call or if their template
    does not accept the history, and some gateways do if the conversation is too long: a retry would
    get the same answer.
    """
    reason = parse_error_response(body)
    return reason.is_failed_call or reason.is_context or reason.wants_another_form


def is_context_overflow(body: bytes) -> bool:
    """Return whether an error says that the conversation is longer than the model's context."""
    return parse_error_response(body).is_context


def find_error(body: bytes) -> ErrorDetails | None:
    """Return the error inside a successful answer; None if it has none."""
    try:
        given = msgspec.json.decode(body)
    except DECODING_ERRORS:
        return None
    return parse_error_response(body) if contains_error(given) else None


def contains_error(given: object) -> bool:
    """Return whether the data of a successful answer or of one of its events is an error.

    The shapes of common servers are recognized.
    """
    if isinstance(given, list):
        return bool(given) and contains_error(given[0])
    if not isinstance(given, dict):
        return False
    if given.get("error") or "error" in {given.get("object"), given.get("type")}:
        return True
    choices = given.get("choices")
    if isinstance(choices, list) and choices:
        return any(isinstance(choice, dict) and choice.get("error") for choice in choices)
    own = given.get("base_resp")
    if isinstance(own, dict) and own.get("status_code"):
        return True
    reported = any(given.get(name) for name in ("message", "msg"))
    codes = (given[name] for name in _BESIDE_ERRORS if name in given)
    return bool(given.get("detail")) or (
        reported and any(code is False or code not in _FINE for code in codes)
    )


def _error(given: object) -> object:
    """Return the part of a body that holds the error; Gemini wraps it in a list."""
    if isinstance(given, list):
        given = given[0] if given else None
    if isinstance(given, dict) and isinstance(given.get("error"), dict | str):
        return given["error"]
    return given


def _message(error: object, depth: int = 0) -> str:
    if isinstance(error, str):
        return error
    if depth >= _MOST_DEPTH:
        return ""
    if isinstance(error, list):
        return "; ".join(filter(None, (_message(each, depth + 1) for each in error[:3])))
    if isinstance(error, dict):
        found = (_message(error.get(name), depth + 1) for name in _MESSAGES)
        return next(filter(None, found), "")
    return ""


def _texts(value: object, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth < _MOST_DEPTH:
        inner: Iterable[object] = ()
        if isinstance(value, Mapping):
            inner = value.values()
        elif isinstance(value, list):
            inner = value
        for each in inner:
            yield from _texts(each, depth + 1)


def _line(text: str) -> str:
    return " ".join(text.split())[:MOST_SHOWN]
