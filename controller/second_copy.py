"""The second copy of a running table's journal: a helper process that makes it, and an alarm when it does not.

The loss of the copy is an alarm and no stop: the table plays on, and the copy catches up by itself when its medium
is back. The helper says after each update how far the copy is; from its silence, whatever the cause, follows that the
copy may be behind.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path

from controller.config import Config
from controller.core.state import Table
from hal.port import PartFailed, PartMended, Stamp

_log = logging.getLogger(__name__)

EVERY_S = 2.0
"""The helper sleeps so long between two updates."""

ALARM_AFTER_S = 15.0
"""A copy of which nothing was heard for so long counts as lost. Until then it is at most so far behind."""

EXAMINE_S = 86_400.0
"""The whole copy is verified when it has caught up, and again so often: its chain, its links, its balances."""

AGAIN_S = 5.0
"""A helper that has ended is started again after so long."""

LEAVE_S = 20.0
"""A helper may take so long for its last update, when the table ends."""


def helper(config: Config, copy: Path) -> list[str]:
    """The command that makes the copy, again and again, until its standard input ends."""
    command = [sys.executable, "-m", "controller.cli", "journal", "copy", "--other-medium", "--follow", str(EVERY_S)]
    return [*command, "--journal", str(config.journal), "--to", str(copy), "--language", config.language]


class SecondCopy:
    """Keeps a helper at work from its making until `end`. Without a command nothing is copied.

    `tell` takes signals to the table, `table` is it now, `now` stamps. `verified` verifies the whole copy, as
    `controller.care.verified` does.
    """

    def __init__(
        self,
        command: Sequence[str] | None,
        table: Callable[[], Table],
        tell: Callable[[PartFailed | PartMended], None],
        now: Callable[[], Stamp],
        verified: Callable[[], Awaitable[str | None]],
        *,
        patience: float = ALARM_AFTER_S,
        again: float = AGAIN_S,
    ) -> None:
        self._patience = patience
        self._again = again
        self._command = command
        self._table = table
        self._tell = tell
        self._now = now
        self._verified = verified
        self._loop = asyncio.get_running_loop()
        self._said = ""
        self._ending = False
        self._well = False
        self._damage = ""
        self._examining: asyncio.Task[None] | None = None
        self._process: Process | None = None
        self._deaf: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        if command is None:
            self._report(PartMended)  # nobody wants one any more
        else:
            self._listen_again()
            self._task = self._loop.create_task(self._keep(command))

    async def end(self) -> None:
        """Let the helper make its last update, and leave. Call it when the journal is closed. Never raises."""
        self._ending = True
        for running in (self._deaf, self._examining):
            if running is not None:
                running.cancel()
        if self._task is None:
            return
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            done, _ = await asyncio.wait([self._task], timeout=LEAVE_S)
            if not done:
                _log.error("the second copy of the journal is left behind: its medium does not answer")
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task

    async def _keep(self, command: Sequence[str]) -> None:
        while not self._ending:
            try:
                self._process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, stderr=PIPE)
            except OSError as error:
                self._said = str(error)
            else:
                await self._hear(self._process)
            self._process = None
            if not self._ending:
                await asyncio.sleep(self._again)

    async def _hear(self, process: Process) -> None:
        """Everything that one helper says, until it ends."""
        assert process.stdout is not None
        assert process.stderr is not None
        complaint = asyncio.ensure_future(process.stderr.read())
        try:
            with suppress(ProcessLookupError, PermissionError):
                os.setpriority(os.PRIO_PROCESS, process.pid, 19)
            while await process.stdout.readline():
                self._heard()
            self._said = " ".join((await complaint).decode(errors="replace").split())
            await process.wait()
        finally:
            complaint.cancel()
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    process.kill()
                with suppress(TimeoutError):  # one that waits for a medium that hangs does not even die
                    await asyncio.wait_for(process.wait(), 1)

    def _heard(self) -> None:
        self._listen_again()
        self._said = ""
        if not self._well:
            self._well = True
            self._judge()
        if self._examining is None:
            self._examining = self._loop.create_task(self._examine())

    async def _examine(self) -> None:
        """Verify the whole copy, now and then."""
        while True:
            complaint = await self._verified()
            if complaint is not None:
                if complaint:
                    _log.error("the second copy of the journal is not sound: %s", complaint)
                self._damage = complaint
                self._judge()
            await asyncio.sleep(EXAMINE_S)

    def _listen_again(self) -> None:
        if self._deaf is not None:
            self._deaf.cancel()
        self._deaf = self._loop.call_later(self._patience, self._silent)

    def _silent(self) -> None:
        """Nothing was heard for too long: tell the table, and the log why, once."""
        self._deaf = None
        self._well = False
        _log.error("there is no second copy of the journal: %s", self._said or "nothing is heard of it")
        self._judge()

    def _judge(self) -> None:
        self._report(PartMended if self._well and not self._damage else PartFailed)

    def _report(self, what: type[PartFailed] | type[PartMended]) -> None:
        if ("copy" in self._table().failed) is (what is PartMended):
            self._tell(what(0, "copy", self._now()))
