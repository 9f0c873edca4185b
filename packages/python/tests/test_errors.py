"""What goes wrong, and what the program is told."""

import pytest

from conftest import script
from holm_cli import ApiError, CommandNotFound, Holm, RunError, StartError, ToolError, tool
from test_scenarios import token


def test_a_wrong_token_is_refused(stage):
    with stage.start() as holm, pytest.raises(ApiError) as refused:
        Holm.connect(holm.url, "holm_wrong")
    assert refused.value.status == 401


def test_a_session_that_does_not_exist_is_not_found(stage):
    with stage.start() as holm, pytest.raises(ApiError) as missing:
        holm.open("nowhere")
    assert missing.value.status == 404


def test_a_session_without_work_has_nothing_to_wait_for(stage):
    with stage.start() as holm:
        session = holm.create()
        with pytest.raises(ApiError, match="no work to wait for"):
            session.wait()


def test_a_model_that_fails_is_an_error_with_the_reason(stage):
    with stage.start() as holm, pytest.raises(RunError, match="out of paper") as failed:
        holm.create().ask(script({"fail": 400, "why": "out of paper"}))
    assert failed.value.result.ending == "failed"


def test_an_error_in_a_function_that_approves_reaches_the_caller(stage):
    def approve(_):
        raise LookupError("no idea")

    write = {"call": "write", "with": {"path": "list.txt", "content": "bread"}}
    with stage.start() as holm:
        session = holm.create()
        with pytest.raises(LookupError, match="no idea"):
            session.ask(script(write, {"say": "Done."}), approve=approve)
        assert len(session.questions()) == 1, "the question stays open"
        # A server that stops gives a run with an open question 20 seconds.
        session.cancel()


def test_a_bad_option_is_told_by_the_error(stage):
    with pytest.raises(StartError, match="--no-such-option"):
        stage.start(options=["--no-such-option"])


def test_a_missing_command_is_an_error():
    with pytest.raises(CommandNotFound, match="no-such-holm"):
        Holm.start(command="no-such-holm")


def test_a_second_server_waits_for_the_data_folder_and_then_gives_up(stage, monkeypatch):
    monkeypatch.setattr("holm_cli.process._FOLDER_PATIENCE_S", 1.0)
    with stage.start(), pytest.raises(StartError, match="another server is using"):
        stage.start()


def test_a_function_that_cannot_be_described_is_refused():
    def silent(a: int) -> int:
        return a

    def untyped(a):
        """Has no annotation."""

    def odd(a: complex) -> None:
        """Has a parameter that JSON does not have."""

    for function, why in ((silent, "no docstring"), (untyped, "no annotation"), (odd, "no JSON Schema")):
        with pytest.raises(ToolError, match=why):
            tool(function)


def test_a_function_that_changed_is_offered_again_and_taken_back(stage):
    def first() -> str:
        """The first version."""
        return "one"

    with stage.start() as holm:
        for version in (tool(first), tool(description="The second version.")(first)):
            with Holm.connect(holm.url, token(stage), tools=[version]) as other:
                offered = {card["name"]: card["description"] for card in other.tools()}
                assert offered["python_first"] == version.description
            assert "python_first" not in {card["name"] for card in holm.tools()}
