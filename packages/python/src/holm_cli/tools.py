"""Functions of this program as tools of an agent.

`Tool` describes a function. `ToolServer` serves functions over MCP on a port of this machine, behind a random token. Calls
still go through Holm: the session's mode and grants decide, and the journal has every call.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import dataclasses
import enum
import http.server
import inspect
import json
import secrets
import threading
import types
import typing
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, overload

from .errors import ToolError

Level: TypeAlias = Literal["none", "read-only", "write", "execute"]

#: The versions of MCP with a handshake that this server speaks, the newest first.
_VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26")

#: The largest request. Holm accepts messages of the same size.
_MOST_BYTES = 16 * 1024 * 1024

_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


@dataclass(frozen=True)
class Tool:
    """A function that a model may call."""

    function: Callable[..., Any]
    name: str
    description: str
    #: The JSON Schema of the arguments.
    schema: dict[str, Any]
    #: How much a call can change, at most. Without it, Holm assumes that a call can do anything.
    level: Level | None = None
    #: Whether calls go to `approve`. Otherwise this program allows the calls of its own functions.
    ask: bool = False

    @classmethod
    def of(cls, function: Tool | Callable[..., Any]) -> Tool:
        """Describes a function by its name, its docstring and its annotations."""
        return function if isinstance(function, Tool) else tool(function)


@overload
def tool(function: Callable[..., Any], /) -> Tool: ...


@overload
def tool(
    *, name: str = ..., description: str = ..., schema: dict[str, Any] | None = ..., level: Level | None = ..., ask: bool = ...
) -> Callable[[Callable[..., Any]], Tool]: ...


def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str = "",
    description: str = "",
    schema: dict[str, Any] | None = None,
    level: Level | None = None,
    ask: bool = False,
) -> Tool | Callable[[Callable[..., Any]], Tool]:
    """Makes a tool from a function; also a decorator, with or without arguments."""

    def make(function: Callable[..., Any]) -> Tool:
        called = name or getattr(function, "__name__", "")
        if not called.isidentifier():
            raise ToolError(f"`{called}` is not a valid tool name; pass name=")
        about = description or inspect.getdoc(function) or ""
        if not about:
            raise ToolError(f"{called} has no docstring; the model needs to know what it does")
        return Tool(function, called, about, schema if schema is not None else schema_of(function), level, ask)

    return make if function is None else make(function)


def schema_of(function: Callable[..., Any]) -> dict[str, Any]:
    """The JSON Schema of a function's parameters, from its annotations."""
    hints = typing.get_type_hints(function)
    properties, required = {}, []
    for name, parameter in inspect.signature(function).parameters.items():
        where = f"parameter `{name}` of {getattr(function, '__name__', function)}"
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise ToolError(f"{where} cannot be given by name; pass schema=")
        if name not in hints:
            raise ToolError(f"{where} has no annotation")
        properties[name] = _schema(hints[name], where)
        if parameter.default is parameter.empty:
            required.append(name)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _schema(kind: Any, where: str) -> dict[str, Any]:
    if kind is Any:
        return {}
    if kind in _PLAIN:
        return {"type": _PLAIN[kind]}
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin is Literal:
        return {"enum": list(args)}
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [_schema(arg, where) for arg in args]}
    if kind is list or origin in (list, Sequence):
        return {"type": "array", "items": _schema(args[0], where) if args else {}}
    if kind is dict or origin is dict:
        if args and args[0] is not str:
            raise ToolError(f"{where}: the keys of a JSON object are strings")
        return {"type": "object", "additionalProperties": _schema(args[1], where) if args else {}}
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return {"enum": [member.value for member in kind]}
    if typing.is_typeddict(kind):
        members = {name: _schema(hint, f"{where}, member `{name}`") for name, hint in typing.get_type_hints(kind).items()}
        return {"type": "object", "properties": members, "required": sorted(kind.__required_keys__)}
    raise ToolError(f"{where}: there is no JSON Schema for {kind}; pass schema=")


class ToolServer:
    """Serves functions over MCP, to the server of this machine alone."""

    def __init__(self, functions: Sequence[Tool | Callable[..., Any]], name: str = "python") -> None:
        self.name = name
        self._tools = {one.name: one for one in map(Tool.of, functions)}
        if len(self._tools) != len(functions):
            raise ToolError("two functions have the same name; pass name=")
        self._token = secrets.token_urlsafe(32)
        self._http: http.server.ThreadingHTTPServer | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def start(self) -> None:
        """Listens on a free port. Coroutines run in the loop of the caller, plain functions in threads of their own."""
        self._loop = asyncio.get_running_loop()
        self._http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        threading.Thread(target=self._http.serve_forever, name="holm-tools", daemon=True).start()

    def close(self) -> None:
        if self._http is not None:
            self._http.shutdown()
            self._http.server_close()
            self._http = None

    @property
    def url(self) -> str:
        assert self._http is not None
        return f"http://127.0.0.1:{self._http.server_address[1]}/mcp"

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._token}"}

    def entry(self) -> dict[str, Any]:
        """The entry of `mcpServers` for Holm."""
        levels = {one.name: one.level for one in self._tools.values() if one.level is not None}
        return {"url": self.url, "headers": self.headers, "era": "handshake"} | ({"levels": levels} if levels else {})

    def names(self) -> set[str]:
        """The names that the model uses."""
        return {f"{self.name}_{name}" for name in self._tools}

    def allows(self, tool: str) -> bool:
        """Whether a call of this name is a function of this program that needs no question."""
        found = self._tools.get(tool.removeprefix(f"{self.name}_")) if tool.startswith(f"{self.name}_") else None
        return found is not None and not found.ask

    def _handler(self) -> type[http.server.BaseHTTPRequestHandler]:
        tools = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                length = int(self.headers.get("content-length") or 0)
                if not 0 < length <= _MOST_BYTES:
                    return self._send(413 if length else 411, None)
                body = self.rfile.read(length)
                given = self.headers.get("authorization") or ""
                if not secrets.compare_digest(given.encode(), f"Bearer {tools._token}".encode()):
                    return self._send(401, None)
                try:
                    message = json.loads(body)
                except ValueError:
                    return self._send(400, _error(None, -32700, "this is not JSON"))
                answer = tools._answer(message)
                self._send(202 if answer is None else 200, answer)

            def do_GET(self) -> None:
                # There is nothing that this server would say by itself.
                self._send(405, None)

            do_DELETE = do_GET

            def _send(self, status: int, answer: dict[str, Any] | None) -> None:
                body = b"" if answer is None else json.dumps(answer).encode()
                self.send_response(status)
                if body:
                    self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        return Handler

    def _answer(self, message: Any) -> dict[str, Any] | None:
        """Answers one message of MCP; `None` for notifications."""
        if not isinstance(message, dict) or "method" not in message:
            return _error(None, -32600, "this is not a request")
        if "id" not in message:
            return None
        params = message.get("params") or {}
        match message["method"]:
            case "initialize":
                asked = params.get("protocolVersion")
                version = asked if asked in _VERSIONS else _VERSIONS[0]
                about = {"name": self.name, "version": "0.1.0"}
                result: dict[str, Any] = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about}
            case "ping":
                result = {}
            case "tools/list":
                result = {"tools": [_listed(one) for one in self._tools.values()]}
            case "tools/call":
                found = self._tools.get(str(params.get("name")))
                if found is None:
                    return _error(message["id"], -32602, f"there is no tool `{params.get('name')}`")
                result = self._call(found, params.get("arguments") or {})
            case other:
                return _error(message["id"], -32601, f"`{other}` is not supported")
        return {"jsonrpc": "2.0", "id": message["id"], "result": result}

    def _call(self, tool: Tool, arguments: dict[str, Any]) -> dict[str, Any]:
        """Calls a function. What it raises is a result that the model reads, not a failure of the server."""
        try:
            made = tool.function(**arguments)
            if inspect.isawaitable(made):
                assert self._loop is not None
                made = asyncio.run_coroutine_threadsafe(_awaited(made), self._loop).result()
            text, failed = made if isinstance(made, str) else json.dumps(made, default=_plain, ensure_ascii=False), False
        except concurrent.futures.CancelledError:
            text, failed = "the program that has this function is stopping", True
        except Exception as error:  # noqa: BLE001 - whatever a function raises, the model reads it
            text, failed = f"{type(error).__name__}: {error}", True
        return {"content": [{"type": "text", "text": text}], "isError": failed}


async def _awaited(value: Any) -> Any:
    return await value


def _plain(value: Any) -> Any:
    """The JSON form of results that are not plain values."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    return str(value)


def _listed(tool: Tool) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "inputSchema": tool.schema}


def _error(id: Any, code: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}
