use holm::kernel::{Media, Source};

use super::*;

fn picture() -> Block {
    Block::Image(Media {
        media_type: "image/png".into(),
        source: Source::Base64("aWs=".into()),
        name: Some("cat.png".into()),
    })
}

#[test]
fn a_picture_goes_to_those_who_see_it_and_is_refused_in_words_for_others() {
    let takes = ModelMediaSupport::of;
    for sees in ["openai/gpt-5-mini", "anthropic/claude-sonnet-4-5", DEMO, SCRIPT] {
        assert_eq!(takes(sees).refusal(&picture()), None, "{sees}");
    }
    for blind in ["local/small", "deepseek/deepseek-chat", "nobody/knows"] {
        assert_eq!(takes(blind).refusal(&picture()), Some(format!("{blind} takes no image/png")));
        let prompt = Prompt { blocks: vec![Block::Text("see".into()), picture()], ..Prompt::text("") };
        let refused = takes(blind).check(&prompt).unwrap_err().to_string();
        assert!(refused.contains("so it cannot read cat.png\n  hint: leave it out"), "{refused}");
        assert!(takes(blind).check(&Prompt::text("words alone")).is_ok());
    }
}
