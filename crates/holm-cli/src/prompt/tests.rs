use std::path::PathBuf;

use clap::{Args as _, Command, FromArgMatches as _};
use holm::kernel::plain_text;

use super::*;

fn given(words: &[&str]) -> PromptParts {
    let matches =
        PromptParts::augment_args(Command::new("run").no_binary_name(true)).try_get_matches_from(words);
    PromptParts::from_arg_matches(&matches.unwrap()).unwrap()
}

fn gathered(words: &[&str], around: Option<&PromptTemplate>, work: &Path) -> Result<String, CommandError> {
    given(words).gather(around, work, |_| {}).map(|prompt| plain_text(&prompt.blocks))
}

fn template(text: &str) -> PromptTemplate {
    PromptTemplate {
        template: TextTemplate::parse(text),
        alias: "a".into(),
        variables: TemplateVariables::new(),
    }
}

#[test]
fn parts_of_every_kind_keep_their_order() {
    let parts = given(&[
        "-f", "a.md", "-p", "one", "-s", "#", "--shell", "ls", "-p", "-", "-S", "=", "--media", "x.png",
    ]);
    let expect = [
        PromptPart::File(PathBuf::from("a.md")),
        PromptPart::Text("one".into()),
        PromptPart::Text("####".into()),
        PromptPart::Shell("ls".into()),
        PromptPart::Stdin,
        PromptPart::Text("=".repeat(40)),
        PromptPart::Media("x.png".parse().unwrap()),
    ];
    assert_eq!(parts.0, expect);
    assert!(parts.reads_stdin() && !given(&["-p", "x"]).reads_stdin() && given(&[]).reads_stdin());
    assert!(given(&["-f", "-"]).reads_stdin());
}

#[test]
fn parts_are_joined_with_a_line_between_them() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.md"), "from the file\n\n").unwrap();
    let text =
        gathered(&["-p", "first", "-f", "a.md", "-s", "#", "--shell", "echo printed"], None, folder.path());
    assert_eq!(text.unwrap(), "first\n\nfrom the file\n\n####\n\nprinted");
}

#[test]
fn media_stand_between_the_texts() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.png"), b"\x89PNG\r\n\x1a\n").unwrap();
    let prompt =
        given(&["-p", "a", "-p", "b", "--media", "a.png", "-p", "c"]).gather(None, folder.path(), |_| {});
    let blocks = prompt.unwrap().blocks;
    assert_eq!((blocks[0].as_text(), blocks[2].as_text(), blocks.len()), (Some("a\n\nb"), Some("c"), 3));
    assert!(matches!(&blocks[1], Block::Image(media) if media.media_type == "image/png"));
    let around = template("Look: {{content}} Done.");
    let prompt = given(&["--media", "a.png"]).gather(Some(&around), folder.path(), |_| {}).unwrap();
    assert_eq!((prompt.blocks[0].as_text(), prompt.blocks[2].as_text()), (Some("Look: "), Some(" Done.")));
}

#[test]
fn what_is_read_beside_the_users_words_marks_the_run() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.md"), "text").unwrap();
    let check = |words: &[&str], around: Option<&PromptTemplate>, untrusted: bool, private: bool| {
        let marks = given(words).marks(around);
        assert_eq!(marks, Marks { untrusted, private }, "{words:?}");
    };
    check(&["-p", "a"], None, false, false);
    // The file and standard input are the prompt itself here.
    check(&["-f", "a.md"], None, false, false);
    check(&[], None, false, false);
    check(&["-f", "-"], None, false, false);
    check(&["-p", "a", "-f", "a.md"], None, false, true);
    check(&["-f", "a.md"], Some(&template("sum up")), false, true);
    check(&["-p", "a", "-f", "-"], None, true, true);
    check(&["--shell", "curl example.com"], None, true, true);
}

#[test]
fn a_template_has_a_place_for_the_prompt_or_stands_before_it() {
    let work = Path::new(".");
    let check = |text: &str, words: &[&str], expect: &str| {
        assert_eq!(gathered(words, Some(&template(text)), work).unwrap(), expect, "{text}");
    };
    check("Sum: {{content}}.", &["-p", "x {{content}}"], "Sum: x {{content}}.");
    check("{{content}} and {{ content }}", &["-p", "x"], "x and x");
    check("Do it.", &["-p", "x"], "Do it.\n\nx");
    check("Do it.", &[], "Do it.");
}

#[test]
fn what_is_no_prompt_is_refused_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bytes"), b"\xff\xfe").unwrap();
    let long = vec![b'a'; usize::try_from(MOST_BYTES).unwrap() + 1];
    fs::write(folder.path().join("long"), long).unwrap();
    let check = |words: &[&str], exit: CommandExit, expect: &str| {
        let error = gathered(words, None, folder.path()).unwrap_err();
        assert!(error.exit == exit && error.to_string().contains(expect), "{error}");
    };
    check(&["-p", " \n\t", "-p", ""], CommandExit::Usage, "the prompt is empty");
    check(&["-f", "bytes"], CommandExit::Usage, "the file bytes cannot be read");
    check(&["-f", "bytes"], CommandExit::Usage, "are given with --media");
    check(&["-f", "long"], CommandExit::Usage, "longer than 16 MiB");
    check(&["-f", "gone"], CommandExit::Missing, "there is no file gone");
    check(&["-p", "-", "-f", "-"], CommandExit::Usage, "can be read only once");
}
