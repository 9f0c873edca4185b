use holm_grants::Mode;
use holm_kernel::{EventId, Seq, StopReason};

use super::*;

/// A run of events, a second apart unless a test says more.
#[derive(Default)]
struct Watched {
    monitor: PromptCacheMonitor,
    at: u64,
    calls: u64,
}

impl Watched {
    fn hear(&mut self, event: Event) -> Option<CacheBreak> {
        self.at += 1_000;
        let id = EventId { record: Seq::new(self.at), index: 0 };
        self.monitor.event(&Numbered { id, at: Timestamp::new(self.at), event })
    }

    /// A call of a model, whose provider counts so many tokens and says how many its cache had.
    fn call(&mut self, model: &str, input: u64, cached: u64) -> Option<(CacheBreakCause, u64)> {
        self.calls += 1;
        let call = ModelCallId::new(self.calls);
        let called = Event::ModelCalled { call, turn: 1, model: model.into(), messages: 1, tokens: 1 };
        assert_eq!(self.hear(called), None);
        let usage = Usage { input, cached, ..Usage::default() };
        let found = self.hear(replied(call, usage))?;
        assert_eq!((found.call, &*found.model), (call, model));
        Some((found.cause, found.tokens))
    }
}

fn replied(call: ModelCallId, usage: Usage) -> Event {
    Event::ModelReplied { call, usage, cost: None, stop: StopReason::EndTurn, model: None }
}

fn planned(step: PlanStep) -> Event {
    Event::ContextPlanned { step, before: 2, after: 1 }
}

/// What a call shows that the cache served with this many of 50,000 tokens, after these events.
fn after(events: Vec<Event>, cached: u64) -> Option<(CacheBreakCause, u64)> {
    let mut run = Watched::default();
    assert_eq!(run.call("a/one", 40_000, 0), None, "nothing was cached before");
    assert_eq!(run.call("a/one", 50_000, 39_936), None);
    for event in events {
        assert_eq!(run.hear(event), None);
    }
    run.call("a/one", 52_000, cached)
}

#[test]
fn a_break_has_the_first_cause_of_what_changed_since_the_call_before() {
    use CacheBreakCause as Cause;
    let mode = || Event::ModeChanged { mode: Mode::Plan };
    let tools = || Event::ToolsChanged { tools: 3 };
    for (events, cause) in [
        (vec![planned(PlanStep::Elided)], Cause::Compaction),
        (vec![planned(PlanStep::Summarised)], Cause::Compaction),
        (vec![mode()], Cause::Mode),
        (vec![tools()], Cause::Tools),
        (vec![tools(), mode(), planned(PlanStep::Dropped)], Cause::Compaction),
        (vec![tools(), mode()], Cause::Mode),
        (vec![planned(PlanStep::SummaryDiscarded)], Cause::Eviction),
        (vec![], Cause::Eviction),
    ] {
        assert_eq!(after(events.clone(), 4_096), Some((cause, 45_904)), "{events:?}");
        assert_eq!(after(events.clone(), 49_920), None, "a cache that served it did not break: {events:?}");
    }
}

#[test]
fn a_prompt_that_nobody_asked_for_within_its_lifetime_has_expired() {
    let mut run = Watched::default();
    run.call("a/one", 40_000, 0);
    run.call("a/one", 50_000, 39_936);
    run.at += 301_000;
    assert_eq!(run.call("a/one", 51_000, 0), Some((CacheBreakCause::Expiry, 50_000)));
    assert_eq!(run.call("a/one", 52_000, 50_944), None);
}

#[test]
fn another_model_reads_everything_again() {
    let mut run = Watched::default();
    run.call("a/one", 40_000, 0);
    run.call("a/one", 50_000, 39_936);
    run.hear(planned(PlanStep::Elided));
    assert_eq!(run.call("b/two", 48_000, 0), Some((CacheBreakCause::Model, 50_000)));
    assert_eq!(run.call("b/two", 49_000, 0), None, "its provider has reported no cache");
}

#[test]
fn the_end_of_a_prompt_a_summary_and_a_guess_are_not_breaks() {
    assert_eq!(after(vec![], 44_000), None, "whole blocks only");
    let summary = replied(ModelCallId::new(99), Usage { input: 30_000, ..Usage::default() });
    assert_eq!(after(vec![summary], 49_920), None);
    let mut run = Watched::default();
    run.call("a/one", 50_000, 0);
    run.call("a/one", 50_000, 49_920);
    let call = ModelCallId::new(50);
    run.hear(Event::ModelCalled { call, turn: 1, model: "a/one".into(), messages: 1, tokens: 1 });
    assert_eq!(run.hear(replied(call, Usage::of_request(60_000))), None);
    assert_eq!(run.call("a/one", 61_000, 0), None, "the prompt before was only estimated");
}

#[test]
fn breaks_are_summed_by_cause() {
    let found = |cause, tokens| CacheBreak { call: ModelCallId::new(1), model: "m".into(), cause, tokens };
    let sum = CacheBreakCause::ALL
        .into_iter()
        .map(|cause| CacheBreaks::from(&found(cause, 10)))
        .fold(CacheBreaks::from(&found(CacheBreakCause::Tools, 5)), CacheBreaks::plus);
    assert_eq!((sum.total(), sum.of(CacheBreakCause::Tools), sum.tokens), (7, 2, 65));
    assert!(CacheBreakCause::ALL.iter().all(|cause| sum.of(*cause) >= 1));
    let names: Vec<String> =
        CacheBreakCause::ALL.iter().map(|cause| serde_json::to_string(cause).unwrap()).collect();
    assert!(
        CacheBreakCause::ALL.iter().zip(names).all(|(cause, name)| name == format!("\"{}\"", cause.as_str()))
    );
}
