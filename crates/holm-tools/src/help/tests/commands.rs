//! Subcommands: found, asked for, put in their place, called.

use super::super::{HelpDescription, HelpProgram, PlanNeed, SubcommandAttachError};
use super::{argv, read, steps};

fn names(text: &str) -> Vec<String> {
    let description = read(text);
    description.plan.root.commands.iter().map(|command| command.name.clone()).collect()
}

#[test]
fn commands_are_found_as_each_library_lists_them() {
    let check = |text: &str, expect: &[&str]| assert_eq!(names(text), expect, "{text}");
    check(
        "Usage: p <COMMAND>\n\nCommands:\n  save  Saves [aliases: s]\n  load  Loads\n  help  Prints help\n",
        &["save", "load"],
    );
    check(
        "Usage:\n  p [command]\n\nAvailable Commands:\n  save        Saves\n\nFlags:\n  -h, --help   help for p\n",
        &["save"],
    );
    check(
        "Usage: p [options] [command]\n\nCommands:\n  save|s [options] [paths...]  saves\n  help [command]  help\n",
        &["save"],
    );
    check(
        "usage: p [-h] {add,list} ...\n\npositional arguments:\n  {add,list}\n    add       adds\n    list      lists\n",
        &["add", "list"],
    );
    check(
        "usage: p [-h] WHAT ...\n\nwhat to do:\n  WHAT\n    save (commit)\n                 saves\n    load         loads\n",
        &["save", "load"],
    );
    check("p commands:\n  p help [COMMAND]  # Describe\n  p sow SEED        # Sows\n", &["sow"]);
    check(
        "p <cmd>\n\nCommands:\n  p save [paths..]  saves   [aliases: s]\n  p log             shows\n",
        &["save", "log"],
    );
    check(
        "USAGE:\n   p [global options] command [command options] [arguments...]\n\nCOMMANDS:\n   buy, b   buys\n   help, h  Shows\n",
        &["buy"],
    );
    check(
        "Usage: p <command>\n\nCommands:\n  up --key=STRING <name> [<peers> ...]\n    Starts.\n\n  down <name>\n    Stops.\n\nRun \"p <command> --help\".\n",
        &["up", "down"],
    );
    check(
        "usage: p [--bare] <command> [<args>]\n\nstart a working area (see also: p help)\n   clone     Clone a thing\n   init      Make one\n\nwork\n   add       Add\n",
        &["clone", "init", "add"],
    );
    check(
        "Most used commands:\n  list - list packages\n  search - search in names\n\nUsage: p command\n",
        &["list", "search"],
    );
    check(
        "CORE COMMANDS\n  auth:        Authenticate\n  repo:        Repositories\n\nUSAGE\n  p <command> <subcommand> [flags]\n",
        &["auth", "repo"],
    );
}

#[test]
fn a_word_called_command_is_a_position_where_there_are_no_commands() {
    let description = read("Usage: p [OPTION]... COMMAND [ARGS]...\n");
    assert_eq!(steps(&description), "command! text, args... text");
    assert_eq!(description.plan.root.command, PlanNeed::Optional);
}

#[test]
fn unread_commands_are_asked_for_and_take_words_meanwhile() {
    let mut repo = read(
        "Usage: p [OPTIONS] <COMMAND>\n\nCommands:\n  remote  Places\n  log     Shows\n\nOptions:\n  -C, --dir <DIR>  Where\n  -h, --help       Print help\n",
    );
    let questions = repo.questions();
    assert_eq!(questions.len(), 2);
    assert_eq!(questions[0].path, ["remote"]);
    assert_eq!(
        questions[0].attempts,
        [vec!["remote", "--help"], vec!["help", "remote"], vec!["remote", "-h"]]
    );
    assert_eq!(
        argv(&repo, r#"{"dir": "-d", "log": {"words": ["-n", "3"]}}"#).expect("a call"),
        ["--dir=-d", "log", "-n", "3"]
    );
    assert_eq!(argv(&repo, r#"{"log": {}}"#).expect("a call"), ["log"]);

    let sub = |path: &[&str], text: &str| {
        HelpDescription::read(&HelpProgram::at("p", path.iter().copied()), None, Some(text.as_bytes()))
            .expect("help")
    };
    let remote = sub(&["remote"], "Usage: p remote <COMMAND>\n\nCommands:\n  add  Adds\n");
    repo.attach(&["remote".into()], &remote).expect("a place");
    assert_eq!(
        repo.questions().iter().map(|question| question.path.join(" ")).collect::<Vec<_>>(),
        ["remote add", "log"]
    );
    let add = sub(
        &["remote", "add"],
        "Usage: p remote add [OPTIONS] <NAME> <URL>\n\nOptions:\n      --tags <TAG>...  Tags\n",
    );
    repo.attach(&["remote".into(), "add".into()], &add).expect("a place");
    assert_eq!(
        argv(&repo, r#"{"dir": "d", "remote": {"add": {"tags": ["a", "b"], "name": "n", "url": "-u"}}}"#)
            .expect("a call"),
        ["--dir", "d", "remote", "add", "--tags", "a", "b", "--", "n", "-u"]
    );
    assert_eq!(repo.attach(&["no".into()], &add), Err(SubcommandAttachError::NoSuchCommand("no".into())));
    assert_eq!(repo.attach(&vec!["x".into(); 9], &add), Err(SubcommandAttachError::TooDeep));
    assert_eq!(repo.attach(&[], &add), Err(SubcommandAttachError::NoSuchCommand(String::new())));
}

#[test]
fn exactly_one_command_is_called() {
    let repo = read("Usage: p <COMMAND>\n\nCommands:\n  save  Saves\n  load  Loads\n");
    let check =
        |arguments: &str, expect: &str| assert_eq!(argv(&repo, arguments).expect_err(arguments), expect);
    check("{}", "arguments: choose one of the commands save, load");
    check(r#"{"save": {}, "load": {}}"#, "save and load: only one command can be called; leave one out");
    check(r#"{"save": {"x": 1}}"#, "save.x: unknown argument; leave it out");
    check(r#"{"save": "now"}"#, "save: expected an object, found string");
    check(r#"{"drop": {}}"#, "drop: unknown argument; leave it out");
}

#[test]
fn words_of_a_usage_line_are_commands_where_they_lead_it() {
    let fleet = read(
        "Usage:\n  p ship new <name>...\n  p ship <name> move <x> <y> [--speed=<kn>]\n  p mine (set|remove) <x> <y>\n  p (-h | --help)\n\nOptions:\n  -h --help     Show this screen.\n  --speed=<kn>  Speed [default: 10].\n",
    );
    let check =
        |arguments: &str, expect: &[&str]| assert_eq!(argv(&fleet, arguments).expect(arguments), expect);
    check(r#"{"ship": {"new": {"name": ["a", "b"]}}}"#, &["ship", "new", "a", "b"]);
    check(
        r#"{"ship": {"name": "a", "x": 1, "y": 2, "speed": 7}}"#,
        &["ship", "--speed=7", "a", "move", "1", "2"],
    );
    check(r#"{"mine": {"set_or_remove": "set", "x": 1, "y": 2}}"#, &["mine", "set", "1", "2"]);
    assert!(argv(&fleet, r#"{"mine": {"set_or_remove": "drop", "x": 1, "y": 2}}"#).is_err());
    assert!(
        argv(&fleet, r#"{"ship": {"new": {"name": ["-x"]}}}"#)
            .expect_err("docopt")
            .contains("looks like an option")
    );
}
