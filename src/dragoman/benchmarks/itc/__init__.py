"""International Tool Calling (ITC): queries in many languages over web APIs of many countries.

The same suite plays sets in folders and the tool-calling datasets of other projects.
"""
