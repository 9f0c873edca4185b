"""A session of a server: prompts, live events, answers.

`AsyncSession` only reads and sends. `client.py` makes the requests, and the server keeps everything: a program that was
killed opens the session by its name again and misses nothing.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import httpx

from . import api_types
from .errors import ApiError, ConnectionLost, RunError
from .events import (
    BEGINNING, Decision, Deny, Ended, Event, Frame, QuestionAsked, QuestionSettled, ReplyText, Result, SseParser, answer_of,
    frame_of, result_of,
)  # fmt: skip
from .handlers import Approve, Reply, call

if TYPE_CHECKING:
    from .client import AsyncHolm

#: Longer than any record has events: a cursor with it is after the whole record.
_AFTER_RECORD = 4_294_967_295

#: How long a lost connection is retried, and the longest pause between two attempts.
_RECONNECT_S = 30.0
_LONGEST_PAUSE_S = 2.0

#: The server sends a sign of life every 15 seconds.
_SILENCE_S = 45.0


class AsyncSession:
    """A session, by its name."""

    def __init__(self, holm: AsyncHolm, id: str, agent: str | None = None) -> None:
        self._holm = holm
        self.id = id
        self._agent = agent or "holm"

    # Requests.

    async def view(self) -> api_types.SessionView:
        """The session without its messages."""
        return cast(api_types.SessionView, await self._request("GET", ""))

    async def steer(self, text: str) -> None:
        """Adds a text before the next model call of the work under way."""
        await self._request("POST", "/steer", {"text": text})

    async def follow_up(self, text: str) -> None:
        """Adds a text when the work under way would otherwise end."""
        await self._request("POST", "/follow-up", {"text": text})

    async def cancel(self, reason: str | None = None) -> None:
        """Stops the work under way."""
        await self._request("POST", "/cancel", {"reason": reason})

    async def set_title(self, title: str | None) -> api_types.SessionView:
        return cast(api_types.SessionView, await self._request("POST", "/title", {"title": title}))

    async def fork(self, at: int, id: str | None = None) -> AsyncSession:
        """A new session with the history up to and including a record."""
        made = await self._request("POST", "/fork", {"at": at, "id": id})
        return AsyncSession(self._holm, made["id"], self._agent)

    async def questions(self) -> list[api_types.Posed]:
        """The open questions."""
        return cast(list[api_types.Posed], await self._request("GET", "/questions"))

    async def answer(self, question: int, answer: Decision, digest: str | None = None) -> None:
        """Answers a question. With the `digest` of an approval the answer counts for that call alone."""
        body: dict[str, Any] = {"question": question, "answer": answer_of(answer)}
        if digest:
            body["digest"] = digest
        await self._request("POST", "/questions", body)

    async def replay(self) -> list[Event]:
        """All events of the session so far, from its journal."""
        found = await self._request("GET", "/replay")
        frames = (frame_of("event", f"{one['id']['record']}.{one['id']['index']}", one) for one in found)
        return [frame for frame in frames if isinstance(frame, Event)]

    async def export(self, format: str = "markdown") -> str:
        """The session as `markdown`, or its journal as `jsonl`."""
        response = await self._holm.send("GET", f"/api/sessions/{self.id}/export", query={"format": format})
        return response.text

    async def delete(self) -> None:
        """Erases the session for good."""
        await self._request("DELETE", "")

    async def _request(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        return await self._holm.request(method, f"/api/sessions/{self.id}{path}", body)

    # Work.

    async def ask(self, text: str, *, approve: Approve | None = None, reply: Reply | None = None) -> Result:
        """Sends a prompt and waits for the answer.

        `approve` decides about calls that need approval; without it they are denied. Raises `RunError` if the work ends
        without an answer.
        """
        return await _answer(self.stream(text, approve=approve or _deny, reply=reply or _decline))

    async def stream(
        self, text: str, *, approve: Approve | None = None, reply: Reply | None = None
    ) -> AsyncGenerator[Frame, None]:
        """Sends a prompt and gives all frames of the work; the last one is `Ended`.

        Without `approve`, questions stay open: answer them with `answer`, or leave them to a person.
        """
        after = await self._position()
        await self._request("POST", "/prompt", {"text": text})
        async with aclosing(self._work(after, approve, reply)) as frames:
            async for frame in frames:
                yield frame

    async def wait(self, *, approve: Approve | None = None, reply: Reply | None = None) -> Result:
        """Waits for the work under way, or gives the result of the last work. For a session that another program began."""
        return await _answer(self.resume(approve=approve or _deny, reply=reply or _decline))

    async def resume(self, *, approve: Approve | None = None, reply: Reply | None = None) -> AsyncGenerator[Frame, None]:
        """Gives the frames of the work under way from its beginning, or of the last work."""
        after = await self._last_work()
        async with aclosing(self._work(after, approve, reply)) as frames:
            async for frame in frames:
                yield frame

    async def ask_value(
        self, text: str, schema: dict[str, Any], *, approve: Approve | None = None, reply: Reply | None = None
    ) -> Result:
        """Asks for a value that matches a JSON Schema. `value` of the result has it.

        The server checks the value and asks the model again if it does not match. The work stops if this program ends.
        """
        after = await self._position()
        format = {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema, "strict": True}}
        body = {"model": self._agent, "messages": [{"role": "user", "content": text}], "response_format": format}
        sent = asyncio.create_task(
            self._holm.request("POST", "/v1/chat/completions", body, headers={"x-holm-session": self.id}, timeout=None)
        )
        watching = asyncio.create_task(self._answer_questions(after, approve or _deny, reply or _decline))
        try:
            await asyncio.wait({sent, watching}, return_when=asyncio.FIRST_COMPLETED)
            if watching.done() and not sent.done() and (failed := watching.exception()):
                raise failed
            said = (await sent)["choices"][0]["message"]["content"]
        finally:
            watching.cancel()
            sent.cancel()
            await asyncio.gather(watching, sent, return_exceptions=True)
        return Result(session=self.id, text=said, ending="answered", value=json.loads(said))

    async def watch(self, after: str = BEGINNING) -> AsyncGenerator[Frame, None]:
        """Gives every frame after a cursor, for as long as the server runs; reconnects after a lost connection.

        `cursor` of a frame is where a later call continues.
        """
        asked = _SeenQuestions()
        pause, lost_at = 0.1, None
        loop = asyncio.get_running_loop()
        while True:
            try:
                async with aclosing(self._connection(after)) as frames:
                    async for kind, cursor, data in frames:
                        pause, lost_at = 0.1, None
                        after = cursor or after
                        frame = frame_of(kind, after, data)
                        if frame is not None and not asked.has(frame):
                            yield frame
            except httpx.TransportError as error:
                lost_at = lost_at or loop.time()
                if loop.time() - lost_at > _RECONNECT_S:
                    raise ConnectionLost(f"the server at {self._holm.url} cannot be reached: {error}") from error
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE_S)

    async def _connection(self, after: str) -> AsyncGenerator[tuple[str, str, dict[str, Any]], None]:
        """The frames of one connection."""
        parser = SseParser()
        query = {"after": after}
        timeout = httpx.Timeout(_SILENCE_S)
        async with self._holm.stream("GET", f"/api/sessions/{self.id}/events", query=query, timeout=timeout) as response:
            async for line in response.aiter_lines():
                for kind, cursor, data in parser.line(line):
                    yield kind, cursor, json.loads(data)

    async def _position(self) -> str:
        """The cursor after the last record of the journal."""
        records = (await self.view())["records"]
        return f"{records - 1}.{_AFTER_RECORD}" if records else BEGINNING

    async def _last_work(self) -> str:
        """The cursor before the work under way, or before the last work if there is none under way."""
        pause = 0.1
        while True:
            events = [event for event in await self.replay() if event.name in ("group_started", "group_ended")]
            begins = [event for event in events if event.name == "group_started"]
            is_over = not events or events[-1].name == "group_ended"
            # A prompt that waits for its turn has no event yet.
            if not is_over or (await self.view())["state"] not in ("working", "waiting"):
                break
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE_S)
        if not begins:
            raise ApiError(409, "idle", f"the session {self.id} has no work to wait for")
        return f"{begins[-1].record - 1}.{_AFTER_RECORD}" if begins[-1].record else BEGINNING

    async def _work(
        self, after: str, approve: Approve | None, reply: Reply | None
    ) -> AsyncGenerator[Frame, None]:
        """The frames of one piece of work. The end of work that began before does not count."""
        begun, text = False, ReplyText()
        answering = set[asyncio.Task[None]]()
        async with aclosing(self.watch(after)) as frames:
            arriving = asyncio.create_task(_next(frames))
            try:
                while True:
                    # An error of a function that answers ends the stream at once: no further frame may come.
                    await asyncio.wait({arriving, *answering}, return_when=asyncio.FIRST_COMPLETED)
                    for task in [task for task in answering if task.done()]:
                        answering.discard(task)
                        task.result()
                    if not arriving.done():
                        continue
                    frame = arriving.result()
                    if frame is None:
                        return
                    if missing := text.missing(frame):
                        yield missing
                    yield frame
                    if isinstance(frame, QuestionAsked):
                        answering.add(asyncio.create_task(self._settle(frame, approve, reply)))
                    begun = begun or (isinstance(frame, Event) and frame.name == "group_started")
                    if begun and isinstance(frame, Event) and frame.name == "group_ended":
                        yield Ended(result_of(self.id, frame.data), frame.cursor)
                        return
                    arriving = asyncio.create_task(_next(frames))
            finally:
                for waiting in (arriving, *answering):
                    waiting.cancel()
                await asyncio.gather(arriving, *answering, return_exceptions=True)

    async def _answer_questions(self, after: str, approve: Approve, reply: Reply) -> None:
        async with aclosing(self._work(after, approve, reply)) as frames:
            async for _ in frames:
                pass

    async def _settle(self, asked: QuestionAsked, approve: Approve | None, reply: Reply | None) -> None:
        """Answers a question, if there is a function for it."""
        approval = asked.approval
        if approval is not None:
            if self._holm.allows(approval):
                await self._send_answer(asked.id, "once", approval.digest)
            elif approve is not None:
                await self._send_answer(asked.id, answer_of(await call(approve, approval)), approval.digest)
        elif reply is not None:
            said = await call(reply, asked.question)
            answer: api_types.Answered = (
                "decline" if said is None else {"words": said} if isinstance(said, str) else {"form": said}
            )
            await self._send_answer(asked.id, answer, None)

    async def _send_answer(self, question: int, answer: api_types.Answered, digest: str | None) -> None:
        """Sends an answer, again and again while the server cannot be reached."""
        pause, loop = 0.1, asyncio.get_running_loop()
        deadline = loop.time() + _RECONNECT_S
        while True:
            try:
                return await self.answer(question, answer, digest)
            except ApiError as error:
                # Another program or a person was faster, the call was withdrawn, or the server asks under a new number.
                if error.status in (404, 409):
                    return
                raise
            except ConnectionLost:
                if loop.time() > deadline:
                    raise
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE_S)


class _SeenQuestions:
    """Tells questions that come again from new ones.

    An open question comes again with each connection. A server that was started again may use a number for another
    question, so the content counts too.
    """

    def __init__(self) -> None:
        self._open: dict[int, api_types.Question] = {}

    def has(self, frame: Frame) -> bool:
        """Whether the frame is a question that was seen before."""
        if isinstance(frame, QuestionSettled):
            self._open.pop(frame.id, None)
        if not isinstance(frame, QuestionAsked):
            return False
        is_known = self._open.get(frame.id) == frame.question
        self._open[frame.id] = frame.question
        return is_known


async def _next(frames: AsyncGenerator[Frame, None]) -> Frame | None:
    return await anext(frames, None)


def _deny(_: object) -> Decision:
    return Deny("this program answers no questions about calls")


def _decline(_: api_types.Question) -> None:
    return None


async def _answer(frames: AsyncGenerator[Frame, None]) -> Result:
    """The result of some work."""
    result: Result | None = None
    async for frame in frames:
        if isinstance(frame, Ended):
            result = replace(frame.result)
    if result is None:
        raise ConnectionLost("the stream ended before the work did")
    if not result.is_answer:
        raise RunError(result)
    return result
