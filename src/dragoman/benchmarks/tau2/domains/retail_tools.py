"""The retail domain: 16 agent tools over its database.

Checks come in the reference's order, with its texts.
"""

from collections.abc import Sequence
from typing import ClassVar

from msgspec.structs import replace

from dragoman.benchmarks.kit.calculator import calculate
from dragoman.benchmarks.kit.environment import decode_database, single_database_domain
from dragoman.benchmarks.kit.tables import render
from dragoman.benchmarks.tau2.domains.retail_records import (
    GiftCard,
    Order,
    OrderItem,
    Payment,
    PaymentMethod,
    RetailData,
    RetailFile,
    RetailTables,
    User,
    Variant,
)
from dragoman.benchmarks.tau2.domains.shared_records import Address
from dragoman.core.errors import ToolError
from dragoman.core.rules import Rules
from dragoman.core.tools import ToolKind


class RetailTools:
    """The agent's toolkit over one world's tables; every method named in KINDS is a tool."""

    KINDS: ClassVar[dict[str, ToolKind]] = {
        "calculate": "generic",
        "cancel_pending_order": "write",
        "exchange_delivered_order_items": "write",
        "find_user_id_by_email": "read",
        "find_user_id_by_name_zip": "read",
        "get_item_details": "read",
        "get_order_details": "read",
        "get_product_details": "read",
        "get_user_details": "read",
        "list_all_product_types": "read",
        "modify_pending_order_address": "write",
        "modify_pending_order_items": "write",
        "modify_pending_order_payment": "write",
        "modify_user_address": "write",
        "return_delivered_order_items": "write",
        "transfer_to_human_agents": "generic",
    }

    def __init__(self, tables: RetailTables, rules: Rules) -> None:
        self._data = tables.data
        self._products = tables.products
        self._users = tables.users
        self._orders = tables.orders
        self._rules = rules

    # Look-ups

    def find_user_id_by_email(self, email: str) -> str:
        """Find a user by e-mail address, in any letter case."""
        user_id = self._data.user_by_email.get(email.lower())
        if user_id is None:
            raise ToolError("User not found")
        return user_id

    def find_user_id_by_name_zip(self, first_name: str, last_name: str, zip: str) -> str:  # noqa: A002
        """Find a user by name, in any letter case, and zip code."""
        for user_id in self._data.users_by_first_name.get(first_name.lower(), ()):
            user = self._user(user_id)
            if user.name.last_name.lower() == last_name.lower() and user.address.zip == zip:
                return user_id
        raise ToolError("User not found")

    def get_user_details(self, user_id: str) -> str:
        """Show a user."""
        self._user(user_id)
        return self._users.text(user_id)

    def get_order_details(self, order_id: str) -> str:
        """Show an order."""
        self._order(order_id)
        return self._orders.text(order_id)

    def get_product_details(self, product_id: str) -> str:
        """Show a product with all its variants."""
        if self._products.get(product_id) is None:
            raise ToolError("Product not found")
        return self._products.text(product_id)

    def get_item_details(self, item_id: object) -> str:
        """Show one variant."""
        variant = self._data.variants.get(item_id) if isinstance(item_id, str) else None
        if variant is None:
            raise ToolError("Item not found")
        return render(variant)

    def list_all_product_types(self) -> str:
        """List product names and ids."""
        return self._data.product_ids_text

    def calculate(self, expression: str) -> str:
        """Calculate an arithmetic expression."""
        return calculate(expression)

    def transfer_to_human_agents(self, summary: str) -> str:  # noqa: ARG002
        """Hand the user over; nothing changes."""
        return "Transfer successful"

    # Pending orders

    def cancel_pending_order(self, order_id: str, reason: str) -> str:
        """Cancel an order and refund every entry of its payment history."""
        order = self._order(order_id)
        if order.status != "pending":
            raise ToolError("Non-pending order cannot be cancelled")
        if reason not in {"no longer needed", "ordered by mistake"}:
            raise ToolError("Invalid reason")
        refunds = [replace(entry, transaction_type="refund") for entry in order.payment_history]
        for refund in refunds:
            if isinstance(self._method(order.user_id, refund.payment_method_id), GiftCard):
                self._credit(order.user_id, refund.payment_method_id, refund.amount)
        return self._store(
            replace(
                order,
                status="cancelled",
                cancel_reason=reason,
                payment_history=[*order.payment_history, *refunds],
            )
        )

    def modify_pending_order_address(  # noqa: PLR0913, PLR0917 - an address has six lines
        self,
        order_id: str,
        address1: str,
        address2: str,
        city: str,
        state: str,
        country: str,
        zip: str,  # noqa: A002 - the argument's published name
    ) -> str:
        """Change an order's shipping address."""
        order = self._order(order_id)
        if "pending" not in order.status:
            raise ToolError("Non-pending order cannot be modified")
        return self._store(
            replace(order, address=_address(address1, address2, city, country, state, zip))
        )

    def modify_pending_order_payment(self, order_id: str, payment_method_id: str) -> str:
        """Move an order's only payment to another method of its owner."""
        order = self._order(order_id)
        if "pending" not in order.status:
            raise ToolError("Non-pending order cannot be modified")
        method = self._method(order.user_id, payment_method_id)
        history = order.payment_history
        if len(history) != 1 or history[0].transaction_type != "payment":
            raise ToolError("There should be exactly one payment for a pending order")
        paid = history[0]
        if paid.payment_method_id == payment_method_id:
            raise ToolError("The new payment method should be different from the current one")
        if isinstance(method, GiftCard) and method.balance < paid.amount:
            raise ToolError("Insufficient gift card balance to pay for the order")
        if isinstance(method, GiftCard):
            self._credit(order.user_id, payment_method_id, -paid.amount)
        if isinstance(self._method(order.user_id, paid.payment_method_id), GiftCard):
            self._credit(order.user_id, paid.payment_method_id, paid.amount)
        entries = (
            Payment("payment", paid.amount, payment_method_id),
            Payment("refund", paid.amount, paid.payment_method_id),
        )
        return self._store(replace(order, payment_history=[*history, *entries]))

    def modify_pending_order_items(
        self,
        order_id: str,
        item_ids: list[str],
        new_item_ids: list[str],
        payment_method_id: str,
    ) -> str:
        """Exchange items of an order that is not shipped yet."""
        order = self._order(order_id)
        if order.status != "pending":
            raise ToolError("Non-pending order cannot be modified")
        _require_items(order, item_ids, "{} not found")
        if len(item_ids) != len(new_item_ids):
            raise ToolError("The number of items to be exchanged should match")
        variants = []
        for old_id, new_id in zip(item_ids, new_item_ids, strict=True):
            if old_id == new_id:
                raise ToolError("The new item id should be different from the old item id")
            variants.append(self._replacement(order, old_id, new_id))
        difference = _price_difference(order, item_ids, variants)
        if self._rules.money_is_rounded:
            difference = round(difference, 2)
        method = self._method(order.user_id, payment_method_id)
        if isinstance(method, GiftCard):
            if method.balance < difference:
                raise ToolError("Insufficient gift card balance to pay for the new item")
            self._credit(order.user_id, payment_method_id, -difference)
        entry = Payment(
            "payment" if difference > 0 else "refund", float(abs(difference)), payment_method_id
        )
        return self._store(
            replace(
                order,
                items=self._with_variants(order.items, item_ids, variants),
                status="pending (item modified)",
                payment_history=[*order.payment_history, entry],
            )
        )

    # Delivered orders

    def exchange_delivered_order_items(
        self,
        order_id: str,
        item_ids: list[str],
        new_item_ids: list[str],
        payment_method_id: str,
    ) -> str:
        """Request the exchange of delivered items; no money moves yet."""
        order = self._order(order_id)
        if order.status != "delivered":
            raise ToolError("Non-delivered order cannot be exchanged")
        _require_items(order, item_ids, "Number of {} not found.")
        if len(item_ids) != len(new_item_ids):
            raise ToolError("The number of items to be exchanged should match.")
        variants = [
            self._replacement(order, *pair) for pair in zip(item_ids, new_item_ids, strict=True)
        ]
        difference = round(_price_difference(order, item_ids, variants), 2)
        method = self._method(order.user_id, payment_method_id)
        if isinstance(method, GiftCard) and method.balance < difference:
            raise ToolError("Insufficient gift card balance to pay for the price difference")
        return self._store(
            replace(
                order,
                status="exchange requested",
                exchange_items=sorted(item_ids),
                exchange_new_items=sorted(new_item_ids),
                exchange_payment_method_id=payment_method_id,
                exchange_price_difference=difference,
            )
        )

    def return_delivered_order_items(
        self, order_id: str, item_ids: list[str], payment_method_id: str
    ) -> str:
        """Request the return of delivered items."""
        order = self._order(order_id)
        if order.status != "delivered":
            raise ToolError("Non-delivered order cannot be returned")
        method = self._method(order.user_id, payment_method_id)
        original = order.payment_history[0].payment_method_id
        if not isinstance(method, GiftCard) and payment_method_id != original:
            raise ToolError("Payment method should be the original payment method")
        _require_items(order, item_ids, "Some item not found")
        return self._store(
            replace(
                order,
                status="return requested",
                return_items=sorted(item_ids),
                return_payment_method_id=payment_method_id,
            )
        )

    # Users

    def modify_user_address(  # noqa: PLR0913, PLR0917 - an address has six lines
        self,
        user_id: str,
        address1: str,
        address2: str,
        city: str,
        state: str,
        country: str,
        zip: str,  # noqa: A002 - the argument's published name
    ) -> str:
        """Change a user's default address."""
        user = self._user(user_id)
        address = _address(address1, address2, city, country, state, zip)
        self._users.put(user_id, replace(user, address=address))
        return self._users.text(user_id)

    # Parts

    def _user(self, user_id: str) -> User:
        user = self._users.get(user_id)
        if user is None:
            raise ToolError("User not found")
        return user

    def _order(self, order_id: str) -> Order:
        order = self._orders.get(order_id)
        if order is None:
            raise ToolError("Order not found")
        return order

    def _method(self, user_id: str, method_id: str) -> PaymentMethod:
        method = self._user(user_id).payment_methods.get(method_id)
        if method is None:
            raise ToolError("Payment method not found")
        return method

    def _replacement(self, order: Order, old_id: str, new_id: str) -> Variant:
        product = self._products.get(_first_item(order, old_id).product_id)
        if product is None:
            raise ToolError("Product not found")
        variant = product.variants.get(new_id)
        if variant is None:
            raise ToolError("Variant not found")
        if not variant.available:
            raise ToolError(f"New item {new_id} not found or available")
        return variant

    def _credit(self, user_id: str, method_id: str, amount: float) -> None:
        user = self._user(user_id)
        card = user.payment_methods[method_id]
        if not isinstance(card, GiftCard):
            raise TypeError(f"{method_id} has no balance")
        card = replace(card, balance=round(card.balance + amount, 2))
        methods = {**user.payment_methods, method_id: card}
        self._users.put(user_id, replace(user, payment_methods=methods))

    def _store(self, order: Order) -> str:
        self._orders.put(order.order_id, order)
        return self._orders.text(order.order_id)

    def _with_variants(
        self, items: list[OrderItem], item_ids: Sequence[str], variants: Sequence[Variant]
    ) -> list[OrderItem]:
        items = list(items)
        for item_id, variant in zip(item_ids, variants, strict=True):
            index = next(i for i, item in enumerate(items) if item.item_id == item_id)
            source = variant if self._rules.each_item_keeps_its_variant else variants[-1]
            items[index] = replace(
                items[index], item_id=variant.item_id, price=source.price, options=source.options
            )
        return items


def _first_item(order: Order, item_id: str) -> OrderItem:
    item = next((item for item in order.items if item.item_id == item_id), None)
    if item is None:
        raise ToolError(f"Item {item_id} not found")
    return item


def _require_items(order: Order, item_ids: list[str], refusal: str) -> None:
    ordered = [item.item_id for item in order.items]
    for item_id in item_ids:
        if item_ids.count(item_id) > ordered.count(item_id):
            raise ToolError(refusal.format(item_id))


def _price_difference(order: Order, item_ids: Sequence[str], variants: Sequence[Variant]) -> float:
    difference: float = 0
    # A loop, because sum() compensates float errors from Python 3.12 on and the reference does not.
    for item_id, variant in zip(item_ids, variants, strict=True):
        difference += variant.price - _first_item(order, item_id).price
    return difference


def _address(  # noqa: PLR0913, PLR0917 - an address has six lines
    address1: str, address2: str, city: str, country: str, state: str, zip_code: str
) -> Address:
    lines = (address1, address2, city, country, state, zip_code)
    if not all(isinstance(line, str) for line in lines):
        raise ToolError("every line of an address must be a string")
    return Address(*lines)


def load_retail_data(database: bytes) -> RetailData:
    """Decode the database into what all worlds share."""
    return RetailData(decode_database(database, RetailFile))


RETAIL = single_database_domain(
    "db.json", load_retail_data, RetailTables, RetailTools, RetailTools.KINDS
)
