mod properties;
mod replies;

use std::sync::OnceLock;

use holm_guards::json::Json;
use llguidance::{Matcher, ParserFactory, api::TopLevelGrammar};
use toktrie::ApproximateTokEnv;

use super::ReplyGrammar;

/// Every byte is a token, so that every text can be tried.
fn factory() -> &'static ParserFactory {
    static FACTORY: OnceLock<ParserFactory> = OnceLock::new();
    FACTORY.get_or_init(|| {
        let mut factory = ParserFactory::new_simple(&ApproximateTokEnv::single_byte_env()).unwrap();
        factory.quiet();
        factory
    })
}

fn matcher(text: &str) -> Matcher {
    let parser = factory().create_parser(TopLevelGrammar::from_lark(text.to_owned()));
    let matcher = Matcher::new(parser);
    assert_eq!(matcher.get_error(), None, "{text}");
    matcher
}

/// Whether the grammar admits exactly this reply.
fn admits(grammar: &ReplyGrammar, reply: &str) -> bool {
    let tokens: Vec<u32> = reply.bytes().map(u32::from).collect();
    let mut matcher = matcher(grammar.as_str());
    matcher.validate_tokens(&tokens).unwrap() == tokens.len() && {
        matcher.consume_tokens(&tokens).unwrap();
        matcher.is_accepting().unwrap()
    }
}

fn json(text: &str) -> Json {
    Json::parse(text).unwrap()
}
