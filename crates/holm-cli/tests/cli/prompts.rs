//! Tests prompts: texts, files, output of commands, pictures and aliases, in the order in which
//! they were given.

use std::fs;

use holm::kernel::{Block, Message};
use holm_testkit::double::Act;

use crate::stage::{MODEL, Ran, Stage};

/// A picture, as far as its first bytes say.
const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\nrest";

/// What the first request asked.
fn asked(stage: &Stage) -> Vec<Message> {
    stage.double.requests().remove(0).asked.unwrap().messages
}

fn text(stage: &Stage) -> String {
    asked(stage).iter().map(Message::plain_text).collect()
}

#[test]
fn every_kind_of_part_stands_where_it_was_given() {
    let stage = Stage::new([Act::says("ok")]).file("readme.md", "From the file.\n");
    let args = [
        "-s",
        "#",
        "-f",
        "readme.md",
        "-p",
        "first",
        "--shell",
        "echo printed; echo twice",
        "-p",
        "-",
        "-S",
        "=",
    ];
    let ran = stage.holm_with("from the pipe", [&["run", "--model", MODEL], &args[..]].concat());
    ran.says("ok\n");
    let rule = "=".repeat(40);
    let expect = format!("####\n\nFrom the file.\n\nfirst\n\nprinted\ntwice\n\nfrom the pipe\n\n{rule}");
    assert_eq!(text(&stage), expect);
}

#[test]
fn what_agents_exe_documents_for_its_prompts_works_word_for_word() {
    // `-p "explain the diff:" -s "#" --shell "git diff"`, and `--prompt … --file README.md`.
    let stage = Stage::new([Act::says("a"), Act::says("b")]).file("README.md", "It is small.\n");
    stage.run(&["-p", "explain the diff:", "-s", "#", "--shell", "echo +one"]).says("a\n");
    assert_eq!(text(&stage), "explain the diff:\n\n####\n\n+one");
    stage.run(&["--prompt", "resume the following content:", "--file", "README.md"]).says("b\n");
    let second = stage.double.requests().remove(1).asked.unwrap().messages;
    assert_eq!(second[0].plain_text(), "resume the following content:\n\nIt is small.");
}

#[test]
fn a_command_that_fails_is_told_and_one_that_gives_nothing_ends_it() {
    let stage = Stage::new([Act::says("ok")]);
    let ran = stage.run(&["-p", "Why?", "--shell", "echo broken; exit 7"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "ok\n"), "{ran:?}");
    assert_eq!(ran.err, "holm: `echo broken; exit 7` ended with exit status: 7; its output is used anyway\n");
    stage
        .run(&["--shell", "exit 7"])
        .fails(1, "cannot use the output of `exit 7`: it failed without output (exit status: 7)");
    stage.run(&["-f", "gone.md"]).fails(6, "there is no file gone.md");
    stage.run(&["-p", "-", "-f", "-"]).fails(2, "can be read only once");
}

#[test]
fn a_picture_reaches_the_model_as_one() {
    let stage = Stage::new([Act::says("A cat.")]);
    fs::write(stage.work().join("cat.png"), PICTURE).unwrap();
    stage.run(&["-p", "What is on", "--media", "cat.png", "-p", "this?"]).says("A cat.\n");
    let message = asked(&stage).remove(0);
    let kinds: Vec<&str> = message
        .blocks
        .iter()
        .map(|block| match block {
            Block::Text(text) => text.as_str(),
            Block::Image(media) => media.media_type.as_str(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(kinds, ["What is on", "image/png", "this?"]);
}

#[test]
fn what_a_model_would_not_be_shown_is_refused_before_it_is_asked() {
    let stage = Stage::new([]).file("notes.txt", "words\n");
    fs::write(stage.work().join("cat.png"), PICTURE).unwrap();
    let mut blind =
        stage.command(["run", "--model", "deepseek/deepseek-chat", "-p", "x", "--media", "cat.png"]);
    let ran = Ran::of(&blind.env("DEEPSEEK_API_KEY", "x").output().unwrap());
    ran.fails(
        2,
        "deepseek/deepseek-chat takes no image/png, so it cannot read cat.png\n  hint: leave it out",
    );
    stage.run(&["--media", "notes.txt"]).fails(2, "hint: to add a text file, use -f");
    stage.run(&["--media", "gone.png"]).fails(6, "there is no file gone.png");
    assert!(stage.double.requests().is_empty());
}

#[test]
fn an_alias_has_variables() {
    let settings = format!(
        "model = \"{MODEL}\"\n[aliases.explain]\ntemplate = \"Explain {{{{filename}}}} ({{{{language}}}}) to {{{{who}}}} on \
         {{{{git_branch}}}}: {{{{content}}}}\"\n"
    );
    let stage = Stage::new([Act::says("ok")]).file("mine.toml", &settings).file("main.rs", "fn main() {}\n");
    fs::create_dir(stage.work().join(".git")).unwrap();
    fs::write(stage.work().join(".git/HEAD"), "ref: refs/heads/topic\n").unwrap();
    let holm = |args: &[&str]| {
        let mut command = stage.command([&["run", "--alias", "explain"], args].concat());
        Ran::of(&command.env("HOLM_CONFIG", stage.work().join("mine.toml")).output().unwrap())
    };
    // What is put in is not looked at again.
    holm(&["-f", "main.rs", "--var", "who={{content}}"]).says("ok\n");
    assert_eq!(text(&stage), "Explain main.rs (Rust) to {{content}} on topic: fn main() {}");
    holm(&["-f", "main.rs"]).fails(2, "the alias `explain` needs a value for `who`");
    holm(&["-f", "main.rs", "--var", "who=me", "--var", "x=y"]).fails(2, "does not use `x`");
    stage.run(&["-p", "x", "--var", "who=me"]).fails(2, "--alias");
}
