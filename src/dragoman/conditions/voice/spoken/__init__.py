"""Written text as a caller says it: English numbers, dates, money and spelling in words."""
