"""What a run is to do: its options, written once, and every surface that takes them."""
