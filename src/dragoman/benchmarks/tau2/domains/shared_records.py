"""Customer records that the airline and retail databases share; field order is output order."""

import msgspec


class Name(msgspec.Struct, frozen=True, gc=False):
    """A customer's name."""

    first_name: str
    last_name: str


class Address(msgspec.Struct, frozen=True, gc=False):
    """A postal address."""

    address1: str
    address2: str
    city: str
    country: str
    state: str
    zip: str


class CreditCard(msgspec.Struct, frozen=True, gc=False, tag_field="source", tag="credit_card"):
    """A credit card."""

    id: str
    brand: str
    last_four: str
