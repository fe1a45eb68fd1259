"""The bundled world of web APIs behind a socket, with the faults of real ones."""
