"""What is to be said of code that raised: was it the code, or a connection that it needs?"""

from dragoman.core.errors import CodeError, ParticipantError, placed


def participant_error(who: str, error: BaseException) -> ParticipantError:
    """Return the failure of a participant whose code raised, in one line.

    A connection that could not be had is infrastructure, also where a client wrapped it in an error
    of its own; everything else is to be mended in the code.
    """
    kind = ParticipantError if _is_connection(error) else CodeError
    return kind(f"{who} raised {placed(error)}")


def _is_connection(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ConnectionError | TimeoutError):
            return True
        error = error.__cause__
    return False
