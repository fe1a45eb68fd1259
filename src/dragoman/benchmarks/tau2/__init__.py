"""tau2-bench: conversations between an agent with tools, a simulated user and a database.

It also plays the released translations of SEATauBench, and reads and writes tau2's result files.
"""
