use super::*;

fn read(env: &[(&str, &str)]) -> Result<ConfigSettings, ConfigError> {
    let find = |name: &str| env.iter().find(|(key, _)| *key == name);
    ConfigSettings::from_environment(|name| find(name).map(|(_, value)| (*value).to_owned()))
}

#[test]
fn every_variable_is_read_and_named_as_the_origin() {
    let settings = read(&[
        ("HOLM_MODEL", "openai/gpt-5-mini"),
        ("HOLM_MODE", "plan"),
        ("HOLM_TOOLS", "wasm"),
        ("HOLM_TURNS", "7"),
        ("HOLM_BUDGET", "0.25"),
    ])
    .unwrap();
    let rows: Vec<String> =
        settings.rows().iter().map(|row| format!("{} {} {}", row.key, row.value, row.origin)).collect();
    assert_eq!(
        rows,
        [
            "model \"openai/gpt-5-mini\" $HOLM_MODEL",
            "tools \"wasm\" $HOLM_TOOLS",
            "mode \"plan\" $HOLM_MODE",
            "limits.turns 7 $HOLM_TURNS",
            "limits.budget \"0.25usd\" $HOLM_BUDGET",
        ]
    );
    assert_eq!(rows.len(), VARIABLES.len());
}

#[test]
fn an_empty_variable_says_nothing_and_a_wrong_one_is_named() {
    assert_eq!(read(&[("HOLM_MODEL", " ")]).unwrap(), ConfigSettings::default());
    let check = |name: &str, value: &str, expect: &str| {
        let error = read(&[(name, value)]).unwrap_err().to_string();
        assert!(error.starts_with(&format!("${name}: ")) && error.contains(expect), "{error}");
    };
    check("HOLM_MODE", "yolo", "plan, default, accept-edits or full");
    check("HOLM_TOOLS", "both", "all, native, wasm, few");
    check("HOLM_TURNS", "0", "not a number of turns");
    check("HOLM_BUDGET", "much", "0.50usd");
}
