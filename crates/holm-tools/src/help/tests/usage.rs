//! Usage lines: positions, what is required, alternative forms.

use super::super::{HelpDescription, HelpProgram, HelpTextError, HelpTextErrorKind};
use super::{option, read, steps};

#[test]
fn positions_are_read_from_usage_lines() {
    let check = |usage: &str, expect: &str| {
        assert_eq!(steps(&read(&format!("Usage: p {usage}\n"))), expect, "{usage}");
    };
    check("[OPTIONS] <INPUT>...", "input!... text");
    check("[OPTION]... [FILE]...", "file... text");
    check("FILE [FILE ...]", "file!... text");
    check("[file ...]", "file... text");
    check("<output> [inputs...]", "output! text, inputs... text");
    check("<output> [inputs..]", "output! text, inputs... text");
    check("[--] <target> [<crew...>]", "target! text, crew... text");
    check("<ip> [<count>]", "ip! text, count text");
    check("[<peers> ...]", "peers... text");
    check("{a,b}", "a_or_b! a|b");
    check("(set|remove) <x>", "set_or_remove! set|remove, x! text");
    check("<file>|<directory> <cmd>", "file_or_directory! text, cmd! text");
    check("<file descriptor number>", "file_descriptor_number! text");
    check(
        "SOURCE DEST\n  or:  p SOURCE... DIRECTORY\n  or:  p [-t DIR] SOURCE...",
        "source!... text, directory text, dest text",
    );
    check("LAST\n  or:  p FIRST LAST", "first text, last! text");
    check("[options] -- <command>...", "--, command!... text");
    check("<name> move <x>", "name! text, move, x! text");
    check("[flags]", "");
}

#[test]
fn options_are_read_from_usage_lines_too() {
    let check = |usage: &str, expect: &[&str]| {
        let description = read(&format!("Usage: p {usage}\n"));
        assert_eq!(description.plan.root.options.iter().map(option).collect::<Vec<_>>(), expect, "{usage}");
    };
    check("-o <FILE> [-q]", &["-o! switch", "-q switch"]);
    check("--height <height> [--via <via...>]", &["--height! text", "--via text again"]);
    check("[--track=FILE]... [-m]", &["--track text again", "-m switch"]);
    check("[-abc] [-d DIR]", &["-a switch", "-b switch", "-c switch", "-d text"]);
    check("[--follow | --keep]", &["--follow switch", "--keep switch"]);
    check("[-q | --quiet]", &["--quiet switch"]);
    check(
        "[--color[=<when>]] [--index [FILE]] [--tags [TAG ...]]",
        &["--color text or none", "--index text or none", "--tags text list"],
    );
    check("(-h | --help)", &[]);
}

#[test]
fn what_stands_outside_of_brackets_is_required() {
    let text = "usage: p [-h] -o FILE [-x GLOB] --mode\n         {fast,exact} INPUT\n\noptions:\n  -h, --help\n  -o FILE, --output FILE\n  -x GLOB, --exclude GLOB\n  --mode {fast,exact}\n";
    let description = read(text);
    assert_eq!(
        description.plan.root.options.iter().map(option).collect::<Vec<_>>(),
        ["--output! text", "--exclude text", "--mode! fast|exact"]
    );
    assert_eq!(steps(&description), "input! text");
}

#[test]
fn the_list_of_arguments_describes_the_positions() {
    let description = read(
        "Usage: p <SRC> [DST]\n\nArguments:\n  <SRC>  From [possible values: a, b]\n  [DST]  To [default: .]\n",
    );
    assert_eq!(steps(&description), "src! a|b, dst text");
    let schema = description.schema.canonical();
    assert!(schema.contains(r#""dst":{"default":".","description":"To","type":"string"}"#), "{schema}");
}

#[test]
fn claims_and_banners_are_found() {
    let description = read(
        "p 2.1.0\nDoes things\nwell.\n\nKeywords: one, two ;three\nPermissionLevel: Write\n\nUsage: p [OPTIONS]\n",
    );
    assert_eq!(description.about, "Does things well.");
    assert_eq!(description.version.as_deref(), Some("2.1.0"));
    assert_eq!(description.keywords, ["one", "two", "three"]);
    assert_eq!(description.level, Some(holm_grants::Level::Write));
    assert_eq!(read("Usage: p X\n\nPermissionLevel: Supreme\n").level, None);
    assert_eq!(read("Permission Level: dangerous\nUsage: p X\n").level, Some(holm_grants::Level::Execute));
}

#[test]
fn both_texts_make_one_description() {
    let short = b"Short words\n\nUsage: p [OPTIONS] <FILE>\n\nArguments:\n  <FILE>  Which one\n\nOptions:\n  -a, --all  All\n  -s, --short-only  Only here\n      --when <WHEN>  [possible values: a, b]\n";
    let long = b"Long words.\n\nUsage: p [OPTIONS] <FILE>\n\nOptions:\n  -a, --all\n          All of them\n      --when <WHEN>\n          [default: a]\n      --long-only\n          Only there\n";
    let both = HelpDescription::read(&HelpProgram::named("p"), Some(short), Some(long)).expect("help");
    assert_eq!(both.about, "Long words.");
    assert_eq!(
        both.plan.root.options.iter().map(option).collect::<Vec<_>>(),
        ["--all switch", "--when a|b [a]", "--long-only switch", "--short-only switch"]
    );
    assert_eq!(both.plan.root.options[0].about, "All of them");
    let one =
        HelpDescription::read(&HelpProgram::named("p"), Some(short), Some(b"p: unknown option --help\n"))
            .expect("help");
    assert_eq!(one, HelpDescription::read(&HelpProgram::named("p"), Some(short), None).expect("help"));
}

#[test]
fn what_is_no_help_is_refused_with_the_reason() {
    let check = |text: &str, expect: &str| {
        let error =
            HelpDescription::read(&HelpProgram::named("p"), None, Some(text.as_bytes())).expect_err(text);
        assert_eq!(error.to_string(), format!("no help text: {expect}"), "{text}");
    };
    check("", "the program printed nothing");
    check(
        "p: unrecognized option '--help'\n",
        "found no usage line, options or commands; it begins with \"p: unrecognized option '--help'\"",
    );
    check(
        "Hello, world\n- one\n- two\n",
        "found no usage line, options or commands; it begins with \"Hello, world\"",
    );
    check(
        "{\"ok\": true}",
        "found no usage line, options or commands; it begins with \"{\\\"ok\\\": true}\"",
    );
    let none = HelpDescription::read(&HelpProgram::named("p"), None, None);
    assert_eq!(none.expect_err("nothing"), HelpTextError { why: HelpTextErrorKind::Empty });
}
