"""Were the agent's replies fit to be spoken?"""

from collections.abc import Iterator

from dragoman.core.measures import Counted, PlayedCase, Rate
from dragoman.scoring.clarity import clarity_findings
from dragoman.scoring.measures.counting import Counting
from dragoman.scoring.measures.hearing import is_spoken
from dragoman.scoring.measures.spoken import spoken_aloud


def count_clarity(case: PlayedCase) -> Iterator[Counted]:
    """Yield an entry for each reply of the agent: it is clear where it breaks no rule."""
    for position, utterance in spoken_aloud(case.episode, "agent"):
        findings = clarity_findings(utterance.intended, case.setting.language)
        broken = [finding for finding in findings if finding.met is False]
        yield Counted(
            {"replies": 1, "clear": int(not broken), **{f"not {one.subject}": 1 for one in broken}},
            position,
            why="; ".join(f"{one.subject}: {one.why}" for one in broken),
        )


CLARITY = Counting(
    "clarity",
    "1",
    count_clarity,
    (Rate("clear replies", ("clear",), ("replies",)),),
    is_spoken,
)
"""By the rules `dragoman-clarity-1`: letters and numbers set apart, short sentences, no marks, the
user's language."""
