//! What programs say about themselves: help texts and descriptions.

use holm_guards::{json::Json, schema::Schema};
use holm_tools::{
    describe::{Arity, Mode, Program as Described},
    help::{Description, Kind, Node, Opt, Program, Step, Takes, Times},
    shell::{Form, Rule, Rules, Ruling, Script, Word},
};

/// A value that every program would take for an option if it stood alone.
const DASHED: &str = "-zz";

/// A help text: it is refused, or its schema holds and values stay values in every call.
pub fn help(data: &[u8]) {
    let program = Program::named("p");
    let Ok(mut description) = Description::read(&program, None, Some(data)) else { return };
    assert_eq!(Description::read(&program, None, Some(data)).as_ref(), Ok(&description), "another answer");
    let schema = description.schema.canonical();
    assert!(Schema::compile(&description.schema).is_ok(), "{schema}");
    assert!(!schema.chars().any(char::is_control) && !schema.contains("\\u00"), "{schema}");
    called(&description);
    // The text as the help of each of its own commands: deep trees are called, too.
    if let Some(question) = description.questions().into_iter().next() {
        let inner = description.clone();
        description.attach(&question.path, &inner).expect("a command that was asked for");
        called(&description);
    }
    let both = Description::read(&program, Some(data), Some(data)).expect("twice the same text");
    assert!(Schema::compile(&both.schema).is_ok());
}

fn called(description: &Description) {
    let arguments = filled(&description.plan.root, 0);
    let Ok(words) = description.plan.argv(&arguments) else { return };
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    for (at, word) in words.iter().take(end).enumerate().filter(|(_, word)| *word == DASHED) {
        let before = at.checked_sub(1).and_then(|at| words.get(at)).expect("an option before it");
        assert!(takes_the_next_word(&description.plan.root, before), "{word} is loose in {words:?}");
    }
}

/// Arguments that give everything a value that looks like an option.
fn filled(node: &Node, depth: usize) -> Json {
    let text = |kind: &Kind| match kind {
        Kind::Text => Json::from(DASHED),
        Kind::Integer | Kind::Number => Json::from(-1_i64),
        Kind::Boolean => Json::from(true),
        Kind::Choice(choices) => Json::from(choices.first().map_or("", String::as_str)),
    };
    let mut members: Vec<(String, Json)> = Vec::new();
    for option in &node.options {
        let value = match &option.takes {
            Takes::Nothing(_) => Json::from(true),
            Takes::Count => Json::from(2_u64),
            Takes::Value { kind, times: Times::Once | Times::Occurrences, .. } => text(kind),
            // A list of words cannot hold one that looks like an option.
            Takes::Value { times: Times::Values, .. } => Json::from(vec![Json::from("v")]),
            Takes::Value { times: Times::Exactly(count), .. } => {
                Json::from(vec![Json::from("v"); usize::from(*count)])
            }
        };
        members.push((option.property.clone(), value));
    }
    for step in &node.steps {
        if let Step::Position(position) = step {
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
fn takes_the_next_word(node: &Node, word: &str) -> bool {
    let is = |option: &Opt| option.flag == word && matches!(option.takes, Takes::Value { equals: false, .. });
    let inner = |command: &holm_tools::help::Command| {
        command.node.as_ref().is_some_and(|node| takes_the_next_word(node, word))
    };
    node.options.iter().any(is) || node.commands.iter().any(inner)
}

/// A description by the describe/run protocol: it is refused, or every value reaches the program whole and in order.
pub fn describe(data: &[u8]) {
    let Ok(program) = Described::parse("p", data) else { return };
    let text = serde_json::to_string(&program).expect("data");
    assert_eq!(serde_json::from_str::<Described>(&text).expect("what we wrote"), program);
    assert!(Schema::compile(&program.schema()).is_ok());
    let value = |name: &str| format!("--{name}=\n$x");
    let arguments =
        Json::object(program.args.iter().map(|arg| (arg.name.as_str(), Json::from(value(&arg.name)))));
    let call = program.call(&arguments).expect("what the schema asks for");
    let mut argv = vec!["run".to_owned()];
    let mut stdin: Vec<String> = Vec::new();
    for arg in &program.args {
        let value = value(&arg.name);
        match arg.mode {
            Mode::Positional => argv.push(value),
            Mode::DashDashSpace => argv.extend([format!("--{}", arg.name), value]),
            Mode::DashDashEqual => argv.push(format!("--{}={value}", arg.name)),
            Mode::Stdin => stdin.push(format!("{value}\n")),
        }
    }
    assert_eq!((call.argv, call.stdin), (argv, stdin.join("\n").into_bytes()));
    let needed = program.args.iter().any(|arg| arg.arity == Arity::Single);
    assert_eq!(program.call(&Json::object::<&str>([])).is_err(), needed);
}

/// A script and rules about it: what passes is plain to see, what is forbidden is found behind anything, and what is
/// remembered of a command covers that command.
pub fn shell(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let rules = Rules::new(["zzz"], ["git status", "echo *", "ls -l", "cat"]).expect("rules");
    if let Ok(script) = Script::read(&text) {
        assert_eq!(Script::read(&text).as_ref(), Ok(&script), "another answer");
        if rules.judge(&script) == Ruling::Allowed {
            assert_eq!(script.form(), Form::Plain);
            let plain =
                |word: &Word| matches!(word, Word::Plain(text) if holm_kernel::visible(text) == *text);
            assert!(script.commands().iter().all(|command| command.words.iter().all(plain)), "{text:?}");
        }
        if let Some(rule) = Rule::suggest(&script) {
            assert_eq!(rule.to_string().parse::<Rule>().as_ref(), Ok(&rule), "{rule}");
            let mut remembered = Rules::default();
            remembered.allow(rule);
            assert_eq!(remembered.judge(&script), Ruling::Allowed, "{text:?}");
        }
    }
    // A forbidden command in front stays found, whatever follows it.
    let forbidden = format!("zzz\n{text}");
    let ruling = Script::read(&forbidden)
        .map_or_else(|why| rules.judge_unreadable(why), |script| rules.judge(&script));
    assert!(matches!(ruling, Ruling::Denied(_) | Ruling::Unclear(_)), "{forbidden:?}: {ruling:?}");
}
