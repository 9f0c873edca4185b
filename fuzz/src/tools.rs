//! What programs say about themselves: help texts and descriptions.

use holm_guards::{json::Json, schema::CompiledSchema};
use holm_tools::{
    describe::{ArgumentArity, ArgumentMode, ProgramDescription as Described},
    help::{
        CommandNode, HelpDescription, HelpProgram, OptionArgument, OptionValueCount, PlanArgument,
        PlanOption, PlanValueKind,
    },
    shell::{CommandRule, CommandRules, CommandRuling, ScriptComplexity, ScriptWord, ShellScript},
};

/// A value that every program would take for an option if it stood alone.
const DASHED: &str = "-zz";

/// A help text: it is refused, or its schema holds and values stay values in every call.
pub fn help(data: &[u8]) {
    let program = HelpProgram::named("p");
    let Ok(mut description) = HelpDescription::read(&program, None, Some(data)) else { return };
    assert_eq!(
        HelpDescription::read(&program, None, Some(data)).as_ref(),
        Ok(&description),
        "another answer"
    );
    let schema = description.schema.canonical();
    assert!(CompiledSchema::compile(&description.schema).is_ok(), "{schema}");
    assert!(!schema.chars().any(char::is_control) && !schema.contains("\\u00"), "{schema}");
    called(&description);
    // The text as the help of each of its own commands: deep trees are called, too.
    if let Some(question) = description.questions().into_iter().next() {
        let inner = description.clone();
        description.attach(&question.path, &inner).expect("a command that was asked for");
        called(&description);
    }
    let both = HelpDescription::read(&program, Some(data), Some(data)).expect("twice the same text");
    assert!(CompiledSchema::compile(&both.schema).is_ok());
}

fn called(description: &HelpDescription) {
    let arguments = filled(&description.plan.root, 0);
    let Ok(words) = description.plan.argv(&arguments) else { return };
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    for (at, word) in words.iter().take(end).enumerate().filter(|(_, word)| *word == DASHED) {
        let before = at.checked_sub(1).and_then(|at| words.get(at)).expect("an option before it");
        assert!(takes_the_next_word(&description.plan.root, before), "{word} is loose in {words:?}");
    }
}

/// Arguments that give everything a value that looks like an option.
fn filled(node: &CommandNode, depth: usize) -> Json {
    let text = |kind: &PlanValueKind| match kind {
        PlanValueKind::Text => Json::from(DASHED),
        PlanValueKind::Integer | PlanValueKind::Number => Json::from(-1_i64),
        PlanValueKind::Boolean => Json::from(true),
        PlanValueKind::Choice(choices) => Json::from(choices.first().map_or("", String::as_str)),
    };
    let mut members: Vec<(String, Json)> = Vec::new();
    for option in &node.options {
        let value = match &option.takes {
            OptionArgument::Nothing(_) => Json::from(true),
            OptionArgument::Count => Json::from(2_u64),
            OptionArgument::Value {
                kind,
                times: OptionValueCount::Once | OptionValueCount::Occurrences,
                ..
            } => text(kind),
            // A list of words cannot hold one that looks like an option.
            OptionArgument::Value { times: OptionValueCount::Values, .. } => {
                Json::from(vec![Json::from("v")])
            }
            OptionArgument::Value { times: OptionValueCount::Exactly(count), .. } => {
                Json::from(vec![Json::from("v"); usize::from(*count)])
            }
        };
        members.push((option.property.clone(), value));
    }
    for step in &node.steps {
        if let PlanArgument::Position(position) = step {
            members.push((position.property.clone(), text(&position.kind)));
        }
    }
    if let Some(command) = node.commands.first().filter(|_| depth < 3) {
        let inner =
            command.node.as_ref().map_or_else(|| Json::object::<&str>([]), |node| filled(node, depth + 1));
        members.push((command.property.clone(), inner));
    }
    Json::object(members)
}

/// Whether a word is an option that has no other way to its value.
fn takes_the_next_word(node: &CommandNode, word: &str) -> bool {
    let is = |option: &PlanOption| {
        option.flag == word && matches!(option.takes, OptionArgument::Value { equals: false, .. })
    };
    let inner = |command: &holm_tools::help::PlanSubcommand| {
        command.node.as_ref().is_some_and(|node| takes_the_next_word(node, word))
    };
    node.options.iter().any(is) || node.commands.iter().any(inner)
}

/// A description by the describe/run protocol: it is refused, or every value reaches the program whole and in order.
pub fn describe(data: &[u8]) {
    let Ok(program) = Described::parse("p", data) else { return };
    let text = serde_json::to_string(&program).expect("data");
    assert_eq!(serde_json::from_str::<Described>(&text).expect("what we wrote"), program);
    assert!(CompiledSchema::compile(&program.schema()).is_ok());
    let value = |name: &str| format!("--{name}=\n$x");
    let arguments =
        Json::object(program.args.iter().map(|arg| (arg.name.as_str(), Json::from(value(&arg.name)))));
    let call = program.call(&arguments).expect("what the schema asks for");
    let mut argv = vec!["run".to_owned()];
    let mut stdin: Vec<String> = Vec::new();
    for arg in &program.args {
        let value = value(&arg.name);
        match arg.mode {
            ArgumentMode::Positional => argv.push(value),
            ArgumentMode::DashDashSpace => argv.extend([format!("--{}", arg.name), value]),
            ArgumentMode::DashDashEqual => argv.push(format!("--{}={value}", arg.name)),
            ArgumentMode::Stdin => stdin.push(format!("{value}\n")),
        }
    }
    assert_eq!((call.argv, call.stdin), (argv, stdin.join("\n").into_bytes()));
    let needed = program.args.iter().any(|arg| arg.arity == ArgumentArity::Single);
    assert_eq!(program.call(&Json::object::<&str>([])).is_err(), needed);
}

/// A script and rules about it: what passes is plain to see, what is forbidden is found behind anything, and what is
/// remembered of a command covers that command.
pub fn shell(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let rules = CommandRules::new(["zzz"], ["git status", "echo *", "ls -l", "cat"]).expect("rules");
    if let Ok(script) = ShellScript::read(&text) {
        assert_eq!(ShellScript::read(&text).as_ref(), Ok(&script), "another answer");
        if rules.judge(&script) == CommandRuling::Allowed {
            assert_eq!(script.form(), ScriptComplexity::Plain);
            let plain = |word: &ScriptWord| matches!(word, ScriptWord::Plain(text) if holm_kernel::visible(text) == *text);
            assert!(script.commands().iter().all(|command| command.words.iter().all(plain)), "{text:?}");
        }
        if let Some(rule) = CommandRule::suggest(&script) {
            assert_eq!(rule.to_string().parse::<CommandRule>().as_ref(), Ok(&rule), "{rule}");
            let mut remembered = CommandRules::default();
            remembered.allow(rule);
            assert_eq!(remembered.judge(&script), CommandRuling::Allowed, "{text:?}");
        }
    }
    // A forbidden command in front stays found, whatever follows it.
    let forbidden = format!("zzz\n{text}");
    let ruling = ShellScript::read(&forbidden)
        .map_or_else(|why| rules.judge_unreadable(why), |script| rules.judge(&script));
    assert!(
        matches!(ruling, CommandRuling::Denied(_) | CommandRuling::Unclear(_)),
        "{forbidden:?}: {ruling:?}"
    );
}
