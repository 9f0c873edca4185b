"""The stage of a test: a provider double, a folder to work in, a data folder, and the real command."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from double import Double
from holm_cli import AsyncAcpAgent, AsyncHolm, Holm, find_command

PACKAGE = Path(__file__).parent.parent

# Longer than a debug build on a busy machine takes for anything here.
PATIENCE_S = 60


class Stage:
    def __init__(self, root: Path) -> None:
        self.command = find_command()
        self.double = Double()
        self.work, self.data = root / "work", root / "data"
        self.work.mkdir()
        (self.work / "notes.txt").write_text("Call Grace on Monday.\n")
        # Nothing of the caller's environment but the way to programs: no key and no setting may change a test.
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(root),
            "OPENAI_API_KEY": "sk-double",
            "OPENAI_BASE_URL": self.double.url,
        }
        self.options = ["--model", "openai-chat/double", "--grant", "read:**"]

    def given(self, **more):
        return {"command": self.command, "data": self.data, "options": self.options, "env": self.env, **more}

    def start(self, **more) -> Holm:
        return Holm.start(cwd=self.work, **self.given(**more))

    async def start_async(self, **more) -> AsyncHolm:
        return await AsyncHolm.start(cwd=self.work, **self.given(**more))

    async def start_acp(self, **more) -> AsyncAcpAgent:
        return await AsyncAcpAgent.start(**self.given(**more))

    def program(self, text: str, *args: object) -> subprocess.Popen[str]:
        """Another Python program. It finds its arguments and the stage in `given`."""
        given = {"data": str(self.data), "work": str(self.work), "options": self.options, "env": self.env}
        given |= {"command": self.command, "args": [str(arg) for arg in args]}
        head = f"import json, sys\nfrom holm_cli import *\ngiven = json.loads({json.dumps(json.dumps(given))})\n"
        env = {**os.environ, "PYTHONPATH": str(PACKAGE / "src")}
        return subprocess.Popen([sys.executable, "-c", head + text], stdout=subprocess.PIPE, text=True, env=env)

    def close(self) -> None:
        self.double.close()


def script(*replies: dict, text: str = "") -> str:
    """A prompt that tells the double what to reply."""
    return f"{text} script: {json.dumps(replies)}"


def until(holds, what: str):
    """Waits until something holds, and gives it."""
    began = time.monotonic()
    while not (found := holds()):
        assert time.monotonic() - began < PATIENCE_S, f"waited too long: {what}"
        time.sleep(0.05)
    return found


@pytest.fixture
def stage(tmp_path):
    made = Stage(tmp_path)
    yield made
    made.close()
