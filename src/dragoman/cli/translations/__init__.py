"""Commands about translations: what there is to translate, making them, their memories, reviews."""
