//! Sends traces and metrics to a collector, by OTLP over HTTP, as JSON. Off unless an address is
//! set; conversations are never included. A slow or missing collector blocks nothing: data that
//! does not fit is counted and reported at the end.
//!
//! Which spans and numbers a run has is decided in `holm-runtime/src/otel/`. Logs with events are
//! another feature (`log.rs`).
//!
//! Where things are:
//! - `json.rs`: the messages as JSON.
//! - `outbox.rs`: the queue and the sending.

mod json;
mod outbox;

use std::{sync::Arc, time::Duration};

use holm::{
    grants::{GrantSet, Url},
    runtime::{EventSink, otel::Telemetry},
};
use holm_server::{HolmServer, MetricCounter, ServerMetrics};
use opentelemetry::{KeyValue, metrics::MeterProvider as _};
use opentelemetry_sdk::{
    Resource,
    metrics::{PeriodicReader, SdkMeterProvider},
    trace::SdkTracerProvider,
};
use tokio::task::JoinHandle;

use crate::{log::http::HttpLogTarget, network_scope::NetworkScope};
use outbox::{OtlpOutbox, OtlpRequest};

/// How often numbers are sent.
const INTERVAL: Duration = Duration::from_secs(15);

/// Reads one of the server's counters.
type CounterReader = fn(&ServerMetrics) -> &MetricCounter;

/// Exports traces and metrics to a collector.
pub(crate) struct OtlpExporter {
    traces: SdkTracerProvider,
    meters: SdkMeterProvider,
    outbox: OtlpOutbox,
    sending: JoinHandle<u64>,
}

impl OtlpExporter {
    /// Starts exporting to a collector: one on this machine, or one that a grant allows. Must be
    /// called within a runtime.
    pub(crate) fn start(collector: &Url, granted: &GrantSet, bounds: NetworkScope) -> anyhow::Result<Self> {
        let base = collector.to_string();
        let target = |path: &str| -> anyhow::Result<HttpLogTarget> {
            let url: Url = format!("{}/{path}", base.trim_end_matches('/')).parse()?;
            HttpLogTarget::new("--otlp", &url, granted, bounds)
        };
        let targets = [
            (OtlpRequest::TRACES, target(OtlpRequest::TRACES)?),
            (OtlpRequest::METRICS, target(OtlpRequest::METRICS)?),
        ];
        let (outbox, parcels) = OtlpOutbox::new();
        let sending = tokio::spawn(outbox::send_all(parcels, targets));
        let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
        let resource = Resource::builder_empty().with_service_name("holm").with_attribute(version).build();
        let traces = SdkTracerProvider::builder()
            .with_resource(resource.clone())
            .with_batch_exporter(outbox.spans(&resource))
            .build();
        let reader = PeriodicReader::builder(outbox.numbers()).with_interval(INTERVAL).build();
        let meters = SdkMeterProvider::builder().with_resource(resource).with_reader(reader).build();
        Ok(Self { traces, meters, outbox, sending })
    }

    /// What tells of runs.
    pub(crate) fn sink(&self) -> Arc<dyn EventSink> {
        Arc::new(Telemetry::new(&self.traces, &self.meters).agent("holm"))
    }

    /// Tells of the server's own numbers too.
    pub(crate) fn watch(&self, server: &HolmServer) {
        let meter = self.meters.meter("holm-server");
        let metrics = Arc::clone(server.metrics());
        let requests = meter.u64_observable_counter("holm.server.requests").with_callback(move |observer| {
            for (class, counter) in (1_i64..).zip(&metrics.requests) {
                observer.observe(counter.value(), &[KeyValue::new("status", format!("{class}xx"))]);
            }
        });
        // The provider keeps the instrument alive; no handle is needed.
        let _ = requests.build();
        let reads: [(&str, CounterReader); 4] = [
            ("holm.server.turned_away", |metrics| &metrics.turned_away),
            ("holm.server.prompts", |metrics| &metrics.runs),
            ("holm.server.frames", |metrics| &metrics.frames),
            ("holm.server.watchers_lagged", |metrics| &metrics.lagged),
        ];
        for (name, read) in reads {
            let metrics = Arc::clone(server.metrics());
            let counter = meter.u64_observable_counter(name);
            let _ =
                counter.with_callback(move |observer| observer.observe(read(&metrics).value(), &[])).build();
        }
        let hall = Arc::downgrade(server.hall());
        let open = meter.u64_observable_gauge("holm.server.sessions").with_callback(move |observer| {
            let open = hall.upgrade().map_or(0, |hall| hall.len());
            observer.observe(u64::try_from(open).unwrap_or(u64::MAX), &[]);
        });
        let _ = open.build();
    }

    /// Sends what is left, and not for ever. Gives how many parcels were not taken.
    pub(crate) async fn finish(self) -> u64 {
        let Self { traces, meters, outbox, sending } = self;
        // Both wait for threads of their own.
        let ended = tokio::task::spawn_blocking(move || {
            let _ = (traces.shutdown(), meters.shutdown());
        });
        let _ = ended.await;
        let missed = outbox.missed();
        outbox.close();
        missed.saturating_add(outbox::in_time(sending).await)
    }
}
