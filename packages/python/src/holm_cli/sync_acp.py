"""The same as `acp.py` for programs without asyncio, in the way of `sync.py`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any

from .acp import AsyncAcpAgent, AsyncAcpSession
from .events import Frame, Result
from .handlers import Approve
from .sync import LoopThread
from .tools import Tool


class AcpSession:
    """A session of a child process. See `AsyncAcpSession`."""

    def __init__(self, loop: LoopThread, session: AsyncAcpSession) -> None:
        self._loop, self._session = loop, session

    @property
    def id(self) -> str:
        return self._session.id

    def ask(self, text: str, *, approve: Approve | None = None) -> Result:
        """Sends a prompt and waits for the answer. Without `approve`, calls that need approval are denied."""
        return self._loop.run(self._session.ask(text, approve=approve))

    def stream(self, text: str, *, approve: Approve | None = None) -> Iterator[Frame]:
        """Sends a prompt and gives what the child sends; the last frame is `Ended`."""
        return self._loop.iterate(self._session.stream(text, approve=approve))

    def cancel(self) -> None:
        """Stops the work under way."""
        self._loop.run(self._session.cancel())

    def set_mode(self, mode: str) -> None:
        """Changes the mode: `plan`, `default`, `accept-edits` or `full`."""
        self._loop.run(self._session.set_mode(mode))

    def close(self) -> None:
        """Stops the work under way and closes the session; its journal stays."""
        self._loop.run(self._session.close())


class AcpAgent:
    """A child process with any number of sessions. See `AsyncAcpAgent`."""

    def __init__(self, loop: LoopThread, agent: AsyncAcpAgent) -> None:
        self._loop, self._agent = loop, agent

    @classmethod
    def start(
        cls,
        *,
        command: str | os.PathLike[str] | None = None,
        data: str | os.PathLike[str] | None = None,
        options: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        tools: Sequence[Tool | Callable[..., Any]] = (),
        tools_name: str = "python",
    ) -> AcpAgent:
        """Starts `holm acp`. `options` are options of `holm run` for every session."""
        loop = LoopThread()
        starting = AsyncAcpAgent.start(
            command=command, data=data, options=options, env=env, tools=tools, tools_name=tools_name
        )
        try:
            return cls(loop, loop.run(starting))
        except BaseException:
            loop.close()
            raise

    def __enter__(self) -> AcpAgent:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection. The child stops its work, keeps the journal and ends."""
        try:
            self._loop.run(self._agent.close())
        finally:
            self._loop.close()

    def create(self, cwd: str | os.PathLike[str]) -> AcpSession:
        """A new session that works in a folder."""
        return AcpSession(self._loop, self._loop.run(self._agent.create(cwd)))

    def load(self, id: str, cwd: str | os.PathLike[str]) -> AcpSession:
        """A session that exists, in the folder where it began."""
        return AcpSession(self._loop, self._loop.run(self._agent.load(id, cwd)))
