"""The pages, one module each: a function from what was asked to an answer, and its route.

No page writes anything. What a page needs of a run it takes from the run's store or its index.
"""
