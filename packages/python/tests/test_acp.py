"""A child process in place of a server: `holm acp` on standard streams."""

import asyncio

import pytest

from conftest import script
from holm_cli import AcpAgent, ApiError, Delta, Ended, Event, RunError, StartError
from test_scenarios import kill_after

WRITE = {"call": "write", "with": {"path": "list.txt", "content": "bread\n"}}


def drive(stage, work, **more):
    """Runs a coroutine with a session of a child process."""

    async def main():
        async with await stage.start_acp(**more) as agent:
            return await work(agent, await agent.create(stage.work))

    return asyncio.run(main())


def test_a_child_streams_a_reply(stage):
    async def work(_, session):
        return [frame async for frame in session.stream(script({"say": "It was a bright cold day.", "slowly": True}))]

    frames = drive(stage, work)
    pieces = [frame.text for frame in frames if isinstance(frame, Delta) and frame.kind == "text"]
    assert len(pieces) > 2 and "".join(pieces) == "It was a bright cold day."
    assert isinstance(frames[-1], Ended) and frames[-1].result.text == "It was a bright cold day."


def test_a_child_shows_calls_and_asks_about_them(stage):
    asked = []

    async def approve(approval):
        asked.append((approval.tool, approval.arguments["content"]))
        return True

    async def work(_, session):
        return [frame async for frame in session.stream(script(WRITE, {"say": "Saved."}), approve=approve)]

    frames = drive(stage, work)
    assert asked == [("write", "bread\n")]
    assert (stage.work / "list.txt").read_text() == "bread\n"
    assert "tool_call" in [frame.name for frame in frames if isinstance(frame, Event)]


def test_a_child_denies_what_the_program_does_not_allow(stage):
    async def work(_, session):
        return await session.ask(script(WRITE, {"results": ""}))

    assert "the user said no" in drive(stage, work).text
    assert not (stage.work / "list.txt").exists()


def test_a_child_calls_functions_of_the_program(stage):
    def add(a: int, b: int) -> int:
        """Adds two numbers."""
        return a + b

    async def work(_, session):
        return await session.ask(script({"call": "python_add", "with": {"a": 40, "b": 2}}, {"results": "Sum: "}))

    assert ">42<" in drive(stage, work, tools=[add]).text


def test_a_cancelled_prompt_of_a_child_is_an_error(stage):
    async def work(_, session):
        asking = asyncio.create_task(session.ask(script({"say": "Late.", "until": str(stage.work / "never")})))
        while not stage.double.requests:
            await asyncio.sleep(0.02)
        await session.cancel()
        with pytest.raises(RunError) as stopped:
            await asking
        return stopped.value.result.ending

    assert drive(stage, work) == "cancelled"


def test_a_session_of_a_killed_program_is_loaded_by_the_next_one(stage):
    program = stage.program(
        """
import asyncio
async def main():
    agent = await AsyncAcpAgent.start(command=given["command"], data=given["data"], options=given["options"], env=given["env"])
    session = await agent.create(given["work"])
    print(session.id, flush=True)
    await session.ask(given["args"][0])
    async for frame in session.stream(given["args"][1]):
        if isinstance(frame, Delta):
            print("streams", flush=True)
asyncio.run(main())
""",
        script({"say": "Remembered."}),
        script({"say": "A long reply that never ends well.", "slowly": True}),
    )
    id = program.stdout.readline().strip()
    kill_after(program, "streams")

    async def main():
        async with await stage.start_acp() as agent:
            for _ in range(100):
                try:
                    session = await agent.load(id, stage.work)
                    break
                except ApiError as busy:
                    # The killed program's child lets the session go when it sees that its input ended.
                    last = busy
                    await asyncio.sleep(0.1)
            else:
                raise last
            return await session.ask(script({"prompts": True}))

    assert asyncio.run(main()).text.count("script:") == 3


def test_a_child_that_does_not_start_says_why(stage):
    with pytest.raises(StartError, match="--no-such-option"):
        asyncio.run(stage.start_acp(options=["--no-such-option"]))


def test_a_child_is_driven_without_asyncio(stage):
    with AcpAgent.start(**stage.given()) as agent:
        session = agent.create(stage.work)
        frames = list(session.stream(script(WRITE, {"say": "Saved."}), approve=lambda approval: approval.tool == "write"))
        assert frames[-1].result.text == "Saved."
        assert session.ask(script({"say": "Again."})).text == "Again."
    assert (stage.work / "list.txt").exists()
