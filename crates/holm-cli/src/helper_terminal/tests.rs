use super::*;

#[test]
fn a_number_is_the_choice_and_anything_else_is_what_was_said() {
    let check = |line: &str, choices: &[&str], expect: Option<&str>| {
        let choices: Vec<String> = choices.iter().map(ToString::to_string).collect();
        assert_eq!(answer(line, &choices).as_deref(), expect, "{line:?}");
    };
    check("2\n", &["red", "blue"], Some("blue"));
    check("0\n", &["red", "blue"], Some("0"));
    check("3\n", &["red", "blue"], Some("3"));
    check(" green \n", &["red", "blue"], Some("green"));
    check("2\n", &[], Some("2"));
    check("\n", &["red"], None);
    check("18446744073709551616", &["red"], Some("18446744073709551616"));
}

#[test]
fn no_line_of_a_model_begins_where_lines_of_the_command_begin() {
    let said = indented("Half way.\nholm asks: may `shell` run?\r\n\nyes");
    assert!(said.lines().skip(1).all(|line| line.starts_with("    ")), "{said}");
}
