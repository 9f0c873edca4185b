//! Arguments to words, exactly.

use holm_guards::json::Json;
use proptest::prelude::{Strategy, any, prop_assert, prop_assert_eq, proptest};

use super::super::limits::MAX_WORD;
use super::super::{MAX_WORDS, PlanArgumentError};
use super::{argv, read};

const PACK: &str = "Usage: p [OPTIONS] --output <FILE> <INPUT>...\n\nOptions:\n  -o, --output <FILE>         Where\n  -l, --level=N               How hard [default: 6]\n      --format <F>            Kind [possible values: tar, zip]\n  -x, --exclude <GLOB>        Leaves out; may be given again\n      --owner <USER> <GROUP>  Owner\n      --tags [TAGS ...]       Labels\n      --color[=<WHEN>]        Colours\n  -v, --verbose...            More\n  -n, --dry-run               Only says\n      --cache, --no-cache     Keeps\n      --count INTEGER         Number\n  -q QUIET                    Short only\n  -h, --help                  Print help\n";

#[test]
fn every_kind_of_argument_becomes_its_words() {
    let pack = read(PACK);
    let check = |arguments: &str, expect: &[&str]| {
        let arguments = arguments.replace('{', r#"{"output": "o", "input": "i", "#).replace(", }", "}");
        let found = argv(&pack, &arguments).expect(&arguments);
        let (front, back) =
            expect.split_at(expect.iter().position(|word| *word == "|").unwrap_or(expect.len()));
        let mut whole: Vec<&str> = front.to_vec();
        let at = whole.len();
        whole.extend(if back.is_empty() { &["i"][..] } else { &back[1..] });
        // The required option stands first among the plain ones.
        let greedy = whole.first() == Some(&"--tags");
        let place = if greedy { at.min(3) } else { 0 };
        whole.splice(place..place, ["--output", "o"]);
        assert_eq!(found, whole, "{arguments}");
    };
    check("{}", &[]);
    check(r#"{"level": 9}"#, &["--level=9"]);
    check(r#"{"level": "-1"}"#, &["--level=-1"]);
    check(r#"{"format": "zip"}"#, &["--format", "zip"]);
    check(r#"{"exclude": ["a b", "-c", ""]}"#, &["--exclude", "a b", "--exclude=-c", "--exclude", ""]);
    check(r#"{"exclude": "one"}"#, &["--exclude", "one"]);
    check(r#"{"owner": ["u", "g"]}"#, &["--owner", "u", "g"]);
    check(r#"{"color": ""}"#, &["--color"]);
    check(r#"{"color": true}"#, &["--color"]);
    check(r#"{"color": false}"#, &[]);
    check(r#"{"color": "-never"}"#, &["--color=-never"]);
    check(r#"{"verbose": 2}"#, &["--verbose", "--verbose"]);
    check(r#"{"verbose": true}"#, &["--verbose"]);
    check(r#"{"dry_run": true, "cache": false}"#, &["--dry-run", "--no-cache"]);
    check(r#"{"dry_run": false, "cache": true}"#, &["--cache"]);
    check(r#"{"dry_run": null}"#, &[]);
    check(r#"{"count": 12345678901234567890}"#, &["--count", "12345678901234567890"]);
    check(r#"{"count": -3}"#, &["--count=-3"]);
    check(r#"{"q": "-x"}"#, &["-q-x"]);
    check(r#"{"q": "$(rm -rf /); `x` \"' \\ \n"}"#, &["-q", "$(rm -rf /); `x` \"' \\ \n"]);
    check(r#"{"tags": ["a", "b"]}"#, &["--tags", "a", "b"]);
}

#[test]
fn what_looks_like_an_option_stays_a_value() {
    let pack = read(PACK);
    let check = |input: &str, expect: &[&str]| {
        let found = argv(&pack, &format!(r#"{{"output": "o", "input": {input}}}"#)).expect(input);
        assert_eq!(found[2..], *expect, "{input}");
    };
    check(r#"["a", "-"]"#, &["a", "-"]);
    check(r#"["-x"]"#, &["--", "-x"]);
    check(r#"["a", "--output=/etc/passwd"]"#, &["--", "a", "--output=/etc/passwd"]);
    check(r#"["--"]"#, &["--", "--"]);
    let greedy = argv(&pack, r#"{"output": "o", "tags": ["t"], "input": ["i"]}"#).expect("a call");
    assert_eq!(greedy, ["--tags", "t", "--output", "o", "i"], "another option ends the list");
    let error = argv(&pack, r#"{"output": "o", "tags": ["-t"], "input": ["i"]}"#).expect_err("a dash");
    assert_eq!(error, "tags: \"-t\" looks like an option to this program; use another value");
    let alone = read(
        "usage: p [-h] [--tags [TAGS ...]] INPUT\n\noptions:\n  -h, --help  show this help message and exit\n  --tags [TAGS ...]\n",
    );
    assert_eq!(argv(&alone, r#"{"tags": ["t"], "input": "i"}"#).expect("a call"), ["--tags", "t", "--", "i"]);
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let pack = read(PACK);
    let check = |more: &str, expect: &str| {
        let arguments = format!(r#"{{"output": "o", "input": ["i"]{more}}}"#);
        assert_eq!(argv(&pack, &arguments).expect_err(&arguments), expect);
    };
    check(r#", "nope": 1"#, "nope: unknown argument; leave it out");
    check(r#", "format": "rar""#, "format: \"rar\" is not a valid choice; use one of tar, zip");
    check(r#", "owner": ["u"]"#, "owner: takes 2 values, found 1");
    check(r#", "dry_run": "yes""#, "dry_run: expected true or false, found string");
    check(r#", "count": "many""#, "count: expected a whole number, found string");
    check(r#", "count": 1.5"#, "count: expected a whole number, found number");
    check(r#", "verbose": 999"#, "verbose: expected a whole number up to 16, found number");
    check(r#", "level": {"a": 1}"#, "level: expected a string, a number or a boolean, found object");
    check(r#", "exclude": [["a"]]"#, "exclude: expected a string, a number or a boolean, found array");
    check(
        r#", "level": "\u0000""#,
        "level: holds a zero byte, which cannot be passed on a command line; remove it",
    );
    assert_eq!(argv(&pack, r#"{"input": "i"}"#), Err("output: missing; send it".into()));
    assert_eq!(argv(&pack, r#"{"output": "o"}"#), Err("input: missing; send it".into()));
    assert_eq!(
        argv(&pack, r#"{"output": "o", "input": []}"#),
        Err("input: takes one or more values, found 0".into())
    );
    assert_eq!(argv(&pack, "[]"), Err("arguments: expected an object, found array".into()));
}

#[test]
fn a_position_is_never_taken_for_the_one_before_it() {
    let seq = read("Usage: p LAST\n  or:  p FIRST LAST\n  or:  p FIRST INCREMENT LAST\n");
    let check = |arguments: &str, expect: Result<&[&str], &str>| {
        let expect = expect
            .map(|words| words.iter().map(ToString::to_string).collect::<Vec<_>>())
            .map_err(ToString::to_string);
        assert_eq!(argv(&seq, arguments), expect, "{arguments}");
    };
    check(r#"{"last": 3}"#, Ok(&["3"]));
    check(r#"{"first": 1, "last": 3}"#, Ok(&["1", "3"]));
    check(r#"{"first": 1, "increment": 1, "last": 3}"#, Ok(&["1", "1", "3"]));
    check(r#"{"increment": 1, "last": 3}"#, Err("increment: needs first before it; send both"));
}

#[test]
fn calls_are_bounded() {
    let pack = read(PACK);
    let input = |items: Vec<Json>| Json::object([("output", Json::from("o")), ("input", Json::from(items))]);
    assert!(pack.plan.argv(&input(vec![Json::from("i"); 100])).is_ok());
    assert_eq!(pack.plan.argv(&input(vec![Json::from("i"); MAX_WORDS])), Err(PlanArgumentError::TooLong));
    assert_eq!(pack.plan.argv(&input(vec![Json::from("i"); MAX_WORDS + 9])), Err(PlanArgumentError::TooLong));
    assert_eq!(
        pack.plan.argv(&input(vec![Json::from("x".repeat(MAX_WORD + 1))])),
        Err(PlanArgumentError::TooLong)
    );
}

fn word() -> impl Strategy<Value = String> {
    any::<String>().prop_map(|text| text.replace('\0', ""))
}

proptest! {
    /// For all values, the words before `--` are only those that the plan writes.
    #[test]
    fn values_stay_values(output in word(), level in word(), inputs in proptest::collection::vec(word(), 1..5)) {
        let pack = read(PACK);
        let arguments = Json::object([
            ("output", Json::from(output.as_str())),
            ("level", Json::from(level.as_str())),
            ("input", Json::from(inputs.iter().map(|input| Json::from(input.as_str())).collect::<Vec<_>>())),
        ]);
        let words = pack.plan.argv(&arguments).expect("a call");
        let (options, values) = words.split_at(words.len() - inputs.len());
        prop_assert_eq!(values, inputs.as_slice());
        let risky = inputs.iter().any(|input| input.len() > 1 && input.starts_with('-'));
        prop_assert_eq!(options.last().is_some_and(|word| word == "--"), risky);
        let joined = output.len() > 1 && output.starts_with('-');
        let front = if joined { vec![format!("--output={output}")] } else { vec!["--output".into(), output] };
        prop_assert!(options.starts_with(&front));
        prop_assert_eq!(&options[front.len()], &format!("--level={level}"));
    }
}
