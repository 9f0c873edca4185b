//! Left columns and descriptions of options, one spelling of a library at a time.

use super::{option, read};

/// The options of lines under an `Options:` title.
fn options(lines: &str) -> Vec<String> {
    let description = read(&format!("Usage: p [OPTIONS]\n\nOptions:\n{lines}\n"));
    description.plan.root.options.iter().map(option).collect()
}

#[test]
fn left_columns_are_read_as_each_library_writes_them() {
    let check = |line: &str, expect: &str| assert_eq!(options(&format!("  {line}")), [expect], "{line}");
    check("-o, --output <FILE>  Where", "--output text");
    check("-o FILE, --output FILE  Where", "--output text");
    check("-o, --output=FILE  Where", "--output text");
    check("-o FILE, --output=FILE  Where", "--output text");
    check("--output FILE, -o FILE  Where", "--output text");
    check("-o,--output TEXT REQUIRED  Where", "--output! text");
    check("-o|--output <FILE>  Where", "--output text");
    check("-o  --output=FILE  Where", "--output text");
    check("-o [ --output ] arg  Where", "--output text");
    check("-o [ --output ] arg (=x)  Where", "--output text [x]");
    check("-o <string>,  --output <string>", "--output text");
    check("--output STR (or -o)  where", "--output text");
    check("--output=  Where", "--output text");
    check("-oFILE", "-oFILE switch");
    check("-o string\n    \twhere (default \"x\")", "-o text [x]");
    check("-o  Where", "-o switch");
    check("-o", "-o switch");
    check("-?  Where", "-? switch");
    check("--color[=WHEN]  Where", "--color text or none");
    check("--color[=<WHEN>]  Where", "--color text or none");
    check("-i[SUFFIX], --in-place[=SUFFIX]  Where", "--in-place text or none");
    check("--color [WHEN]  Where", "--color text or none");
    check("-l[N]  Where", "-l text or none");
    check("--format {tar,zip}  Which", "--format tar|zip");
    check("--format [tar|zip]  Which", "--format tar|zip");
    check("--format=<tar|zip>  Which", "--format tar|zip");
    check("--from <file|url>  Where", "--from text");
    check("--config <KEY=VALUE|PATH>  What", "--config text");
    check("--metal TEXT:{steel,brass}=steel  What", "--metal steel|brass [steel]");
    check("--spin VALUE:int  What", "--spin integer");
    check("--priority INTEGER RANGE  What", "--priority integer");
    check("--rate FLOAT  What", "--rate number");
    check("--port int  What (default 9)", "--port integer [9]");
    check("--header strings  What", "--header text again");
    check("--note stringArray  What", "--note text again");
    check("--lines=[-]NUM  What", "--lines text");
    check("--level=\"info\"  What", "--level text [info]");
    check("--mtu=1500  What", "--mtu text [1500]");
    check("--set=NAME:VALUE  What", "--set text");
    check("--owner USER GROUP  Who", "--owner text exactly");
    check("--owner <USER> <GROUP>  Who", "--owner text exactly");
    check("--tags [TAGS ...]  What", "--tags text list");
    check("--tags <TAG>...  What", "--tags text list");
    check("--tags <tag...>  What", "--tags text again");
    check("--tag value [ --tag value ]  What", "--tag text again");
    check("-v, --verbose...  More", "--verbose count");
    check("-v|vv|vvv, --verbose  More", "--verbose count");
    check("--cache, --no-cache  Keeps", "--cache switch or --no-cache");
    check("--cache/--no-cache  Keeps", "--cache switch or --no-cache");
    check("--on / --off  Keeps", "--on switch or --off");
    check("--[no-]cache  Keeps", "--cache switch or --no-cache");
    check("--[no]cache: Keeps", "--cache switch or --nocache");
    check("[--deep], [--no-deep]  # Sows", "--deep switch or --no-deep");
    check("-r, [--rows=N]  # How many", "--rows text");
    check("--depth: How deep.", "--depth text");
    check("-width (columns) type: int32 default: 80", "-width integer [80]");
    check("-color (colours) type: bool default: true", "-color switch or -nocolor [true]");
    check(
        "--completions SHELL:{bash, fish} Prints a script and quits for everybody",
        "--completions bash|fish",
    );
}

#[test]
fn descriptions_tell_defaults_choices_and_needs() {
    let check =
        |about: &str, expect: &str| assert_eq!(options(&format!("  --x <X>  {about}")), [expect], "{about}");
    check("What [default: 6]", "--x text [6]");
    check("What (default: 6)", "--x text [6]");
    check("What (default 6).", "--x text [6]");
    check("What (Default: \"a b\")", "--x text [a b]");
    check("What (default: use the system's)", "--x text");
    check("What (default: $HOME)", "--x text");
    check("What (default: None)", "--x text");
    check("What  [default: 3; required]", "--x! text [3]");
    check("What [required]", "--x! text");
    check("What (REQUIRED)", "--x! text");
    check("What [possible values: a, b]", "--x a|b");
    check("What [default: a] [possible values: a, b]", "--x a|b [a]");
    check("What (choices: \"a\", \"b\", default: \"a\")", "--x a|b [a]");
    check("What\n           # Possible values: a, b\n           # Default: b", "--x a|b [b]");
    check("What\n\n           Possible values:\n           - a: one\n           - b: two", "--x a|b");
    check("What [possible values: true, false]", "--x boolean");
    check("What; may be given again", "--x text again");
    check("What (can be specified multiple times)", "--x text again");
    check("What [array]", "--x text again");
    check("What; required", "--x! text");
    check("What; the default is 3", "--x text [3]");
}

#[test]
fn a_type_or_a_default_tells_of_a_value_that_has_no_name() {
    let check = |line: &str, expect: &str| assert_eq!(options(&format!("  {line}")), [expect], "{line}");
    check("--level  how hard  [number] [default: 6]", "--level number [6]");
    check("--owner  who  [string] [required]", "--owner! text");
    check("--links  packs  [boolean] [default: true]", "--links switch or --no-links [true]");
    check("--verbose  more  [count]", "--verbose count");
    check("--days, -d  How many  [default: 3]", "--days text [3]");
    check("--gift  wraps it (default: false)", "--gift switch [false]");
}

#[test]
fn wrapped_descriptions_belong_to_their_option() {
    let description = read(
        "Usage: p [OPTIONS]\n\nOptions:\n  -a, --all      first line that\n                 -b goes on with a dash\n      --bare\n          under it\n\n          and a second paragraph\n\n  -c             third\n",
    );
    let abouts: Vec<(&str, &str)> = description
        .plan
        .root
        .options
        .iter()
        .map(|option| (option.flag.as_str(), option.about.as_str()))
        .collect();
    assert_eq!(
        abouts,
        [
            ("--all", "first line that -b goes on with a dash"),
            ("--bare", "under it\n\nand a second paragraph"),
            ("-c", "third")
        ]
    );
}

#[test]
fn a_column_that_ends_with_a_comma_goes_on_in_the_next_line() {
    let found = options(
        "          -p {brick,straight},\n   --pattern {brick,straight}\n                         How. (default: brick)\n      -g <gap>,          Gap.\n   --gap <gap>",
    );
    assert_eq!(found, ["--pattern brick|straight [brick]", "--gap text"]);
}

#[test]
fn what_only_explains_the_program_is_no_argument() {
    assert!(options("  -h, --help  Print help\n  -V, --version  Print version\n  -?, --usage  Short usage\n  -h  shows help").is_empty());
    assert_eq!(
        options("  -h, --no-filename  suppress\n  --version <VERSION>  Which"),
        ["--no-filename switch", "--version text"]
    );
}
