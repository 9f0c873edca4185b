//! Tests what each key writes to a terminal: exactly what it changes, and nothing else.

use holm_testkit::double::{Act, Seen};

use crate::{
    chat::{ENTER, LARGE, SMALL, leaves, ready, rests, says},
    door::Door,
    pty::Pty,
    stage::Stage,
};

/// What every frame ends with, but for the cursor.
const PLAIN: &str = "\x1b[39m\x1b[49m\x1b[59m\x1b[0m";

/// A frame: what is drawn, and where the cursor stands then.
fn frame(drawn: &str, (row, column): (u16, u16)) -> String {
    format!("{drawn}{PLAIN}\x1b[?25h\x1b[{row};{column}H")
}

/// A frame in which this is drawn from a column of the row of the cursor on.
fn at(row: u16, column: u16, text: &str, cursor: u16) -> String {
    frame(&format!("\x1b[{row};{column}H{text}"), (row, cursor))
}

/// Types a letter and waits until everything is drawn, so that later output belongs to later keys.
#[track_caller]
fn begins(chat: &mut Pty, row: u16) {
    chat.types("q");
    chat.shows("› q");
    chat.settles(&frame("", (row, 4)));
}

/// Every key is answered by one frame, and the frames are all that is written.
#[track_caller]
fn types_exactly(chat: &mut Pty, row: u16) {
    chat.draws("z", &at(row, 4, "z", 5));
    chat.draws("\x7f", &at(row, 4, " ", 4));
    chat.draws("日", &at(row, 4, "日", 6));
    chat.draws("\x1b[D", &frame("", (row, 4)));
    chat.draws("\x1b[3~", &at(row, 4, " ", 4));
    // At the end of a text there is nothing to delete, and beyond the end of a transcript nothing to look at.
    chat.draws("\x1b[3~", &frame("", (row, 4)));
    chat.draws("\x1b[6~", &frame("", (row, 4)));
    chat.draws("\x1b[<65;3;5M", &frame("", (row, 4)));
    // A click on nothing, and letting go of the button.
    chat.draws("\x1b[<0;3;5M", &frame("", (row, 4)));
    chat.draws("\x1b[<0;3;5m", &frame("", (row, 4)));
}

#[test]
fn a_key_at_rest_draws_what_it_changes() {
    for (rows, columns) in [SMALL, LARGE] {
        let stage = Stage::new([]);
        let mut chat = ready(&stage, (rows, columns), &[]);
        begins(&mut chat, rows - 1);
        types_exactly(&mut chat, rows - 1);
        leaves(chat);
    }
}

#[test]
fn a_key_while_a_run_works_draws_no_more() {
    for (rows, columns) in [SMALL, LARGE] {
        let door = Door::default();
        let held = door.clone();
        let stage = Stage::answering(move |_: &Seen| {
            held.pass();
            Act::says("Done.")
        });
        let mut chat = ready(&stage, (rows, columns), &[]);
        chat.types("go");
        chat.types(ENTER);
        chat.shows("waits for the model");
        begins(&mut chat, rows - 1);
        types_exactly(&mut chat, rows - 1);
        door.open();
        chat.shows("Done.");
        rests(&chat);
        leaves(chat);
    }
}

#[test]
fn a_key_that_answers_nothing_draws_nothing_at_a_question() {
    let write = r#"{"path":"new.txt","content":"hi\n"}"#;
    let stage = Stage::new([Act::calls(&[("c1", "write", write)]), Act::says("Then not.")]);
    let mut chat = ready(&stage, SMALL, &[]);
    chat.types("write it");
    chat.types(ENTER);
    chat.shows("holm asks: write ");
    // Nothing is typed here, so no cursor is shown.
    let nothing = format!("{PLAIN}\x1b[?25l");
    chat.shows("waits for you");
    chat.shows("[y]es once");
    chat.shows("calls write");
    chat.settles(&nothing);
    for key in ["\x1b[6~", "\x1b[A", "\x01", "\x19", "\x1b[200~y\x1b[201~"] {
        chat.draws(key, &nothing);
    }
    chat.types("n");
    chat.shows("Then not.");
    assert!(!stage.work().join("new.txt").exists());
    leaves(chat);
}

#[test]
fn a_page_is_drawn_once_and_comes_back_as_it_was() {
    for (rows, columns) in [SMALL, LARGE] {
        let text: String = (0..200).map(|number| format!("line {number} of a long answer\n\n")).collect();
        let stage = Stage::new([Act::says(&text)]);
        let mut chat = ready(&stage, (rows, columns), &[]);
        says(&mut chat, "fill", "line 199 of");
        begins(&mut chat, rows - 1);
        let (picture, before) = (chat.picture(), chat.count());
        chat.types("\x1b[5~");
        chat.hides("line 199 of");
        chat.settles(&format!("\x1b[?25h\x1b[{};4H", rows - 1));
        let drawn = chat.count() - before;
        let cells = usize::from(rows) * usize::from(columns);
        assert!(drawn < 2 * cells, "{drawn} bytes for a screen of {cells} cells");
        chat.types("\x1b[6~");
        chat.shows("line 199 of");
        chat.settles(&format!("\x1b[?25h\x1b[{};4H", rows - 1));
        assert_eq!(chat.picture(), picture);
        let all = String::from_utf8(chat.bytes_from(before)).unwrap();
        assert!(!all.contains("\x1b[2J") && !all.contains("\x1b[J"), "nothing is wiped");
        leaves(chat);
    }
}

#[test]
fn a_terminal_is_asked_nothing() {
    let stage = Stage::new([Act::says("Hello.")]);
    let mut chat = ready(&stage, SMALL, &[]);
    says(&mut chat, "hello", "Hello.");
    let bytes = String::from_utf8(leaves(chat)).unwrap();
    // An answer would come between the keys, and over a slow line long after them.
    let asks = [
        "\x1b[6n", "\x1b[5n", "\x1b[c", "\x1b[0c", "\x1b[>c", "\x1b[?u", "\x1b[>q", "\x1b[>0q", "$p",
        "\x1b]", "\x1bP",
    ];
    for ask in asks {
        assert!(!bytes.contains(ask), "{ask:?}");
    }
}
