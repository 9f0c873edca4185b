"""The same as `client.py` and `session.py` for programs without asyncio.

A thread runs an event loop, and each method waits for its coroutine there. Functions that approve calls, and tools, run in
threads of their own.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, TypeVar

from . import api_types
from .client import AsyncHolm
from .events import BEGINNING, Decision, Event, Frame, Result
from .handlers import Approve, Reply
from .session import AsyncSession
from .tools import Tool

T = TypeVar("T")


class LoopThread:
    """An event loop in a thread."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="holm", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Runs a coroutine to its end. If the caller is interrupted, the coroutine is cancelled."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def iterate(self, frames: AsyncIterator[T]) -> Iterator[T]:
        """Gives what an asynchronous iterator gives, and closes it in the end."""
        try:
            while (frame := self.run(_next(frames))) is not None:
                yield frame
        finally:
            if close := getattr(frames, "aclose", None):
                self.run(close())

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _next(frames: AsyncIterator[T]) -> T | None:
    return await anext(frames, None)


class Session:
    """A session, by its name. See `AsyncSession`."""

    def __init__(self, loop: LoopThread, session: AsyncSession) -> None:
        self._loop, self._session = loop, session

    @property
    def id(self) -> str:
        return self._session.id

    def view(self) -> api_types.SessionView:
        """The session without its messages."""
        return self._loop.run(self._session.view())

    def ask(self, text: str, *, approve: Approve | None = None, reply: Reply | None = None) -> Result:
        """Sends a prompt and waits for the answer; see `AsyncSession.ask`."""
        return self._loop.run(self._session.ask(text, approve=approve, reply=reply))

    def ask_value(
        self, text: str, schema: dict[str, Any], *, approve: Approve | None = None, reply: Reply | None = None
    ) -> Result:
        """Asks for a value that matches a JSON Schema; see `AsyncSession.ask_value`."""
        return self._loop.run(self._session.ask_value(text, schema, approve=approve, reply=reply))

    def stream(self, text: str, *, approve: Approve | None = None, reply: Reply | None = None) -> Iterator[Frame]:
        """Sends a prompt and gives all frames of the work; the last one is `Ended`."""
        return self._loop.iterate(self._session.stream(text, approve=approve, reply=reply))

    def wait(self, *, approve: Approve | None = None, reply: Reply | None = None) -> Result:
        """Waits for the work under way, or gives the result of the last work."""
        return self._loop.run(self._session.wait(approve=approve, reply=reply))

    def resume(self, *, approve: Approve | None = None, reply: Reply | None = None) -> Iterator[Frame]:
        """Gives the frames of the work under way from its beginning, or of the last work."""
        return self._loop.iterate(self._session.resume(approve=approve, reply=reply))

    def watch(self, after: str = BEGINNING) -> Iterator[Frame]:
        """Gives every frame after a cursor, for as long as the server runs."""
        return self._loop.iterate(self._session.watch(after))

    def steer(self, text: str) -> None:
        """Adds a text before the next model call of the work under way."""
        self._loop.run(self._session.steer(text))

    def follow_up(self, text: str) -> None:
        """Adds a text when the work under way would otherwise end."""
        self._loop.run(self._session.follow_up(text))

    def cancel(self, reason: str | None = None) -> None:
        """Stops the work under way."""
        self._loop.run(self._session.cancel(reason))

    def set_title(self, title: str | None) -> api_types.SessionView:
        return self._loop.run(self._session.set_title(title))

    def fork(self, at: int, id: str | None = None) -> Session:
        """A new session with the history up to and including a record."""
        return Session(self._loop, self._loop.run(self._session.fork(at, id)))

    def questions(self) -> list[api_types.Posed]:
        """The open questions."""
        return self._loop.run(self._session.questions())

    def answer(self, question: int, answer: Decision, digest: str | None = None) -> None:
        """Answers a question."""
        self._loop.run(self._session.answer(question, answer, digest))

    def replay(self) -> list[Event]:
        """All events of the session so far, from its journal."""
        return self._loop.run(self._session.replay())

    def export(self, format: str = "markdown") -> str:
        """The session as `markdown`, or its journal as `jsonl`."""
        return self._loop.run(self._session.export(format))

    def delete(self) -> None:
        """Erases the session for good."""
        self._loop.run(self._session.delete())


class Holm:
    """A server, its sessions, and this program's functions as their tools. See `AsyncHolm`."""

    def __init__(self, loop: LoopThread, holm: AsyncHolm) -> None:
        self._loop, self._holm = loop, holm

    @classmethod
    def start(
        cls,
        *,
        command: str | os.PathLike[str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        data: str | os.PathLike[str] | None = None,
        options: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        tools: Sequence[Tool | Callable[..., Any]] = (),
        tools_name: str = "python",
    ) -> Holm:
        """Starts `holm serve` on a free port of this machine; see `AsyncHolm.start`."""
        return cls._open(
            AsyncHolm.start(
                command=command, cwd=cwd, data=data, options=options, env=env, tools=tools, tools_name=tools_name
            )
        )

    @classmethod
    def connect(
        cls, url: str, token: str, *, tools: Sequence[Tool | Callable[..., Any]] = (), tools_name: str = "python"
    ) -> Holm:
        """Connects to a server that runs; see `AsyncHolm.connect`."""
        return cls._open(AsyncHolm.connect(url, token, tools=tools, tools_name=tools_name))

    @classmethod
    def _open(cls, opening: Coroutine[Any, Any, AsyncHolm]) -> Holm:
        loop = LoopThread()
        try:
            return cls(loop, loop.run(opening))
        except BaseException:
            loop.close()
            raise

    def __enter__(self) -> Holm:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Takes the tools back, disconnects, and stops the server if this program started it."""
        try:
            self._loop.run(self._holm.close())
        finally:
            self._loop.close()

    @property
    def url(self) -> str:
        return self._holm.url

    def me(self) -> api_types.Me:
        """The user of the token."""
        return self._loop.run(self._holm.me())

    def health(self) -> api_types.Health:
        return self._loop.run(self._holm.health())

    def agents(self) -> list[api_types.AgentCard]:
        return self._loop.run(self._holm.agents())

    def tools(self) -> list[api_types.ToolCard]:
        return self._loop.run(self._holm.tools())

    def sessions(
        self, *, tag: str | None = None, after: str | None = None, limit: int | None = None
    ) -> api_types.SessionPage:
        """A page of the sessions, latest first."""
        return self._loop.run(self._holm.sessions(tag=tag, after=after, limit=limit))

    def create(self, id: str | None = None, *, agent: str | None = None, model: str | None = None) -> Session:
        """A new session, with a name of its own if none is given."""
        return Session(self._loop, self._loop.run(self._holm.create(id, agent=agent, model=model)))

    def open(self, id: str, *, agent: str | None = None) -> Session:
        """A session that exists."""
        return Session(self._loop, self._loop.run(self._holm.open(id, agent=agent)))

    def request(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, *, query: Mapping[str, Any] | None = None
    ) -> Any:
        """Sends any request of the API; `/api/openapi.json` describes them."""
        return self._loop.run(self._holm.request(method, path, body, query=query))
