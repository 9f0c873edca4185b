"""Finds the `holm` command and starts `holm serve`.

A server that this package starts ends with the program that started it, even after `kill -9`: a small shell waits at a
pipe from this program, and stops the server when the pipe closes. Work that is interrupted in this way continues at the
next start with the same data folder.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from .errors import CommandNotFound, ConnectionLost, StartError

#: Starts the server, then waits until standard input ends. The shell closes its own standard output, so that this program
#: sees the end of the server's output when the server ends.
_SUPERVISOR = """
"$@" </dev/null & server=$!
exec >&-
cat >/dev/null
kill "$server" 2>/dev/null
wait "$server"
"""

#: A server of a killed program may take 20 seconds to stop; until then its data folder is in use.
_FOLDER_PATIENCE_S = 40.0

#: A debug build on a busy machine starts within this time.
_START_PATIENCE_S = 60.0

#: The server parks its runs after 20 seconds.
_STOP_PATIENCE_S = 40.0

#: The server's message if another server has the data folder.
_FOLDER_IN_USE = "another server is using"


def find_command(command: str | os.PathLike[str] | None = None) -> str:
    """The path of the `holm` command: the one given, `$HOLM_BIN`, the one in this package, or the one in `PATH`."""
    if command is not None:
        found = shutil.which(command)
        if found is None:
            raise CommandNotFound(f"`{command}` is not a command")
        return found
    if given := os.environ.get("HOLM_BIN"):
        return find_command(given)
    packaged = Path(__file__).parent / "bin" / "holm"
    found = str(packaged) if packaged.is_file() else shutil.which("holm")
    if found is None:
        raise CommandNotFound("`holm` is not in PATH; install it, or pass command=")
    return found


def environment(data: str | os.PathLike[str] | None, env: Mapping[str, str] | None) -> dict[str, str]:
    """The variables of a process: those given, or this program's own, with the data folder."""
    made = dict(os.environ if env is None else env)
    if data is not None:
        made["HOLM_DATA"] = str(Path(data).absolute())
    return made


def data_folder(env: Mapping[str, str]) -> Path:
    """The data folder that the command uses with these variables."""
    if given := env.get("HOLM_DATA"):
        return Path(given)
    if share := env.get("XDG_DATA_HOME"):
        return Path(share) / "holm"
    return Path(env.get("HOME", "~")).expanduser() / ".local" / "share" / "holm"


class ServerProcess:
    """A `holm serve` that ends with this program."""

    def __init__(self, process: asyncio.subprocess.Process, log: IO[bytes], url: str, token: str) -> None:
        self._process, self._log = process, log
        self.url, self.token = url, token

    @classmethod
    async def start(
        cls,
        *,
        command: str | os.PathLike[str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        data: str | os.PathLike[str] | None = None,
        options: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
    ) -> ServerProcess:
        """Starts a server on a free port of this machine. `options` are options of `holm run` for every session."""
        if sys.platform == "win32":
            raise StartError("a server cannot be started from here on Windows; start `holm serve` and connect to it")
        line = [find_command(command), "serve", "--listen", "127.0.0.1:0", "--", *options]
        env = environment(data, env)
        deadline = asyncio.get_running_loop().time() + _FOLDER_PATIENCE_S
        while True:
            process, log = await _spawn(line, cwd, env)
            url = await _address(process)
            if url:
                token = (data_folder(env) / "server" / "token").read_text().strip()
                return cls(process, log, url, token)
            await _stop(process)
            said = _written(log)
            log.close()
            if _FOLDER_IN_USE not in said or asyncio.get_running_loop().time() > deadline:
                raise StartError(f"`holm serve` did not start: {said.strip() or 'it said nothing'}")
            await asyncio.sleep(0.2)

    @property
    def log(self) -> str:
        """What the server wrote to standard error so far."""
        return _written(self._log)

    async def stop(self) -> None:
        """Stops the server. Runs may finish; the rest continues at the next start."""
        await _stop(self._process)
        self._log.close()


async def _spawn(
    line: list[str], cwd: str | os.PathLike[str] | None, env: dict[str, str]
) -> tuple[asyncio.subprocess.Process, IO[bytes]]:
    # A file and not a pipe: a server whose pipe is full would wait, and one whose reader has died would fail.
    log = tempfile.TemporaryFile()
    try:
        process = await asyncio.create_subprocess_exec(
            "/bin/sh", "-c", _SUPERVISOR, "holm-supervisor", *line,
            cwd=cwd, env=env, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=log,
            # Ctrl-C at the terminal is for this program, which then stops the server.
            start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        log.close()
        raise StartError(f"cannot start the server in {cwd or os.getcwd()}: {error}") from error
    return process, log


async def _address(process: asyncio.subprocess.Process) -> str:
    """The address that the server prints first; empty if it ended before that."""
    assert process.stdout is not None
    try:
        line = await asyncio.wait_for(process.stdout.readline(), _START_PATIENCE_S)
    except TimeoutError:
        return ""
    return line.decode().strip()


async def _stop(process: asyncio.subprocess.Process) -> None:
    if process.stdin is not None:
        process.stdin.close()
    try:
        await asyncio.wait_for(process.wait(), _STOP_PATIENCE_S)
    except TimeoutError:
        raise ConnectionLost(f"the server did not stop within {_STOP_PATIENCE_S:.0f} s") from None


def _written(log: IO[bytes]) -> str:
    if log.closed:
        return ""
    log.seek(0)
    return log.read().decode(errors="replace")
