"""Drives `holm acp`, a child process that speaks the Agent Client Protocol on its standard streams.

There is no server and no port. The child ends when this program ends, even after `kill -9`; its journal stays, and
`load` continues a session. A child has no structured results: use a server for those.
"""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from .errors import ApiError, ConnectionLost, RunError, StartError
from .events import Approval, Decision, Delta, Ended, Event, Frame, Result, parsed
from .handlers import Approve, call
from .process import environment, find_command
from .tools import Tool, ToolServer

#: The longest line that is read: a picture in a result, as base64.
_LONGEST_LINE = 64 * 1024 * 1024

#: The child stops its work and closes its sessions within this time.
_STOP_PATIENCE_S = 30.0

#: What the protocol's reasons for the end of a prompt are called elsewhere in this package.
_ENDINGS = {
    "end_turn": "answered",
    "cancelled": "cancelled",
    "refusal": "refused",
    "max_tokens": "over_limit",
    "max_turn_requests": "over_limit",
}


class AsyncAcpAgent:
    """A child process with any number of sessions. Use `AsyncAcpAgent.start` with `async with`."""

    def __init__(self, process: asyncio.subprocess.Process, log: IO[bytes], tools: ToolServer | None) -> None:
        self._process, self._log, self._tools = process, log, tools
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._sessions: dict[str, AsyncAcpSession] = {}
        self._answering = set[asyncio.Task[None]]()
        self._last_id = 0
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def start(
        cls,
        *,
        command: str | os.PathLike[str] | None = None,
        data: str | os.PathLike[str] | None = None,
        options: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        tools: Sequence[Tool | Callable[..., Any]] = (),
        tools_name: str = "python",
    ) -> AsyncAcpAgent:
        """Starts `holm acp`. `options` are options of `holm run` for every session."""
        log = tempfile.TemporaryFile()
        process = await asyncio.create_subprocess_exec(
            find_command(command), "acp", "--", *options,
            env=environment(data, env), limit=_LONGEST_LINE,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=log, start_new_session=True,
        )  # fmt: skip
        served = ToolServer(tools, name=tools_name) if tools else None
        if served is not None:
            served.start()
        agent = cls(process, log, served)
        try:
            await agent.request("initialize", {"protocolVersion": 1, "clientCapabilities": {}})
        except BaseException as error:
            said = agent.log.strip()
            await agent.close()
            if isinstance(error, ConnectionLost):
                raise StartError(f"`holm acp` did not start: {said or 'it said nothing'}") from error
            raise
        return agent

    async def __aenter__(self) -> AsyncAcpAgent:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connection. The child stops its work, keeps the journal and ends."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), _STOP_PATIENCE_S)
        except TimeoutError:
            # The journal survives this too.
            self._process.kill()
            await self._process.wait()
        self._reading.cancel()
        for task in self._answering:
            task.cancel()
        await asyncio.gather(self._reading, *self._answering, return_exceptions=True)
        if self._tools is not None:
            self._tools.close()
        self._log.close()

    @property
    def log(self) -> str:
        """What the child wrote to standard error so far."""
        if self._log.closed:
            return ""
        self._log.seek(0)
        return self._log.read().decode(errors="replace")

    async def create(self, cwd: str | os.PathLike[str]) -> AsyncAcpSession:
        """A new session that works in a folder."""
        made = await self.request("session/new", {"cwd": _folder(cwd), "mcpServers": self._servers()})
        return self._session(made["sessionId"])

    async def load(self, id: str, cwd: str | os.PathLike[str]) -> AsyncAcpSession:
        """A session that exists, in the folder where it began. Work that a crash interrupted continues with the next prompt."""
        session = self._session(id)
        given = {"sessionId": id, "cwd": _folder(cwd), "mcpServers": self._servers()}
        await self.request("session/resume", given)
        return session

    async def request(self, method: str, params: Mapping[str, Any]) -> Any:
        """Sends any request of the protocol, and gives its result."""
        self._last_id += 1
        answer = asyncio.get_running_loop().create_future()
        self._answers[self._last_id] = answer
        await self._send({"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params})
        return await answer

    async def notify(self, method: str, params: Mapping[str, Any]) -> None:
        await self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def allows(self, tool: str) -> bool:
        """Whether the call is one of this program's own functions that needs no question."""
        return self._tools is not None and self._tools.allows(tool)

    def _session(self, id: str) -> AsyncAcpSession:
        return self._sessions.setdefault(id, AsyncAcpSession(self, id))

    def _servers(self) -> list[dict[str, Any]]:
        if self._tools is None:
            return []
        headers = [{"name": name, "value": value} for name, value in self._tools.headers.items()]
        return [{"type": "http", "name": self._tools.name, "url": self._tools.url, "headers": headers}]

    async def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        if self._reading.done():
            raise ConnectionLost(f"the child process has ended: {self.log.strip()}")
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        try:
            await self._process.stdin.drain()
        except ConnectionError as error:
            raise ConnectionLost(f"the child process has ended: {self.log.strip()}") from error

    async def _read(self) -> None:
        assert self._process.stdout is not None
        try:
            while line := await self._process.stdout.readline():
                self._handle(json.loads(line))
        finally:
            lost = ConnectionLost(f"the child process has ended: {self.log.strip()}")
            for answer in self._answers.values():
                if not answer.done():
                    answer.set_exception(lost)

    def _handle(self, message: dict[str, Any]) -> None:
        if "method" not in message:
            answer = self._answers.pop(message["id"], None)
            if answer is None or answer.done():
                return
            if "error" in message:
                error = message["error"]
                text = str(error.get("message", ""))
                if error.get("data"):
                    text = f"{text}: {error['data']}"
                answer.set_exception(ApiError(error.get("code", 0), "acp", text))
            else:
                answer.set_result(message.get("result"))
        elif "id" in message:
            task = asyncio.create_task(self._answer(message))
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)
        elif message["method"] == "session/update":
            session = self._sessions.get(message["params"]["sessionId"])
            if session is not None:
                session.update(message["params"]["update"])

    async def _answer(self, message: dict[str, Any]) -> None:
        """Answers a request of the child."""
        answer: dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"]}
        session = self._sessions.get(message.get("params", {}).get("sessionId", ""))
        if message["method"] == "session/request_permission" and session is not None:
            try:
                answer["result"] = {"outcome": await session.permission(message["params"])}
            except Exception as error:  # noqa: BLE001 - the call must get an answer, and the prompt the error
                answer["result"] = {"outcome": {"outcome": "cancelled"}}
                session.fail(error)
        else:
            answer["error"] = {"code": -32601, "message": f"`{message['method']}` is not supported"}
        await self._send(answer)


class AsyncAcpSession:
    """A session of a child process."""

    def __init__(self, agent: AsyncAcpAgent, id: str) -> None:
        self._agent = agent
        self.id = id
        self._frames: asyncio.Queue[Frame | Exception | None] = asyncio.Queue()
        self._approve: Approve | None = None
        self._text = ""
        self._count = 0

    async def ask(self, text: str, *, approve: Approve | None = None) -> Result:
        """Sends a prompt and waits for the answer. Without `approve`, calls that need approval are denied."""
        async with aclosing(self.stream(text, approve=approve)) as frames:
            async for frame in frames:
                if isinstance(frame, Ended):
                    if not frame.result.is_answer:
                        raise RunError(frame.result)
                    return frame.result
        raise ConnectionLost("the stream ended before the work did")

    async def stream(self, text: str, *, approve: Approve | None = None) -> AsyncGenerator[Frame, None]:
        """Sends a prompt and gives what the child sends; the last frame is `Ended`.

        Pieces of the reply are `Delta`. Everything else is an `Event` with the protocol's name, such as `tool_call`.
        """
        self._approve, self._text, self._frames = approve, "", asyncio.Queue()
        given = {"sessionId": self.id, "prompt": [{"type": "text", "text": text}]}
        asked = asyncio.create_task(self._agent.request("session/prompt", given))
        asked.add_done_callback(lambda _: self._frames.put_nowait(None))
        try:
            while (frame := await self._frames.get()) is not None:
                if isinstance(frame, Exception):
                    raise frame
                yield frame
            reason = (await asked)["stopReason"]
            ending = _ENDINGS.get(reason, "failed")
            said = self._text if ending == "answered" else ""
            yield Ended(Result(self.id, said, ending, "" if ending == "answered" else reason), self._cursor())
        finally:
            self._approve = None
            if not asked.done():
                await self.cancel()
                await asyncio.gather(asked, return_exceptions=True)

    async def cancel(self) -> None:
        """Stops the work under way."""
        await self._agent.notify("session/cancel", {"sessionId": self.id})

    async def set_mode(self, mode: str) -> None:
        """Changes the mode: `plan`, `default`, `accept-edits` or `full`."""
        await self._agent.request("session/set_mode", {"sessionId": self.id, "modeId": mode})

    async def close(self) -> None:
        """Stops the work under way and closes the session; its journal stays."""
        await self._agent.request("session/close", {"sessionId": self.id})

    # Called by the agent's reader.

    def update(self, update: dict[str, Any]) -> None:
        kind = update["sessionUpdate"]
        self._count += 1
        if kind in ("agent_message_chunk", "agent_thought_chunk") and update["content"]["type"] == "text":
            text = update["content"]["text"]
            is_text = kind == "agent_message_chunk"
            # A reply that follows calls is the answer; what the model said before them is not.
            self._text += text if is_text else ""
            self._frames.put_nowait(Delta("text" if is_text else "thinking", text, 0, 0, self._cursor()))
            return
        if kind == "tool_call":
            self._text = ""
        data = {name: value for name, value in update.items() if name != "sessionUpdate"}
        self._frames.put_nowait(Event(kind, data, 0, self._count, 0, self._cursor()))

    def fail(self, error: Exception) -> None:
        """Ends the stream with an error of the function that approves calls."""
        self._frames.put_nowait(error)

    async def permission(self, params: dict[str, Any]) -> dict[str, Any]:
        """The outcome of a question about a call."""
        shown = params["toolCall"]
        raw = shown.get("rawInput")
        arguments = raw if isinstance(raw, dict) else parsed(raw) if isinstance(raw, str) else {}
        words = [part["content"].get("text", "") for part in shown.get("content") or [] if part.get("type") == "content"]
        name = shown.get("name") or shown.get("title") or ""
        approval = Approval(name, arguments, reasons=tuple(words))
        if self._agent.allows(name):
            decision: Decision = True
        elif self._approve is None:
            decision = False
        else:
            decision = await call(self._approve, approval)
        wanted = "once" if decision is True else decision if isinstance(decision, str) else "no"
        if wanted not in {option["optionId"] for option in params["options"]}:
            # An answer that is not offered, such as `session` for a plan, becomes the narrower one.
            wanted = "once" if wanted in ("session", "prefix", "family") else "no"
        return {"outcome": "selected", "optionId": wanted}

    def _cursor(self) -> str:
        return str(self._count)


def _folder(path: str | os.PathLike[str]) -> str:
    return str(Path(path).absolute())
