use super::*;

#[test]
fn places_are_found_and_everything_else_stays() {
    let check = |text: &str, expect: &[&str]| {
        let shown: Vec<String> = TextTemplate::parse(text)
            .pieces()
            .iter()
            .map(|part| match part {
                TextTemplatePiece::Text(text) => text.clone(),
                TextTemplatePiece::Variable(name) => format!("<{name}>"),
            })
            .collect();
        assert_eq!(shown, expect, "{text}");
    };
    check("", &[]);
    check("plain", &["plain"]);
    check("{{a}}", &["<a>"]);
    check("x {{ a-b_1 }} y{{c}}", &["x ", "<a-b_1>", " y", "<c>"]);
    check("{{}} {{a b}} {{ü}}", &["{{}} {{a b}} {{ü}}"]);
    check("{{ open", &["{{ open"]);
    check("{{{a}}}", &["{{{a}}}"]);
    check("{{x {{a}}", &["{{x ", "<a>"]);
    check("}} {{a}} {", &["}} ", "<a>", " {"]);
}

#[test]
fn a_name_has_a_bound() {
    let long = "a".repeat(MOST_NAME + 1);
    assert_eq!(TextTemplate::parse(&format!("{{{{{long}}}}}")).names().count(), 0);
}
