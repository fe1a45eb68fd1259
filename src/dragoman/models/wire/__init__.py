"""How bytes reach an endpoint: transport, the gate around it, and what a server says of limits."""
