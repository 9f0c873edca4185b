use crate::{GuestError, ParamKind, GuestToolLevel, ParamNeed, GuestParam, ParamPlace, GuestTool, ArgumentValues};

const TOOL: GuestTool = GuestTool {
    name: "pick",
    about: "Picks things",
    keywords: "pick, choose",
    level: GuestToolLevel::ReadOnly,
    params: &[
        GuestParam::position("path", "Where to look"),
        GuestParam::position("rest", "More of them").optional().of(ParamKind::Texts),
        GuestParam::flag("ignore_case", "Whether case counts").short('i'),
        GuestParam::number("limit", "10", "The most things").short('n'),
        GuestParam { name: "tag", about: "A mark", place: ParamPlace::Long, kind: ParamKind::Texts, need: ParamNeed::Optional },
        GuestParam::text("shape", "The form").of(ParamKind::Choice(&["round", "square"])),
    ],
};

fn call(line: &[&str]) -> Result<ArgumentValues, GuestError> {
    TOOL.call(line.iter().map(|&word| word.to_owned()))
}

#[track_caller]
fn check(line: &[&str], expect: Result<&str, &str>) {
    let shown = call(line).map(|values| {
        let rest: Vec<_> = values.texts("rest").chain(values.texts("tag")).collect();
        format!(
            "{}|{}|{}|{}|{}",
            values.text("path").unwrap_or("?"),
            rest.join(","),
            values.flag("ignore_case"),
            values.number("limit").unwrap_or(0),
            values.text("shape").unwrap_or("-"),
        )
    });
    let shown = shown.map_err(|fault| fault.to_string());
    assert_eq!(shown.as_deref().map_err(String::as_str), expect, "{line:?}");
}

#[test]
fn a_command_line_is_read() {
    check(&["a"], Ok("a||false|10|-"));
    check(&["-i", "a"], Ok("a||true|10|-"));
    check(&["-in5", "a"], Ok("a||true|5|-"));
    check(&["-n", "5", "a"], Ok("a||false|5|-"));
    check(&["--limit=7", "--ignore-case", "a"], Ok("a||true|7|-"));
    check(&["--tag", "x", "--tag=y", "a"], Ok("a|x,y|false|10|-"));
    check(&["--shape", "round", "a"], Ok("a||false|10|round"));
    check(&["--", "-i"], Ok("-i||false|10|-"));
    check(&["-"], Ok("-||false|10|-"));
}

#[test]
fn words_after_the_last_position_belong_to_it() {
    check(&["a", "-i", "--limit"], Ok("a|-i,--limit|false|10|-"));
}

#[test]
fn a_wrong_command_line_says_what_is_wrong() {
    check(&[], Err("path is missing"));
    check(&["-x", "a"], Err("there is no option -x; --help lists all"));
    check(&["--nope", "a"], Err("there is no option --nope; --help lists all"));
    check(&["--limit", "many", "a"], Err("limit must be a whole number from 0, not 'many'"));
    check(&["--limit"], Err("--limit needs a value"));
    check(&["--shape=oval", "a"], Err("shape must be one of round, square, not 'oval'"));
    check(&["--ignore-case=yes", "a"], Err("--ignore-case takes no value"));
    check(&["-h"], Err("this asks for help"));
}

#[test]
fn the_help_is_laid_out_as_clap_does() {
    assert_eq!(
        TOOL.help(),
        "Picks things

Usage: pick [OPTIONS] <PATH> [REST]...

Arguments:
  <PATH>     Where to look
  [REST]...  More of them

Options:
  -i, --ignore-case    Whether case counts
  -n, --limit <LIMIT>  The most things [default: 10]
      --tag <TAG>      A mark (may be given again)
      --shape <SHAPE>  The form [possible values: round, square]
  -h, --help           Print help

Keywords: pick, choose
PermissionLevel: ReadOnly
"
    );
}

#[cfg(feature = "text")]
mod json {
    use super::TOOL;
    use crate::{answer, description};

    #[track_caller]
    fn check(input: &str, expect: Result<&str, &str>) {
        let answered = answer(&TOOL, input, |values| {
            let tags: Vec<_> = values.texts("tag").collect();
            Ok(format!("{}|{:?}|{}", values.need("path")?, values.number("limit"), tags.join(",")))
        });
        assert_eq!(answered.as_deref().map_err(String::as_str), expect, "{input}");
    }

    #[test]
    fn an_object_is_read() {
        check(r#"{"path":"a"}"#, Ok("a|Some(10)|"));
        check(r#"{"path":"a","limit":3,"tag":["x","y"]}"#, Ok("a|Some(3)|x,y"));
        check(r#"{"path":"a","limit":"3","shape":null}"#, Ok("a|Some(3)|"));
    }

    #[test]
    fn a_wrong_object_says_what_is_wrong() {
        check("{}", Err("path is missing"));
        check("[]", Err("the input must be a JSON object"));
        check(r#"{"path":1}"#, Err("path must be a text"));
        check(r#"{"path":"a","limit":-1}"#, Err("limit must be a whole number from 0, not '-1'"));
        check(r#"{"path":"a","other":1}"#, Err("there is no argument 'other'"));
        check(r#"{"path":"a","tag":"x"}"#, Err("tag must be a list of texts"));
        assert!(answer(&TOOL, "{", |_| Ok(String::new())).is_err_and(|text| text.contains("not JSON")));
    }

    #[test]
    fn the_description_holds_the_schema() {
        let text = description(&TOOL);
        let parsed: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(parsed["name"], "pick");
        assert_eq!(parsed["schema"]["required"][0], "path");
        assert_eq!(parsed["schema"]["properties"]["limit"]["default"], 10);
        assert_eq!(parsed["schema"]["properties"]["shape"]["enum"][1], "square");
        assert_eq!(parsed["level"], "read-only");
    }
}
