"""What `dragoman doctor --model NAME` asks an endpoint, and what it reads from the answers."""
