"""What a session sends while it works, and what it comes to.

The types are the same for a server and for a child process. This module does no I/O: `session.py` and `acp.py` read the
connections and make these values.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

from . import api_types

#: The cursor before the first event of a session.
BEGINNING = "-"


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of a reply that is arriving. The event `message_added` has the whole reply."""

    #: `text`, `thinking`, `tool_call` (the tool's name) or `tool_arguments`.
    kind: str
    text: str
    #: The number of the model call.
    call: int
    #: Where the piece begins within the text of its kind, in bytes.
    offset: int
    cursor: str


@dataclass(frozen=True, slots=True)
class Event:
    """An event of the journal. `name` says what happened, such as `call_proposed` or `group_ended`."""

    name: str
    data: dict[str, Any]
    record: int
    index: int
    #: Milliseconds since 1970.
    at: int
    cursor: str


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a tool is. It is not kept."""

    call: int
    text: str
    done: int | None
    total: int | None
    cursor: str


@dataclass(frozen=True, slots=True)
class Note:
    """A note from Holm for people. It is not kept."""

    text: str
    cursor: str


@dataclass(frozen=True, slots=True)
class QuestionAsked:
    """A person, or this program, is asked. The call waits for the answer."""

    id: int
    question: api_types.Question
    cursor: str

    @property
    def approval(self) -> Approval | None:
        """The call that needs approval, if this question is about one."""
        asked = cast(dict[str, Any], self.question).get("approval")
        return None if asked is None else Approval.of_question(asked)


@dataclass(frozen=True, slots=True)
class QuestionSettled:
    """A question is no longer open."""

    id: int
    cursor: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The work is over. It is the last frame of a stream."""

    result: Result
    cursor: str


Frame: TypeAlias = Delta | Event | Progress | Note | QuestionAsked | QuestionSettled | Ended


@dataclass(frozen=True, slots=True)
class Approval:
    """A call that waits for approval."""

    tool: str
    arguments: dict[str, Any]
    #: How much the call can change: `none`, `read-only`, `write` or `execute`.
    level: str = ""
    needs: tuple[str, ...] = ()
    #: The needs that are not granted.
    missing: tuple[str, ...] = ()
    #: Why approval is needed.
    reasons: tuple[str, ...] = ()
    #: For shells: the command as a user would type it.
    command: str | None = None
    #: SHA-256 of the tool and its arguments. An answer with it counts for this call alone.
    digest: str = ""

    @classmethod
    def of_question(cls, asked: api_types.QuestionApprovalContent) -> Approval:
        return cls(
            tool=asked["tool"],
            arguments=parsed(asked["arguments"]),
            level=asked["level"],
            needs=tuple(asked["needs"]),
            missing=tuple(asked["missing"]),
            reasons=tuple(asked["reasons"]),
            command=asked.get("command"),
            digest=asked["digest"],
        )


@dataclass(frozen=True, slots=True)
class Deny:
    """Denies a call, with a reason that the model reads."""

    reason: str = "the program that drives this session said no"


#: The answer to an approval. `True` allows this call once, `False` denies it; the server's own answers, such as `"session"`,
#: say more.
Decision: TypeAlias = "bool | Deny | api_types.Answered"


@dataclass(frozen=True, slots=True)
class Result:
    """What the work came to."""

    session: str
    #: The answer. It is empty if `ending` is not `answered`.
    text: str
    #: `answered`, `refused`, `rejected`, `looping`, `over_budget`, `over_limit`, `cancelled` or `failed`.
    ending: str
    #: Why there is no answer, in words.
    reason: str = ""
    #: The value, if a JSON Schema was given.
    value: Any = None
    #: Tokens of the whole session.
    usage: dict[str, int] = field(default_factory=dict)
    #: Money of the whole session, in billionths of a US dollar.
    spent_nano_usd: int = 0

    @property
    def is_answer(self) -> bool:
        return self.ending == "answered"


def parsed(arguments: str) -> dict[str, Any]:
    """The arguments of a call. Text that is not a JSON object is kept under `raw`."""
    try:
        value = json.loads(arguments)
    except ValueError:
        return {"raw": arguments}
    return value if isinstance(value, dict) else {"raw": value}


def answer_of(decision: Decision) -> api_types.Answered:
    """The server's form of a decision."""
    if decision is True:
        return "once"
    if decision is False:
        return {"no": {"reason": Deny().reason}}
    if isinstance(decision, Deny):
        return {"no": {"reason": decision.reason}}
    return decision


def result_of(session: str, ended: dict[str, Any]) -> Result:
    """Reads the event `group_ended`."""
    ending = ended["ending"]
    name, data = next(iter(ending.items())) if isinstance(ending, dict) else (ending, {})
    text = data.get("text", "") if name == "answered" else ""
    reason = data.get("reason") or data.get("message") or ", ".join(f"{key} {value}" for key, value in data.items())
    return Result(
        session=session,
        text=text,
        ending=name,
        reason="" if name == "answered" else reason,
        usage=ended.get("usage") or {},
        spent_nano_usd=ended.get("spent") or 0,
    )


def frame_of(kind: str, cursor: str, data: dict[str, Any]) -> Frame | None:
    """Makes a frame from the server's name and content; `None` for kinds that only concern the connection."""
    match kind:
        case "event":
            event = data["event"]
            name, content = next(iter(event.items())) if isinstance(event, dict) else (event, {})
            return Event(name, content, data["id"]["record"], data["id"]["index"], data["at"], cursor)
        case "delta":
            return Delta(data["kind"], data["text"], data["call"], data["offset"], cursor)
        case "progress":
            return Progress(data["call"], data["text"], data.get("done"), data.get("total"), cursor)
        case "note":
            return Note(data["text"], cursor)
        case "question":
            return QuestionAsked(data["id"], data["question"], cursor)
        case "question_settled":
            return QuestionSettled(data["id"], cursor)
    return None


class ReplyText:
    """Finds the text of a reply that arrived in no piece. The server sends none once the reply is complete."""

    def __init__(self) -> None:
        self._call: int | None = None
        self._end = 0

    def missing(self, frame: Frame) -> Delta | None:
        """Takes the next frame; gives the text that belongs before it."""
        if isinstance(frame, Delta):
            if frame.kind == "text" and frame.call == self._call:
                self._end = frame.offset + len(frame.text.encode())
            return None
        if not isinstance(frame, Event):
            return None
        if frame.name == "model_called":
            self._call, self._end = frame.data["call"], 0
            return None
        if frame.name != "message_added" or frame.data["message"]["role"] != "assistant" or self._call is None:
            return None
        call, self._call = self._call, None
        blocks = frame.data["message"]["blocks"]
        text = "".join(block["text"] for block in blocks if isinstance(block.get("text"), str)).encode()
        rest = text[self._end :].decode(errors="replace")
        return Delta("text", rest, call, self._end, frame.cursor) if rest else None


class SseParser:
    """Reads server-sent events from lines."""

    def __init__(self) -> None:
        self._name, self._id, self._data = "", "", list[str]()

    def line(self, line: str) -> Iterator[tuple[str, str, str]]:
        """Takes the next line; gives name, id and data of an event that it completes."""
        if line == "":
            if self._data:
                yield self._name or "message", self._id, "\n".join(self._data)
            self._name, self._data = "", []
            return
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            self._name = value
        elif name == "data":
            self._data.append(value)
        elif name == "id":
            self._id = value
