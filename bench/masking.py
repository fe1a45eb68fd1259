"""Cost of extracting the texts of a domain and masking the parts that must stay."""

from bench.measuring import measured

from dragoman.config.environment import data_folder
from dragoman.core.errors import DataError, UsageError
from dragoman.core.protocols import Suite
from dragoman.curation.translation.discovery import domain_of
from dragoman.curation.translation.do_not_translate import data_of
from dragoman.curation.translation.placeholders import find_do_not_translate, mask


def print_masking(suite: Suite) -> None:
    """Print the CPU time of each step, from the suite's files to masked texts."""
    try:
        with measured() as spent:
            domain = domain_of(suite, data_folder())
            segments = domain.segments
            taken_out = spent()[1]
            do_not_translate = find_do_not_translate(data_of(domain.english, domain.domain))
            protected = spent()[1] - taken_out
            slots = sum(len(mask(segment, do_not_translate).slots) for segment in segments)
            total = spent()[1]
    except (DataError, UsageError) as error:
        print(f"  masking not measured: {error}")
        return
    print(
        f"  masking               {total:.2f} s CPU: {taken_out:.2f} to take {len(segments):,} texts "
        f"out, {protected:.2f} to find what stays, {total - taken_out - protected:.2f} to hide it "
        f"({slots:,} times)"
    )
