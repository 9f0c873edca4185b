//! Metrics of the server in the Prometheus format.

use std::{
    fmt::Write as _,
    sync::atomic::{AtomicU64, Ordering},
};

/// A counter that only grows.
#[derive(Debug, Default)]
pub struct MetricCounter(AtomicU64);

impl MetricCounter {
    pub fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    /// How much it is.
    pub fn value(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The metrics of the server.
#[derive(Debug, Default)]
pub struct ServerMetrics {
    /// Answered requests, by the class of their status: 1xx to 5xx.
    pub requests: [MetricCounter; 5],
    /// Requests that the access checks refused.
    pub turned_away: MetricCounter,
    pub runs: MetricCounter,
    /// Events of all runs.
    pub events: MetricCounter,
    /// Frames that were sent to watchers.
    pub frames: MetricCounter,
    /// Watchers that were too slow and had to reconnect.
    pub lagged: MetricCounter,
    /// Input tokens of models.
    pub tokens_in: MetricCounter,
    /// Output tokens of models.
    pub tokens_out: MetricCounter,
    /// The cost in billionths of a US dollar, as far as prices are known.
    pub cost: MetricCounter,
}

impl ServerMetrics {
    pub(crate) fn answered(&self, status: u16) {
        let class = usize::from(status / 100).saturating_sub(1);
        if let Some(counter) = self.requests.get(class) {
            counter.add(1);
        }
    }

    /// Writes all metrics in the Prometheus text format, with the number of open sessions.
    pub fn write(&self, open: usize) -> String {
        let mut out = String::new();
        let mut head = |name: &str, kind: &str, help: &str| {
            // Writing to a string cannot fail.
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
        };
        head("holm_requests_total", "counter", "Requests that were answered.");
        for (class, counter) in (1..).zip(&self.requests) {
            let _ = writeln!(out, "holm_requests_total{{status=\"{class}xx\"}} {}", counter.value());
        }
        let plain = [
            ("holm_turned_away_total", "Requests that were rejected before routing.", &self.turned_away),
            ("holm_prompts_total", "Prompts that were accepted.", &self.runs),
            ("holm_events_total", "Events of all runs.", &self.events),
            ("holm_frames_total", "Frames that were sent to watchers.", &self.frames),
            ("holm_watchers_lagged_total", "Watchers that had to reconnect.", &self.lagged),
            ("holm_tokens_in_total", "Tokens that models read.", &self.tokens_in),
            ("holm_tokens_out_total", "Tokens that models wrote.", &self.tokens_out),
            ("holm_cost_nano_usd_total", "Billionths of a US dollar that models cost.", &self.cost),
        ];
        for (name, help, counter) in plain {
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} counter\n{name} {}", counter.value());
        }
        let (name, help) = ("holm_sessions_open", "Sessions that are open now.");
        let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} gauge\n{name} {open}");
        out
    }
}
