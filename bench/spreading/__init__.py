"""What more processes bring."""
