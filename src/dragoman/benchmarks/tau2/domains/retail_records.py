"""Records of the retail database; field order is output order."""

from typing import Any

import msgspec

from dragoman.benchmarks.kit.tables import SharedTable, Table, render_sorted
from dragoman.benchmarks.tau2.domains.shared_records import Address, CreditCard, Name


class Variant(msgspec.Struct, frozen=True, gc=False):
    """One item that can be bought: a product with its options chosen."""

    item_id: str
    options: dict[str, str]
    available: bool
    price: float


class Product(msgspec.Struct, frozen=True):
    """A product type with its variants by item id."""

    name: str
    product_id: str
    variants: dict[str, Variant]


class PayPal(msgspec.Struct, frozen=True, gc=False, tag_field="source", tag="paypal"):
    """A PayPal account."""

    id: str


class GiftCard(msgspec.Struct, frozen=True, gc=False, tag_field="source", tag="gift_card"):
    """A gift card; the only method whose balance the store keeps."""

    id: str
    balance: float


PaymentMethod = CreditCard | PayPal | GiftCard


class User(msgspec.Struct, frozen=True):
    """A customer."""

    user_id: str
    name: Name
    address: Address
    email: str
    payment_methods: dict[str, PaymentMethod]
    orders: list[str]


class OrderItem(msgspec.Struct, frozen=True, gc=False):
    """One item of an order at the price it was ordered for."""

    name: str
    product_id: str
    item_id: str
    price: float
    options: dict[str, str]


class Fulfillment(msgspec.Struct, frozen=True):
    """One shipment."""

    tracking_id: list[str]
    item_ids: list[str]


class Payment(msgspec.Struct, frozen=True, gc=False):
    """One entry of an order's payment history."""

    transaction_type: str
    amount: float
    payment_method_id: str


class Order(msgspec.Struct, frozen=True):
    """An order and what was done to it."""

    order_id: str
    user_id: str
    address: Address
    items: list[OrderItem]
    status: str
    fulfillments: list[Fulfillment]
    payment_history: list[Payment]
    cancel_reason: str | None = None
    exchange_items: list[str] | None = None
    exchange_new_items: list[str] | None = None
    exchange_payment_method_id: str | None = None
    exchange_price_difference: float | None = None
    return_items: list[str] | None = None
    return_payment_method_id: str | None = None


class RetailFile(msgspec.Struct, frozen=True):
    """The database file."""

    products: dict[str, Product]
    users: dict[str, User]
    orders: dict[str, Order]


class RetailData:
    """The shared database with the indexes that look-ups need."""

    def __init__(self, file: RetailFile) -> None:
        self.products = SharedTable(file.products)
        self.users = SharedTable(file.users)
        self.orders = SharedTable(file.orders)
        self.user_by_email: dict[str, str] = {}
        self.users_by_first_name: dict[str, list[str]] = {}
        for key, user in file.users.items():
            self.user_by_email.setdefault(user.email.lower(), key)
            self.users_by_first_name.setdefault(user.name.first_name.lower(), []).append(key)
        self.variants: dict[str, Variant] = {}
        for product in file.products.values():
            for item_id, variant in product.variants.items():
                self.variants.setdefault(item_id, variant)
        self.product_ids_text = _product_ids(file.products)


def _product_ids(products: dict[str, Product]) -> str:
    return render_sorted({product.name: product.product_id for product in products.values()})


class RetailTables:
    """One world's copy-on-write view of the database."""

    __slots__ = ("data", "orders", "products", "users")

    def __init__(self, data: RetailData) -> None:
        self.data = data
        self.products: Table[Product] = Table(data.products)
        self.users: Table[User] = Table(data.users)
        self.orders: Table[Order] = Table(data.orders)

    def by_name(self) -> tuple[tuple[str, Table[Any]], ...]:
        """Return the tables with their names in the database, sorted by name."""
        return (("orders", self.orders), ("products", self.products), ("users", self.users))
