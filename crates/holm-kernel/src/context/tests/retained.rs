//! What a compaction keeps word for word, and how much of it.

use alloc::{format, string::String, vec::Vec};

use super::teller::{Teller, never, sealed};
use crate::context::{CallFacts, RetainedCall, RetainedFile, estimate};
use crate::{Block, ContextPolicy, Family, MessageId, Retention, Role};

const ROOM: u64 = 400;

fn policy() -> ContextPolicy {
    ContextPolicy { verbatim_tokens: ROOM, ..never() }
}

/// Turns until the window of 8,000 tokens is full, and the plan that then cuts them.
fn crowd(teller: &mut Teller) {
    for turn in 0..40 {
        teller.answer(&format!("thought {turn}: {}", "word ".repeat(200)));
    }
    let plan = teller.plan(&policy(), 8_000);
    assert!(!plan.steps.is_empty(), "something left: {plan:?}");
}

fn call(tool: &str, arguments: &str, retention: Retention, result: Option<&str>) -> RetainedCall {
    RetainedCall {
        tool: tool.into(),
        arguments: arguments.into(),
        retention,
        result: result.map(sealed),
        message: MessageId::default(),
    }
}

impl Teller {
    fn keep(&mut self, calls: Vec<RetainedCall>, files: &[(&str, bool)]) {
        self.work(&[10]);
        let message = MessageId::new(self.history.len() as u64 - 1);
        let file = |(path, changed): &(&str, bool)| RetainedFile {
            path: String::from(*path),
            changed: *changed,
            message,
        };
        self.view.keep_facts(CallFacts { calls, files: files.iter().map(file).collect() }, message);
    }

    /// A run that has planned once, so that the limit is known.
    fn planned() -> Self {
        let mut teller = Self::default();
        teller.prompt("the task");
        let _ = teller.plan(&policy(), 8_000);
        teller
    }
}

#[test]
fn the_last_words_of_the_user_stay_and_older_ones_leave() {
    let mut teller = Teller::planned();
    for wish in 0..12 {
        teller.answer("yes");
        teller.say(Role::User, [Block::Text(format!("wish {wish}: {}", "please ".repeat(30)))].into());
    }
    crowd(&mut teller);
    assert!(teller.shows("the task") && teller.shows("wish 11") && teller.shows("wish 10"));
    assert!(!teller.shows("wish 0:") && !teller.shows("thought 0:"));
    let words = teller.view.messages().iter().filter(|message| message.plain_text().starts_with("wish"));
    let tokens: u64 = words.map(|message| estimate::tokens(teller.family, message)).sum();
    assert!((ROOM / 2..=ROOM).contains(&tokens), "{tokens}");
    // They stay at the next compaction too.
    crowd(&mut teller);
    assert!(teller.shows("wish 11") && teller.shows("wish 10") && !teller.shows("wish 0:"));
}

#[test]
fn words_that_are_too_long_push_no_others_out() {
    let mut teller = Teller::planned();
    teller.say(Role::User, [Block::Text("keep the tests".into())].into());
    teller.answer("yes");
    teller.say(Role::User, [Block::Text(format!("a log: {}", "line ".repeat(400)))].into());
    crowd(&mut teller);
    teller.prompt("go on");
    crowd(&mut teller);
    assert!(teller.shows("keep the tests") && teller.shows("go on") && !teller.shows("a log:"));
}

#[test]
fn the_last_list_and_every_question_stay_word_for_word() {
    let mut teller = Teller::planned();
    teller.keep([call("todo", r#"["old"]"#, Retention::Latest, None)].into(), &[]);
    teller.keep(
        [
            call("todo", r#"["new", "list"]"#, Retention::Latest, None),
            call("ask_user", r#"{"question":"Tabs?"}"#, Retention::Each, Some("The user answers: no")),
            call("ask_user", r#"{"question":"Which port?"}"#, Retention::Each, None),
        ]
        .into(),
        &[("src/read.rs", false), ("src/a.rs", true), ("src/b.rs", true), ("src/a.rs", false)],
    );
    assert!(!teller.shows("Tabs?"), "as long as the call is in view, no note repeats it");
    crowd(&mut teller);
    let shown = teller.shown();
    let at = |text: &str| shown.iter().position(|shown| shown == text);
    assert!(at(r#"["old"]"#).is_none());
    let list = at(r#"["new", "list"]"#).expect("the list");
    assert_eq!(shown[list - 1], "[Your last call of `todo`:]");
    let answered = at(r#"{"question":"Tabs?"}"#).expect("the question");
    assert_eq!(shown[answered - 1], "[Your call of `ask_user`, and the answer:]");
    assert_eq!(shown[answered + 1], sealed("The user answers: no"), "what a tool returned stays data");
    let open = at(r#"{"question":"Which port?"}"#).expect("the open question");
    assert_eq!(shown[open - 1], "[Your call of `ask_user`, which was not answered:]");
    let changed = at("[Files changed so far, the latest last:]").expect("a list of files");
    assert_eq!(shown[changed + 1], "src/b.rs\nsrc/a.rs", "in the order of their last use");
    let read = at("[Files read so far, the latest last:]").expect("a list of files");
    assert_eq!(shown[read + 1], "src/read.rs");
    // Once more, and the note is the same.
    let before = shown[list - 1..].iter().take(11).cloned().collect::<Vec<_>>();
    crowd(&mut teller);
    let shown = teller.shown();
    let list = shown.iter().position(|text| *text == before[0]).expect("the list");
    assert_eq!(shown[list..list + before.len()], before);
}

#[test]
fn what_is_kept_is_bounded() {
    let mut teller = Teller::planned();
    let long = format!("[{}]", "\"item\",".repeat(2_000));
    teller.keep([call("todo", &long, Retention::Latest, None)].into(), &[]);
    for n in 0..300 {
        let question = format!("question {n}");
        let path = format!("src/a/rather/long/path/{n}.rs");
        teller.keep(
            [call("ask_user", &question, Retention::Each, Some("yes"))].into(),
            &[(path.as_str(), n % 2 == 0)],
        );
    }
    crowd(&mut teller);
    assert!(!teller.shows("\"item\""));
    assert!(teller.shows("[A call of `todo` is too long to be kept here"), "{:?}", teller.shown());
    assert!(teller.shows("question 299") && !teller.shows("question 1\n"));
    assert!(teller.shows("path/298.rs") && !teller.shows("path/0.rs"), "the latest files");
    let note = teller.view.messages().iter().find(|message| message.plain_text().contains("too long"));
    let tokens = estimate::tokens(teller.family, note.expect("the note"));
    assert!(tokens <= ROOM + 60, "{tokens}");
    let written = serde_json::to_string(&teller.view.facts).expect("JSON");
    assert!(written.len() < long.len() + 40_000, "{}", written.len());
}

#[test]
fn without_room_nothing_but_the_task_and_the_prompt_is_kept() {
    let mut teller = Teller::default();
    teller.prompt("the task");
    let _ = teller.plan(&never(), 8_000);
    teller.keep([call("todo", "[1]", Retention::Latest, None)].into(), &[("src/a.rs", true)]);
    teller.say(Role::User, [Block::Text("a wish".into())].into());
    teller.prompt("the prompt");
    for turn in 0..40 {
        teller.answer(&format!("thought {turn}: {}", "word ".repeat(200)));
    }
    assert!(!teller.plan(&never(), 8_000).steps.is_empty());
    assert!(teller.shows("the task") && teller.shows("the prompt"));
    assert!(!teller.shows("a wish") && !teller.shows("[1]") && !teller.shows("src/a.rs"));
}

#[test]
fn a_provider_that_refuses_everything_else_gets_the_note_without_them() {
    let mut teller = Teller::planned();
    teller.keep([call("todo", "[1]", Retention::Latest, None)].into(), &[("src/a.rs", true)]);
    crowd(&mut teller);
    assert!(teller.shows("src/a.rs"));
    for _ in 0..20 {
        let _ = teller.view.shrink_after_overflow(&policy());
    }
    assert!(teller.shows("the task") && !teller.shows("src/a.rs"));
    assert_eq!(teller.family, Family::OpenAi);
}
