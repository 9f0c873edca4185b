use super::*;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

const CONFIG: &str = r#"{"models":[{"name":"scripted/one"}],"tools":[{"name":"echo","schema":{"type":"object"},"level":"none"}]}"#;
const PROMPT: &str = r#"{"prompted":{"blocks":[{"text":"hi"}]}}"#;

/// A run that was prompted, its journal, and every effect so far.
fn prompted() -> (WasmSession, String, Vec<String>) {
    let (mut run, mut journal) = WasmSession::start("run-1", u64::MAX, CONFIG, 1_000).unwrap();
    let mut effects = drained(&mut run);
    journal += &run.handle(1_001, PROMPT).unwrap();
    effects.extend(drained(&mut run));
    (run, journal, effects)
}

fn drained(run: &mut WasmSession) -> Vec<String> {
    let mut effects = Vec::new();
    loop {
        let effect = run.poll();
        let waits = effect.starts_with(r#"{"wait":"#);
        effects.push(effect);
        if waits {
            return effects;
        }
    }
}

fn answer(call: u64, text: &str) -> String {
    format!(
        r#"{{"model_finished":{{"call":{call},"result":{{"replied":{{"blocks":[{{"text":"{text}"}}]}}}}}}}}"#
    )
}

#[test]
fn a_replay_shows_the_same_effects_byte_for_byte() {
    let (mut run, mut journal, mut effects) = prompted();
    journal += &run.handle(1_002, &answer(0, "hello")).unwrap();
    effects.extend(drained(&mut run));
    let shown = replay_effects(journal.as_bytes()).unwrap();
    assert_eq!(shown.lines().collect::<Vec<_>>(), effects);
    assert_eq!(WasmSession::replay(journal.as_bytes()).unwrap().status(), run.status());
}

#[test]
fn a_request_can_be_read_until_it_is_answered() {
    let (mut run, _, effects) = prompted();
    let shown = effects.iter().find(|effect| effect.starts_with(r#"{"call_model""#)).unwrap();
    assert!(!shown.contains("hi"), "an effect holds no content: {shown}");
    assert!(run.request(0).unwrap().contains(r#""text":"hi""#));
    run.handle(1_002, &answer(0, "hello")).unwrap();
    assert_eq!(run.request(0).unwrap_err().kind, BindingErrorKind::UnknownCall);
}

#[test]
fn a_hosts_mistakes_have_kinds_and_change_nothing() {
    let (mut run, _, _) = prompted();
    let before = run.status();
    let mut check = |input: &str, kind: BindingErrorKind| {
        assert_eq!(run.handle(1_002, input).unwrap_err().kind, kind, "{input}");
    };
    check("nonsense", BindingErrorKind::BadJson);
    check(r#"{"unheard_of":{}}"#, BindingErrorKind::BadJson);
    check(r#"{"dispatched":{"call":99}}"#, BindingErrorKind::Misuse);
    assert_eq!(run.status(), before);
    assert_eq!(WasmSession::start("r", 1, "{}", 0).unwrap_err().kind, BindingErrorKind::BadJson);
    assert_eq!(run.confine(0, CONFIG).unwrap_err().kind, BindingErrorKind::UnknownCall);
}

#[test]
fn a_fork_has_the_past_and_another_future() {
    let (mut run, mut journal, _) = prompted();
    journal += &run.handle(1_002, &answer(0, "one")).unwrap();
    let mut other = WasmSession::fork(journal.as_bytes(), 1).unwrap();
    let past = prefix(journal.as_bytes(), 1).unwrap();
    assert!(journal.starts_with(&past));
    let line = other.handle(1_002, &answer(0, "two")).unwrap();
    assert!(replay_effects((past + &line).as_bytes()).unwrap().contains("two"));
    assert_eq!(WasmSession::fork(journal.as_bytes(), 9).unwrap_err().kind, BindingErrorKind::Fork);
}

#[test]
fn a_snapshot_leads_to_the_same_run_and_a_bad_one_to_the_journal() {
    let (run, journal, _) = prompted();
    let snapshot = run.snapshot().unwrap();
    for kept in [snapshot.as_str(), "{}", ""] {
        let resumed = WasmSession::resume(kept.as_bytes(), journal.as_bytes()).unwrap();
        assert_eq!(resumed.transcript(0), run.transcript(0));
    }
}

#[test]
fn damage_is_named_and_a_torn_tail_is_measured() {
    let (_, journal, _) = prompted();
    let torn = journal.get(..journal.len() - 5).unwrap();
    let first = journal.find('\n').unwrap() + 1;
    assert!(inspect(torn.as_bytes()).unwrap().contains(r#""records":1"#));
    assert!(inspect(torn.as_bytes()).unwrap().contains(&format!(r#""cut_at":{first}"#)));
    assert_eq!(WasmSession::replay(torn.as_bytes()).unwrap_err().kind, BindingErrorKind::Journal);
    assert_eq!(WasmSession::replay(b"").unwrap_err().kind, BindingErrorKind::Replay);
    assert!(inspect(b"").unwrap().contains(r#""head":null"#));
}

#[test]
fn the_transcript_is_given_from_any_message_on() {
    let (mut run, _, _) = prompted();
    run.handle(1_002, &answer(0, "hello")).unwrap();
    assert!(run.transcript(0).contains("hi"));
    assert!(run.transcript(1).starts_with(r#"[{"id":1,"role":"assistant""#));
    assert_eq!(run.transcript(u64::MAX), "[]");
    assert!(run.started().contains(&format!(r#""seed":{}"#, u64::MAX)));
}

#[test]
fn sessions_are_told_apart() {
    assert_ne!(prompted().0.number(), prompted().0.number());
}
