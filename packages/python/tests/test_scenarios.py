"""The scenarios of `scenarios.txt`, against the real command. packages/client has the same ones."""

import os
import signal
import sys
from pathlib import Path

import pytest

from conftest import PACKAGE, script, until
from holm_cli import Delta, Deny, Ended, Event, Holm, QuestionAsked, tool

WRITE = {"call": "write", "with": {"path": "list.txt", "content": "bread\n"}}
TODOS = {
    "type": "object",
    "properties": {"task": {"type": "string"}, "day": {"enum": ["Monday", "Friday"]}},
    "required": ["task", "day"],
    "additionalProperties": False,
}


def test_a_program_starts_a_server_and_gets_an_answer(stage):
    with stage.start() as holm:
        session = holm.create("first")
        result = session.ask(script({"say": "Hello."}))
        assert (result.text, result.ending, result.session) == ("Hello.", "answered", "first")
        assert session.ask(script({"say": "Hello again."})).text == "Hello again."
        url = holm.url
    with pytest.raises(Exception, match="cannot be reached"):
        Holm.connect(url, "any")


def test_a_second_program_connects_to_the_same_server(stage):
    with stage.start() as holm, Holm.connect(holm.url, token(stage)) as other:
        holm.create("shared").ask(script({"say": "One."}))
        assert [one["id"] for one in other.sessions()["sessions"]] == ["shared"]
        assert other.open("shared").ask(script({"prompts": True})).text.count("script:") == 2


def test_a_reply_arrives_in_pieces_that_make_up_the_answer(stage):
    text = "It was a bright cold day in April ✓, and the clocks were striking thirteen. 🚀"
    with stage.start() as holm:
        frames = list(holm.create().stream(script({"say": text, "slowly": True})))
    pieces = [frame for frame in frames if isinstance(frame, Delta) and frame.kind == "text"]
    assert len(pieces) > 3
    assert "".join(piece.text for piece in pieces) == text
    assert [piece.offset for piece in pieces] == sorted({piece.offset for piece in pieces})
    assert isinstance(frames[-1], Ended) and frames[-1].result.text == text


def test_events_show_each_call_and_its_result(stage):
    with stage.start() as holm:
        prompt = script({"call": "read", "with": {"path": "notes.txt"}}, {"results": "I read: "})
        frames = list(holm.create().stream(prompt))
    events = {frame.name: frame.data for frame in frames if isinstance(frame, Event)}
    assert events["call_proposed"]["tool"] == "read"
    assert events["call_finished"]["outcome"] == "succeeded"
    assert "Call Grace on Monday" in frames[-1].result.text


def test_a_call_runs_after_the_program_allows_it(stage):
    asked = []

    def approve(approval):
        asked.append(approval)
        return True

    with stage.start() as holm:
        assert holm.create().ask(script(WRITE, {"say": "Saved."}), approve=approve).text == "Saved."
    assert (stage.work / "list.txt").read_text() == "bread\n"
    assert [(one.tool, one.arguments["content"], one.level) for one in asked] == [("write", "bread\n", "write")]
    assert any("list.txt" in need for need in asked[0].missing)


def test_a_call_that_the_program_denies_does_not_run_and_the_model_reads_the_reason(stage):
    with stage.start() as holm:
        result = holm.create().ask(script(WRITE, {"results": ""}), approve=lambda _: Deny("not on Sundays"))
    assert "not on Sundays" in result.text
    assert not (stage.work / "list.txt").exists()


def test_an_answer_for_the_session_covers_the_same_call_later(stage):
    asked = []

    def approve(approval):
        asked.append(approval.tool)
        return "session"

    with stage.start() as holm:
        session = holm.create()
        for _ in range(2):
            session.ask(script(WRITE, {"say": "Saved."}), approve=approve)
            (stage.work / "list.txt").unlink()
    assert asked == ["write"]


def test_without_a_function_that_approves_a_call_is_denied(stage):
    with stage.start() as holm:
        result = holm.create().ask(script(WRITE, {"results": ""}))
    assert "answers no questions" in result.text
    assert not (stage.work / "list.txt").exists()


def test_another_program_answers_an_open_question(stage):
    with stage.start() as holm, Holm.connect(holm.url, token(stage)) as other:
        session = holm.create("asking")
        frames = []
        for frame in session.stream(script(WRITE, {"say": "Saved."})):
            frames.append(frame)
            if isinstance(frame, QuestionAsked):
                [posed] = other.open("asking").questions()
                assert posed["id"] == frame.id
                other.open("asking").answer(posed["id"], "once", frame.approval.digest)
    assert frames[-1].result.text == "Saved."
    assert (stage.work / "list.txt").exists()


def test_the_program_answers_a_question_of_the_model(stage):
    asked = []

    def reply(question):
        asked.append(question["words"])
        return "Tuesday"

    prompt = script({"call": "ask_user", "with": {"question": "Which day?"}}, {"results": "You said: "})
    with stage.start() as holm:
        result = holm.create().ask(prompt, reply=reply)
    assert "Tuesday" in result.text
    assert "Which day?" in asked[0]["text"]


def test_the_model_calls_a_function_of_the_program(stage):
    def add(a: int, b: int = 1) -> dict[str, int]:
        """Adds two numbers."""
        return {"sum": a + b}

    async def shout(text: str) -> str:
        """Writes a text in capitals."""
        return text.upper()

    calls = {"calls": [["python_add", {"a": 2, "b": 40}], ["python_shout", {"text": "hi"}]]}
    with stage.start(tools=[add, shout]) as holm:
        result = holm.create().ask(script(calls, {"results": ""}))
    assert '{"sum": 42}' in result.text and "HI" in result.text


def test_the_model_reads_what_a_function_raises(stage):
    def stock(item: str) -> int:
        """How many there are."""
        raise LookupError(f"there is no {item}")

    with stage.start(tools=[stock]) as holm:
        result = holm.create().ask(script({"call": "python_stock", "with": {"item": "lamp"}}, {"results": ""}))
    assert "there is no lamp" in result.text


def test_a_function_that_asks_waits_for_approval(stage):
    done, asked = [], []

    @tool(ask=True)
    def order(item: str) -> str:
        """Orders something."""
        done.append(item)
        return "ordered"

    def approve(approval):
        asked.append((approval.tool, approval.arguments, list(done)))
        return approval.arguments["item"] == "lamp"

    calls = [{"call": "python_order", "with": {"item": item}} for item in ("lamp", "yacht")]
    with stage.start(tools=[order]) as holm:
        holm.create().ask(script(*calls, {"say": "Done."}), approve=approve)
    assert done == ["lamp"]
    assert asked == [("python_order", {"item": "lamp"}, []), ("python_order", {"item": "yacht"}, ["lamp"])]


def test_a_value_matches_its_schema(stage):
    prompt = script(WRITE, {"say": '{"task": "Call Grace", "day": "Monday"}'})
    with stage.start() as holm:
        session = holm.create("todos")
        result = session.ask_value(prompt, TODOS, approve=lambda _: True)
        assert result.value == {"task": "Call Grace", "day": "Monday"}
        assert (stage.work / "list.txt").exists()
        assert session.ask(script({"prompts": True})).text.count("script:") == 2, "it is the same session"


def test_a_value_that_does_not_match_is_asked_for_again(stage):
    wrong, right = {"say": '{"task": "Call Grace", "day": "Sunday"}'}, {"say": '{"task": "Call Grace", "day": "Friday"}'}
    with stage.start() as holm:
        result = holm.create().ask_value(script(wrong, right), TODOS)
    assert result.value["day"] == "Friday"
    assert len(stage.double.requests) == 2


def test_steering_reaches_the_work_under_way(stage):
    gate = stage.work / "gate"
    read = {"call": "read", "with": {"path": "notes.txt"}, "until": str(gate)}
    with stage.start() as holm:
        session = holm.create()
        frames = []
        for frame in session.stream(script(read, {"prompts": True})):
            frames.append(frame)
            if isinstance(frame, Event) and frame.name == "model_called" and not gate.exists():
                session.steer("Use capitals.")
                gate.touch()
    assert "Use capitals." in frames[-1].result.text


def test_a_cancelled_run_ends_as_cancelled(stage):
    with stage.start() as holm:
        session = holm.create()
        for frame in session.stream(script({"say": "Late.", "until": str(stage.work / "never")})):
            if isinstance(frame, Event) and frame.name == "model_called":
                session.cancel("enough")
        assert (frame.result.ending, frame.result.reason) == ("cancelled", "enough")
        assert session.ask(script({"say": "Next."})).text == "Next."


def test_a_watcher_that_continues_misses_nothing_and_sees_nothing_twice(stage):
    read = {"call": "read", "with": {"path": "notes.txt"}}
    with stage.start() as holm:
        session = holm.create()
        session.ask(script(read, read, {"say": "Done.", "slowly": True}))
        whole = [(event.record, event.index) for event in session.replay()]
        seen, cursor = [], "-"
        while len(seen) < len(whole):
            # Three frames for each connection.
            for count, frame in enumerate(session.watch(cursor), start=1):
                cursor = frame.cursor
                if isinstance(frame, Event):
                    seen.append((frame.record, frame.index))
                if count == 3 or len(seen) == len(whole):
                    break
    assert seen == whole


def test_a_server_keeps_working_when_the_program_that_connected_is_killed(stage):
    gate = stage.work / "gate"
    prompt = script({"say": "I was not alone.", "until": str(gate)})
    with stage.start() as holm:
        program = stage.program(
            """
url, token, prompt = given["args"]
session = Holm.connect(url, token).create("lonely")
for frame in session.stream(prompt):
    print(getattr(frame, "name", ""), flush=True)
""",
            holm.url, token(stage), prompt,
        )
        kill_after(program, "model_called")
        gate.touch()
        assert holm.open("lonely").wait().text == "I was not alone."


def test_a_program_that_was_killed_with_its_server_resumes_at_the_next_start(stage):
    program = stage.program(
        """
stage = {name: given[name] for name in ("command", "data", "options", "env")}
session = Holm.start(cwd=given["work"], **stage).create("order")
for frame in session.stream(given["args"][0]):
    print(type(frame).__name__, flush=True)
""",
        script({"call": "read", "with": {"path": "notes.txt"}}, WRITE, {"results": "Both: "}),
    )
    kill_after(program, "QuestionAsked")
    assert not (stage.work / "list.txt").exists()
    with stage.start() as holm:
        result = holm.open("order").wait(approve=lambda approval: approval.tool == "write")
    assert "Call Grace on Monday" in result.text
    assert (stage.work / "list.txt").read_text() == "bread\n"
    prompts = [message for message in stage.double.requests[-1]["messages"] if message["role"] == "user"]
    assert sum("script:" in str(message["content"]) for message in prompts) == 1, "the prompt is not repeated"


def test_every_scenario_has_a_test():
    names = (PACKAGE / "tests" / "scenarios.txt").read_text().splitlines()
    module = vars(sys.modules[__name__])
    assert [name for name in names if "test_" + name.replace(" ", "_") not in module] == []
    assert len(names) == 20


def token(stage) -> str:
    return Path(stage.data, "server", "token").read_text().strip()


def kill_after(program, line: str) -> None:
    """Waits until a program has printed a line, then kills it."""
    for printed in program.stdout:
        if printed.strip() == line:
            break
    else:
        raise AssertionError(f"the program ended with {program.wait()} and did not print {line}")
    os.kill(program.pid, signal.SIGKILL)
    assert program.wait() == -signal.SIGKILL
    program.stdout.close()
    until(lambda: program.poll() is not None, "the program is gone")
