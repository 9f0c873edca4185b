"""Drives Holm's agents from Python.

`Holm` and `Session` are for ordinary programs, `AsyncHolm` and `AsyncSession` for asyncio; both talk to `holm serve`.
`AcpAgent` and `AsyncAcpAgent` drive a child process over standard streams instead, without a server.
"""

from . import api_types
from .acp import AsyncAcpAgent, AsyncAcpSession
from .client import AsyncHolm
from .errors import ApiError, CommandNotFound, ConnectionLost, HolmError, RunError, StartError, ToolError
from .events import (
    BEGINNING, Approval, Decision, Delta, Deny, Ended, Event, Frame, Note, Progress, QuestionAsked, QuestionSettled, Result,
)  # fmt: skip
from .handlers import Approve, Reply
from .process import find_command
from .session import AsyncSession
from .sync import Holm, Session
from .sync_acp import AcpAgent, AcpSession
from .tools import Tool, tool

__all__ = [
    "BEGINNING", "AcpAgent", "AcpSession", "ApiError", "Approval", "Approve", "AsyncAcpAgent",
    "AsyncAcpSession", "AsyncHolm", "AsyncSession", "CommandNotFound", "ConnectionLost", "Decision", "Delta", "Deny", "Ended", "Event", "Frame", "Holm", "HolmError", "Note", "Progress",
    "QuestionAsked", "QuestionSettled", "Reply", "Result", "RunError", "Session", "StartError", "Tool", "ToolError",
    "api_types", "find_command", "tool",
]  # fmt: skip
