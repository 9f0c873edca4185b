//! Tests the chat within tmux, which many users run it in.

use std::{
    fs,
    process::Command,
    time::{Duration, Instant},
};

use holm_testkit::double::{Act, Fault, Seen};

use crate::{
    chat::{LARGE, SMALL},
    door::Door,
    patience::PATIENCE,
    screens,
    stage::{KEY, MODEL, Stage},
};

/// A chat in a window of a tmux of its own, started by a shell that goes on when the chat is left.
struct Tmux<'a> {
    stage: &'a Stage,
}

impl<'a> Tmux<'a> {
    fn chat(stage: &'a Stage, (rows, columns): (u16, u16), more: &str) -> Self {
        let tmux = Self { stage };
        let line = format!(
            "{} chat --model {MODEL} {more}; echo \"left with $?\"; exec sh",
            env!("CARGO_BIN_EXE_holm")
        );
        let (rows, columns) = (rows.to_string(), columns.to_string());
        let made = tmux.tells(&["new-session", "-d", "-x", &columns, "-y", &rows, "-s", "chat", &line]);
        assert!(made.is_some(), "tmux makes a session");
        tmux.shows("Type what you want done.");
        tmux
    }

    /// Tells tmux something, on a socket of its own. None if it says no.
    fn tells(&self, args: &[&str]) -> Option<String> {
        let mut command = Command::new("tmux");
        let socket = self.stage.work().with_extension("tmux");
        command.arg("-u").arg("-S").arg(socket).args(["-f", "/dev/null"]).args(args);
        command.current_dir(self.stage.work()).env_clear();
        self.stage.dress(&mut command);
        command.env("TERM", "xterm-256color").env("LANG", "C.UTF-8");
        let output =
            command.output().unwrap_or_else(|error| panic!("tmux: {error}; install the package tmux"));
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn screen(&self) -> String {
        self.tells(&["capture-pane", "-p", "-t", "chat"]).unwrap_or_default()
    }

    /// Waits until the screen is as it should be, and looks now and then.
    #[track_caller]
    fn until(&self, what: &str, is: impl Fn(&str) -> bool) {
        let began = Instant::now();
        while !is(&self.screen()) {
            assert!(began.elapsed() < PATIENCE, "{what} is not there:\n{}", self.screen());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    #[track_caller]
    fn shows(&self, text: &str) {
        self.until(text, |screen| screen.contains(text));
    }

    #[track_caller]
    fn rests(&self) {
        self.until("that it stands still", |screen| !screen.contains("Ctrl-C stops"));
    }

    /// Types letters as they are.
    fn types(&self, text: &str) {
        assert!(self.tells(&["send-keys", "-t", "chat", "-l", text]).is_some(), "{text}");
    }

    /// Presses a key by its name.
    fn presses(&self, key: &str) {
        assert!(self.tells(&["send-keys", "-t", "chat", key]).is_some(), "{key}");
    }

    #[track_caller]
    fn says(&self, text: &str, shown: &str) {
        self.types(text);
        self.shows(text);
        self.presses("Enter");
        self.shows(shown);
    }

    fn resizes(&self, (rows, columns): (u16, u16)) {
        let (rows, columns) = (rows.to_string(), columns.to_string());
        self.tells(&["resize-window", "-t", "chat", "-x", &columns, "-y", &rows]).unwrap();
    }

    /// Leaves the chat: the shell is there again on the screen that it had, without the chat's mouse.
    #[track_caller]
    fn leaves(self) {
        self.types("/quit ");
        self.presses("Enter");
        self.shows("left with 0");
        let asked = "#{alternate_on} #{mouse_any_flag} #{cursor_flag}";
        let modes = self.tells(&["display-message", "-p", "-t", "chat", asked]).unwrap();
        assert_eq!(modes.trim(), "0 0 1", "{}", self.screen());
    }
}

impl Drop for Tmux<'_> {
    fn drop(&mut self) {
        // A test that failed leaves nothing behind.
        let _ = self.tells(&["kill-server"]);
    }
}

#[test]
fn a_chat_works_within_tmux() {
    for size in [SMALL, LARGE] {
        let stage = Stage::new([Act::says("**Hello** from within, 日本.")]);
        let tmux = Tmux::chat(&stage, size, "");
        tmux.says("hello", "Hello from within, 日本.");
        tmux.rests();
        tmux.leaves();
        assert!(
            !stage.left_behind().windows(KEY.len()).any(|bytes| bytes == KEY.as_bytes()),
            "no key is left behind"
        );
    }
}

#[test]
fn a_window_changes_its_size_in_mid_stream() {
    let text = format!("{} and the end", "several words in a row ".repeat(8));
    let stage = Stage::new([Act::says(&text).with(Fault::Stall(900)), Act::says("Here I am.")]);
    let tmux = Tmux::chat(&stage, SMALL, "");
    tmux.says("go", "several words in a row several");
    tmux.resizes(LARGE);
    let wide = "several words in a row ".repeat(6);
    tmux.shows(wide.trim_end());
    tmux.resizes((12, 40));
    tmux.until("narrow lines", |screen| screen.lines().filter(|row| row.contains("several")).count() >= 4);
    // What never ends is stopped.
    tmux.presses("C-c");
    tmux.shows("You stopped the answer.");
    tmux.rests();
    tmux.resizes(SMALL);
    tmux.says("again", "Here I am.");
    tmux.rests();
    tmux.leaves();
}

#[test]
fn a_day_of_work_within_tmux() {
    for size in [SMALL, LARGE] {
        let door = Door::default();
        let stage = day(&door);
        let tmux = Tmux::chat(&stage, size, "");
        // An approval.
        tmux.says("write it", "holm asks: write ");
        tmux.shows("[y]es once");
        tmux.types("y");
        tmux.shows("Written.");
        tmux.rests();
        assert_eq!(fs::read_to_string(stage.work().join("new.txt")).unwrap(), "hi\n");
        // Steering.
        tmux.says("embark now", "waits for the model");
        tmux.says("be quick", "before the next step: be quick");
        door.open();
        tmux.shows("Quickly.");
        tmux.rests();
        // Files and pictures.
        tmux.says("behold @notes.txt and @dot.png please", "with 2 attached");
        tmux.shows("Seen.");
        tmux.rests();
        // A search, and a turn that is said otherwise.
        tmux.says("/search quickly", "1 of 1");
        tmux.presses("Escape");
        tmux.until("no search", |screen| !screen.contains("1 of 1"));
        tmux.presses("C-b");
        tmux.shows("go back to before this message");
        tmux.presses("Enter");
        // Its model is named once it is open.
        tmux.until("the second session", |screen| {
            screen.contains("› behold") && !screen.contains("Seen.") && screen.contains("gpt-5-mini")
        });
        tmux.types(" again");
        tmux.presses("Enter");
        tmux.shows("Seen.");
        tmux.rests();
        tmux.leaves();
    }
}

/// A model that writes, waits to be steered, and looks at files.
fn day(door: &Door) -> Stage {
    let held = door.clone();
    let stage = Stage::answering(move |seen: &Seen| {
        let text = seen.text();
        if text.contains("behold @notes.txt") {
            return Act::says("Seen.");
        }
        if text.contains("be quick") {
            return Act::says("Quickly.");
        }
        if text.contains("embark now") {
            held.pass();
            return Act::says("Slowly.");
        }
        if text.contains("new.txt") {
            return Act::says("Written.");
        }
        Act::calls(&[("c1", "write", r#"{"path":"new.txt","content":"hi\n"}"#)])
    })
    .file("notes.txt", "the content of the notes");
    fs::write(stage.work().join("dot.png"), [0x89, b'P', b'N', b'G', 13, 10, 26, 10]).unwrap();
    stage
}

#[test]
fn helpers_are_watched_within_tmux() {
    for size in [SMALL, LARGE] {
        let door = Door::default();
        let stage = screens::helpers(&door);
        let tmux = Tmux::chat(&stage, size, "--grant 'read:**'");
        tmux.says("How many?", "⎿   read {\"path\":\"notes.txt\"}");
        tmux.shows("2 helpers");
        door.open();
        tmux.shows("There are three.");
        tmux.rests();
        tmux.leaves();
    }
}

#[test]
fn a_hostile_transcript_does_nothing_to_a_window() {
    let evil = format!(
        "start \x1b]2;owned\x07\x1bkowned\x1b\\\x1b[2J\x1b[?1049l\x1bc\u{9b}5n\u{202e}dlrow\x1bPtmux;\x1b\x1b[2J\x1b\\ {} finis",
        "A".repeat(1 << 20)
    );
    let mut long = Act::says(&evil);
    long.piece = 4096;
    let stage = Stage::new([long]);
    let tmux = Tmux::chat(&stage, SMALL, "");
    tmux.says("go", "finis");
    tmux.rests();
    let names = tmux.tells(&["display-message", "-p", "-t", "chat", "#{pane_title} #{window_name}"]).unwrap();
    assert!(!names.contains("owned"), "{names}");
    tmux.leaves();
}
