//! What a tool that runs programs may use without naming it is what the run holds at that call, never
//! what it held before.

use alloc::{
    boxed::Box,
    rc::Rc,
    string::{String, ToString},
    vec,
    vec::Vec,
};
use core::cell::RefCell;

use holm_grants::{GrantSet, Level, Mode};

use super::play::{Play, Say, config_with, tool};
use crate::*;

const START: &[&str] = &["fetch:https://a.example", "read:/data/**", "tool:start"];
const MARKED: Marks = Marks { untrusted: true, private: false };

/// A run whose tools keep what each call of `start` may use.
struct Standing {
    play: Play,
    held: Rc<RefCell<Vec<Vec<String>>>>,
}

impl Standing {
    fn new(config: Config) -> Self {
        let mut play = Play::new(config, Vec::new());
        let held: Rc<RefCell<Vec<Vec<_>>>> = Rc::default();
        let kept = Rc::clone(&held);
        play.tool = Box::new(move |request| {
            kept.borrow_mut().push(request.grants.iter().map(ToString::to_string).collect());
            ToolOutput::text("started")
        });
        Self { play, held }
    }

    /// What one more call may use.
    fn next(&mut self) -> Vec<String> {
        self.play.script.extend([Say::Call("start", "{}"), Say::Text("done")]);
        self.play.prompt("go");
        self.held.borrow_mut().pop().expect("it ran")
    }

    fn tell(&mut self, input: Input) {
        self.play.give(input);
        self.play.play();
    }
}

fn grants(texts: &[&str]) -> GrantSet {
    GrantSet::parse(texts.iter().copied()).expect("grants")
}

fn sorted(texts: &[&str]) -> Vec<String> {
    grants(texts).iter().map(ToString::to_string).collect()
}

fn config() -> Config {
    let start = tool("start").level(Level::Execute);
    Config { grants: grants(START), mark_rule: MarkRule::AskAfterAny, ..config_with(vec![start]) }
}

#[test]
fn the_call_after_a_change_of_grants_uses_the_new_ones() {
    let mut run = Standing::new(config());
    assert_eq!(run.next(), sorted(START));
    assert_eq!(run.next(), sorted(START), "nothing changed");
    for held in [&["read:/other/**", "tool:start"][..], &["tool:start"], START] {
        run.tell(Input::GrantsChanged(grants(held)));
        assert_eq!(run.next(), sorted(held));
    }
}

#[test]
fn the_call_after_a_mark_no_longer_reaches_a_host() {
    let without = sorted(&["read:/data/**", "tool:start"]);
    let mut run = Standing::new(config());
    assert_eq!(run.next(), sorted(START));
    run.tell(Input::Steered(Prompt { marks: MARKED, ..Prompt::text("look at this") }));
    assert_eq!(run.next(), without);

    // Within one batch too: the first call brings the mark in, the second runs after it.
    let mut run = Standing::new(config());
    let kept = Rc::clone(&run.held);
    run.play.tool = Box::new(move |request| {
        kept.borrow_mut().push(request.grants.iter().map(ToString::to_string).collect());
        ToolOutput { marks: MARKED, ..ToolOutput::text("started") }
    });
    let pair = vec![("start", r#"{"text":"a"}"#), ("start", r#"{"text":"b"}"#)];
    run.play.script.extend([Say::Calls(pair), Say::Text("done")]);
    run.play.prompt("go");
    assert_eq!(*run.held.borrow(), [sorted(START), without]);
}

#[test]
fn the_call_after_a_narrower_mark_rule_follows_it() {
    let mut run = Standing::new(Config { mark_rule: MarkRule::ShowOnly, marks: MARKED, ..config() });
    assert_eq!(run.next(), sorted(START));
    let narrowing = Narrowing { mark_rule: Some(MarkRule::AskAfterAny), ..Narrowing::default() };
    run.tell(Input::Narrowed(Box::new(narrowing)));
    assert_eq!(run.next(), sorted(&["read:/data/**", "tool:start"]));
}

#[test]
fn what_a_person_gives_is_used_until_the_mode_changes() {
    let mut run =
        Standing::new(Config { mode: Mode::Default, grants: grants(&["read:/data/**"]), ..config() });
    run.play.judge = Box::new(|_| Verdict::allow());
    assert_eq!(run.next(), sorted(&["read:/data/**"]));
    run.play.judge = Box::new(|_| Verdict::Allow { grants: grants(&["write:out/**"]), until: None });
    assert_eq!(run.next(), sorted(&["read:/data/**", "write:out/**"]), "the call that it was given for");
    run.tell(Input::ModeChanged(Mode::Full));
    assert_eq!(run.next(), sorted(&["read:/data/**"]), "a change of mode withdraws it");
}

#[test]
fn a_restored_run_uses_what_it_holds() {
    let mut run = Standing::new(config());
    assert_eq!(run.next(), sorted(START));
    run.tell(Input::GrantsChanged(grants(&["read:/other/**", "tool:start"])));
    let frozen = run.play.run.freeze().expect("a snapshot");
    let state = serde_json::from_str(&frozen).expect("a state");
    run.play.run = Run::thaw(state);
    assert_eq!(run.next(), sorted(&["read:/other/**", "tool:start"]));
}
