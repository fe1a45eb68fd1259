"""The bundled world: invented web APIs of many countries, their data, and tasks over them.

An API is a row of data and answers from a table. Sockets, faults and clocks do not live here: the
world answers a request as a value, the server that sends it stands in `testing`.
"""
