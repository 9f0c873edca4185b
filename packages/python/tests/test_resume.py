"""Programs and servers that end at a bad moment, beyond the scenarios."""

import os
import signal
import socket
import subprocess
import threading

from conftest import script, until
from holm_cli import AsyncSession, Event, Holm, QuestionAsked, QuestionSettled
from holm_cli.session import _SeenQuestions
from test_scenarios import WRITE, token


def serve(stage, port: int) -> subprocess.Popen[str]:
    """A server at a known port, started by hand."""
    line = [stage.command, "serve", "--listen", f"127.0.0.1:{port}", "--", *stage.options]
    env = {**stage.env, "HOLM_DATA": str(stage.data)}
    server = subprocess.Popen(line, cwd=stage.work, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert server.stdout.readline().startswith("http://")
    return server


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def test_a_stream_goes_on_when_its_server_was_killed_and_started_again(stage):
    gate, port = stage.work / "gate", free_port()
    server = serve(stage, port)
    read = {"call": "read", "with": {"path": "notes.txt"}}
    try:
        with Holm.connect(f"http://127.0.0.1:{port}", token(stage)) as holm:
            seen = []
            for frame in holm.create().stream(script(read, {"results": "", "until": str(gate)})):
                if isinstance(frame, Event):
                    seen.append((frame.record, frame.index))
                if isinstance(frame, Event) and frame.name == "model_called" and frame.data["turn"] == 2 and not gate.exists():
                    os.kill(server.pid, signal.SIGKILL)
                    server.wait()
                    gate.touch()
                    server = serve(stage, port)
            assert "Call Grace on Monday" in frame.result.text
            assert seen == sorted(set(seen)), "no event is missing, and none comes twice"
    finally:
        server.terminate()
        server.wait()


def test_a_resumed_run_calls_the_functions_of_the_next_program(stage):
    def add(a: int, b: int) -> int:
        """Adds two numbers."""
        return a + b

    call = {"call": "python_add", "with": {"a": 40, "b": 2}}
    program = stage.program(
        '''
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b

stage = {name: given[name] for name in ("command", "data", "options", "env")}
session = Holm.start(cwd=given["work"], tools=[add], **stage).create("sums")
for frame in session.stream(given["args"][0]):
    if isinstance(frame, QuestionAsked):
        print(frame.approval.tool, flush=True)
''',
        script(call, WRITE, call, {"results": ""}),
    )
    assert program.stdout.readline().strip() == "python_add", "the program allows its own function"
    assert program.stdout.readline().strip() == "write", "this question stays open"
    os.kill(program.pid, signal.SIGKILL)
    program.communicate()
    with stage.start(tools=[add]) as holm:
        result = holm.open("sums").wait(approve=lambda approval: approval.tool == "write")
    # Between the seals of the results, which are random and may contain the number too.
    assert result.text.count(">42<") == 2


def test_a_server_ends_with_the_program_that_started_it(stage):
    program = stage.program(
        '''
stage = {name: given[name] for name in ("command", "data", "options", "env")}
holm = Holm.start(cwd=given["work"], **stage)
print(holm.url, flush=True)
input()
''',
    )
    port = int(program.stdout.readline().rsplit(":", 1)[1])

    def is_listening() -> bool:
        with socket.socket() as one:
            return one.connect_ex(("127.0.0.1", port)) == 0

    assert is_listening()
    os.kill(program.pid, signal.SIGKILL)
    program.communicate()
    until(lambda: not is_listening(), "the server ends")


def test_a_question_that_comes_again_is_answered_once(stage, monkeypatch):
    # A connection without a sign of life is lost; each new one brings the open question again.
    monkeypatch.setattr("holm_cli.session._SILENCE_S", 0.3)
    asked, connections = [], []
    connect = AsyncSession._connection

    def counted(session, after):
        connections.append(after)
        return connect(session, after)

    monkeypatch.setattr(AsyncSession, "_connection", counted)

    def approve(approval):
        asked.append(approval.tool)
        until(lambda: len(connections) >= 3, "two more connections")
        return True

    with stage.start() as holm:
        assert holm.create().ask(script(WRITE, {"say": "Saved."}), approve=approve).text == "Saved."
    assert asked == ["write"]


def test_an_answer_reaches_the_server_that_was_started_again(stage):
    port = free_port()
    servers = [serve(stage, port)]
    asked = []

    def approve(approval):
        asked.append(approval.tool)
        if len(asked) == 1:
            os.kill(servers[0].pid, signal.SIGKILL)
            servers[0].wait()
            # The answer finds no server at first.
            restart.start()
        return True

    restart = threading.Timer(1.0, lambda: servers.append(serve(stage, port)))

    second = {"call": "write", "with": {"path": "second.txt", "content": "milk"}}
    try:
        with Holm.connect(f"http://127.0.0.1:{port}", token(stage)) as holm:
            result = holm.create().ask(script(WRITE, second, {"say": "Saved."}), approve=approve)
        assert result.text == "Saved."
        assert (stage.work / "list.txt").exists() and (stage.work / "second.txt").exists()
        assert 2 <= len(asked) <= 3, "the question may come again, because its answer was lost"
    finally:
        restart.join()
        servers[-1].terminate()
        servers[-1].wait()


def test_a_number_that_a_new_server_uses_again_is_a_new_question():
    def question(id, tool):
        return QuestionAsked(id, {"words": {"text": tool, "choices": []}}, "1.0")

    seen = _SeenQuestions()
    frames = [question(1, "a"), question(1, "a"), question(1, "b"), QuestionSettled(1, "1.0"), question(1, "b")]
    assert [seen.has(frame) for frame in frames] == [False, True, False, False, False]
