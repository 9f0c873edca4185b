"""The asynchronous interface, where it differs: several sessions at once, and coroutines as functions."""

import asyncio

from conftest import script
from holm_cli import Ended, Event

WRITE = {"call": "write", "with": {"path": "list.txt", "content": "bread\n"}}


def test_sessions_work_at_the_same_time(stage):
    async def main():
        async with await stage.start_async() as holm:
            sessions = [await holm.create(f"s{at}") for at in range(4)]
            asked = [session.ask(script({"say": session.id, "slowly": True})) for session in sessions]
            return [result.text for result in await asyncio.gather(*asked)]

    assert asyncio.run(main()) == ["s0", "s1", "s2", "s3"]


def test_a_coroutine_approves(stage):
    async def approve(approval):
        await asyncio.sleep(0.01)
        return approval.tool == "write"

    async def main():
        async with await stage.start_async() as holm:
            return await (await holm.create()).ask(script(WRITE, {"say": "Saved."}), approve=approve)

    assert asyncio.run(main()).text == "Saved."
    assert (stage.work / "list.txt").exists()


def test_work_goes_on_when_its_watcher_is_cancelled(stage):
    gate = stage.work / "gate"

    async def main():
        async with await stage.start_async() as holm:
            session = await holm.create()
            asking = asyncio.create_task(session.ask(script({"say": "Done.", "until": str(gate)})))
            while not stage.double.requests:
                await asyncio.sleep(0.02)
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
            gate.touch()
            return await session.wait()

    assert asyncio.run(main()).text == "Done."


def test_a_follow_up_comes_when_the_work_would_end(stage):
    gate = stage.work / "gate"

    async def main():
        async with await stage.start_async() as holm:
            session = await holm.create()
            async for frame in session.stream(script({"say": "First.", "until": str(gate)}, {"prompts": True})):
                if isinstance(frame, Event) and frame.name == "model_called" and not gate.exists():
                    await session.follow_up("And then?")
                    gate.touch()
            assert isinstance(frame, Ended)
            return frame.result.text

    assert "And then?" in asyncio.run(main())


def test_a_fork_has_the_history_up_to_its_record(stage):
    async def main():
        async with await stage.start_async() as holm:
            session = await holm.create("trunk")
            await session.ask(script({"say": "One."}, ))
            end = (await session.replay())[-1].record
            await session.ask(script({"say": "Two."}))
            branch = await session.fork(end, "branch")
            await session.set_title("The trunk")
            said = (await branch.ask(script({"prompts": True}))).text
            markdown = await session.export()
            await branch.delete()
            left = [one["title"] for one in (await holm.sessions())["sessions"]]
            return said, markdown, left

    said, markdown, left = asyncio.run(main())
    assert said.count("script:") == 2
    assert "One." in markdown and "Two." in markdown
    assert left == ["The trunk"]
