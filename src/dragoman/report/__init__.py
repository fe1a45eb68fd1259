"""Reports on runs: the HTML report, tables, figures and conversations as text.

Everything here turns results into text or markup. Statistics come from `analysis`.
"""
