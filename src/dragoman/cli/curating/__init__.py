"""Commands that build data: translations and their memories."""
