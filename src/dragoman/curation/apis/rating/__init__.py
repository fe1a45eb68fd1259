"""How good queries are, as several models see them."""
