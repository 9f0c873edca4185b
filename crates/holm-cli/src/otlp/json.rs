//! OTLP messages in their JSON form: ids in hex, times and 64-bit integers as text. It only
//! converts; sending is in `outbox.rs`. Kinds of metrics that Holm does not make are left out.
//!
//! Which spans and metrics exist is decided in `holm-runtime/src/otel/`.

use std::time::{SystemTime, UNIX_EPOCH};

use opentelemetry::{
    Array, InstrumentationScope, KeyValue, Value as Attribute,
    trace::{SpanId, SpanKind, Status},
};
use opentelemetry_sdk::{
    Resource,
    metrics::{
        Temporality,
        data::{AggregatedMetrics, Metric, MetricData, ResourceMetrics, ScopeMetrics},
    },
    trace::SpanData,
};
use serde_json::{Value, json};

/// The resource that sends the data.
pub(super) fn resource(resource: &Resource) -> Value {
    let attributes: Vec<Value> = resource.iter().map(|(key, value)| pair(key.as_str(), value)).collect();
    json!({ "attributes": attributes })
}

/// Spans, by what made them.
pub(super) fn traces(resource: &Value, batch: &[SpanData]) -> Value {
    let mut scopes: Vec<(&InstrumentationScope, Vec<Value>)> = Vec::new();
    for span in batch {
        match scopes.iter_mut().find(|(known, _)| **known == span.instrumentation_scope) {
            Some((_, spans)) => spans.push(self::span(span)),
            None => scopes.push((&span.instrumentation_scope, vec![self::span(span)])),
        }
    }
    let scopes: Vec<Value> =
        scopes.into_iter().map(|(by, spans)| json!({ "scope": scope(by), "spans": spans })).collect();
    json!({ "resourceSpans": [{ "resource": resource, "scopeSpans": scopes }] })
}

/// Numbers, by what made them.
pub(super) fn metrics(metrics: &ResourceMetrics) -> Value {
    let of = |scoped: &ScopeMetrics| {
        let metrics: Vec<Value> = scoped.metrics().filter_map(metric).collect();
        json!({ "scope": scope(scoped.scope()), "metrics": metrics })
    };
    let scopes: Vec<Value> = metrics.scope_metrics().map(of).collect();
    json!({ "resourceMetrics": [{ "resource": resource(metrics.resource()), "scopeMetrics": scopes }] })
}

fn span(span: &SpanData) -> Value {
    let kind = match span.span_kind {
        SpanKind::Internal => 1,
        SpanKind::Server => 2,
        SpanKind::Client => 3,
        SpanKind::Producer => 4,
        SpanKind::Consumer => 5,
    };
    let status = match &span.status {
        Status::Unset => json!({}),
        Status::Ok => json!({ "code": 1 }),
        Status::Error { description } => json!({ "code": 2, "message": description }),
    };
    let events: Vec<Value> = span
        .events
        .iter()
        .map(|event| {
            json!({
                "timeUnixNano": nanos(event.timestamp), "name": event.name, "attributes": pairs(&event.attributes),
            })
        })
        .collect();
    let mut value = json!({
        "traceId": span.span_context.trace_id().to_string(),
        "spanId": span.span_context.span_id().to_string(),
        "name": span.name,
        "kind": kind,
        "startTimeUnixNano": nanos(span.start_time),
        "endTimeUnixNano": nanos(span.end_time),
        "attributes": pairs(&span.attributes),
        "events": events,
        "status": status,
    });
    if span.parent_span_id != SpanId::INVALID {
        value["parentSpanId"] = json!(span.parent_span_id.to_string());
    }
    value
}

/// None for what no instrument here makes.
fn metric(metric: &Metric) -> Option<Value> {
    let (kind, data) = match metric.data() {
        AggregatedMetrics::F64(data) => data_of(data)?,
        AggregatedMetrics::U64(data) => data_of(data)?,
        AggregatedMetrics::I64(data) => data_of(data)?,
    };
    let mut value =
        json!({ "name": metric.name(), "description": metric.description(), "unit": metric.unit() });
    value[kind] = data;
    Some(value)
}

/// A numeric type of OTLP metrics.
trait MetricNumber: Copy {
    /// The field name and value in a data point.
    fn point(self) -> (&'static str, Value);
    /// The value in sums and bounds.
    fn double(self) -> f64;
}

impl MetricNumber for f64 {
    fn point(self) -> (&'static str, Value) {
        ("asDouble", json!(self))
    }

    fn double(self) -> f64 {
        self
    }
}

impl MetricNumber for i64 {
    fn point(self) -> (&'static str, Value) {
        ("asInt", json!(self.to_string()))
    }

    #[expect(clippy::cast_precision_loss, reason = "OTLP keeps sums of histograms as floating point")]
    fn double(self) -> f64 {
        self as f64
    }
}

impl MetricNumber for u64 {
    fn point(self) -> (&'static str, Value) {
        ("asInt", json!(self.to_string()))
    }

    #[expect(clippy::cast_precision_loss, reason = "OTLP keeps sums of histograms as floating point")]
    fn double(self) -> f64 {
        self as f64
    }
}

fn data_of<T: MetricNumber>(data: &MetricData<T>) -> Option<(&'static str, Value)> {
    match data {
        MetricData::Gauge(gauge) => {
            let time = nanos(gauge.time());
            let points = gauge.data_points().map(|point| {
                let mut value = json!({ "attributes": pairs(point.attributes()), "timeUnixNano": time });
                let (name, number) = point.value().point();
                value[name] = number;
                value
            });
            Some(("gauge", json!({ "dataPoints": points.collect::<Vec<_>>() })))
        }
        MetricData::Sum(sum) => {
            let (start, time) = (nanos(sum.start_time()), nanos(sum.time()));
            let points = sum.data_points().map(|point| {
                let mut value = json!({
                    "attributes": pairs(point.attributes()), "startTimeUnixNano": start, "timeUnixNano": time,
                });
                let (name, number) = point.value().point();
                value[name] = number;
                value
            });
            Some((
                "sum",
                json!({
                    "dataPoints": points.collect::<Vec<_>>(), "isMonotonic": sum.is_monotonic(),
                    "aggregationTemporality": temporality(sum.temporality()),
                }),
            ))
        }
        MetricData::Histogram(histogram) => {
            let (start, time) = (nanos(histogram.start_time()), nanos(histogram.time()));
            let points = histogram.data_points().map(|point| {
                json!({
                    "attributes": pairs(point.attributes()), "startTimeUnixNano": start, "timeUnixNano": time,
                    "count": point.count().to_string(), "sum": point.sum().double(),
                    "min": point.min().map(T::double), "max": point.max().map(T::double),
                    "bucketCounts": point.bucket_counts().map(|count| count.to_string()).collect::<Vec<_>>(),
                    "explicitBounds": point.bounds().collect::<Vec<_>>(),
                })
            });
            Some((
                "histogram",
                json!({
                    "dataPoints": points.collect::<Vec<_>>(),
                    "aggregationTemporality": temporality(histogram.temporality()),
                }),
            ))
        }
        MetricData::ExponentialHistogram(_) => None,
    }
}

fn temporality(temporality: Temporality) -> u32 {
    match temporality {
        Temporality::Delta => 1,
        _ => 2,
    }
}

fn scope(scope: &InstrumentationScope) -> Value {
    json!({ "name": scope.name(), "version": scope.version().unwrap_or_default() })
}

fn pairs<'a>(attributes: impl IntoIterator<Item = &'a KeyValue>) -> Vec<Value> {
    attributes.into_iter().map(|attribute| pair(attribute.key.as_str(), &attribute.value)).collect()
}

fn pair(key: &str, value: &Attribute) -> Value {
    json!({ "key": key, "value": any(value) })
}

fn any(value: &Attribute) -> Value {
    match value {
        Attribute::Bool(value) => json!({ "boolValue": value }),
        Attribute::I64(value) => json!({ "intValue": value.to_string() }),
        Attribute::F64(value) => json!({ "doubleValue": value }),
        Attribute::String(value) => json!({ "stringValue": value.as_str() }),
        Attribute::Array(array) => json!({ "arrayValue": { "values": items(array) } }),
        // Types that are added later can be written as text.
        other => json!({ "stringValue": other.as_str() }),
    }
}

fn items(array: &Array) -> Vec<Value> {
    match array {
        Array::Bool(all) => all.iter().map(|value| json!({ "boolValue": value })).collect(),
        Array::I64(all) => all.iter().map(|value| json!({ "intValue": value.to_string() })).collect(),
        Array::F64(all) => all.iter().map(|value| json!({ "doubleValue": value })).collect(),
        Array::String(all) => all.iter().map(|value| json!({ "stringValue": value.as_str() })).collect(),
        _ => Vec::new(),
    }
}

fn nanos(time: SystemTime) -> String {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos().to_string()
}
