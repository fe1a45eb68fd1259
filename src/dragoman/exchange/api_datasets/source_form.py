"""An API document with the fields of International Tool Calling (figures 4 and 16), and no others."""

from dragoman.core.apis.documents import ApiDocument, ApiParameter, Operation


def as_the_source(document: ApiDocument) -> dict[str, object]:
    """Return a document in the source's form."""
    return {
        "tool_name": document.tool_name,
        "tool_description": document.tool_description,
        "home_url": document.home_url,
        "country": document.country,
        "api_list": [_operation(each) for each in document.api_list],
    }


def _operation(operation: Operation) -> dict[str, object]:
    return {
        "name": operation.name,
        "url": operation.url,
        "description": operation.description,
        "method": operation.method,
        "category": operation.category,
        "required_parameters": [_parameter(each) for each in operation.required_parameters],
        "optional_parameters": [_parameter(each) for each in operation.optional_parameters],
        "statuscode": operation.statuscode,
        "schema": operation.schema,
    }


def _parameter(parameter: ApiParameter) -> dict[str, object]:
    return {
        "name": parameter.name,
        "type": parameter.type,
        "description": parameter.description,
        "default": "" if parameter.default is None else parameter.default,
    }
