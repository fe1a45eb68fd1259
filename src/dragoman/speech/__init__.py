"""Speech synthesis and speech recognition: embedded, local and hosted engines.

A specification names an engine, and an engine loads its library only when it is opened. A cache
keeps results, so that each request is paid for once.
"""
