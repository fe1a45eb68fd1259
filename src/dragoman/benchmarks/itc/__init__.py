"""International Tool Calling: queries in many languages over web APIs of many countries.

Suites, the bundled world and readers of other sets live here. How such data are built does not: see
`curation`.
"""
