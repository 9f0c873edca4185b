use super::*;

/// The failure of a ceiling of 1,000 tokens for an attempt with this many.
fn ceiling(tokens: u64, is_estimated: bool) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("workspace")).unwrap();
    fs::write(folder.path().join("case.toml"), "prompt = 'go'\n[limits]\ntokens = 1000\n").unwrap();
    let case = EvalCase::read(folder.path(), "case").unwrap();
    let session = SessionTranscript { is_estimated, ..SessionTranscript::default() };
    let text = serde_json::json!({
        "case": "case", "digest": "", "model": "replay", "attempt": 1, "verdict": "passed", "checks": [],
        "session": "", "turns": 1, "tokens": tokens, "cost_nano_usd": 0, "seconds": 1.0,
    });
    let result: AttemptResult = serde_json::from_value(text).unwrap();
    let outcomes = ceilings(&case, &result, &session);
    assert_eq!(outcomes.len(), 1);
    outcomes[0].failure.clone()
}

#[test]
fn estimated_tokens_may_be_slightly_more_than_their_ceiling_and_counted_ones_may_not() {
    assert_eq!(ceiling(1_000, false), None);
    assert_eq!(ceiling(1_001, false).as_deref(), Some("1001 are more than 1000"));
    assert_eq!(ceiling(1_010, true), None);
    assert_eq!(ceiling(1_011, true).as_deref(), Some("1011 are more than 1000"));
}
