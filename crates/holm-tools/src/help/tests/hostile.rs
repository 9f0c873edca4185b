//! Texts that want to cost much, say too much or be taken for something else.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use proptest::prelude::{any, prop_assert, proptest};

use super::super::limits::{MAX_ABOUT, MAX_DESCRIPTION, MAX_KEYWORDS};
use super::super::{
    CommandNode, HelpDescription, HelpProgram, MAX_BYTES, MAX_COMMANDS, MAX_OPTIONS, MAX_POSITIONS,
};
use super::read;

/// Reads a text of the largest size that is made of one piece; returns what it came to.
fn flood(head: &str, piece: &str, tail: &str) -> Option<HelpDescription> {
    // An eighth: a debug build is slow, and what grows faster than the text shows here already.
    let room = MAX_BYTES / 8 - head.len() - tail.len();
    let text = format!("{head}{}{tail}", piece.repeat(room / piece.len()));
    let before = cpu();
    let read =
        HelpDescription::read(&HelpProgram::named("p"), Some(text.as_bytes()), Some(text.as_bytes())).ok();
    let took = cpu().saturating_sub(before);
    assert!(took < Duration::from_secs(2), "{piece:?} after {head:?} took {took:?}");
    read
}

/// What this thread has computed so far: on a machine that does other things, too, the clock would tell nothing. Where the
/// system does not say, the clock has to do.
fn cpu() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = told.and_then(|text| text.split(' ').next().and_then(|word| word.parse().ok()));
    nanos.map_or_else(|| START.get_or_init(Instant::now).elapsed(), Duration::from_nanos)
}

#[test]
fn no_text_takes_long_and_none_makes_much() {
    let pieces = [
        "[",
        "(",
        "<",
        "{",
        "|",
        "...",
        " ... ",
        "[a|",
        "<a|b> ",
        "[[a] ",
        "-",
        "--",
        "--a ",
        "-a, ",
        "--a=<",
        "[--a ",
        "\t",
        " ",
        "\n",
        "  --a  b\n",
        "  -a,\n",
        "  --a <b>\n",
        "  --a [default: ",
        "(default ",
        "possible values: a, ",
        "  - a: b\n",
        "Usage: p\n",
        "Usage: p [x]\n",
        "  or: p x\n",
        "Commands:\n",
        "  word  about\n",
        "a:\n",
        "\u{1b}[",
        "\u{1b}]",
        "x\u{8}",
        "é",
        "│ * --a  <b>  c │\n",
        "  <a>  b\n",
        "--a|-b ",
        "--a/--no-a ",
        "{a,",
        "\"",
        "'",
        "$ ",
        "p ",
        "REQUIRED ",
        "Keywords: a,",
        "# ",
        "; required",
        "]",
        ")",
        "[=",
        "[-]",
    ];
    for head in [
        "",
        "Usage: p ",
        "Usage: p [OPTIONS]\n\nOptions:\n  --x ",
        "Usage: p <COMMAND>\n\nCommands:\n",
        "Arguments:\n  <x>  ",
    ] {
        for piece in pieces {
            if let Some(description) = flood(head, piece, "\n") {
                bounded(&description);
            }
        }
    }
}

#[test]
fn many_options_positions_and_commands_are_cut() {
    let numbered = |count: usize, line: fn(usize) -> String| (0..count).map(line).collect::<String>();
    let options = read(&format!(
        "Usage: p [OPTIONS]\n\nOptions:\n{}",
        numbered(3000, |n| format!("  --o{n} <X>  about\n"))
    ));
    assert_eq!(options.plan.root.options.len(), MAX_OPTIONS);
    let shown = read(&format!("Usage: p {}\n", numbered(1500, |n| format!("[--o{n}] "))));
    assert!(shown.plan.root.options.len() <= MAX_OPTIONS);
    let positions = read(&format!("Usage: p {}\n", numbered(1500, |n| format!("<p{n}> "))));
    assert_eq!(positions.plan.root.steps.len(), MAX_POSITIONS);
    let commands =
        read(&format!("Usage: p <COMMAND>\n\nCommands:\n{}", numbered(3000, |n| format!("  c{n}  about\n"))));
    assert_eq!(commands.plan.root.commands.len(), MAX_COMMANDS);
}

#[test]
fn what_a_program_says_holds_nothing_that_steers_or_hides() {
    let text = "p does \u{1b}[31mthings\u{202e}\n\nUsage: p [OPTIONS] <\u{1b}[1mFILE>\n\nOptions:\n  --x <Y>  ab\u{7}out\u{200b} it\u{0}\u{9b}5m [default: \u{1b}]0;t\u{7}6]\n";
    let description = read(&text.replace('\0', ""));
    bounded(&description);
    assert_eq!(description.about, "p does things");
    assert_eq!(description.plan.root.options[0].about, "about it");
}

fn bounded(description: &HelpDescription) {
    let schema = description.schema.canonical();
    assert!(holm_guards::schema::CompiledSchema::compile(&description.schema).is_ok(), "{schema}");
    assert!(!schema.chars().any(char::is_control), "{schema}");
    // Control characters in canonical JSON are escapes; only line ends may be there.
    assert!(!schema.contains("\\u00"), "{schema}");
    assert!(description.about.chars().count() <= MAX_DESCRIPTION + 1);
    assert!(description.keywords.len() <= MAX_KEYWORDS);
    node(&description.plan.root);
}

fn node(inner: &CommandNode) {
    assert!(inner.options.len() <= MAX_OPTIONS && inner.steps.len() <= MAX_POSITIONS + 1);
    assert!(inner.commands.len() <= MAX_COMMANDS);
    for option in &inner.options {
        assert!(option.about.chars().count() <= MAX_ABOUT + 1);
        assert!(option.flag.starts_with('-') && !option.flag.contains(char::is_whitespace), "{option:?}");
    }
    for command in &inner.commands {
        assert!(!command.name.starts_with('-') && !command.name.contains(char::is_whitespace), "{command:?}");
        if let Some(inner) = &command.node {
            node(inner);
        }
    }
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(bytes in any::<Vec<u8>>(), text in "[-a-c \\[\\]<>{}()|.,:=\n\"*]{0,200}") {
        let program = HelpProgram::named("p");
        for text in [bytes.as_slice(), format!("Usage: p {text}\n\nOptions:\n  -{text}").as_bytes()] {
            if let Ok(description) = HelpDescription::read(&program, Some(text), Some(text)) {
                bounded(&description);
                prop_assert!(description.questions().len() <= MAX_COMMANDS);
            }
        }
    }
}
