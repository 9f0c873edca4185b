//! What an answer for a family of commands covers: exactly what its rules contain.

use proptest::prelude::*;

use crate::shell::{CommandFamily, CommandRules, CommandRuling, ShellScript};

fn family(text: &str) -> CommandFamily {
    CommandFamily::suggest(&ShellScript::read(text).expect("a script"), true).expect("a family")
}

/// Whether the answer for one command covers another.
fn covers(shown: &str, other: &str) -> bool {
    let mut rules = CommandRules::default();
    family(shown).rules().iter().for_each(|rule| rules.allow(rule.clone()));
    rules.judge(&ShellScript::read(other).expect("a script")) == CommandRuling::Allowed
}

#[test]
fn the_look_ups_of_git_are_one_family_and_nothing_else_of_git_is_in_it() {
    for shown in ["git status", "git diff src", "git log --oneline"] {
        for other in ["git status --short", "git diff --stat a b", "git log -3 && git status"] {
            assert!(covers(shown, other), "{shown}: {other}");
        }
        for other in [
            "git push",
            "git show HEAD",
            "git add .",
            "git commit -m x",
            "git diff --output=x",
            "git diff --ext-diff",
            "git -c core.pager=x log",
            "git log | sh",
            "git status > x",
            "/opt/git status",
        ] {
            assert!(!covers(shown, other), "{shown}: {other}");
        }
    }
    let named = family("git log -S needle");
    assert_eq!(named.rules().len(), 1, "an option that is not about display: {named}");
}

#[test]
fn cargo_is_a_family_in_the_jail_only_and_of_that_very_name() {
    for other in ["cargo build", "cargo test -p a -- --nocapture", "cargo clippy"] {
        assert!(covers("cargo test", other), "{other}");
    }
    for other in
        ["./cargo test", "/tmp/cargo test", "cargo test; rm -rf x", "X=y cargo test", "cargo-deny check"]
    {
        assert!(!covers("cargo test", other), "{other}");
    }
    let script = ShellScript::read("cargo test").expect("a script");
    assert_eq!(CommandFamily::suggest(&script, false), None, "without a jail");
    for text in ["npm test", "make", "python3 x.py", "cargo test | sh", "sh -c 'cargo test'"] {
        let script = ShellScript::read(text).expect("a script");
        assert_eq!(CommandFamily::suggest(&script, true), None, "{text}");
    }
}

proptest! {
    /// A command is covered if and only if it is one of the family's programs and subcommands.
    #[test]
    fn a_family_covers_exactly_what_its_rules_contain(
        program in prop::sample::select(vec!["git", "cargo", "./cargo", "gitk", "npm", "sh"]),
        command in prop::sample::select(vec!["status", "diff", "log", "show", "push", "commit", "test", "build"]),
        names in prop::collection::vec("[a-d]{1,6}", 0..4),
    ) {
        let text = format!("{program} {command} {}", names.join(" "));
        let looks = program == "git" && ["status", "diff", "log"].contains(&command);
        prop_assert_eq!(covers("git status", &text), looks, "{}", text);
        prop_assert_eq!(covers("cargo test", &text), program == "cargo", "{}", text);
    }
}
