//! The two client metrics, with the buckets that the conventions require.
//!
//! It only records; `otel/spans.rs` says when. The names of metrics and labels are in
//! `otel/names.rs`. The labels are operation, provider, model and error; content and names of runs
//! are not among them.

use holm_kernel::Usage;
use opentelemetry::{
    KeyValue,
    metrics::{Histogram, Meter},
};

use super::names::{
    DURATION, ERROR, GenAiOperation, OPERATION, PROVIDER, REQUEST_MODEL, RESPONSE_MODEL, TOKEN_TYPE,
    TOKEN_USAGE,
};

/// Powers of four: from one token to 67 million.
const TOKEN_BUCKETS: [f64; 14] = [
    1.0,
    4.0,
    16.0,
    64.0,
    256.0,
    1_024.0,
    4_096.0,
    16_384.0,
    65_536.0,
    262_144.0,
    1_048_576.0,
    4_194_304.0,
    16_777_216.0,
    67_108_864.0,
];

/// Powers of two: from a hundredth of a second to 82 seconds.
const SECOND_BUCKETS: [f64; 14] =
    [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

pub(super) struct MetricInstruments {
    tokens: Histogram<u64>,
    seconds: Histogram<f64>,
}

/// The labels of a measurement.
pub(super) struct MeasurementLabels<'a> {
    pub(super) operation: GenAiOperation,
    pub(super) provider: &'a str,
    pub(super) model: &'a str,
    pub(super) answered_by: Option<&'a str>,
}

impl MetricInstruments {
    pub(super) fn new(meter: &Meter) -> Self {
        let tokens = meter.u64_histogram(TOKEN_USAGE).with_unit("{token}");
        let seconds = meter.f64_histogram(DURATION).with_unit("s");
        Self {
            tokens: tokens
                .with_description("Number of input and output tokens used.")
                .with_boundaries(TOKEN_BUCKETS.to_vec())
                .build(),
            seconds: seconds
                .with_description("GenAI operation duration.")
                .with_boundaries(SECOND_BUCKETS.to_vec())
                .build(),
        }
    }

    pub(super) fn used(&self, about: &MeasurementLabels<'_>, usage: Usage) {
        for (kind, count) in [("input", usage.input), ("output", usage.output)] {
            let mut attributes = about.attributes();
            attributes.push(KeyValue::new(TOKEN_TYPE, kind));
            self.tokens.record(count, &attributes);
        }
    }

    pub(super) fn took(&self, about: &MeasurementLabels<'_>, millis: u64, error: Option<&'static str>) {
        let mut attributes = about.attributes();
        attributes.extend(error.map(|error| KeyValue::new(ERROR, error)));
        self.seconds.record(std::time::Duration::from_millis(millis).as_secs_f64(), &attributes);
    }
}

impl MeasurementLabels<'_> {
    fn attributes(&self) -> Vec<KeyValue> {
        let mut attributes = vec![
            KeyValue::new(OPERATION, self.operation.name()),
            KeyValue::new(PROVIDER, self.provider.to_owned()),
        ];
        if !self.model.is_empty() {
            attributes.push(KeyValue::new(REQUEST_MODEL, self.model.to_owned()));
        }
        attributes.extend(self.answered_by.map(|model| KeyValue::new(RESPONSE_MODEL, model.to_owned())));
        attributes
    }
}
