"""The errors of this package. Every one of them is a `HolmError`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .events import Result


class HolmError(Exception):
    """The base of all errors of this package."""


class CommandNotFound(HolmError):
    """There is no `holm` command on this machine."""


class StartError(HolmError):
    """`holm serve` or `holm acp` did not start."""


class ConnectionLost(HolmError):
    """The server, or the child process, cannot be reached any more."""


class ApiError(HolmError):
    """The server refused a request."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(f"{message} ({status} {code})")
        self.status = status
        self.code = code
        self.message = message


class RunError(HolmError):
    """The run ended without an answer: it was cancelled, a limit ended it, or the model failed."""

    def __init__(self, result: Result) -> None:
        super().__init__(f"the run ended as `{result.ending}`: {result.reason}")
        self.result = result


class ToolError(HolmError):
    """A function cannot be offered as a tool."""
