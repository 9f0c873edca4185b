use std::{collections::BTreeMap, time::SystemTime};

use holm_grants::{Level, Mode};
use holm_guards::json::Json;
use holm_kernel::{
    Block, Config, Effect, Failure, FailureClass, Input, ModelResult, ModelSpec, Prompt, Reply, Started,
    StopReason, Timestamp, ToolCall, ToolOutput, Usage,
    journal::{self, JournalWriter},
};
use opentelemetry::{
    Value,
    trace::{SpanKind, Status, TraceContextExt, Tracer as _},
};
use opentelemetry_sdk::{
    metrics::{
        InMemoryMetricExporter, PeriodicReader, SdkMeterProvider,
        data::{AggregatedMetrics, MetricData, ScopeMetrics},
    },
    trace::{InMemorySpanExporter, SdkTracerProvider, SpanData},
};

use super::*;

/// A collector in memory.
struct Collector {
    spans: InMemorySpanExporter,
    traces: SdkTracerProvider,
    metrics: InMemoryMetricExporter,
    meters: SdkMeterProvider,
}

impl Collector {
    fn new() -> Self {
        let (spans, metrics) = (InMemorySpanExporter::default(), InMemoryMetricExporter::default());
        let traces = SdkTracerProvider::builder().with_simple_exporter(spans.clone()).build();
        let reader = PeriodicReader::builder(metrics.clone()).build();
        Self { spans, traces, metrics, meters: SdkMeterProvider::builder().with_reader(reader).build() }
    }

    fn telemetry(&self) -> Telemetry {
        Telemetry::new(&self.traces, &self.meters)
    }

    /// The spans by when they began, and by when they ended where that is the same.
    fn spans(&self) -> Vec<SpanData> {
        let mut spans = self.spans.get_finished_spans().unwrap();
        spans.sort_by_key(|span| (span.start_time, std::cmp::Reverse(span.end_time)));
        spans
    }

    /// Each histogram's points: what they are about, how many, and their sum.
    fn points(&self, name: &str) -> Vec<(BTreeMap<String, String>, u64, f64)> {
        // What is exported is the sum so far, so an earlier export is no part of it.
        self.metrics.reset();
        self.meters.force_flush().unwrap();
        let mut points = Vec::new();
        for resource in self.metrics.get_finished_metrics().unwrap() {
            for metric in resource.scope_metrics().flat_map(ScopeMetrics::metrics) {
                if metric.name() != name {
                    continue;
                }
                match metric.data() {
                    AggregatedMetrics::U64(MetricData::Histogram(data)) => {
                        points.extend(data.data_points().map(|point| {
                            let sum = f64::from(u32::try_from(point.sum()).unwrap());
                            (attributes(point.attributes()), point.count(), sum)
                        }));
                    }
                    AggregatedMetrics::F64(MetricData::Histogram(data)) => {
                        points.extend(
                            data.data_points()
                                .map(|point| (attributes(point.attributes()), point.count(), point.sum())),
                        );
                    }
                    other => panic!("{other:?}"),
                }
            }
        }
        points
    }
}

fn attributes<'a>(all: impl IntoIterator<Item = &'a opentelemetry::KeyValue>) -> BTreeMap<String, String> {
    let text = |value: &Value| value.as_str().into_owned();
    all.into_iter().map(|pair| (pair.key.as_str().to_owned(), text(&pair.value))).collect()
}

fn of(span: &SpanData) -> BTreeMap<String, String> {
    attributes(&span.attributes)
}

fn millis(time: SystemTime) -> u128 {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_millis()
}

fn reply(blocks: Vec<Block>, stop: StopReason, usage: Usage, model: Option<&str>) -> ModelResult {
    ModelResult::Replied(Reply { blocks, usage, stop, model: model.map(Into::into) })
}

fn calls(name: &str, arguments: &str) -> Vec<Block> {
    let (id, name, arguments) = ("call-1".into(), name.into(), arguments.into());
    vec![Block::ToolCall(ToolCall { id, name, arguments, replay: None })]
}

const FIRST: Usage = Usage { input: 100, output: 20, cached: 64, cache_write: 0, reasoning: 7, estimated: 0 };
const LAST: Usage = Usage { input: 150, output: 5, cached: 0, cache_write: 0, reasoning: 0, estimated: 0 };

/// A run of one prompt: a failed call, a call for a tool, the tool, the answer. Gives its journal.
fn play(sink: &dyn EventSink) -> String {
    let mut config = Config::new(ModelSpec::named("openai/gpt-test"));
    config.name = "helper".into();
    config.mode = Mode::Full;
    let schema = Json::object([("type", "object".into())]);
    config.tools = vec![holm_kernel::ToolSpec::new("look", "Looks.", schema).level(Level::ReadOnly)];
    let failure = Failure {
        class: FailureClass::Overloaded,
        message: "busy".into(),
        retry_after_ms: None,
        usage: Usage::default(),
    };
    let mut results = vec![
        ModelResult::Failed(failure),
        reply(
            calls("look", r#"{"at":"the planted word"}"#),
            StopReason::ToolUse,
            FIRST,
            Some("gpt-test-0901"),
        ),
        reply(vec![Block::Text("It is blue.".into())], StopReason::EndTurn, LAST, None),
    ]
    .into_iter();
    let mut now = 1_000_000;
    let (mut run, mut writer, mut lines) =
        journal::begin(Started::new("run-1", 7, config), Timestamp::new(now)).unwrap();
    let mut step = |run: &mut holm_kernel::Run, writer: &mut JournalWriter, now: u64, input| {
        lines += &journal::step(run, writer, Timestamp::new(now), input).unwrap();
    };
    step(&mut run, &mut writer, now, Input::Prompted(Prompt::text("What colour?")));
    loop {
        match run.poll() {
            Effect::Emit(event) => sink.event(&event),
            Effect::CallModel { call, .. } => {
                now += 1_500;
                let result = results.next().unwrap();
                step(&mut run, &mut writer, now, Input::ModelFinished { call, result });
            }
            Effect::RunTool { call, .. } => {
                step(&mut run, &mut writer, now, Input::Dispatched { call });
                now += 250;
                let result = ToolOutput::text("a blue door");
                step(&mut run, &mut writer, now, Input::ToolFinished { call, result });
            }
            Effect::Wait(Some(until)) => {
                now = until.value();
                step(&mut run, &mut writer, now, Input::TimePassed);
            }
            Effect::Wait(None) => return lines,
            Effect::Finish(_) | Effect::Abort(_) => {}
            other => panic!("{other:?}"),
        }
    }
}

fn played(content: ContentExport) -> (Collector, String) {
    let collector = Collector::new();
    let journal = play(&*collector.telemetry().content(content).of_run("run-1").unwrap());
    (collector, journal)
}

#[test]
fn a_prompt_becomes_one_agent_span_with_its_calls_below() {
    let (collector, _) = played(ContentExport::Hidden);
    let spans = collector.spans();
    let names: Vec<_> = spans.iter().map(|span| &*span.name).collect();
    assert_eq!(
        names,
        ["invoke_agent helper", "chat gpt-test", "chat gpt-test", "execute_tool look", "chat gpt-test"]
    );
    let kinds: Vec<_> = spans.iter().map(|span| span.span_kind.clone()).collect();
    let (internal, client) = (SpanKind::Internal, SpanKind::Client);
    assert_eq!(kinds, [internal.clone(), client.clone(), client.clone(), internal, client]);
    let agent = &spans[0];
    for span in &spans[1..] {
        assert_eq!(span.parent_span_id, agent.span_context.span_id(), "{}", span.name);
        assert_eq!(span.span_context.trace_id(), agent.span_context.trace_id());
        assert!(span.start_time >= agent.start_time && span.end_time <= agent.end_time, "{}", span.name);
    }
    assert!(spans.iter().all(|span| of(span)["gen_ai.conversation.id"] == "run-1"));
}

#[test]
fn every_span_says_what_the_conventions_ask_for() {
    let (collector, _) = played(ContentExport::Hidden);
    let spans = collector.spans();
    let check = |index: usize, expected: &[(&str, &str)]| {
        let found = of(&spans[index]);
        for (key, value) in expected {
            assert_eq!(found.get(*key).map(String::as_str), Some(*value), "{key} of {}", spans[index].name);
        }
    };
    check(
        0,
        &[
            ("gen_ai.operation.name", "invoke_agent"),
            ("gen_ai.agent.name", "helper"),
            ("gen_ai.provider.name", "openai"),
            ("gen_ai.usage.input_tokens", "250"),
            ("gen_ai.usage.output_tokens", "25"),
        ],
    );
    check(1, &[("error.type", "overloaded"), ("gen_ai.request.model", "gpt-test")]);
    assert_eq!(spans[1].status, Status::error("overloaded"));
    check(
        2,
        &[
            ("gen_ai.operation.name", "chat"),
            ("gen_ai.response.model", "gpt-test-0901"),
            ("gen_ai.response.finish_reasons", r#"["tool_call"]"#),
            ("gen_ai.usage.input_tokens", "100"),
            ("gen_ai.usage.output_tokens", "20"),
            ("gen_ai.usage.cache_read.input_tokens", "64"),
            ("gen_ai.usage.reasoning.output_tokens", "7"),
        ],
    );
    check(
        3,
        &[
            ("gen_ai.operation.name", "execute_tool"),
            ("gen_ai.tool.name", "look"),
            ("gen_ai.tool.call.id", "call-1"),
            ("gen_ai.tool.type", "function"),
        ],
    );
    check(4, &[("gen_ai.response.finish_reasons", r#"["stop"]"#)]);
    assert!(!of(&spans[4]).contains_key("gen_ai.response.model"), "nobody said which it was");
    assert_eq!(millis(spans[2].end_time) - millis(spans[2].start_time), 1_500);
    assert_eq!(millis(spans[3].end_time) - millis(spans[3].start_time), 250);
}

#[test]
fn what_was_said_leaves_only_when_it_is_asked_for() {
    let words = ["What colour?", "the planted word", "a blue door", "It is blue."];
    let (collector, _) = played(ContentExport::Hidden);
    let all = format!("{:?}", collector.spans());
    assert!(words.iter().all(|word| !all.contains(word)), "{all}");
    let (collector, _) = played(ContentExport::Exported);
    let spans = collector.spans();
    assert_eq!(spans.len(), 5);
    let has = |index: usize, key: &str, word: &str| {
        let found = of(&spans[index]);
        assert!(found.get(key).is_some_and(|text| text.contains(word)), "{key} of {index}: {found:?}");
    };
    has(1, "gen_ai.input.messages", "What colour?");
    has(2, "gen_ai.output.messages", "the planted word");
    has(3, "gen_ai.tool.call.arguments", "the planted word");
    has(3, "gen_ai.tool.call.result", "a blue door");
    has(4, "gen_ai.input.messages", "a blue door");
    has(4, "gen_ai.output.messages", "It is blue.");
    has(4, "gen_ai.output.messages", r#""finish_reason":"stop""#);
    assert_eq!(
        millis(spans[3].end_time) - millis(spans[3].start_time),
        250,
        "waiting for words takes no time"
    );
}

#[test]
fn a_replay_exports_the_same_spans_at_the_same_times() {
    let (live, journal) = played(ContentExport::Hidden);
    let again = Collector::new();
    let sink = again.telemetry().of_run("run-1").unwrap();
    let records = journal::decode_strict(journal.as_bytes()).unwrap();
    journal::replay_with(&records, |_, effect| {
        if let Effect::Emit(event) = effect {
            sink.event(event);
        }
    })
    .unwrap();
    let shape = |collector: &Collector| -> Vec<_> {
        let spans = collector.spans();
        spans.iter().map(|span| (span.name.clone(), span.start_time, span.end_time, of(span))).collect()
    };
    assert_eq!(shape(&live), shape(&again));
}

#[test]
fn tokens_and_seconds_are_measured() {
    let (collector, _) = played(ContentExport::Hidden);
    let tokens = collector.points("gen_ai.client.token.usage");
    let sum = |kind: &str| {
        let of_kind = tokens.iter().filter(|(about, ..)| about["gen_ai.token.type"] == kind);
        of_kind
            .map(|(_, count, sum)| (*count, *sum))
            .fold((0, 0.0), |all, one| (all.0 + one.0, all.1 + one.1))
    };
    assert_eq!((sum("input"), sum("output")), ((2, 250.0), (2, 25.0)));
    let seconds = collector.points("gen_ai.client.operation.duration");
    let find = |operation: &str, error: Option<&str>| {
        let found: Vec<_> = seconds
            .iter()
            .filter(|(about, ..)| about["gen_ai.operation.name"] == operation)
            .filter(|(about, ..)| about.get("error.type").map(String::as_str) == error)
            .collect();
        found.iter().map(|(_, count, _)| count).sum::<u64>()
    };
    assert_eq!((find("chat", None), find("chat", Some("overloaded"))), (2, 1));
    assert_eq!((find("execute_tool", None), find("invoke_agent", None)), (1, 1));
}

#[test]
fn a_run_that_stops_in_the_middle_leaves_no_span_open() {
    let collector = Collector::new();
    let telemetry = collector.telemetry();
    let sink = telemetry.of_run("run-1").unwrap();
    let seen = Mutex::new(0);
    // The watcher goes away in the middle of the tool call.
    play(&|event: &Numbered| {
        let mut seen = seen.lock().unwrap();
        if *seen == 0 {
            sink.event(event);
        }
        if matches!(event.event, holm_kernel::Event::CallStarted { .. }) {
            *seen += 1;
        }
    });
    drop(sink);
    let names: Vec<_> = collector.spans().iter().map(|span| span.name.to_string()).collect();
    assert_eq!(names, ["invoke_agent helper", "chat gpt-test", "chat gpt-test", "execute_tool look"]);
}

#[test]
fn runs_are_told_apart_and_stand_below_the_programs_own_span() {
    let collector = Collector::new();
    let mine = collector.traces.tracer("program").start("my request");
    let parent = Context::new().with_span(mine);
    let telemetry = collector.telemetry().below(parent.clone());
    let (one, two) = (telemetry.of_run("one").unwrap(), telemetry.of_run("two").unwrap());
    // Both runs use the same numbers for their calls, at the same time.
    play(&|event: &Numbered| {
        one.event(event);
        two.event(event);
    });
    parent.span().end();
    let spans = collector.spans();
    let trace = parent.span().span_context().trace_id();
    assert!(spans.iter().all(|span| span.span_context.trace_id() == trace));
    for run in ["one", "two"] {
        let own =
            spans.iter().filter(|span| of(span).get("gen_ai.conversation.id").is_some_and(|id| id == run));
        assert_eq!(own.count(), 5, "{run}");
    }
}
