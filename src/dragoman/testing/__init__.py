"""Test servers and scripted models for programs that use Dragoman; they ship with the package.

The servers listen on this machine and need no key. Of the other packages, only `cli` imports them,
to serve the bundled web APIs of ITC.
"""

from typing import TYPE_CHECKING

from dragoman.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from dragoman.models.chat.scripted import ScriptedCall, ScriptedReply
    from dragoman.testing.agent_server import serve_agent
    from dragoman.testing.chat_requests import Checks
    from dragoman.testing.fake_curation_llm import FakeCurationLlm
    from dragoman.testing.fake_translation_llm import FakeTranslationLlm
    from dragoman.testing.fault_injection import (
        UNRESOLVABLE_URL,
        Cut,
        DuplicateReply,
        EmptyBody,
        Faults,
        Hang,
        HugeBody,
        InvalidArguments,
        MalformedJson,
        RateLimited,
        Redirect,
        Reset,
        ServerError,
        Slow,
        WrongContentType,
    )
    from dragoman.testing.itc_server import ApiFault, ApiFaultPlan, SimulatedApiServer, load_faults
    from dragoman.testing.local_web import SearchFaults, WebPage, serve_search
    from dragoman.testing.realtime.responses import (
        CancelledResponse,
        Dropped,
        Erroneous,
        FailedResponse,
        HugeFrame,
        RealtimeConfig,
        RefusedOpening,
        SilentResponse,
        SlowDeltas,
        TornEvent,
    )
    from dragoman.testing.realtime.server import RealtimeServer
    from dragoman.testing.realtime.session import SpeechBackend, hear_known, known_sound
    from dragoman.testing.recorded_runs import answers_from_run
    from dragoman.testing.responses import decoded_text
    from dragoman.testing.scripted_answers import (
        RecordedAnswers,
        RecordedConversation,
        Rule,
        RuleAnswers,
        When,
    )
    from dragoman.testing.server import ModelServer
    from dragoman.testing.server_config import Capacity, Outage, ServerConfig
    from dragoman.testing.speech.embedded_speaker import EmbeddedSpeaker
    from dragoman.testing.speech.server import CodedSpeaker, SpeechServer

__all__ = [
    "UNRESOLVABLE_URL",
    "ApiFault",
    "ApiFaultPlan",
    "CancelledResponse",
    "Capacity",
    "Checks",
    "CodedSpeaker",
    "Cut",
    "Dropped",
    "DuplicateReply",
    "EmbeddedSpeaker",
    "EmptyBody",
    "Erroneous",
    "FailedResponse",
    "FakeCurationLlm",
    "FakeTranslationLlm",
    "Faults",
    "Hang",
    "HugeBody",
    "HugeFrame",
    "InvalidArguments",
    "MalformedJson",
    "ModelServer",
    "Outage",
    "RateLimited",
    "RealtimeConfig",
    "RealtimeServer",
    "RecordedAnswers",
    "RecordedConversation",
    "Redirect",
    "RefusedOpening",
    "Reset",
    "Rule",
    "RuleAnswers",
    "ScriptedCall",
    "ScriptedReply",
    "SearchFaults",
    "ServerConfig",
    "ServerError",
    "SilentResponse",
    "SimulatedApiServer",
    "Slow",
    "SlowDeltas",
    "SpeechBackend",
    "SpeechServer",
    "TornEvent",
    "WebPage",
    "When",
    "WrongContentType",
    "answers_from_run",
    "decoded_text",
    "hear_known",
    "known_sound",
    "load_faults",
    "serve_agent",
    "serve_search",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "dragoman.models.chat.scripted": ("ScriptedCall", "ScriptedReply"),
            "dragoman.testing.agent_server": ("serve_agent",),
            "dragoman.testing.chat_requests": ("Checks",),
            "dragoman.testing.fake_curation_llm": ("FakeCurationLlm",),
            "dragoman.testing.fake_translation_llm": ("FakeTranslationLlm",),
            "dragoman.testing.fault_injection": (
                "Cut",
                "DuplicateReply",
                "EmptyBody",
                "Faults",
                "Hang",
                "HugeBody",
                "InvalidArguments",
                "MalformedJson",
                "RateLimited",
                "Redirect",
                "Reset",
                "ServerError",
                "Slow",
                "UNRESOLVABLE_URL",
                "WrongContentType",
            ),
            "dragoman.testing.itc_server": (
                "ApiFault",
                "ApiFaultPlan",
                "SimulatedApiServer",
                "load_faults",
            ),
            "dragoman.testing.local_web": ("SearchFaults", "WebPage", "serve_search"),
            "dragoman.testing.realtime.responses": (
                "CancelledResponse",
                "Dropped",
                "Erroneous",
                "FailedResponse",
                "HugeFrame",
                "RealtimeConfig",
                "RefusedOpening",
                "SilentResponse",
                "SlowDeltas",
                "TornEvent",
            ),
            "dragoman.testing.realtime.server": ("RealtimeServer",),
            "dragoman.testing.realtime.session": ("SpeechBackend", "hear_known", "known_sound"),
            "dragoman.testing.recorded_runs": ("answers_from_run",),
            "dragoman.testing.responses": ("decoded_text",),
            "dragoman.testing.scripted_answers": (
                "RecordedAnswers",
                "RecordedConversation",
                "Rule",
                "RuleAnswers",
                "When",
            ),
            "dragoman.testing.server": ("ModelServer",),
            "dragoman.testing.server_config": ("Capacity", "Outage", "ServerConfig"),
            "dragoman.testing.speech.embedded_speaker": ("EmbeddedSpeaker",),
            "dragoman.testing.speech.server": ("CodedSpeaker", "SpeechServer"),
        },
    )
