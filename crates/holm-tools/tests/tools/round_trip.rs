//! The round trip: a program prints its help, the plan makes words of arguments, and the same program takes them.
//!
//! Only what every machine for these tests has is asked: coreutils, grep, sed, python3 with its own argument libraries, and
//! perl; and clap, which answers inside this process. The programs of all other libraries are called in the same way by
//! `tests/help/make-texts --check`.
#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use clap::{Arg, ArgAction, value_parser};
use holm_guards::json::Json;
use holm_guards::schema::CompiledSchema;
use holm_tools::help::{HelpDescription, HelpProgram};
use proptest::prelude::{Strategy, any, prop_assert_eq, proptest};

/// Starts a program and waits for it; fails with what to install where it is missing.
fn start(command: &[&str], words: &[String], stdin: &str) -> Output {
    let (program, first) = command.split_first().expect("a program");
    let mut child = Command::new(program)
        .args(first)
        .args(words)
        .env("LC_ALL", "C.UTF-8")
        .env("COLUMNS", "80")
        .current_dir(std::env::temp_dir())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{program} is needed for this test; install it ({error})"));
    // A program that reads nothing may be gone already.
    let _ = child.stdin.take().expect("a pipe").write_all(stdin.as_bytes());
    child.wait_with_output().expect("an end")
}

/// Asks a program for its help, and its subcommands for theirs.
fn ask(name: &str, command: &[&str]) -> HelpDescription {
    let help = |path: &[String]| {
        let words: Vec<String> = path.iter().cloned().chain(["--help".to_owned()]).collect();
        let output = start(command, &words, "");
        let text = if output.stdout.is_empty() { output.stderr } else { output.stdout };
        let program = HelpProgram::at(name, path.iter().map(String::as_str));
        HelpDescription::read(&program, None, Some(&text))
            .unwrap_or_else(|error| panic!("{name}: {error}\n{}", String::from_utf8_lossy(&text)))
    };
    let mut description = help(&[]);
    while let Some(question) = description.questions().into_iter().next() {
        description.attach(&question.path, &help(&question.path)).expect("a place");
    }
    description
}

/// Calls a program with arguments that fit its own schema, and compares what it prints.
#[track_caller]
fn check(description: &HelpDescription, command: &[&str], arguments: &str, stdin: &str, expect: &str) {
    let arguments = Json::parse(arguments).expect("JSON");
    let schema = CompiledSchema::compile(&description.schema).expect("a schema");
    assert!(schema.is_valid(&arguments), "{}: {:?}", arguments.canonical(), schema.validate(&arguments));
    let words = description
        .plan
        .argv(&arguments)
        .unwrap_or_else(|error| panic!("{}: {error}", arguments.canonical()));
    let output = start(command, &words, stdin);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?} {words:?}\n{said}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), expect, "{command:?} {words:?}");
}

fn fixture(path: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/help/programs");
    folder.join(path).to_str().expect("a path").to_owned()
}

#[test]
fn coreutils_take_what_their_own_help_says() {
    let head = ask("head", &["head"]);
    check(&head, &["head"], r#"{"lines": "2", "quiet": true}"#, "a\nb\nc\n", "a\nb\n");
    check(&head, &["head"], r#"{"bytes": "-2", "file": ["-"]}"#, "abcd", "ab");
    let seq = ask("seq", &["seq"]);
    check(&seq, &["seq"], r#"{"separator": ",", "first": "-1", "last": "2"}"#, "", "-1,0,1,2\n");
    check(
        &seq,
        &["seq"],
        r#"{"first": "2", "increment": "-1", "last": "1", "equal_width": true}"#,
        "",
        "2\n1\n",
    );
    let base64 = ask("base64", &["base64"]);
    check(&base64, &["base64"], r#"{"wrap": "0"}"#, "holm", "aG9sbQ==");
    check(&base64, &["base64"], r#"{"decode": true, "file": "-"}"#, "aG9sbQ==", "holm");
    let tr = ask("tr", &["tr"]);
    check(&tr, &["tr"], r#"{"string1": "-a", "string2": "+b"}"#, "a-c", "b+c");
    check(&tr, &["tr"], r#"{"delete": true, "string1": "a"}"#, "banana", "bnn");
    let cat = ask("cat", &["cat"]);
    check(&cat, &["cat"], r#"{"show_ends": true, "number": true, "file": ["-"]}"#, "x\n", "     1\tx$\n");
}

#[test]
fn files_whose_names_look_like_options_are_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().to_str().expect("a path");
    let (mkdir, cp) = (ask("mkdir", &["mkdir"]), ask("cp", &["cp"]));
    let here = |program: &'static str| ["env", "-C", root, program].map(str::to_owned);
    let run = |description: &HelpDescription, program: &'static str, arguments: &str| {
        let command = here(program);
        check(description, &command.each_ref().map(String::as_str), arguments, "", "");
    };
    run(&mkdir, "mkdir", r#"{"mode": "700", "parents": true, "directory": ["-p/--mode=0", "out"]}"#);
    std::fs::write(folder.path().join("--help"), "text").expect("a file");
    run(&cp, "cp", r#"{"source": ["--help"], "dest": "-p"}"#);
    run(&cp, "cp", r#"{"source": ["--help", "-p"], "recursive": true, "directory": "out"}"#);
    run(&cp, "cp", r#"{"target_directory": "out", "source": ["-p"], "recursive": true, "preserve": "mode"}"#);
    let there = |path: &str| folder.path().join(PathBuf::from(path)).exists();
    assert!(there("-p/--mode=0") && there("-p/--help") && there("out/--help") && there("out/-p/--help"));
}

#[test]
fn grep_and_sed_take_what_their_own_help_says() {
    let grep = ask("grep", &["grep"]);
    check(&grep, &["grep"], r#"{"line_number": true, "patterns": "-b"}"#, "a\n-b\n", "2:-b\n");
    check(
        &grep,
        &["grep"],
        r#"{"max_count": "1", "only_matching": true, "color": "never", "patterns": "[0-9]+", "extended_regexp": true}"#,
        "a12\n3\n",
        "12\n",
    );
    let sed = ask("sed", &["sed"]);
    check(&sed, &["sed"], r#"{"expression": "s/a/b/", "quiet": false}"#, "aa\n", "ba\n");
    check(
        &sed,
        &["sed"],
        r#"{"regexp_extended": true, "script_only_if_no_other_script": "s/(a+)/<\\1>/", "input_file": ["-"]}"#,
        "aa\n",
        "<aa>\n",
    );
}

#[test]
fn pythons_own_libraries_take_what_their_help_says() {
    let python = |name: &str| ["python3".to_owned(), fixture(&format!("python/{name}.py"))];
    let pack = python("argparse_pack");
    let pack = pack.each_ref().map(String::as_str);
    let description = ask("argparse-pack", &pack);
    check(
        &description,
        &pack,
        r#"{"output": "-o", "level": "7", "format": "zip", "exclude": ["-a", "b c"], "owner": ["u", "g"], "tags": ["x", "y"], "index": "", "verbose": true, "follow": true, "input": ["-i", "j"]}"#,
        "",
        "Namespace(inputs=['-i', 'j'], output='-o', level=7, format='zip', exclude=['-a', 'b c'], owner=['u', 'g'], tags=['x', 'y'], index='index.txt', verbose=1, follow=True, keep_links=False)\n",
    );
    let plain = python("argparse_plain");
    let plain = plain.each_ref().map(String::as_str);
    let description = ask("argparse-plain", &plain);
    check(
        &description,
        &plain,
        r#"{"cache": false, "ratio": "-0.5", "mode": "exact", "q": true, "source": "s", "a_or_b": "b"}"#,
        "",
        "Namespace(source='s', target=None, cache=False, ratio=-0.5, mode='exact', q=True, kind='b')\n",
    );
    let repo = python("argparse_repo");
    let repo = repo.each_ref().map(String::as_str);
    let description = ask("argparse-repo", &repo);
    let saved = "Namespace(dir='-d', what='save', message='--m', author='me', paths=['-p', 'q'])\n";
    check(
        &description,
        &repo,
        r#"{"C": "-d", "save": {"message": "--m", "author": "me", "paths": ["-p", "q"]}}"#,
        "",
        saved,
    );
    let added = "Namespace(dir=None, what='remote', place='add', name='n', url='-u')\n";
    check(&description, &repo, r#"{"remote": {"add": {"name": "n", "url": "-u"}}}"#, "", added);
    check(
        &description,
        &repo,
        r#"{"remote": {"list": {}}}"#,
        "",
        "Namespace(dir=None, what='remote', place='list')\n",
    );
    let send = python("optparse_send");
    let send = send.each_ref().map(String::as_str);
    let description = ask("optparse-send", &send);
    let sent = "{'port': -8, 'retry': True, 'header': ['-a', 'b'], 'via': None, 'force': True} ['-f', 'h']\n";
    check(
        &description,
        &send,
        r#"{"port": "-8", "retry": true, "header": ["-a", "b"], "force": true, "file": "-f", "host": "h"}"#,
        "",
        sent,
    );
}

#[test]
fn perls_own_libraries_take_what_their_help_says() {
    let script = fixture("perl/pod2usage-fetch.pl");
    let command = ["perl", script.as_str()];
    let description = ask("pod2usage-fetch", &command);
    check(
        &description,
        &command,
        r#"{"output": "-o", "retry": "3", "header": ["-a", "b"], "cache": false, "verbose": true, "url": ["-u", "v"]}"#,
        "",
        "-u v\n",
    );
}

/// A program by stock clap, asked and called inside this process.
fn pack() -> clap::Command {
    clap::Command::new("pack")
        .about("Packs files")
        .arg(Arg::new("output").short('o').long("output").value_name("FILE").required(true))
        .arg(
            Arg::new("level")
                .long("level")
                .default_value("6")
                .value_parser(value_parser!(i64))
                .help("How hard"),
        )
        .arg(Arg::new("note").short('n').value_name("NOTE").help("A word"))
        .arg(
            Arg::new("exclude")
                .long("exclude")
                .action(ArgAction::Append)
                .help("Leaves out; may be given again"),
        )
        .arg(
            Arg::new("color")
                .long("color")
                .value_parser(["auto", "never"])
                .num_args(0..=1)
                .require_equals(true)
                .help("Colours"),
        )
        .arg(Arg::new("verbose").short('v').long("verbose").action(ArgAction::Count))
        .arg(Arg::new("inputs").value_name("INPUT").required(true).num_args(1..))
}

fn word() -> impl Strategy<Value = String> {
    any::<String>().prop_map(|text| text.replace('\0', ""))
}

proptest! {
    #[test]
    fn clap_takes_every_value_whole(
        output in word(), note in word(), level in any::<i64>(), verbose in 0_u64..4,
        exclude in proptest::collection::vec(word(), 0..4), inputs in proptest::collection::vec(word(), 1..4),
    ) {
        let mut command = pack();
        let help = (command.render_help().to_string(), command.render_long_help().to_string());
        let program = HelpProgram::named("pack");
        let description = HelpDescription::read(&program, Some(help.0.as_bytes()), Some(help.1.as_bytes())).expect("help");
        let list = |words: &[String]| Json::from(words.iter().map(|word| Json::from(word.as_str())).collect::<Vec<_>>());
        let arguments = Json::object([
            ("output", Json::from(output.as_str())),
            ("n", Json::from(note.as_str())),
            ("level", Json::from(level)),
            ("verbose", Json::from(verbose)),
            ("exclude", list(&exclude)),
            ("color", Json::from("")),
            ("input", list(&inputs)),
        ]);
        let words = description.plan.argv(&arguments).expect("a call");
        let matches = command.try_get_matches_from(std::iter::once("pack".to_owned()).chain(words)).expect("accepted");
        let all = |name: &str| matches.get_many::<String>(name).map(|values| values.cloned().collect::<Vec<_>>()).unwrap_or_default();
        let one = |name: &str| matches.get_one::<String>(name).cloned();
        prop_assert_eq!(one("output"), Some(output));
        prop_assert_eq!(one("note"), Some(note));
        prop_assert_eq!(matches.get_one::<i64>("level"), Some(&level));
        prop_assert_eq!(u64::from(matches.get_count("verbose")), verbose);
        prop_assert_eq!(all("exclude"), exclude);
        prop_assert_eq!(all("inputs"), inputs);
        prop_assert_eq!(one("color"), None::<String>);
    }
}
