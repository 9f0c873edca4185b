"""Functions as tools: what they look like to a model, and who may call them."""

import asyncio
import enum
import json
from typing import Any, Literal, TypedDict

import httpx
import pytest

from holm_cli import tool
from holm_cli.tools import ToolServer, schema_of


class Colour(enum.Enum):
    RED = "red"


class Point(TypedDict):
    x: int
    y: float


@pytest.mark.parametrize(
    ("kind", "schema"),
    [
        (str, {"type": "string"}),
        (bool, {"type": "boolean"}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (dict[str, float], {"type": "object", "additionalProperties": {"type": "number"}}),
        (Literal["a", "b"], {"enum": ["a", "b"]}),
        (int | None, {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
        (Colour, {"enum": ["red"]}),
        (Any, {}),
        (Point, {"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "number"}}, "required": ["x", "y"]}),
    ],
)
def test_a_parameter_becomes_a_schema(kind, schema):
    def function(given): ...

    function.__annotations__ = {"given": kind}
    assert schema_of(function)["properties"] == {"given": schema}
    assert schema_of(function)["required"] == ["given"]


def test_a_parameter_with_a_default_is_optional():
    def function(a: int, b: int = 2): ...

    assert schema_of(function)["required"] == ["a"]


def served(work):
    """Serves one function, and gives a client without a token and the server."""

    def double(n: int) -> int:
        """Doubles a number."""
        return 2 * n

    async def main():
        server = ToolServer([double])
        server.start()
        try:
            async with httpx.AsyncClient(trust_env=False) as client:
                return await work(client, server)
        finally:
            server.close()

    return asyncio.run(main())


def message(method, **params):
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def test_the_port_answers_only_with_the_token():
    async def work(client, server):
        body = message("tools/call", name="double", arguments={"n": 21})
        refused = [
            await client.post(server.url, json=body),
            await client.post(server.url, json=body, headers={"authorization": "Bearer wrong"}),
        ]
        allowed = await client.post(server.url, json=body, headers=server.headers)
        return [one.status_code for one in refused], allowed.json()["result"]

    statuses, result = served(work)
    assert statuses == [401, 401]
    assert result == {"content": [{"type": "text", "text": "42"}], "isError": False}


def test_the_port_refuses_what_it_does_not_know():
    async def work(client, server):
        async def send(body):
            return (await client.post(server.url, content=body, headers=server.headers)).json()["error"]["code"]

        unknown = [message("resources/list"), message("tools/call", name="triple"), ["a list"]]
        return [await send(b"{")] + [await send(json.dumps(body)) for body in unknown]

    assert served(work) == [-32700, -32601, -32602, -32600]


def test_two_functions_with_one_name_are_refused():
    def one() -> None:
        """Something."""

    with pytest.raises(Exception, match="same name"):
        ToolServer([tool(one), tool(name="one")(one)])
