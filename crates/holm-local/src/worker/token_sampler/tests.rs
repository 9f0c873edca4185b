use std::sync::Arc;

use holm_guards::json::Json;
use holm_kernel::ToolSpec;
use llguidance::ParserFactory;
use toktrie::ApproximateTokEnv;

use super::{TokenChoice, TokenSampler, TokenVocabulary};
use crate::{
    ReplyGrammar,
    wire::{GenerateTask, GenerationError, NoToolThreshold},
};

/// Bytes are tokens; the last one ends a reply.
struct Bytes;

const END: u32 = 261;

impl TokenVocabulary for Bytes {
    fn ends(&self, token: u32) -> bool {
        token == END
    }

    fn piece(&self, token: u32) -> Vec<u8> {
        u8::try_from(token).map_or_else(|_| Vec::new(), |byte| vec![byte])
    }
}

fn factory() -> ParserFactory {
    let mut factory = ParserFactory::new_simple(&ApproximateTokEnv::single_byte_env()).unwrap();
    factory.quiet();
    factory
}

fn tools() -> Vec<Arc<ToolSpec>> {
    vec![Arc::new(ToolSpec::new("go", "", Json::parse("{}").unwrap()))]
}

fn write(grammar: Option<ReplyGrammar>) -> GenerateTask {
    GenerateTask { grammar, doubt: None, most: 9, temperature_milli: None, seed: 7, stops: Vec::new() }
}

/// Likelihoods in which these tokens stand out, the first the most.
fn logits(best: &[u32]) -> Vec<f32> {
    let mut out = vec![0.0; 262];
    let mut height = 9.0;
    for token in best {
        out[usize::try_from(*token).unwrap()] = height;
        height -= 1.0;
    }
    out
}

fn chosen(chooser: &mut TokenSampler, best: &[u32]) -> TokenChoice {
    chooser.choose(&logits(best), &Bytes).unwrap()
}

#[test]
fn without_a_grammar_the_likeliest_token_is_taken() {
    let mut chooser = TokenSampler::new(&factory(), &write(None)).unwrap();
    assert_eq!(chosen(&mut chooser, &[65, 66]), TokenChoice::Token(65));
    assert_eq!(chosen(&mut chooser, &[END, 66]), TokenChoice::End);
    assert!(!chooser.is_whole());
}

#[test]
fn with_a_grammar_the_likeliest_that_it_admits_is_taken() {
    let grammar = ReplyGrammar::call(&tools());
    let mut chooser = TokenSampler::new(&factory(), &write(Some(grammar))).unwrap();
    assert_eq!(chosen(&mut chooser, &[65, u32::from(b'{'), 66]), TokenChoice::Token(u32::from(b'{')));
    assert_eq!(
        chosen(&mut chooser, &[END, u32::from(b'"')]),
        TokenChoice::Token(u32::from(b'"')),
        "it is not whole yet"
    );
    for byte in br#"tool": "go"}"# {
        assert_eq!(chosen(&mut chooser, &[65 + 60, u32::from(*byte)]), TokenChoice::Token(u32::from(*byte)));
    }
    assert!(chooser.is_whole());
}

#[test]
fn chance_comes_from_the_seed_and_keeps_to_the_grammar() {
    let draw = |seed: u32| {
        let write =
            GenerateTask { temperature_milli: Some(900), seed, ..write(Some(ReplyGrammar::reply(&tools()))) };
        let mut chooser = TokenSampler::new(&factory(), &write).unwrap();
        let flat = vec![0.0; 262];
        let first = chooser.choose(&flat, &Bytes).unwrap();
        assert_ne!(first, TokenChoice::Token(u32::from(b' ')), "no reply begins with white space");
        (first, chooser.choose(&flat, &Bytes).unwrap())
    };
    assert_eq!(draw(1), draw(1));
    assert!((2..40).any(|seed| draw(seed) != draw(1)));
}

#[test]
fn a_none_that_is_not_likely_enough_becomes_a_call() {
    let doubt = NoToolThreshold {
        opening: "None".into(),
        believed_from_milli: 800,
        instead: ReplyGrammar::call(&tools()),
    };
    let write = GenerateTask { doubt: Some(doubt), ..write(Some(ReplyGrammar::reply(&tools()))) };
    let first =
        |logits: Vec<f32>| TokenSampler::new(&factory(), &write).unwrap().choose(&logits, &Bytes).unwrap();
    let (none, open) = (u32::from(b'N'), u32::from(b'{'));
    assert_eq!(first(logits(&[none, open])), TokenChoice::Token(open), "some seven in ten");
    assert_eq!(first(logits(&[none])), TokenChoice::Token(none), "almost certain");
    assert_eq!(
        first(logits(&[u32::from(b'W'), open])),
        TokenChoice::Token(u32::from(b'W')),
        "other words are not doubted"
    );
}

#[test]
fn a_grammar_that_is_none_is_a_fault() {
    let grammar: ReplyGrammar = serde_json::from_str(r#"{"text":"start: (","loose":"start: ("}"#).unwrap();
    let fault = TokenSampler::new(&factory(), &write(Some(grammar))).err();
    assert!(matches!(fault, Some(GenerationError::Grammar(_))), "{fault:?}");
}
