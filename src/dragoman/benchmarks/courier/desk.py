"""The agent's whole toolkit: look-ups, changes, identity, money and handing over."""

from typing import ClassVar

from msgspec.structs import replace

from dragoman.benchmarks.courier.changes import Changes
from dragoman.benchmarks.courier.records import (
    Claim,
    ClaimKind,
    EscalatedCase,
    EscalationReason,
    WaiverReason,
)
from dragoman.core.errors import ToolError
from dragoman.core.texts.unaccented import unaccented
from dragoman.core.tools import ToolKind


class Desk(Changes):
    """The agent's toolkit in one world; every method named in KINDS is a tool."""

    KINDS: ClassVar[dict[str, ToolKind]] = {
        **Changes.KINDS,
        "verify_identity": "write",
        "waive_fee": "write",
        "file_claim": "write",
        "escalate_to_human": "write",
    }
    FUNCTIONS: ClassVar[frozenset[str]] = frozenset({"assert_status", "expire_code", "set_session"})

    def verify_identity(self, customer_id: str, postcode: str, security_word: str) -> str:
        """Check that the caller is a customer, by what only that customer knows.

        Args:
            customer_id: Who the caller says they are, for example "C1001".
            postcode: The postcode that the caller names.
            security_word: The security word that the caller names, in any letter case.
        """
        customer = self._office.customer(customer_id)
        word = self._office.data.security_words[customer_id]
        if customer.address.postcode != postcode or unaccented(word) != unaccented(security_word):
            raise ToolError("postcode and security word do not both match: ask again")
        self._office.verified.add(customer_id)
        return f"{customer_id} is verified for this conversation."

    def waive_fee(self, tracking_number: str, code: str, reason: WaiverReason) -> str:
        """Waive a fee that is due.

        Args:
            tracking_number: Two capital letters and nine digits, no spaces.
            code: The fee's code as the parcel shows it, for example "redelivery".
            reason: Why it is waived.
        """
        parcel = self._office.parcel(tracking_number)
        due = [at for at, fee in enumerate(parcel.fees) if (fee.code, fee.status) == (code, "due")]
        if not due:
            raise ToolError(f"{tracking_number} has no fee {code[:40]!r} that is due")
        fees = list(parcel.fees)
        fees[due[0]] = replace(fees[due[0]], status="waived", waived_for=reason)
        authority = self._office.authority(parcel)
        self._office.parcels.put(
            tracking_number, replace(parcel, fees=tuple(fees), authority=authority)
        )
        return self._office.parcels.text(tracking_number)

    def file_claim(self, tracking_number: str, kind: ClaimKind, cents: int) -> str:
        """File a claim for compensation; there is one claim for a parcel at most.

        Args:
            tracking_number: Two capital letters and nine digits, no spaces.
            kind: What happened to the parcel.
            cents: The amount in cents, at most the declared value.
        """
        parcel = self._office.parcel(tracking_number)
        if self._office.claims.get(tracking_number) is not None:
            raise ToolError(f"{tracking_number} has a claim already")
        if not 0 < cents <= parcel.value_cents:
            raise ToolError(f"the amount must be 1 to {parcel.value_cents} cents")
        claim = Claim(tracking_number, kind, cents, self._office.authority(parcel))
        self._office.claims.put(tracking_number, claim)
        return self._office.claims.text(tracking_number)

    def escalate_to_human(self, reason: EscalationReason, summary: str) -> str:  # noqa: ARG002 - the summary is for people
        """Hand the customer over to a person, for one of the reasons of the policy.

        Args:
            reason: Why a person must take over.
            summary: What that person should know.
        """
        self._office.cases.put(reason, EscalatedCase(reason))
        return "A person takes over."

    # What sets tasks up and judges them

    def expire_code(self, tracking_number: str) -> None:
        """Have the code of a parcel in a locker expired."""
        code = self._office.codes.get(tracking_number)
        if code is None:
            raise ToolError(f"{tracking_number} has no code")
        self._office.codes.put(tracking_number, replace(code, status="expired"))

    def set_session(self, locker_id: str, session: str) -> None:
        """Have a locker's session held, blocked or idle."""
        locker = self._office.locker(locker_id)
        self._office.lockers.put(locker_id, replace(locker, session=session))

    def assert_status(self, tracking_number: str, status: str) -> bool:
        """Whether a parcel is in a status."""
        return self._office.parcel(tracking_number).status == status
