"""Prompt sets: the fixed texts given to agent and user models, with a content hash."""

import msgspec

from dragoman.core.content_keys import content_key


class PromptSet(msgspec.Struct, frozen=True):
    """The fixed texts for agent and user models; name and digest go into content keys.

    `user_with_tools` is for a user that has tools too; it is empty if `user` serves both. `greets`
    says that the agent's first words are the benchmark's own greeting.
    """

    name: str
    agent: str
    user: str
    user_with_tools: str = ""
    greets: bool = True

    @property
    def digest(self) -> str:
        """The content hash of the texts."""
        return content_key(self.agent, self.user, self.user_with_tools)


BARE = PromptSet("bare", "", "", greets=False)
"""An empty prompt set: agents get only the benchmark's own texts."""
