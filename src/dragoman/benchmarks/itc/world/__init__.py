"""The bundled world: simulated web APIs of many countries, their data, and tasks over them."""
