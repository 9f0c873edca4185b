use holm_kernel::{
    Block, Config, Failure, FailureClass, Input, ModelCallId, ModelResult, ModelSpec, NanoUsd, Price, Prompt,
    Reply, Run, Spill, Started, Timestamp, ToolCall, ToolCallId, ToolOutput, Usage, journal,
};

use holm_runtime::CostMeter;

use super::{text::*, usage::*, *};

#[test]
fn days_are_dates() {
    let check = |days, expect: &str| assert_eq!(UtcDay::new(days).to_string(), expect);
    check(0, "1970-01-01");
    check(58, "1970-02-28");
    check(59, "1970-03-01");
    check(10_957, "2000-01-01");
    check(11_016, "2000-02-29");
    check(11_017, "2000-03-01");
    check(20_717, "2026-09-21");
    check(47_540, "2100-02-28");
    check(47_541, "2100-03-01");
    assert_eq!(UtcDay::of_millis(86_399_999), UtcDay::new(0));
    assert_eq!(UtcDay::of_millis(86_400_000), UtcDay::new(1));
}

#[test]
fn words_are_taken_from_what_people_models_and_tools_said() {
    let check = |input: &Input, expect: Option<(TextKind, &str)>| {
        let found = search_text(input);
        assert_eq!(found.as_ref().map(|(kind, text)| (*kind, text.as_str())), expect, "{input:?}");
    };
    check(&Input::Steered(Prompt::text("left")), Some((TextKind::Prompt, "left")));
    check(&Input::Prompted(Prompt::text(" \n")), None);
    let wish = ToolCall { name: "look".into(), arguments: "{}".into(), ..ToolCall::default() };
    let reply =
        Reply { blocks: vec![Block::Text("I look".into()), Block::ToolCall(wish)], ..Reply::default() };
    let result = ModelResult::Replied(reply);
    check(
        &Input::ModelFinished { call: ModelCallId::new(1), result },
        Some((TextKind::Answer, "I look\nlook\n{}")),
    );
    let spill = Spill {
        head: "head".into(),
        tail: "tail".into(),
        bytes: 9,
        sha256: String::new(),
        reference: String::new(),
    };
    let result = ToolOutput { spill: Some(Box::new(spill)), ..ToolOutput::default() };
    check(&Input::ToolFinished { call: ToolCallId::new(1), result }, Some((TextKind::Tool, "head\ntail\n")));
    check(&Input::Dispatched { call: ToolCallId::new(1) }, None);
}

#[test]
fn a_huge_text_is_searched_by_its_beginning() {
    let (_, text) = search_text(&Input::Prompted(Prompt::text("\u{fc}".repeat(200_000)))).unwrap();
    assert_eq!(text.len(), 256 * 1024);
}

#[test]
fn excerpts_show_what_stands_around() {
    let check = |text: &str, term: &str, expect: &str| {
        assert_eq!(excerpt(text, &[term.to_owned()]), expect);
    };
    check("a b c", "B", "a b c");
    check(
        &format!("{}needle{}", "x".repeat(100), "y".repeat(100)),
        "needle",
        &format!("…{}needle{}…", "x".repeat(60), "y".repeat(60)),
    );
    check("line\nbreak\tand \u{1b}[31m", "break", "line break and  [31m");
    check("\u{130}stanbul and more", "more", "\u{130}stanbul and more");
}

/// A run whose first model call fails, with what the kernel counted.
fn failing() -> (Run, String) {
    let started = Started::new("run", 7, Config::new(ModelSpec::named("test/free")));
    let (mut run, mut writer, mut text) = journal::begin(started, Timestamp::new(1_000)).unwrap();
    let mut at = 1_000;
    let mut step = |run: &mut Run, input| {
        at += 1;
        text += &journal::step(run, &mut writer, Timestamp::new(at), input).unwrap();
        while !matches!(run.poll(), holm_kernel::Effect::Wait(_)) {}
    };
    while !matches!(run.poll(), holm_kernel::Effect::Wait(_)) {}
    step(&mut run, Input::Prompted(Prompt::text("go")));
    let usage = Usage { input: 50, ..Usage::default() };
    let failure =
        Failure { class: FailureClass::Auth, message: "no key".into(), retry_after_ms: None, usage };
    step(
        &mut run,
        Input::ModelFinished { call: ModelCallId::new(0), result: ModelResult::Failed(failure.clone()) },
    );
    // A second answer to the same call is recorded and counts for nothing.
    step(&mut run, Input::ModelFinished { call: ModelCallId::new(0), result: ModelResult::Failed(failure) });
    (run, text)
}

#[test]
fn failures_count_and_doubles_do_not() {
    let (run, text) = failing();
    let folded = fold(&journal::decode_strict(text.as_bytes()).unwrap());
    assert_eq!(folded.understood, 4);
    let [entry] = folded.entries.as_slice() else { panic!("{folded:?}") };
    assert_eq!(entry.subject, UsageSubject::Model("test/free".into()));
    assert_eq!(entry.tally.tokens, run.usage());
    assert_eq!((entry.tally.calls, entry.tally.failed, entry.tally.unpriced), (1, 1, 1));
}

#[test]
fn records_that_cannot_be_folded_are_counted_by_what_they_say() {
    let (_, text) = failing();
    let mut records = journal::decode_strict(text.as_bytes()).unwrap();
    records[1].erase();
    let folded = fold(&records);
    assert_eq!(folded.understood, 1);
    let [entry] = folded.entries.as_slice() else { panic!("{folded:?}") };
    assert_eq!(entry.subject, UsageSubject::Model("(unknown)".into()));
    assert_eq!(entry.tally.tokens.input, 100, "what each of them says");
    assert_eq!(fold(&[]), RunUsage::default());
}

/// A run of a model with a price that answers once, is then called again, and loses its host.
fn priced() -> (Run, String) {
    let mut config = Config::new(ModelSpec::named("test/dear"));
    config.models[0].price = Some(Price { input: 1_000_000, output: 1_000_000, ..Price::default() });
    let started = Started::new("run", 7, config);
    let (mut run, mut writer, mut text) = journal::begin(started, Timestamp::new(1_000)).unwrap();
    while !matches!(run.poll(), holm_kernel::Effect::Wait(_)) {}
    let usage = Usage { input: 50, output: 5, ..Usage::default() };
    let blocks = vec![Block::Text("done".into())];
    let reply = Reply { blocks, usage, ..Reply::default() };
    let facts = [
        Input::Prompted(Prompt::text("go")),
        Input::ModelFinished { call: ModelCallId::new(0), result: ModelResult::Replied(reply) },
        Input::Prompted(Prompt::text("more")),
        Input::Resumed { host: "another".into() },
    ];
    for (at, fact) in (1_001..).zip(facts) {
        text += &journal::step(&mut run, &mut writer, Timestamp::new(at), fact).unwrap();
        while !matches!(run.poll(), holm_kernel::Effect::Wait(_)) {}
    }
    (run, text)
}

#[test]
fn a_call_that_was_lost_with_its_host_counts_by_estimate() {
    let (run, text) = priced();
    let folded = fold(&journal::decode_strict(text.as_bytes()).unwrap());
    let [entry] = folded.entries.as_slice() else { panic!("{folded:?}") };
    assert_eq!((entry.tally.tokens, entry.tally.cost), (run.usage(), run.spent()));
    assert_eq!((entry.tally.calls, entry.tally.failed), (2, 1));
    assert!(entry.tally.tokens.estimated > 0 && run.spent() > NanoUsd::new(55), "{entry:?}");
}

#[test]
fn calls_whose_bills_never_come_cost_what_the_kernel_books_for_them() {
    let mut config = Config::new(ModelSpec::named("test/dear"));
    config.models[0].price = Some(Price { input: 1_000_000, output: 1_000_000, ..Price::default() });
    let started = Started::new("run", 7, config);
    let (mut run, mut writer, mut text) = journal::begin(started, Timestamp::new(1)).unwrap();
    while !matches!(run.poll(), holm_kernel::Effect::Wait(_)) {}
    let facts = [Input::Prompted(Prompt::text("go")), Input::Cancelled { reason: "stop".into() }];
    let mut cost = NanoUsd::ZERO;
    for (at, fact) in (2..).zip(facts.iter().cycle().take(160)) {
        let meter = CostMeter::before(&run, fact);
        text += &journal::step(&mut run, &mut writer, Timestamp::new(at), fact.clone()).unwrap();
        while !matches!(run.poll(), holm_kernel::Effect::Wait(_)) {}
        cost = cost.plus(meter.after(&run));
    }
    let folded = fold(&journal::decode_strict(text.as_bytes()).unwrap());
    let [entry] = folded.entries.as_slice() else { panic!("{folded:?}") };
    assert!(run.spent() > NanoUsd::ZERO, "of so many bills, the oldest are no longer waited for");
    assert_eq!((entry.tally.cost, cost), (run.spent(), run.spent()));
}

#[test]
fn money_stays_spent_where_records_cannot_be_folded() {
    let (_, text) = priced();
    let mut records = journal::decode_strict(text.as_bytes()).unwrap();
    records[1].erase();
    let folded = fold(&records);
    assert_eq!(folded.understood, 1);
    let [entry] = folded.entries.as_slice() else { panic!("{folded:?}") };
    assert_eq!((entry.tally.cost, entry.tally.unpriced), (NanoUsd::new(55), 0));
}

#[test]
fn a_head_is_read_from_the_first_lines() {
    let (_, text) = failing();
    let lines: Vec<Vec<u8>> = text.lines().map(|line| line.as_bytes().to_vec()).collect();
    let opening = FirstRecord::read(&lines);
    assert_eq!((opening.model.as_str(), opening.title.as_deref()), ("test/free", Some("go")));
    assert_eq!(FirstRecord::read(&[b"no record".to_vec()]), FirstRecord::default());
    assert_eq!((time_of(&lines[1]), time_of(b"nothing")), (1_001, 0));
}
