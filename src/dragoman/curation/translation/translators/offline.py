"""The translator without a model: it gives what the glossary has for a whole text, and nothing else."""

from dragoman.curation.translation.protection.placeholders import placeholders_in
from dragoman.curation.translation.translators.protocol import Reply, Request

NAME = "glossary"


class GlossaryTranslator:
    """Answers texts that are one term of the glossary; what the memory has is never asked for."""

    name = NAME
    version = ""
    is_model = False

    async def translate(self, request: Request) -> Reply:
        """Return the labels of texts that are values."""
        return Reply(
            {
                name: item.terms[item.text]
                for name, item in request.items.items()
                if item.text in item.terms and not any(placeholders_in(item.text))
            }
        )
