//! Recognises a native reply that announces an action and takes none. A real answer mistaken for an
//! announcement costs a turn, so the conditions are strict: the last sentence must begin like an
//! announcement, name an action, and leave nothing to the person.
//!
//! It only classifies; `run/reply.rs` decides what follows. Replies of the text protocol are judged
//! by the policy's phrases in `protocol/read.rs`. The word lists affect decisions, so a change of
//! them changes replays of runs that use
//! [`Announcements::Corrected`](crate::Announcements::Corrected).

use alloc::string::String;

use super::scan::scan;

/// Longer texts are answers: an announcement is a sentence or two.
const LONGEST: usize = 1_500;

/// Words that may come before an announcement.
const FILLERS: &[&str] = &[
    "ok", "okay", "sure", "alright", "great", "good", "perfect", "now", "next", "first", "then", "so", "and",
    "to start",
];

/// Phrases that begin an announcement.
const OPENINGS: &[&str] = &[
    "let me ",
    "let's ",
    "i'll ",
    "i will ",
    "i am going to ",
    "i'm going to ",
    "i need to ",
    "i should ",
    "i am now going to ",
];

/// Words that may come between the opening and the action.
const ADVERBS: &[&str] = &[
    "now ",
    "first ",
    "next ",
    "then ",
    "also ",
    "quickly ",
    "just ",
    "go ahead and ",
    "start by ",
    "begin by ",
    "proceed to ",
    "try to ",
    "continue to ",
    "continue by ",
];

/// Verbs for what tools do.
const ACTIONS: &[&str] = &[
    "add",
    "analyse",
    "analyze",
    "apply",
    "begin",
    "build",
    "call",
    "change",
    "check",
    "compile",
    "continue",
    "copy",
    "create",
    "delete",
    "dig",
    "download",
    "edit",
    "examine",
    "execute",
    "explore",
    "fetch",
    "find",
    "fix",
    "gather",
    "generate",
    "get",
    "grep",
    "implement",
    "inspect",
    "install",
    "investigate",
    "list",
    "load",
    "locate",
    "look",
    "make",
    "modify",
    "move",
    "open",
    "patch",
    "print",
    "proceed",
    "query",
    "read",
    "refactor",
    "remove",
    "rename",
    "retry",
    "review",
    "run",
    "save",
    "scan",
    "search",
    "start",
    "take",
    "test",
    "try",
    "update",
];

/// More actions. After "I need" or "I should" they may be meant for the person, so they
/// do not count there.
const OWN_ACTIONS: &[&str] = &["see", "use", "verify", "view", "write"];

/// Words that make a sentence a promise or a condition, and not an announcement.
const LATER: &[&str] = &[
    "let me know",
    "from now on",
    "next time",
    "in the future",
    "in future",
    "unless",
    "please",
    "as soon as",
    "afterwards",
    "not ",
];

/// Whether a reply announces an action without taking it, or begins a call in its
/// text without completing it.
pub(crate) fn is_announcement(text: &str) -> bool {
    let text = text.trim();
    if text.len() > LONGEST {
        return false;
    }
    if scan(text, |_| false).broken_call {
        return true;
    }
    let Some(sentence) = last_sentence(text) else { return false };
    let said = sentence.to_lowercase().replace('\u{2019}', "'");
    let without_favour = said.replace("for you", "");
    let speaks_to_person = without_favour.split(|c: char| !c.is_alphanumeric()).any(|word| word == "you");
    if speaks_to_person || LATER.iter().any(|later| said.contains(later)) {
        return false;
    }
    announces(&said)
}

/// The last sentence, if the text ends with prose that is not a question.
fn last_sentence(text: &str) -> Option<&str> {
    let line = text.lines().next_back()?.trim();
    let is_prose = line.starts_with(|c: char| c.is_alphabetic()) && !line.ends_with('?');
    if !is_prose {
        return None;
    }
    let line = line.trim_end_matches(['.', ':', '!', '…', ' ']);
    let from = [". ", "! ", "? ", ": "].iter().filter_map(|end| Some(line.rfind(end)? + end.len())).max();
    line.get(from.unwrap_or(0)..).map(str::trim)
}

fn announces(said: &str) -> bool {
    let said = past(said, FILLERS, true);
    let Some((opening, rest)) =
        OPENINGS.iter().find_map(|opening| Some((*opening, said.strip_prefix(opening)?)))
    else {
        return false;
    };
    let rest = past(rest, ADVERBS, false);
    let word: String = rest.chars().take_while(|c| c.is_alphabetic()).collect();
    let is = |action: &&str| is_form(&word, action);
    let only_needs = opening.starts_with("i need") || opening.starts_with("i should");
    ACTIONS.iter().any(&is) || (!only_needs && OWN_ACTIONS.iter().any(is))
}

/// The text after any number of these words.
fn past<'a>(mut text: &'a str, words: &[&str], with_comma: bool) -> &'a str {
    'again: loop {
        for word in words {
            let Some(rest) = text.strip_prefix(word) else { continue };
            if !with_comma {
                text = rest;
                continue 'again;
            }
            if rest.starts_with([',', ' ', '!']) {
                text = rest.trim_start_matches([',', ' ', '!']);
                continue 'again;
            }
        }
        return text;
    }
}

/// Whether a word is an action, in its base form or with `-ing`.
fn is_form(word: &str, action: &str) -> bool {
    let Some(root) = word.strip_suffix("ing") else { return word == action };
    let doubled = root.strip_prefix(action).is_some_and(|rest| rest.len() == 1 && action.ends_with(rest));
    root == action || doubled || action.strip_suffix('e') == Some(root)
}

#[cfg(test)]
mod tests {
    use super::is_announcement;

    #[test]
    fn announcements_are_told_from_answers() {
        for text in [
            "Let me read the file now.",
            "Let me read the file now:",
            "I'll check the tests first.",
            "I\u{2019}ll look at the configuration.",
            "Sure! I will create the file.",
            "Okay, let me search for that.",
            "First, I'll list the directory.",
            "Now let me run the tests.",
            "I'm going to update the README.",
            "I am going to inspect the logs…",
            "I need to read main.rs before I answer.",
            "Let's start by running the test suite.",
            "I'll start by reading the source code.",
            "The bug is in the parser. Let me fix it.",
            "I found the problem in line 12.\n\nNext, I'll write a test for it.",
            "Great, now I will go ahead and implement the change.",
            "Let me take a look at your code.",
            "Let me check that for you.",
            "I should verify this. Let me try running it again.",
            "{\"tool\": \"read\", \"path\": \"a.txt\"",
        ] {
            assert!(is_announcement(text), "not taken for an announcement: {text}");
        }
        for text in [
            "The answer is 4.",
            "Done. All tests pass.",
            "I read the file; it has three lines.",
            "Let me know if you need anything else.",
            "I fixed the bug in `parser.rs:12`. Let me know whether I should also update the docs.",
            "Should I run the tests now?",
            "I'll run the tests once you confirm.",
            "I will not change the file.",
            "I'll use tabs from now on.",
            "I'll keep that in mind.",
            "I'll wait for the build to finish.",
            "Let me explain: the parser reads one token at a time, and the lexer makes them.",
            "Let's say the list has n elements.",
            "To do this, run `cargo test`.",
            "We can read the file with `cat`.",
            "I need to know which file is meant.",
            "Please send me the log; I'll check it then.",
            "Steps:\n1. Let me read the file.\n2. Done.",
            "```sh\nlet me run\n```",
            "If the test fails, I will look at it when you send the log.",
            "The function says `let me read`, which is a name.",
            "Next time I will check the tests first.",
        ] {
            assert!(!is_announcement(text), "taken for an announcement: {text}");
        }
        assert!(!is_announcement(&alloc::format!("{}Let me read the file.", "It is long. ".repeat(200))));
    }
}
