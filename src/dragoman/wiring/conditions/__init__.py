"""Names of languages, lines and axes become conditions, and conditions their layers."""
