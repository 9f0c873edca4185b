//! Tests the chat for daily use: its commands, the mouse, custom colours and keys, and what is
//! restored the next time.

use std::{
    fs,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
};

use holm_testkit::double::{Act, Seen};

use crate::{
    chat::{CTRL_C, CTRL_T, ENTER, ESC, LARGE, SMALL, leaves, ready, rests, says},
    door::Door,
    patience::until_seen,
    pty::{Pty, picture},
    stage::{MODEL, Stage},
    usage::counted,
};

const SHIFT_TAB: &str = "\x1b[Z";
const PAGE_UP: &str = "\x1b[5~";
const WHEEL_UP: &str = "\x1b[<64;3;5M";
const WHEEL_DOWN: &str = "\x1b[<65;3;5M";

/// A click on a cell; terminals count from one.
fn click(column: u16, row: u16) -> String {
    format!("\x1b[<0;{column};{row}M\x1b[<0;{column};{row}m")
}

/// An answer of many lines, each of which can be told from the others.
fn long_answer() -> Act {
    Act::says(&(0..200).map(|number| format!("line {number:03} of it\n\n")).collect::<String>())
}

/// Says a command and waits for what it shows.
#[track_caller]
fn commands(chat: &mut Pty, line: &str, shown: &str) {
    // Clears the input first; the blank closes the list of completions.
    chat.types(&format!("\x15{line} "));
    chat.types(ENTER);
    chat.shows(shown);
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn commands_tell_the_model_the_mode_and_the_cost() {
    let stage = Stage::new([Act::says("One."), Act::says("Two.")]);
    let mut chat = ready(&stage, SMALL, &[]);
    says(&mut chat, "first", "One.");
    commands(&mut chat, "/cost", "11 tokens in (0 of them cached), 5 out, $0.00001275");
    commands(&mut chat, "/model", "the model is openai/gpt-5-mini");
    commands(&mut chat, "/mode", "the mode is default");
    commands(&mut chat, "/mode full", " full ");
    commands(&mut chat, "/mode nonsense", "/mode nonsense:");
    commands(&mut chat, "/nonsense", "unknown command /nonsense");
    for mode in [" default ", " accept-edits ", " plan "] {
        chat.types(SHIFT_TAB);
        chat.shows(mode);
    }
    commands(&mut chat, "/model openai/gpt-5", "Type what you want done.");
    says(&mut chat, "second", "Two.");
    chat.shows("openai/gpt-5 ·");
    let models: Vec<String> = stage.double.requests().iter().map(|seen| seen.model().to_owned()).collect();
    assert_eq!(models, ["gpt-5-mini", "gpt-5"]);
    commands(&mut chat, "/close", "One.");
    commands(&mut chat, "/close", "this is the only session");
    commands(&mut chat, "/help", "Keys (chat.toml in the data folder changes them)");
    chat.types(ESC);
    chat.hides("Keys (chat.toml");
    leaves(chat);
}

#[test]
fn the_cost_has_the_cache_rate_and_the_breaks_with_their_causes() {
    let stage = Stage::new([
        counted("One.", 20_000, 0),
        counted("Two.", 21_000, 19_968),
        counted("Three.", 22_000, 2_048),
    ]);
    let mut chat = ready(&stage, LARGE, &[]);
    says(&mut chat, "first", "One.");
    says(&mut chat, "second", "Two.");
    commands(&mut chat, "/cost", "cache rate 48.7 %, cache breaks: 0");
    commands(&mut chat, "/mode full", " full ");
    says(&mut chat, "third", "Three.");
    commands(&mut chat, "/cost", "cache rate 34.9 %, cache breaks: 1 (mode 1), 18952 tokens read again");
    leaves(chat);
}

#[test]
fn what_a_turn_changed_is_put_back() {
    let write = r#"{"path":"new.txt","content":"hi\n"}"#;
    let stage = Stage::new([Act::calls(&[("c1", "write", write)]), Act::says("Written.")]);
    let mut chat = ready(&stage, SMALL, &["--grant", "write:**", "--mode", "accept-edits"]);
    says(&mut chat, "write it", "Written.");
    assert_eq!(read(&stage.work().join("new.txt")), "hi\n");
    commands(&mut chat, "/undo", "removed new.txt");
    assert!(!stage.work().join("new.txt").exists());
    commands(&mut chat, "/undo", "nothing to undo");
    leaves(chat);
}

#[test]
fn a_session_goes_on_with_its_summary() {
    let stage =
        Stage::new([Act::says("Worked hard."), Act::says("It was about tides."), Act::says("On it.")]);
    let mut chat = ready(&stage, SMALL, &[]);
    says(&mut chat, "work", "Worked hard.");
    commands(&mut chat, "/compact", "this session starts with a summary of the previous one:");
    chat.shows("It was about tides.");
    chat.until("a session that is open", |screen| !screen.contents().contains(" opens"));
    says(&mut chat, "go on", "On it.");
    let asked = stage.double.requests()[2].text();
    assert!(asked.contains("It was about tides.") && !asked.contains("Worked hard."), "{asked}");
    chat.types(CTRL_T);
    chat.shows("Worked hard.");
    leaves(chat);
}

#[test]
fn aliases_and_skills_are_commands() {
    let settings = format!(
        "model = \"{MODEL}\"\n[aliases.review]\ndescription = \"Looks closely.\"\ntemplate = \"Review {{{{content}}}} closely.\"\n\
         [aliases.here]\ntemplate = \"On {{{{git_branch}}}}: {{{{content}}}}\"\n[aliases.odd]\ntemplate = \"For {{{{whom}}}}.\"\n"
    );
    let acts = [Act::says("Reviewed."), Act::says("Greeted."), Act::says("Branched.")];
    let stage = Stage::new(acts).file("mine.toml", &settings);
    fs::create_dir(stage.work().join(".git")).unwrap();
    fs::write(stage.work().join(".git/HEAD"), "ref: refs/heads/topic\n").unwrap();
    let skill = stage.work().join(".agents/skills/greet");
    fs::create_dir_all(&skill).unwrap();
    let text = "---\nname: greet\ndescription: Greets people.\n---\nSay hello kindly.\n";
    fs::write(skill.join("SKILL.md"), text).unwrap();
    stage.agrees(["tool", "trust", ".agents/skills"]);
    let config = stage.work().join("mine.toml");
    let env = [("HOLM_CONFIG", config.to_str().unwrap())];
    let mut chat = Pty::start(&stage, SMALL, &["chat", "--model", MODEL], &env);
    chat.shows("Type what you want done.");
    chat.types("/rev");
    chat.shows("Looks closely.");
    chat.types("\t");
    chat.shows("› /review");
    says(&mut chat, "a.rs", "Reviewed.");
    says(&mut chat, "/greet Ada", "Greeted.");
    says(&mut chat, "/here what {{content}} is", "Branched.");
    commands(&mut chat, "/odd", "the alias `odd` needs a value for `whom`");
    let asked: Vec<String> = stage.double.requests().iter().map(Seen::text).collect();
    assert!(asked[0].contains("Review a.rs closely."), "{}", asked[0]);
    assert!(asked[1].contains("Say hello kindly.") && asked[1].contains("Ada"), "{}", asked[1]);
    // What is put in is not looked at again.
    assert!(asked[2].contains("On topic: what {{content}} is"), "{}", asked[2]);
    assert_eq!(asked.len(), 3, "what cannot be filled in is not said");
    leaves(chat);
}

#[test]
fn a_plan_of_the_models_own_is_edited_at_the_question_and_carried_out_as_it_is_then() {
    let count = AtomicUsize::new(0);
    let stage = Stage::answering(move |seen: &Seen| match count.fetch_add(1, Ordering::SeqCst) {
        0 => Act::calls(&[("e", "enter_plan", "{}")]),
        1 => Act::calls(&[("x", "exit_plan", r#"{"plan":"1. look"}"#)]),
        _ if seen.text().contains("Carry out this plan") => Act::says("Carried out."),
        _ => Act::says("What now?"),
    });
    let editor = stage.work().join("editor.sh");
    fs::write(&editor, "#!/bin/sh\nprintf '\\n2. rest\\n' >> \"$1\"\n").unwrap();
    let editor = format!("sh {}", editor.display());
    let mut chat = Pty::start(&stage, SMALL, &["chat", "--model", MODEL], &[("EDITOR", &editor)]);
    chat.shows("Type what you want done.");
    chat.types("tidy up");
    chat.types(ENTER);
    chat.shows("[e]dit it first");
    chat.shows(" plan ");
    chat.types("e");
    chat.until("the plan as it is now, asked about again", |screen| {
        let text = screen.contents();
        text.contains("2. rest") && text.contains("[y]es, carry it out")
    });
    assert_eq!(stage.double.requests().len(), 2, "nothing is carried out that nobody agreed to");
    chat.types("y");
    chat.shows("Carried out.");
    rests(&chat);
    chat.shows(" default ");
    let asked = stage.double.requests().last().unwrap().text();
    assert!(asked.contains("2. rest"), "{asked}");
    leaves(chat);
}

#[test]
fn the_wheel_looks_back_and_a_click_turns_to_a_session() {
    for size in [SMALL, LARGE] {
        let stage = Stage::new([long_answer()]);
        let mut chat = ready(&stage, size, &[]);
        says(&mut chat, "fill", "line 199 of it");
        let before = chat.picture();
        (0..3).for_each(|_| chat.types(WHEEL_UP));
        chat.hides("line 199 of it");
        (0..3).for_each(|_| chat.types(WHEEL_DOWN));
        chat.until("the end again", |screen| picture(screen) == before);
        commands(&mut chat, "/new", "Type what you want done.");
        chat.types(&click(2, 1));
        chat.shows("line 199 of it");
        chat.types(&click(" 1  fill  2".len().try_into().unwrap(), 1));
        chat.shows("Type what you want done.");
        leaves(chat);
    }
}

/// Every byte of a short chat with these arguments and this in its environment.
fn coloured(stage: &Stage, args: &[&str], env: &[(&str, &str)]) -> String {
    let mut chat = Pty::start(stage, SMALL, &[&["chat", "--model", MODEL], args].concat(), env);
    chat.shows("Type what you want done.");
    says(&mut chat, "colours", "Answered");
    String::from_utf8(leaves(chat)).unwrap()
}

#[test]
fn colours_are_the_persons() {
    let (cyan, blue) = ("\x1b[38;5;6;49m", "\x1b[38;5;4;49m");
    let check = |file: &str, args: &[&str], env: &[(&str, &str)], expect: [bool; 2]| {
        let stage = Stage::new([Act::says("# Answered\n\n`code`")]);
        assert_eq!(stage.holm(["paths"]).code, Some(0), "which makes the folder");
        fs::write(stage.data().join("chat.toml"), file).unwrap();
        let bytes = coloured(&stage, args, env);
        assert_eq!([bytes.contains(cyan), bytes.contains(blue)], expect, "{file} {args:?} {env:?}");
        assert!(expect != [false, false] || !bytes.contains("\x1b[38;"), "no colour at all");
    };
    let (dark, light, none) = ([true, false], [false, true], [false, false]);
    check("", &[], &[], dark);
    check("theme = \"light\"\n", &[], &[], light);
    check("theme = \"none\"\n", &[], &[], none);
    check("theme = \"light\"\n", &["--theme", "dark"], &[], dark);
    check("theme = \"light\"\n", &[], &[("NO_COLOR", "1")], none);
    check("", &["--theme", "light"], &[("NO_COLOR", "1")], light);
    check("", &[], &[("NO_COLOR", "")], dark);
}

#[test]
fn keys_are_the_persons() {
    let stage = Stage::new([Act::says("Hello.")]);
    assert_eq!(stage.holm(["paths"]).code, Some(0), "which makes the folder");
    let file = "[keys]\nhelp = [\"ctrl-k\", \"f5\"]\nsend = \"ctrl-y\"\nfly = \"f6\"\nmode = \"hyper-x\"\n";
    fs::write(stage.data().join("chat.toml"), file).unwrap();
    let mut chat = Pty::chat(&stage, LARGE, &[]);
    chat.shows("no action is called `fly`");
    chat.shows("`hyper-x` is not a key");
    chat.until("a session that is open", |screen| !screen.contents().contains(" opens"));
    for key in ["\x0b", "\x1b[15~"] {
        chat.types(key);
        chat.shows("ctrl-k, f5");
        chat.types(ESC);
        chat.hides("ctrl-k, f5");
    }
    chat.types("hello");
    // What was the key before is one no more.
    chat.types("\x1bOP");
    chat.types(ENTER);
    chat.types("\x19");
    chat.shows("Hello.");
    rests(&chat);
    chat.types(CTRL_C);
    chat.shows("Press Ctrl-C again to quit.");
    chat.types(CTRL_C);
    let (code, left) = chat.ends();
    assert_eq!(code, Some(0));
    left.is_as_before();
}

/// The session that a chat has named when it ended.
fn named(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let (_, after) = text.rsplit_once("--session ").unwrap();
    after.split_whitespace().next().unwrap().to_owned()
}

#[test]
fn what_is_typed_and_what_is_looked_at_are_there_the_next_time() {
    for size in [SMALL, LARGE] {
        let stage = Stage::new([Act::says("First."), long_answer()]);
        let mut chat = ready(&stage, size, &[]);
        says(&mut chat, "begin", "First.");
        // A note stands in no journal, and moves nothing.
        commands(&mut chat, "/cost", "tokens in");
        says(&mut chat, "fill", "line 199 of it");
        chat.types("half a thought");
        chat.shows("› half a thought");
        chat.types(PAGE_UP);
        chat.hides("line 199 of it");
        chat.settles(&format!("\x1b[?25h\x1b[{};17H", size.0 - 1));
        let looked_at = transcript(&chat.picture());
        chat.terminates();
        let (_, left) = chat.ends();
        left.is_as_before();
        let session = named(&left.bytes);
        let mut again = Pty::chat(&stage, size, &["--session", &session, "--resume"]);
        again.shows("› half a thought");
        again.until("what was looked at", |screen| transcript(&picture(screen)) == looked_at);
        again.types(CTRL_C);
        again.hides("half a thought");
        again.types("\x1b[1;5F");
        again.shows("line 199 of it");
        leaves(again);
        let again = Pty::chat(&stage, size, &["--session", &session, "--resume"]);
        again.shows("line 199 of it");
        assert!(!again.screen().contains("half a thought"), "what was taken back stays so");
        leaves(again);
    }
}

/// The rows in which a transcript stands.
fn transcript(picture: &str) -> Vec<String> {
    let rows: Vec<&str> = picture.lines().collect();
    rows[1..rows.len() - 3].iter().map(ToString::to_string).collect()
}

#[test]
fn one_session_asks_while_another_is_looked_at() {
    let door = Door::default();
    let held = door.clone();
    let write = r#"{"path":"new.txt","content":"hi\n"}"#;
    let stage = Stage::answering(move |seen: &Seen| {
        let text = seen.text();
        if text.contains("talk to me") {
            return Act::says("In the second.");
        }
        if text.contains("new.txt") {
            return Act::says("Written.");
        }
        held.pass();
        Act::calls(&[("c1", "write", write)])
    });
    let mut chat = ready(&stage, SMALL, &[]);
    chat.types("write it");
    chat.types(ENTER);
    chat.shows("waits for the model");
    commands(&mut chat, "/new", "Type what you want done.");
    chat.shows("1◐ write it");
    says(&mut chat, "talk to me", "In the second.");
    chat.types("y, I think");
    door.open();
    chat.shows("1? write it");
    chat.types(CTRL_C);
    chat.types(CTRL_T);
    chat.shows("[y]es once");
    assert!(!stage.work().join("new.txt").exists(), "what is typed elsewhere answers nothing");
    chat.types("y");
    chat.shows("Written.");
    rests(&chat);
    assert_eq!(read(&stage.work().join("new.txt")), "hi\n");
    leaves(chat);
}

#[test]
fn names_that_a_terminal_would_obey_reach_none() {
    let evil = "ev\u{1b}]0;owned\u{7}\u{1b}[2J\u{202e}il";
    let stage = Stage::new([Act::says(&format!("found {evil} needle")), Act::says("Looked.")]);
    fs::write(stage.work().join(format!("{evil}.txt")), "x").unwrap();
    fs::write(stage.work().join("even.txt"), "y").unwrap();
    assert_eq!(stage.run(&["-p", &format!("haystack {evil}")]).code, Some(0));
    let mut chat = ready(&stage, SMALL, &[]);
    chat.types("@ev");
    chat.shows("@even.txt");
    assert!(!chat.screen().contains("owned"), "{}", chat.screen());
    chat.types(CTRL_C);
    commands(&mut chat, "/sessions", "resume a session");
    chat.shows("haystack");
    chat.types(ESC);
    chat.hides("resume a session");
    commands(&mut chat, "/find needle", "sessions with `needle`");
    chat.types(ENTER);
    chat.shows("needle");
    chat.shows("\\u{1b}]0;owned");
    let text = String::from_utf8(leaves(chat)).unwrap();
    for bad in ["\x1b]", "\x07", "\u{202e}"] {
        assert!(!text.contains(bad), "{bad:?} reached the terminal");
    }
}

#[test]
fn sessions_of_other_folders_are_not_offered() {
    let stage = Stage::new([Act::says("Here."), Act::says("There.")]);
    assert_eq!(stage.run(&["-p", "a question of this folder"]).code, Some(0));
    let other = stage.work().join("other");
    fs::create_dir(&other).unwrap();
    let mut command = stage.command(["run", "--model", MODEL, "-p", "a question of the other one"]);
    assert!(command.current_dir(&other).output().unwrap().status.success());
    let mut chat = ready(&stage, SMALL, &[]);
    commands(&mut chat, "/sessions", "a question of this folder");
    assert!(!chat.screen().contains("the other one"), "{}", chat.screen());
    chat.types(ESC);
    chat.hides("a question of this folder");
    leaves(chat);
}

#[test]
fn a_long_paste_is_typed_and_sent_once() {
    let stage = Stage::new([Act::says("Read.")]);
    let mut chat = ready(&stage, SMALL, &[]);
    let lines: String = (0..2_000).map(|number| format!("pasted line {number}\n")).collect();
    chat.types(&format!("\x1b[200~{lines}\x1b[201~"));
    chat.shows("pasted line 1999");
    assert_eq!(stage.double.requests().len(), 0, "a paste is never sent by itself");
    chat.types("end");
    chat.shows("end");
    chat.types(ENTER);
    chat.shows("Read.");
    let asked = stage.double.requests()[0].text();
    assert!(asked.contains("pasted line 0") && asked.contains("pasted line 1999"), "{}", asked.len());
    leaves(chat);
}

#[test]
fn a_run_whose_terminal_went_away_is_stopped_and_says_so() {
    let stage = Stage::new([Act::calls(&[("q", "ask_user", r#"{"question":"Which port?"}"#)])]);
    let mut chat = ready(&stage, SMALL, &[]);
    chat.types("Sail.");
    chat.types(ENTER);
    chat.shows("Which port?");
    chat.hangs_up();
    let journal = || {
        let listed = stage.holm(["session", "list", "--json"]).out;
        let first: serde_json::Value = serde_json::from_str(listed.lines().next().unwrap()).unwrap();
        stage.holm(["session", "export", first["run"].as_str().unwrap(), "--format", "jsonl"]).out
    };
    until_seen("the end of the run", journal, |journal| journal.contains("\"cancelled\""));
}

#[test]
fn what_was_typed_when_the_terminal_went_away_is_there_again() {
    let stage = Stage::new([]);
    let mut chat = ready(&stage, SMALL, &[]);
    chat.types("half a thought");
    chat.shows("› half a thought");
    chat.hangs_up();
    let drafts = || -> Vec<String> {
        let files = fs::read_dir(stage.data().join("chat")).into_iter().flatten().flatten();
        let drafts =
            files.map(|file| file.path()).filter(|path| path.extension().is_some_and(|end| end == "draft"));
        drafts.filter_map(|path| fs::read_to_string(path).ok()).collect()
    };
    until_seen("what was typed", drafts, |drafts| *drafts == ["half a thought"]);
    let mut again = Pty::chat(&stage, SMALL, &[]);
    again.shows("› half a thought");
    again.types(CTRL_C);
    again.hides("half a thought");
    leaves(again);
}
