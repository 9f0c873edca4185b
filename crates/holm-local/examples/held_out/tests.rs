use super::{Wish, share};

#[test]
fn a_part_is_one_of_several() {
    for (text, expect) in
        [("0/1", Some((0, 1))), ("3/4", Some((3, 4))), ("4/4", None), ("0/0", None), ("x", None)]
    {
        assert_eq!(share(text), expect, "{text}");
    }
}

#[test]
fn a_command_that_leaves_something_out_says_what() {
    let check = |words: &[&str], expect: &str| {
        let error = Wish::read(words.iter().map(ToString::to_string)).err().map(|error| error.to_string());
        assert!(error.as_ref().is_some_and(|error| error.contains(expect)), "{words:?}: {error:?}");
    };
    check(&["in", "out"], "--base");
    check(&["--base", "a.gguf", "in"], "replies");
    check(&["--base", "a.gguf", "--sideways", "in", "out"], "--sideways");
    check(&["in", "out", "--base"], "wants a value");
    check(&["--base", "a.gguf", "--part", "2/2", "in", "out"], "0/4");
    assert!(Wish::read(["--base", "a.gguf", "in", "out"].map(String::from).into_iter()).is_ok());
    let calibrated = ["--base", "a.gguf", "--calibrated", "in", "out"];
    assert!(Wish::read(calibrated.map(String::from).into_iter()).is_ok());
}
