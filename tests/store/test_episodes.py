from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from dragoman.core.episodes import Episode, Event, Message, Termination
from dragoman.core.replies import ToolCallReply, text_reply
from dragoman.core.scores import Score, Scored
from dragoman.core.tasks import Scenario, Task
from dragoman.core.tools import ToolCall, ToolResult
from dragoman.store.record_codec import MOST_MEMORY, EpisodeCodec

EVENTS: st.SearchStrategy[Event] = st.one_of(
    st.builds(lambda text: Message("agent", text_reply(text)), st.text(max_size=50)),
    st.builds(
        lambda text: Message("agent", ToolCallReply((ToolCall("1", "look", {"x": text}),))),
        st.text(max_size=10),
    ),
    st.builds(lambda text: ToolResult("1", "look", text), st.text(max_size=50)),
)


@given(st.lists(EVENTS, max_size=10))
def test_an_episode_survives_being_stored(events: list[Event]) -> None:
    codec = EpisodeCodec()
    episode = Episode(tuple(events), Termination("user_stop"), len(events), 0, seconds=1.5)
    stored = codec.encode_episode(episode)
    assert codec.decode_episode(stored) == episode
    assert codec.decode_head(stored) == Episode((), episode.ending, len(events), 0, seconds=1.5)


def test_the_record_of_an_imported_episode_is_stored_and_no_part_of_its_head() -> None:
    codec = EpisodeCodec()
    source = msgspec.Raw(b'{"price":1.10,"big":123456789012345678901234567890}')
    stored = codec.encode_episode(Episode((), Termination("user_stop"), 0, 0, source=source))
    assert codec.decode_episode(stored).source == source
    assert codec.decode_head(stored) == Episode((), Termination("user_stop"), 0, 0)


def test_a_long_episode_is_stored_small() -> None:
    codec = EpisodeCodec()
    episode = Episode(
        (Message("agent", text_reply("again and again " * 5_000)),), Termination("user_stop"), 1, 0
    )
    stored = codec.encode_episode(episode)
    assert len(stored) < 2_000
    assert codec.decode_episode(stored) == episode


def test_scores_and_tasks_survive_being_stored() -> None:
    codec = EpisodeCodec()
    score = Score("r", "j", Scored(1.0), ())
    tasks = {"1": Task("1", "suite", "d", Scenario("é"))}
    assert codec.decode_score(codec.encode_score(score)) == score
    assert codec.decode_tasks(codec.encode_tasks(tasks)) == tasks


def test_a_record_that_unpacks_beyond_the_bound_is_not_unpacked() -> None:
    packed = zstandard.compress(bytes(MOST_MEMORY // 2 + 1))
    assert len(packed) < 100_000

    with pytest.raises(ValueError, match="more than a record may hold"):
        EpisodeCodec().decode_episode(packed)


def test_threads_decode_with_one_codec_at_the_same_time() -> None:
    codec = EpisodeCodec()
    texts = [f"{number} {'word ' * 20_000}{number}" for number in range(4)]
    stored = [
        codec.encode_episode(
            Episode((Message("user", text_reply(text)),), Termination("user_stop"), 1, 0)
        )
        for text in texts
    ]

    def read(number: int) -> bool:
        decoded = (codec.decode_episode(stored[number]) for _ in range(60))
        return all(
            episode.events == (Message("user", text_reply(texts[number])),) for episode in decoded
        )

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(read, range(4)))
