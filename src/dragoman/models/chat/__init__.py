"""Chat models behind their wires, and models that ship for offline use."""
