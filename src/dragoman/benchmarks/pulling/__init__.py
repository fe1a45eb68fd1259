"""Data that are not shipped: pinned upstream files, pulled once and checked at every reading."""
