"""Runs written as tau2-bench's result files."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from dragoman.benchmarks.tau2.export import encode_head, encode_simulation
from dragoman.benchmarks.tau2.left_out import LEFT_OUT, with_left_out
from dragoman.benchmarks.tau2.result_files import INDEX, write_results
from dragoman.benchmarks.tau2.results import Simulation
from dragoman.benchmarks.tau2.verdicts import encode_reward, rewritten, unscored
from dragoman.core.result_files import PlayedConversation, RunFacts
from dragoman.core.scores import Score
from dragoman.core.tasks import Task
from dragoman.core.texts.decoding import UNREADABLE


class Tau2Results:
    """The format of tau2-bench's result files."""

    name = "tau2"

    def head(self, facts: RunFacts, tasks: Iterable[Task]) -> Mapping[str, msgspec.Raw]:
        """Return a file without its simulations, field by field."""
        return encode_head(facts, tasks)

    def conversation(self, played: PlayedConversation, seed: int) -> msgspec.Raw:
        """Return a simulation."""
        score = played.score or unscored("not scored yet")
        simulation = Simulation(played.id, played.task, played.trial, played.episode, score)
        return encode_simulation(simulation, seed)

    def id_of(self, record: msgspec.Raw) -> str:
        """Return the id of a simulation that was read."""
        return msgspec.json.decode(record, type=_Named).id

    def rescored(self, record: msgspec.Raw, task: Task, score: Score | None) -> msgspec.Raw:
        """Return a simulation that was read with another `reward_info`."""
        fields = msgspec.json.decode(record, type=dict[str, msgspec.Raw])
        reward = encode_reward(score, task.criteria)
        if reward is not None:
            reward = rewritten(fields.get(_REWARD), reward)
        fields[_REWARD] = msgspec.Raw(msgspec.json.encode(reward))
        return msgspec.Raw(msgspec.json.encode(fields))

    def reindexed(
        self, head: Mapping[str, msgspec.Raw], rewards: Mapping[str, float | None]
    ) -> Mapping[str, msgspec.Raw]:
        """Return a head whose index of simulations, if it has one, gives other rewards."""
        try:
            entries = msgspec.json.decode(head.get(INDEX, _NULL), type=list[_Entry] | None)
        except UNREADABLE:
            # One file is read without it, whatever it is.
            return head
        for entry in entries or ():
            name = msgspec.json.decode(entry.get("id", _NULL))
            if isinstance(name, str) and name in rewards:
                entry["reward"] = msgspec.Raw(msgspec.json.encode(rewards[name]))
        return {**head, INDEX: msgspec.Raw(msgspec.json.encode(entries))} if entries else head

    def write(
        self,
        path: Path,
        head: Mapping[str, msgspec.Raw],
        records: Iterable[tuple[str, msgspec.Raw]],
        *,
        as_folder: bool,
    ) -> int:
        """Write a file, or a folder with a file per simulation; return how many there are.

        Raises:
            DataError: Where an id cannot be the name of a file.
            StoreError: Where it cannot be written.
        """
        given = {name: value for name, value in head.items() if name != LEFT_OUT}
        whole = with_left_out(head, records)
        return write_results(path, given, whole, as_folder=as_folder)


class _Named(msgspec.Struct):
    id: str


_Entry = dict[str, msgspec.Raw]
_NULL = msgspec.Raw(b"null")
_REWARD = "reward_info"
