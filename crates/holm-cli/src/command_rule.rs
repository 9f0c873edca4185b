//! The command that a call runs, and the allow rule that would cover it. The hints of denials
//! (`approve.rs`) and `holm trust` use it. It only names rules; what a rule covers is decided in
//! `holm-tools/src/shell/rules`.

use holm_tools::shell::{CommandRule, CommandRules, CommandRuling, RUN_PROGRAM, SHELL, ShellScript};

/// The script of a call that runs commands.
pub(crate) fn script_of(tool: &str, arguments: &str) -> Option<ShellScript> {
    let arguments: serde_json::Value = serde_json::from_str(arguments).ok()?;
    let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
    match tool {
        SHELL => ShellScript::read(arguments.get("script")?.as_str()?).ok(),
        RUN_PROGRAM => {
            let words = arguments.get("args").and_then(serde_json::Value::as_array).into_iter().flatten();
            let words = std::iter::once(arguments.get("program")?).chain(words);
            Some(ShellScript::of_words(&words.map(text).collect::<Option<Vec<String>>>()?))
        }
        _ => None,
    }
}

/// The smallest allow rule that covers the command of a call; `None` if no rule can hold it.
pub(crate) fn rule_of(tool: &str, arguments: &str) -> Option<CommandRule> {
    let script = script_of(tool, arguments)?;
    let [command] = script.commands() else { return None };
    let words: Vec<&str> = command.words.iter().map(|word| word.value()).collect::<Option<_>>()?;
    // In a rule, a star stands for all words.
    if words.iter().any(|word| word.contains('*')) {
        return None;
    }
    let rule: CommandRule = words.join(" ").parse().ok()?;
    let mut rules = CommandRules::default();
    rules.allow(rule.clone());
    (rules.judge(&script) == CommandRuling::Allowed).then_some(rule)
}
