//! Metrics of the server in the Prometheus format. It only counts; `request_guard.rs`,
//! `live/session_manager.rs` and `routes/events.rs` say what happened, and `routes/health.rs`
//! serves the text. The names are read by monitoring programs, so they must not change. No metric
//! names a user or a session.

mod histogram;
mod labelled_counter;
mod run_meter;

use std::{
    fmt::Write as _,
    sync::atomic::{AtomicU64, Ordering},
};

pub use histogram::DurationHistogram;
pub use labelled_counter::LabelledCounter;
pub(crate) use run_meter::RunMeter;

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
    /// How long requests took until their answer began.
    pub request_time: DurationHistogram,
    /// How long models took, whether they answered or failed.
    pub model_time: DurationHistogram,
    /// How long tools took.
    pub tool_time: DurationHistogram,
    /// Failed model calls, by the class of the failure.
    pub model_failures: LabelledCounter,
    /// Finished tool calls, by their outcome.
    pub tool_calls: LabelledCounter,
    /// Finished prompts, by how they ended.
    pub endings: LabelledCounter,
}

/// What the server does at the moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CurrentLoad {
    /// How many sessions are open.
    pub open: usize,
    /// Sessions that work on a prompt.
    pub working: usize,
    /// Sessions whose prompt waits for its turn.
    pub waiting: usize,
    /// Users with a token.
    pub users: usize,
}

impl ServerMetrics {
    pub(crate) fn answered(&self, status: u16) {
        let class = usize::from(status / 100).saturating_sub(1);
        if let Some(counter) = self.requests.get(class) {
            counter.add(1);
        }
    }

    /// Writes all metrics in the Prometheus text format.
    pub fn write(&self, load: CurrentLoad) -> String {
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
        let gauges = [
            ("holm_sessions_open", "Sessions that are open now.", load.open),
            ("holm_runs_working", "Sessions that work on a prompt now.", load.working),
            ("holm_runs_waiting", "Sessions whose prompt waits for its turn now.", load.waiting),
            ("holm_users", "Users who have a token.", load.users),
        ];
        for (name, help, value) in gauges {
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} gauge\n{name} {value}");
        }
        self.write_runs(&mut out);
        out
    }

    /// Appends how long requests, models and tools took, and what became of them.
    fn write_runs(&self, out: &mut String) {
        let times = [
            ("holm_request_duration_seconds", "Time until the answer began.", &self.request_time),
            ("holm_model_call_duration_seconds", "Time that model calls took.", &self.model_time),
            ("holm_tool_call_duration_seconds", "Time that tool calls took.", &self.tool_time),
        ];
        for (name, help, histogram) in times {
            histogram.write(name, help, out);
        }
        let (failures, calls, endings) = (&self.model_failures, &self.tool_calls, &self.endings);
        failures.write("holm_model_failures_total", "class", "Model calls that failed.", out);
        calls.write("holm_tool_calls_total", "outcome", "Tool calls that finished.", out);
        endings.write("holm_prompts_ended_total", "ending", "Prompts that ended.", out);
    }
}
