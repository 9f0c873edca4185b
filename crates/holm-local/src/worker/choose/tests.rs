use std::sync::Arc;

use holm_guards::json::Json;
use holm_kernel::Tool;
use llguidance::ParserFactory;
use toktrie::ApproximateTokEnv;

use super::{Choice, Chooser, Words};
use crate::{
    Grammar,
    wire::{Doubt, Fault, Write},
};

/// Bytes are tokens; the last one ends a reply.
struct Bytes;

const END: u32 = 261;

impl Words for Bytes {
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

fn tools() -> Vec<Arc<Tool>> {
    vec![Arc::new(Tool::new("go", "", Json::parse("{}").unwrap()))]
}

fn write(grammar: Option<Grammar>) -> Write {
    Write { grammar, doubt: None, most: 9, temperature_milli: None, seed: 7, stops: Vec::new() }
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

fn chosen(chooser: &mut Chooser, best: &[u32]) -> Choice {
    chooser.choose(&logits(best), &Bytes).unwrap()
}

#[test]
fn without_a_grammar_the_likeliest_token_is_taken() {
    let mut chooser = Chooser::new(&factory(), &write(None)).unwrap();
    assert_eq!(chosen(&mut chooser, &[65, 66]), Choice::Token(65));
    assert_eq!(chosen(&mut chooser, &[END, 66]), Choice::End);
    assert!(!chooser.is_whole());
}

#[test]
fn with_a_grammar_the_likeliest_that_it_admits_is_taken() {
    let grammar = Grammar::call(&tools());
    let mut chooser = Chooser::new(&factory(), &write(Some(grammar))).unwrap();
    assert_eq!(chosen(&mut chooser, &[65, u32::from(b'{'), 66]), Choice::Token(u32::from(b'{')));
    assert_eq!(
        chosen(&mut chooser, &[END, u32::from(b'"')]),
        Choice::Token(u32::from(b'"')),
        "it is not whole yet"
    );
    for byte in br#"tool": "go"}"# {
        assert_eq!(chosen(&mut chooser, &[65 + 60, u32::from(*byte)]), Choice::Token(u32::from(*byte)));
    }
    assert!(chooser.is_whole());
}

#[test]
fn chance_comes_from_the_seed_and_keeps_to_the_grammar() {
    let draw = |seed: u32| {
        let write = Write { temperature_milli: Some(900), seed, ..write(Some(Grammar::reply(&tools()))) };
        let mut chooser = Chooser::new(&factory(), &write).unwrap();
        let flat = vec![0.0; 262];
        let first = chooser.choose(&flat, &Bytes).unwrap();
        assert_ne!(first, Choice::Token(u32::from(b' ')), "no reply begins with white space");
        (first, chooser.choose(&flat, &Bytes).unwrap())
    };
    assert_eq!(draw(1), draw(1));
    assert!((2..40).any(|seed| draw(seed) != draw(1)));
}

#[test]
fn a_none_that_is_not_likely_enough_becomes_a_call() {
    let doubt = Doubt { opening: "None".into(), believed_from_milli: 800, instead: Grammar::call(&tools()) };
    let write = Write { doubt: Some(doubt), ..write(Some(Grammar::reply(&tools()))) };
    let first = |logits: Vec<f32>| Chooser::new(&factory(), &write).unwrap().choose(&logits, &Bytes).unwrap();
    let (none, open) = (u32::from(b'N'), u32::from(b'{'));
    assert_eq!(first(logits(&[none, open])), Choice::Token(open), "some seven in ten");
    assert_eq!(first(logits(&[none])), Choice::Token(none), "almost certain");
    assert_eq!(
        first(logits(&[u32::from(b'W'), open])),
        Choice::Token(u32::from(b'W')),
        "other words are not doubted"
    );
}

#[test]
fn a_grammar_that_is_none_is_a_fault() {
    let grammar: Grammar = serde_json::from_str(r#"{"text":"start: (","loose":"start: ("}"#).unwrap();
    let fault = Chooser::new(&factory(), &write(Some(grammar))).err();
    assert!(matches!(fault, Some(Fault::Grammar(_))), "{fault:?}");
}
