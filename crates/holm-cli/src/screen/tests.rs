use super::*;

#[test]
fn what_is_said_while_a_question_is_open_waits_in_its_order() {
    let screen = TerminalOutput::default();
    screen.state().waiting = Some(Vec::new());
    screen.note("a note");
    screen.piece("a piece");
    screen.end_line();
    let waiting = screen.state().waiting.clone().unwrap();
    let expect =
        [(StandardStream::Err, "a note\n"), (StandardStream::Out, "a piece"), (StandardStream::Out, "\n")];
    assert_eq!(waiting, expect.map(|(stream, text)| (stream, text.to_owned())));
    screen.go_on();
    assert_eq!(screen.state().waiting, None);
}

#[test]
fn a_question_that_was_answered_elsewhere_holds_nothing_back_and_takes_no_answer() {
    let screen = TerminalOutput::default();
    let (open, other) = (ScreenQuestion::default(), ScreenQuestion::default());
    screen.asking(&open, |screen| {
        screen.state().waiting = Some(Vec::new());
        screen.note("a note");
        screen.give_up(&other);
        assert!(screen.state().waiting.is_some(), "another question is still open");
        screen.give_up(&open);
        assert_eq!(screen.state().waiting, None);
        assert_eq!(screen.question("again? "), None, "nobody is asked any more");
    });
    assert!(!screen.state().is_over(), "the next question is another one");
}

#[test]
fn a_person_is_told_why_a_question_is_over_unless_they_have_ended_it() {
    let open = ScreenQuestion::default();
    assert_eq!(why_over(&open, ShutdownNotice::No), Some("this question was withdrawn"));
    assert_eq!(why_over(&open, ShutdownNotice::Told), None);
    open.answered_elsewhere();
    assert_eq!(why_over(&open, ShutdownNotice::No), Some("this was answered elsewhere"));
}

#[test]
fn nothing_is_drawn_where_somebody_types_or_reads_an_answer() {
    let screen = TerminalOutput::default();
    screen.state().waiting = Some(Vec::new());
    screen.under_way(Some("shell 1 s"));
    assert_eq!(screen.state().passing, StatusLine::None);
    screen.state().waiting = None;
    screen.state().line = LinePosition::Within;
    screen.under_way(Some("shell 1 s"));
    assert_eq!(screen.state().passing, StatusLine::None);
    screen.state().line = LinePosition::Begun;
    screen.under_way(Some("shell 1 s"));
    assert_eq!(screen.state().passing, StatusLine::Drawn);
    screen.note("something else");
    assert_eq!(screen.state().passing, StatusLine::None, "a note takes its place");
}
