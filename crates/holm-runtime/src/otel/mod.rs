//! A run as OpenTelemetry spans and metrics, under the semantic conventions for generative AI.
//!
//! ```text
//! invoke_agent helper            one prompt, from its first event to its ending
//! ├── chat claude-sonnet-4-5     one model call, with its usage
//! ├── execute_tool read_file     one call that ran
//! └── chat claude-sonnet-4-5
//! ```
//!
//! Everything is derived from events, with the times of the events: a journal that is replayed
//! years later gives the same spans with the same times. The content of messages is left out by
//! default, because it may be private and leaves the machine with the spans.
//!
//! Where things are:
//!
//! - `otel/spans.rs`: events as spans.
//! - `otel/metrics.rs`: the two metrics.
//! - `otel/content.rs`: messages, if they are exported.
//! - `otel/names.rs`: the names of the conventions.
//!
//! Nothing here affects a run.

mod content;
mod metrics;
mod names;
mod spans;

#[cfg(test)]
mod tests;

use std::{
    fmt,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use holm_kernel::Numbered;
use opentelemetry::{
    Context, InstrumentationScope,
    global::{self, BoxedTracer},
    metrics::MeterProvider,
    trace::{Span, Tracer, TracerProvider},
};

use crate::EventSink;
use metrics::MetricInstruments;
use spans::RunSpans;

/// Exports runs. Each run has its own spans ([`EventSink::of_run`]); used directly, the sink
/// exports a single run.
///
/// ```
/// use holm_runtime::{EventSink, otel::Telemetry};
/// use opentelemetry_sdk::{metrics::SdkMeterProvider, trace::SdkTracerProvider};
///
/// let (traces, meters) = (SdkTracerProvider::builder().build(), SdkMeterProvider::builder().build());
/// let telemetry = Telemetry::new(&traces, &meters).agent("helper");
/// let _run = telemetry.of_run("run-1");
/// ```
pub struct Telemetry {
    shared: Arc<ExporterContext>,
    /// Created with the first event that arrives without `of_run`.
    single: OnceLock<Mutex<RunSpans>>,
}

/// Whether the content of messages is exported too.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ContentExport {
    /// Only names, figures and outcomes.
    #[default]
    Hidden,
    /// Also messages, arguments and results. Known secrets were removed from them already, but
    /// undeclared ones were not.
    Exported,
}

/// The settings that all runs share.
struct ExporterContext {
    tracer: BoxedTracer,
    instruments: MetricInstruments,
    content: ContentExport,
    agent: String,
    parent: Context,
}

impl Telemetry {
    /// Exports with these providers.
    pub fn new<T, M>(traces: &T, meters: &M) -> Self
    where
        T: TracerProvider,
        T::Tracer: Send + Sync + 'static,
        <T::Tracer as Tracer>::Span: Span + Send + Sync + 'static,
        M: MeterProvider,
    {
        let tracer = BoxedTracer::new(Box::new(traces.tracer_with_scope(scope())));
        Self::of_parts(tracer, MetricInstruments::new(&meters.meter_with_scope(scope())))
    }

    /// Exports with the global providers of the program.
    pub fn global() -> Self {
        let meter = global::meter_with_scope(scope());
        Self::of_parts(global::tracer_with_scope(scope()), MetricInstruments::new(&meter))
    }

    /// Sets the agent's name. It is used until a run reports its own name, which a
    /// resumed run does not.
    #[must_use]
    pub fn agent(self, name: impl Into<String>) -> Self {
        self.with(|shared| shared.agent = name.into())
    }

    /// Sets whether content is exported.
    #[must_use]
    pub fn content(self, content: ContentExport) -> Self {
        self.with(|shared| shared.content = content)
    }

    /// Puts the spans of every run below a span of the program.
    #[must_use]
    pub fn below(self, parent: Context) -> Self {
        self.with(|shared| shared.parent = parent)
    }

    fn of_parts(tracer: BoxedTracer, instruments: MetricInstruments) -> Self {
        let (content, agent, parent) = (ContentExport::default(), String::new(), Context::new());
        let shared = Arc::new(ExporterContext { tracer, instruments, content, agent, parent });
        Self { shared, single: OnceLock::new() }
    }

    /// Changes the settings. This value is their only owner before the first run.
    fn with(mut self, change: impl FnOnce(&mut ExporterContext)) -> Self {
        if let Some(shared) = Arc::get_mut(&mut self.shared) {
            change(shared);
        }
        self
    }
}

impl EventSink for Telemetry {
    fn event(&self, event: &Numbered) {
        let single = self.single.get_or_init(|| Mutex::new(RunSpans::new(&self.shared, None)));
        single.lock().unwrap_or_else(PoisonError::into_inner).event(event);
    }

    fn of_run(&self, run: &str) -> Option<Arc<dyn EventSink>> {
        Some(Arc::new(RunTelemetry(Mutex::new(RunSpans::new(&self.shared, Some(run))))))
    }
}

impl fmt::Debug for Telemetry {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Telemetry").field("content", &self.shared.content).finish_non_exhaustive()
    }
}

/// The sink of one run.
struct RunTelemetry(Mutex<RunSpans>);

impl EventSink for RunTelemetry {
    fn event(&self, event: &Numbered) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).event(event);
    }
}

fn scope() -> InstrumentationScope {
    let scope = InstrumentationScope::builder("holm").with_version(env!("CARGO_PKG_VERSION"));
    scope.with_schema_url(names::SCHEMA).build()
}
