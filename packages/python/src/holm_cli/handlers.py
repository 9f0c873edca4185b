"""Calls the functions that answer questions. They may be plain functions or coroutines."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias, TypeVar, cast

from . import api_types
from .events import Approval, Decision

T = TypeVar("T")

#: Decides about a call that needs approval.
Approve: TypeAlias = "Callable[[Approval], Decision | Awaitable[Decision]]"

#: Answers a question of the model (`words`) or of an MCP server (`form`); `None` declines.
Reply: TypeAlias = Callable[[api_types.Question], str | dict[str, Any] | None | Awaitable[str | dict[str, Any] | None]]


async def call(function: Callable[..., T | Awaitable[T]], *args: Any, **named: Any) -> T:
    """Calls a function. A plain one runs in a thread, so that it may block without delaying events."""
    if inspect.iscoroutinefunction(function):
        return cast(T, await function(*args, **named))
    made = await asyncio.to_thread(function, *args, **named)
    if inspect.isawaitable(made):
        return cast(T, await made)
    return made
