"""The world's APIs as the documents that all other code knows."""

from collections.abc import Sequence

from dragoman.benchmarks.itc.world.rows import ApiRow, CountryRow, ParameterRow
from dragoman.core.apis.documents import ApiDocument, ApiParameter, DocumentOrigin, Operation

ORIGIN = "http://127.0.0.1:8790"
"""Where the world is served unless it is told another port."""

SOURCE = "itc:world"
LICENCE = "Apache-2.0"


def documents_of(countries: Sequence[CountryRow], origin: str = ORIGIN) -> tuple[ApiDocument, ...]:
    """Return a document for each country.

    Args:
        countries: The rows.
        origin: Scheme, host and port of the addresses in them.
    """
    return tuple(_document(country, origin) for country in countries)


def file_of(country: CountryRow) -> str:
    """Return the name of the file that describes a country's APIs."""
    return f"{country.id}.{country.syntax}"


def home_of(country: CountryRow, origin: str) -> str:
    """Return the page of a country's APIs."""
    return f"{origin}/{country.id}"


def _document(country: CountryRow, origin: str) -> ApiDocument:
    return ApiDocument(
        id=country.id,
        tool_name=country.title,
        tool_description=country.about,
        home_url=home_of(country, origin),
        country=country.country,
        api_list=tuple(_operation(api, origin) for api in country.api),
        language=country.language,
        authentication="apiKey" if _needs_key(country) else "",
        origins=(DocumentOrigin(SOURCE, file_of(country), form=country.form, licence=LICENCE),),
    )


def _needs_key(country: CountryRow) -> bool:
    """Whether some API of a country wants a key, published as it may be."""
    return any(each.place == "header" for api in country.api for each in api.parameter)


def _operation(api: ApiRow, origin: str) -> Operation:
    return Operation(
        name=api.name,
        url=origin + api.path,
        description=api.about,
        method=api.method,
        category=api.category,
        required_parameters=tuple(_parameter(each) for each in api.parameter if each.required),
        optional_parameters=tuple(_parameter(each) for each in api.parameter if not each.required),
    )


def _parameter(row: ParameterRow) -> ApiParameter:
    return ApiParameter(
        name=row.name,
        type=row.type,
        description=row.about,
        place=row.place,
        example=row.example,
        default=row.default,
        schema=schema_of(row),
    )


def schema_of(row: ParameterRow) -> dict[str, object]:
    """Return the JSON schema of a parameter's values."""
    schema: dict[str, object] = {"type": row.type}
    if row.choices:
        schema["enum"] = list(row.choices)
    if row.pattern:
        schema["pattern"] = f"^(?:{row.pattern})$"
    for name, bound in (("minimum", row.minimum), ("maximum", row.maximum)):
        if bound is not None:
            schema[name] = int(bound) if bound.is_integer() else bound
    return schema
