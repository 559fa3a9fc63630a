"""An event loop for asyncio in virtual time, one callback a step: the daemon can die between any two of them.

Only what the daemon uses: callbacks, timers, futures, tasks. No files, sockets or threads: those are played.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import math
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, cast

from tumbler.sim.clockwork import SECOND, Clockwork


class Handle:
    __slots__ = ("_args", "_callback", "_cancelled", "_context", "_when")

    def __init__(self, callback: Callable[..., Any], args: tuple[Any, ...], context: Any, when: float) -> None:
        self._callback, self._args = callback, args
        self._context = context if context is not None else contextvars.copy_context()
        self._cancelled = False
        self._when = when

    def cancel(self) -> None:
        self._cancelled = True

    def cancelled(self) -> bool:
        return self._cancelled

    def when(self) -> float:
        return self._when

    def run(self) -> None:
        self._context.run(self._callback, *self._args)


class VirtualLoop:
    """Has what tasks, futures and timeouts ask of a loop; not derived from asyncio's, which asks for forty methods more."""

    def __init__(self, clockwork: Clockwork) -> None:
        self._clockwork = clockwork
        self._handler: Callable[[Any, dict[str, Any]], Any] | None = None
        self._begun: list[Coroutine[Any, Any, Any]] = []
        self.ready: deque[Handle] = deque()
        self.dead = False

    def run_one(self) -> None:
        """The next callback. A task swallows what its coroutine raises; nothing else may raise here."""
        handle = self.ready.popleft()
        if handle.cancelled():
            return
        asyncio._set_running_loop(self._as_loop())
        try:
            handle.run()
        finally:
            asyncio._set_running_loop(None)

    def _as_loop(self) -> asyncio.AbstractEventLoop:
        return cast(asyncio.AbstractEventLoop, self)

    def die(self) -> None:
        """Nothing of this loop runs any more; what its coroutines do when they are collected goes nowhere."""
        self.dead = True
        self.ready.clear()
        for work in self._begun:
            if inspect.getcoroutinestate(work) == inspect.CORO_CREATED:
                work.close()  # was to start at the next callback: Python would warn that nobody awaited it
        self._begun.clear()

    # --- what asyncio asks for ------------------------------------------------------------------------------------------

    def time(self) -> float:
        return self._clockwork.now / SECOND

    def call_soon(self, callback: Any, *args: Any, context: Any = None) -> Any:
        handle = Handle(callback, args, context, 0.0)
        if not self.dead:
            self.ready.append(handle)
        return handle

    def call_soon_threadsafe(self, callback: Any, *args: Any, context: Any = None) -> Any:
        return self.call_soon(callback, *args, context=context)

    def call_later(self, delay: float, callback: Any, *args: Any, context: Any = None) -> Any:
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def call_at(self, when: float, callback: Any, *args: Any, context: Any = None) -> Any:
        handle = Handle(callback, args, context, when)
        self._clockwork.at(math.ceil(when * SECOND), lambda: self._due(handle))
        return handle

    def _due(self, handle: Handle) -> None:
        if not self.dead and not handle.cancelled():
            self.ready.append(handle)

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.Future(loop=self._as_loop())

    def create_task(self, coro: Any, **options: Any) -> Any:
        work: Coroutine[Any, Any, Any] = coro
        self._begun.append(work)
        return asyncio.Task(work, loop=self._as_loop(), **options)

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> Any:
        """At once: in virtual time a thread of its own has no meaning."""
        future = self.create_future()
        future.set_result(func(*args))
        return future

    def get_debug(self) -> bool:
        return False

    def is_running(self) -> bool:
        return not self.dead

    def is_closed(self) -> bool:
        return self.dead

    def set_exception_handler(self, handler: Any) -> None:
        self._handler = handler

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        if not self.dead and self._handler is not None:
            self._handler(self, context)

    def add_signal_handler(self, sig: int, callback: Any, *args: Any) -> None:
        """Nobody sends signals here: a daemon is killed."""
