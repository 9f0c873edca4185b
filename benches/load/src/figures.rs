//! What was measured, as far as it came: it is told whatever goes wrong.

use std::{env, fs, path::PathBuf, time::Duration};

use serde_json::{Value, json};

use crate::{Extent, Tally};

/// The most that the server may hold in memory: what the aim is.
const MOST_BYTES: u64 = 1 << 30;

/// What was measured. None is what was not reached.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    /// What was under way last.
    pub(crate) step: &'static str,
    /// Seconds in which all sessions were made.
    pub(crate) made: Option<f64>,
    /// Seconds in which all watchers were connected.
    pub(crate) joined: Option<f64>,
    /// Bytes of the server before the first session, and with all watchers.
    pub(crate) empty: Option<u64>,
    pub(crate) connected: Option<u64>,
    /// Seconds from the first piece of all replies to the last end.
    pub(crate) streamed: Option<f64>,
    pub(crate) pieces: Option<u64>,
    pub(crate) lost: Option<u64>,
    pub(crate) latency: Option<(Duration, Duration)>,
    /// Bytes of the server at most, before it was killed and afterwards.
    pub(crate) peak: Option<u64>,
    pub(crate) peak_after: Option<u64>,
    /// Runs that were in the middle of their replies when the server was killed.
    pub(crate) under_way: Option<usize>,
    /// Seconds after the kill until it listened, until all watchers were back, until all runs had ended.
    pub(crate) listening: Option<f64>,
    pub(crate) back: Option<f64>,
    pub(crate) resumed: Option<f64>,
    pub(crate) lost_after: Option<u64>,
}

impl Figures {
    /// Bytes that one session takes, watched and at rest.
    fn each(&self, size: Extent) -> Option<u64> {
        let sessions = u64::try_from(size.sessions).ok()?.max(1);
        Some(self.connected?.saturating_sub(self.empty?) / sessions)
    }

    /// What the first replies came to, as far as they came.
    pub(crate) fn so_far(&mut self, tally: &Tally, peak: u64) {
        self.peak = self.peak.max(Some(peak));
        if self.pieces.is_none() {
            (self.pieces, self.latency) = (Some(tally.pieces()), tally.latency());
        }
    }

    fn most(&self) -> Option<u64> {
        Some(self.peak?.max(self.peak_after.unwrap_or(0)))
    }

    /// Each aim, what was measured, and whether that is enough.
    pub(crate) fn aims(&self) -> [(&'static str, Option<bool>); 4] {
        [
            ("no piece is lost", self.lost.map(|lost| lost == 0)),
            (
                "all sessions go on after a kill, and none loses a piece",
                self.lost_after.map(|lost| lost == 0),
            ),
            ("the server holds 1 GiB at the most", self.most().map(|most| most <= MOST_BYTES)),
            ("all figures were reached", Some(self.resumed.is_some())),
        ]
    }

    /// For people.
    pub(crate) fn text(&self, size: Extent) -> String {
        let seconds = |value: Option<f64>| value.map_or_else(none, |value| format!("{value:.1} s"));
        let mib = |value: Option<u64>| value.map_or_else(none, |value| format!("{} MiB", value >> 20));
        let count = |value: Option<u64>| value.map_or_else(none, |value| value.to_string());
        let ms = |value: Option<Duration>| {
            value.map_or_else(none, |value| format!("{:.1} ms", value.as_secs_f64() * 1e3))
        };
        let kib = self.each(size).map_or_else(none, |each| format!("{:.1} KiB", each as f64 / 1024.0));
        let under_way = self.under_way.and_then(|runs| u64::try_from(runs).ok());
        let rows = [
            ("sessions made in", seconds(self.made)),
            ("watchers connected in", seconds(self.joined)),
            ("memory at the start", mib(self.empty)),
            ("memory with all watchers", mib(self.connected)),
            ("memory a session", kib),
            ("pieces streamed", count(self.pieces)),
            ("streamed in", seconds(self.streamed)),
            ("lost", count(self.lost)),
            ("added latency, p50", ms(self.latency.map(|(p50, _)| p50))),
            ("added latency, p99", ms(self.latency.map(|(_, p99)| p99))),
            ("memory at most", mib(self.peak)),
            ("runs under way when it was killed", count(under_way)),
            ("listening again after", seconds(self.listening)),
            ("all watchers back after", seconds(self.back)),
            ("all runs at their end after", seconds(self.resumed)),
            ("lost by the kill", count(self.lost_after)),
            ("memory at most, after the kill", mib(self.peak_after)),
        ];
        let mut text = String::from("\n| figure | |\n|---|--:|\n");
        text.extend(rows.iter().map(|(name, value)| format!("| {name} | {value} |\n")));
        text += "\n| aim | |\n|---|---|\n";
        text.extend(self.aims().iter().map(|(aim, met)| format!("| {aim} | {} |\n", word(*met))));
        text
    }

    /// For programs: `load.json` in the folder of the build, where the report looks for it.
    pub(crate) fn write(&self, size: Extent, trouble: Option<&str>) {
        let place = env::current_exe().ok().and_then(|exe| Some(exe.parent()?.parent()?.join("load.json")));
        let place = place.unwrap_or_else(|| PathBuf::from("load.json"));
        match fs::write(&place, format!("{:#}\n", self.json(size, trouble))) {
            Ok(()) => eprintln!("written: {}", place.display()),
            Err(error) => eprintln!("could not write {}: {error}", place.display()),
        }
    }

    fn json(&self, size: Extent, trouble: Option<&str>) -> Value {
        let ms = |value: Option<Duration>| value.map(|value| value.as_secs_f64() * 1e3);
        let aims = self.aims().map(|(aim, met)| json!({ "aim": aim, "met": met }));
        json!({
            "size": size.json(),
            "figures": {
                "made_s": self.made,
                "joined_s": self.joined,
                "empty_bytes": self.empty,
                "connected_bytes": self.connected,
                "session_bytes": self.each(size),
                "pieces": self.pieces,
                "streamed_s": self.streamed,
                "lost": self.lost,
                "latency_p50_ms": ms(self.latency.map(|(p50, _)| p50)),
                "latency_p99_ms": ms(self.latency.map(|(_, p99)| p99)),
                "peak_bytes": self.peak,
                "under_way": self.under_way,
                "listening_s": self.listening,
                "back_s": self.back,
                "resumed_s": self.resumed,
                "lost_after": self.lost_after,
                "peak_after_bytes": self.peak_after,
            },
            "aims": aims,
            "trouble": trouble,
        })
    }
}

fn none() -> String {
    "not reached".into()
}

fn word(met: Option<bool>) -> &'static str {
    match met {
        Some(true) => "met",
        Some(false) => "missed",
        None => "–",
    }
}
