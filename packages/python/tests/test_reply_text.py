"""Text of a reply that arrived in no piece comes from its message."""

from holm_cli.events import Delta, Event, ReplyText


def event(name, **data):
    return Event(name, data, 1, 0, 0, "1.0")


def message(text, role="assistant"):
    return event("message_added", message={"role": role, "blocks": [{"text": text}]})


def test_what_no_piece_brought_is_given_once_and_nothing_is_given_twice():
    text = ReplyText()
    assert text.missing(event("model_called", call=4)) is None
    assert text.missing(Delta("text", "Grü", 4, 0, "1.0")) is None
    assert text.missing(message("Grün.")) == Delta("text", "n.", 4, 4, "1.0")
    assert text.missing(message("A message of the past.")) is None
    assert text.missing(event("model_called", call=5)) is None
    assert text.missing(message("Done.")) == Delta("text", "Done.", 5, 0, "1.0")
    assert text.missing(event("model_called", call=6)) is None
    assert text.missing(Delta("text", "Whole.", 6, 0, "1.0")) is None
    assert text.missing(message("a prompt", role="user")) is None
    assert text.missing(message("Whole.")) is None
