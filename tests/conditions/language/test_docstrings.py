from dragoman.conditions.language.tool_docstrings import parse_docstring

TEXT = """คืนสินค้า หากคำสั่งซื้อ

ส่งแล้ว

Args:
    order_id: รหัส เช่น '#W0000000'
        ขึ้นต้นด้วย '#'
    reason (str): เหตุผล

Returns:
    Order: คำสั่งซื้อ

Raises:
    ValueError: หากไม่พบ
    ValueError: หากยังไม่ส่ง"""


def test_a_docstring_is_taken_apart() -> None:
    text = parse_docstring(TEXT)
    assert text.description == "คืนสินค้า หากคำสั่งซื้อ\n\nส่งแล้ว"
    assert text.arguments == {
        "order_id": "รหัส เช่น '#W0000000'\nขึ้นต้นด้วย '#'",
        "reason": "เหตุผล",
    }
    assert text.returns == "Order: คำสั่งซื้อ"
    assert text.raises == "ValueError: หากไม่พบ ValueError: หากยังไม่ส่ง"


def test_a_docstring_without_sections_is_a_description() -> None:
    text = parse_docstring("โอนสาย")
    assert (text.description, text.arguments, text.returns) == ("โอนสาย", {}, "")
