use super::*;

const WHOLE: &str = r#"# all that can be said
model = "openai/gpt-5-mini"
system = "Be brief."
tools = "native"
mode = "accept-edits"
grants = [
    "read:src/**",
    "write:out/",
]

[limits]
turns = 12
budget = "0.50usd"

[ladder]
step_up = ["openai/gpt-5"]
kind = "review"

[commands]
allow = ["git status"]
deny = ["git push"]

[providers.mine]
base_url = "http://127.0.0.1:8000/v1"
key_env = "MINE_KEY"
tools = "text"
context = 32768
max_output = 4096
input_price = "0.25usd"
output_price = "2usd"

[aliases.sum]
description = "Sums up."
template = "Sum up: {{content}}"
"#;

fn read(text: &str, layer: ConfigLayer) -> Result<ConfigSettings, ConfigError> {
    ConfigSettings::read(text, Path::new("/p/holm.toml"), layer)
}

#[test]
fn every_value_knows_its_line() {
    let rows = read(WHOLE, ConfigLayer::User).unwrap().rows();
    let lines: Vec<String> = rows
        .iter()
        .map(|row| format!("{} {}", row.origin.to_string().trim_start_matches("/p/holm.toml:"), row.key))
        .collect();
    assert_eq!(
        lines,
        [
            "2 model",
            "3 system",
            "4 tools",
            "5 mode",
            "7 grants",
            "8 grants",
            "12 limits.turns",
            "13 limits.budget",
            "16 ladder.step_up",
            "17 ladder.kind",
            "20 commands.allow",
            "21 commands.deny",
            "24 providers.mine.base_url",
            "25 providers.mine.key_env",
            "26 providers.mine.tools",
            "27 providers.mine.context",
            "28 providers.mine.max_output",
            "29 providers.mine.input_price",
            "30 providers.mine.output_price",
            "32 aliases.sum",
        ]
    );
}

#[test]
fn what_a_project_cannot_say_is_named_with_its_line() {
    let check = |text: &str, line: usize, key: &str| {
        read(text, ConfigLayer::User).unwrap();
        let error = read(text, ConfigLayer::Project).unwrap_err();
        assert_eq!(error.line, Some(line), "{text}");
        assert_eq!(error.problem, ConfigProblem::NotForProjects { key: key.into() }, "{text}");
        assert!(error.fix().contains("your own file"), "{}", error.fix());
    };
    check("model = \"a/b\"\nmode = \"plan\"\n", 2, "mode");
    check("[providers.openai]\nbase_url = \"http://evil.example\"\n", 2, "providers.openai.base_url");
    check("[providers.openai]\n\nkey_env = \"HOME\"\n", 3, "providers.openai.key_env");
    check("[providers.a]\ncontext = 5\n", 2, "providers.a.context");
    check("[providers.a]\ninput_price = \"0usd\"\n", 2, "providers.a.input_price");
    check("[commands]\nallow = [\"rm\"]\n", 2, "commands.allow");
    check("mode = \"full\"\n[providers.a]\nbase_url = \"http://x\"\n", 1, "mode");
}

#[test]
fn a_project_is_never_told_to_write_what_it_cannot_say() {
    let check = |text: &str, fix: &str| {
        let error = read(text, ConfigLayer::Project).unwrap_err();
        assert_eq!(error.fix(), fix, "{text}");
    };
    check("modde = \"plan\"\n", "did you mean `model`?");
    check("[commands]\nalow = [\"ls\"]\n", "known here: deny");
    check("zz = 1\n", "known here: aliases, commands, grants, ladder, limits, model, system, tools");
}

#[test]
fn each_mistake_gives_one_message_with_file_line_and_fix() {
    let check = |text: &str, expect: &str, fix: &str| {
        let error = read(text, ConfigLayer::User).unwrap_err();
        assert_eq!(error.to_string(), format!("/p/holm.toml:{expect}"));
        assert_eq!(error.fix(), fix);
    };
    let value = "correct the value; `holm config schema` describes all keys";
    check("\nmodle = \"a/b\"\n", "2: unknown key `modle`", "did you mean `model`?");
    check("[limits]\nturn = 3\n", "2: unknown key `turn`", "did you mean `turns`?");
    check("[limits]\nx = 3\n", "2: unknown key `x`", "known here: budget, turns");
    let keys = "known here: base_url, context, input_price, key_env, max_output, output_price, tools";
    check("[providers.a]\nurl = \"x\"\n", "2: unknown key `url`", keys);
    let tokens = "2: this is not a number of tokens; write it like 32768";
    check("[providers.a]\ncontext = 0\n", tokens, value);
    check("[providers.a]\nmax_output = -1\n", tokens, value);
    check("a = 1\nmodel = \"x/y\"\n[zz]\nb = 2\n", "1: unknown key `a`", &known());
    check("mode = \"yolo\"\n", "1: unknown mode; use plan, default, accept-edits or full", value);
    check("model = 3\n", "1: invalid type: integer `3`, expected a string", value);
    check("[limits]\nturns = 0\n", "2: a run needs at least one turn", value);
    let amount = "2: `much` is not an amount in US dollars; write it like \"0.50usd\"";
    check("[limits]\nbudget = \"much\"\n", amount, value);
    let address = "3: not a valid URL; write it like \"https://host/v1\"";
    for url in ["nope", "", "host:8000/v1", "http://", "https:///v1", "ftp://host"] {
        check(&format!("[providers.a]\nkey_env = \"K\"\nbase_url = \"{url}\"\n"), address, value);
    }
    let syntax = read("model = \"a/b\"\nmode = \n", ConfigLayer::User).unwrap_err();
    assert_eq!((syntax.line, syntax.to_string().lines().count()), (Some(2), 1), "{syntax}");
    let grant = read("grants = [\n  \"read:src\",\n  \"fly:high\",\n]\n", ConfigLayer::User).unwrap_err();
    assert_eq!(grant.line, Some(3), "{grant}");
}

fn known() -> String {
    let keys = "aliases, commands, grants, ladder, limits, mode, model, providers, system, tools";
    format!("known here: {keys}")
}

#[test]
fn the_bytes_of_a_projects_file_are_read_as_a_projects_and_what_is_no_text_has_a_line() {
    let of = |bytes: &[u8]| ConfigSettings::of_project(bytes, Path::new("/p/holm.toml"));
    assert_eq!(of(b"model = \"a/b\"\n").unwrap().model.unwrap().origin.layer(), ConfigLayer::Project);
    let error = of(b"model = \"a/b\"\n\xff\n").unwrap_err();
    assert_eq!(error.to_string(), "/p/holm.toml:2: it is not UTF-8 text");
}
