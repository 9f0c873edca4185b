//! Tests prompts in a chat beyond plain text: aliases with variables, and pictures.

use std::fs;

use holm_testkit::double::Act;

use crate::{
    pty::Pty,
    stage::{KEY, MODEL, Stage},
};

#[test]
fn an_alias_has_its_variables_in_a_chat_too() {
    let settings = "[aliases.explain]\ntemplate = \"Explain {{filename}} ({{language}}) to {{who}} on {{git_branch}}: {{content}}\"\n";
    let stage =
        Stage::new([Act::says("Explained.")]).file("mine.toml", settings).file("main.rs", "fn main() {}\n");
    fs::create_dir(stage.work().join(".git")).unwrap();
    fs::write(stage.work().join(".git/HEAD"), "ref: refs/heads/topic\n").unwrap();
    let config = stage.work().join("mine.toml").display().to_string();
    let args = ["chat", "--model", MODEL];
    let mut chat = Pty::start(&stage, (24, 100), &args, &[("HOLM_CONFIG", &config)]);
    chat.shows("Type what you want done.");
    chat.types("/explain look at @main.rs \r");
    chat.shows("needs a value for `who`");
    assert!(stage.double.requests().is_empty(), "nothing is said that is not whole");
    chat.types("/explain who={{content}} look at @main.rs \r");
    chat.shows("Explained.");
    let said = stage.double.requests()[0].text();
    assert!(said.contains("Explain main.rs (Rust) to {{content}} on topic: look at @main.rs"), "{said}");
    assert!(said.contains("fn main() {}"), "the file comes with it: {said}");
    chat.types("/quit \r");
    assert_eq!(chat.ends().0, Some(0));
}

#[test]
fn a_picture_that_a_model_is_not_shown_is_told_in_a_chat() {
    let stage = Stage::new([Act::says("I see no picture.")]);
    fs::write(stage.work().join("cat.png"), b"\x89PNG\r\n\x1a\nrest").unwrap();
    let base = stage.double.base(holm::wire::Format::OpenaiChat);
    let settings = format!("[providers.deepseek]\nbase_url = \"{base}\"\n");
    fs::write(stage.work().join("mine.toml"), settings).unwrap();
    let config = stage.work().join("mine.toml").display().to_string();
    let env = [("DEEPSEEK_API_KEY", KEY), ("HOLM_CONFIG", config.as_str())];
    let mut chat = Pty::start(&stage, (24, 100), &["chat", "--model", "deepseek/deepseek-chat"], &env);
    chat.shows("Type what you want done.");
    chat.types("what is @cat.png ?\r");
    chat.shows("@cat.png is not attached: deepseek/deepseek-chat takes no image/png");
    chat.shows("I see no picture.");
    assert!(!stage.double.requests()[0].text().contains(";base64,"));
    chat.types("\x15/quit \r");
    assert_eq!(chat.ends().0, Some(0));
}
