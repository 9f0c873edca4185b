//! The queue of requests to the collector. Producers run on their own threads and never wait: a
//! request without room is dropped and counted. The connection and its grant are those of
//! `log/http.rs`; the content is made in `json.rs`.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use opentelemetry_sdk::{
    Resource,
    error::OTelSdkResult,
    metrics::{Temporality, data::ResourceMetrics, exporter::PushMetricExporter},
    trace::{SpanData, SpanExporter},
};
use serde_json::Value;
use tokio::{
    sync::mpsc::{self, Receiver, Sender},
    task::JoinHandle,
};

use super::json;
use crate::log::http::HttpLogTarget;

/// Parcels that may wait: some minutes of a busy server.
const ROOM: usize = 256;
/// How long the last ones may take.
const LAST_PATIENCE: Duration = Duration::from_secs(15);

/// One request to a collector.
#[derive(Debug)]
pub(super) struct OtlpRequest {
    path: &'static str,
    body: String,
}

impl OtlpRequest {
    pub(super) const TRACES: &'static str = "v1/traces";
    pub(super) const METRICS: &'static str = "v1/metrics";
}

/// The queue of requests. Clones share it.
#[derive(Debug, Clone)]
pub(super) struct OtlpOutbox {
    parcels: Sender<Option<OtlpRequest>>,
    missed: Arc<AtomicU64>,
}

impl OtlpOutbox {
    pub(super) fn new() -> (Self, Receiver<Option<OtlpRequest>>) {
        let (parcels, taken) = mpsc::channel(ROOM);
        (Self { parcels, missed: Arc::default() }, taken)
    }

    /// Makes parcels of spans.
    pub(super) fn spans(&self, resource: &Resource) -> OutboxSpanExporter {
        OutboxSpanExporter { outbox: self.clone(), resource: json::resource(resource) }
    }

    /// Makes parcels of numbers.
    pub(super) fn numbers(&self) -> OutboxMetricExporter {
        OutboxMetricExporter(self.clone())
    }

    /// How many there was no room for.
    pub(super) fn missed(&self) -> u64 {
        self.missed.load(Ordering::Relaxed)
    }

    /// Closes the queue. Exporters may outlive this, so the last clone being dropped is
    /// not a usable signal.
    pub(super) fn close(&self) {
        let parcels = self.parcels.clone();
        tokio::spawn(async move { parcels.send(None).await });
    }

    fn put(&self, path: &'static str, body: &Value) {
        if self.parcels.try_send(Some(OtlpRequest { path, body: body.to_string() })).is_err() {
            self.missed.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Turns spans into requests.
#[derive(Debug)]
pub(super) struct OutboxSpanExporter {
    outbox: OtlpOutbox,
    resource: Value,
}

impl SpanExporter for OutboxSpanExporter {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        self.outbox.put(OtlpRequest::TRACES, &json::traces(&self.resource, &batch));
        Ok(())
    }
}

/// Turns metrics into requests.
#[derive(Debug)]
pub(super) struct OutboxMetricExporter(OtlpOutbox);

impl PushMetricExporter for OutboxMetricExporter {
    async fn export(&self, metrics: &ResourceMetrics) -> OTelSdkResult {
        self.0.put(OtlpRequest::METRICS, &json::metrics(metrics));
        Ok(())
    }

    fn force_flush(&self) -> OTelSdkResult {
        Ok(())
    }

    fn shutdown_with_timeout(&self, _: Duration) -> OTelSdkResult {
        Ok(())
    }

    fn temporality(&self) -> Temporality {
        Temporality::Cumulative
    }
}

/// Sends requests until the queue is closed. Returns how many were not accepted.
pub(super) async fn send_all(
    mut parcels: Receiver<Option<OtlpRequest>>,
    targets: [(&'static str, HttpLogTarget); 2],
) -> u64 {
    let mut lost = 0;
    while let Some(Some(parcel)) = parcels.recv().await {
        let target = targets.iter().find(|(path, _)| *path == parcel.path);
        let Some((_, target)) = target else { continue };
        if target.send("application/json", parcel.body).await.is_err() {
            lost += 1;
        }
    }
    lost
}

/// Waits for the last ones.
pub(super) async fn in_time(sending: JoinHandle<u64>) -> u64 {
    match tokio::time::timeout(LAST_PATIENCE, sending).await {
        Ok(Ok(lost)) => lost,
        Ok(Err(_)) | Err(_) => 1,
    }
}
