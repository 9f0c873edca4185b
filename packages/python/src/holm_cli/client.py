"""A connection to `holm serve`."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, cast

import httpx

from . import api_types
from .errors import ApiError, ConnectionLost
from .events import Approval
from .process import ServerProcess
from .session import AsyncSession
from .tools import Tool, ToolServer

#: The server answers everything but events and `/v1` well within this time.
_TIMEOUT = httpx.Timeout(60.0)


class AsyncHolm:
    """A server, its sessions, and this program's functions as their tools.

    Use `AsyncHolm.start` or `AsyncHolm.connect`, both with `async with`.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        tools: Sequence[Tool | Callable[..., Any]] = (),
        tools_name: str = "python",
        server: ServerProcess | None = None,
    ) -> None:
        self.url = url.rstrip("/")
        self._server = server
        self._tools = ToolServer(tools, name=tools_name) if tools else None
        # A proxy of the environment must not see the token of a server on this machine.
        self._http = httpx.AsyncClient(
            base_url=self.url, headers={"authorization": f"Bearer {token}"}, timeout=_TIMEOUT, trust_env=False
        )

    @classmethod
    async def start(
        cls,
        *,
        command: str | os.PathLike[str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        data: str | os.PathLike[str] | None = None,
        options: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        tools: Sequence[Tool | Callable[..., Any]] = (),
        tools_name: str = "python",
    ) -> AsyncHolm:
        """Starts `holm serve` on a free port of this machine. The server ends with this program.

        `options` are options of `holm run` for every session, such as `["--grant", "read:**"]`. `data` is the data folder
        with the sessions. `tools` are functions of this program that the model may call, as `<tools_name>_<function>`.
        """
        server = await ServerProcess.start(command=command, cwd=cwd, data=data, options=options, env=env)
        try:
            return await cls.connect(server.url, server.token, tools=tools, tools_name=tools_name, _server=server)
        except BaseException:
            await server.stop()
            raise

    @classmethod
    async def connect(
        cls,
        url: str,
        token: str,
        *,
        tools: Sequence[Tool | Callable[..., Any]] = (),
        tools_name: str = "python",
        _server: ServerProcess | None = None,
    ) -> AsyncHolm:
        """Connects to a server that runs. With `tools`, the token must be an administrator's.

        Programs that offer tools to one server at the same time need different values of `tools_name`.
        """
        holm = cls(url, token, tools=tools, tools_name=tools_name, server=_server)
        try:
            await holm.me()
            await holm._offer_tools()
        except BaseException:
            await holm._disconnect()
            raise
        return holm

    async def __aenter__(self) -> AsyncHolm:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Takes the tools back, disconnects, and stops the server if this program started it."""
        try:
            if self._tools is not None:
                await self._withdraw_tools()
        finally:
            await self._disconnect()
            if self._server is not None:
                await self._server.stop()

    # Requests.

    async def me(self) -> api_types.Me:
        """The user of the token."""
        return cast(api_types.Me, await self.request("GET", "/api/me"))

    async def health(self) -> api_types.Health:
        return cast(api_types.Health, await self.request("GET", "/health"))

    async def agents(self) -> list[api_types.AgentCard]:
        return cast(list[api_types.AgentCard], await self.request("GET", "/api/agents"))

    async def tools(self) -> list[api_types.ToolCard]:
        return cast(list[api_types.ToolCard], await self.request("GET", "/api/tools"))

    async def sessions(
        self, *, tag: str | None = None, after: str | None = None, limit: int | None = None
    ) -> api_types.SessionPage:
        """A page of the sessions, latest first."""
        query = {"tag": tag, "after": after, "limit": limit}
        return cast(api_types.SessionPage, await self.request("GET", "/api/sessions", query=query))

    async def create(self, id: str | None = None, *, agent: str | None = None, model: str | None = None) -> AsyncSession:
        """A new session, with a name of its own if none is given."""
        body = {"id": id, "agent": agent, "model": model}
        made = await self.request("POST", "/api/sessions", body)
        return AsyncSession(self, made["id"], agent)

    async def open(self, id: str, *, agent: str | None = None) -> AsyncSession:
        """A session that exists."""
        session = AsyncSession(self, id, agent)
        await session.view()
        return session

    async def request(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: httpx.Timeout | None = _TIMEOUT,
    ) -> Any:
        """Sends any request of the API; `/api/openapi.json` describes them. Gives the JSON of the answer.

        Raises `ApiError` if the server refuses, and `ConnectionLost` if it cannot be reached.
        """
        response = await self.send(method, path, body, query=query, headers=headers, timeout=timeout)
        return response.json() if response.content else None

    async def send(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: httpx.Timeout | None = _TIMEOUT,
    ) -> httpx.Response:
        """Like `request`, for answers that are not JSON."""
        given = {name: value for name, value in (query or {}).items() if value is not None}
        body = None if body is None else {name: value for name, value in body.items() if value is not None}
        try:
            response = await self._http.request(method, path, json=body, params=given, headers=headers, timeout=timeout)
        except httpx.TransportError as error:
            raise ConnectionLost(f"the server at {self.url} cannot be reached: {error!r}") from error
        _check(response)
        return response

    @asynccontextmanager
    async def stream(
        self, method: str, path: str, *, query: Mapping[str, Any], timeout: httpx.Timeout
    ) -> AsyncIterator[httpx.Response]:
        """An answer that is read as it arrives."""
        async with self._http.stream(method, path, params=query, timeout=timeout) as response:
            if response.status_code >= 400:
                await response.aread()
            _check(response)
            yield response

    async def _disconnect(self) -> None:
        if self._tools is not None:
            self._tools.close()
        await self._http.aclose()

    # Tools.

    def allows(self, approval: Approval) -> bool:
        """Whether the call is one of this program's own functions that needs no question."""
        return self._tools is not None and self._tools.allows(approval.tool)

    async def _offer_tools(self) -> None:
        if self._tools is None:
            return
        self._tools.start()
        # A program that was killed leaves its entry behind, with an address that is no longer valid.
        await self._withdraw_tools()
        await self.request("POST", "/api/mcp-servers", {"name": self._tools.name, "entry": self._tools.entry()})
        await self.request("POST", "/api/reload-tools", {})
        tested = await self.request("POST", f"/api/mcp-servers/{self._tools.name}/test", {})
        missing = self._tools.names() - {card["name"] for card in tested["tools"]}
        if missing:
            problems = "; ".join(tested["problems"]) or "the server does not offer them"
            raise ApiError(409, "tools", f"these functions cannot be used: {', '.join(sorted(missing))} ({problems})")

    async def _withdraw_tools(self) -> None:
        assert self._tools is not None
        try:
            await self.request("DELETE", f"/api/mcp-servers/{self._tools.name}")
        except ApiError as error:
            if error.status != 404:
                raise


def _check(response: httpx.Response) -> None:
    """Raises the server's error, if the answer is one."""
    if response.is_success:
        return
    try:
        problem = response.json()["error"]
        code, message = str(problem.get("code") or problem.get("type") or ""), str(problem["message"])
    except (ValueError, KeyError, TypeError, AttributeError):
        code, message = "", response.text[:500] or response.reason_phrase
    raise ApiError(response.status_code, code, message)
