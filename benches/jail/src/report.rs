//! The figures as Markdown, and what they are meant to reach. A missed aim is shown, never an error.

use std::fmt::Write as _;
use std::time::Duration;

use crate::measure::Figure;
use crate::ways::Way;

/// How much quicker Landlock is meant to be than bubblewrap.
const OVER_BUBBLEWRAP: f64 = 4.0;
/// How much longer a start may take from a large process.
const FROM_LARGE: f64 = 1.2;

/// The same for a program, in milliseconds.
pub fn json(figures: &[Figure]) -> String {
    let object = |figure: &Figure| {
        let ms = |time: Duration| time.as_secs_f64() * 1000.0;
        let parent = if figure.large { "1 GiB" } else { "small" };
        format!(
            "{{\"system\":\"{}\",\"parent\":\"{parent}\",\"median_ms\":{:.3},\"quickest_ms\":{:.3},\"slow_ms\":{:.3}}}",
            figure.way.name(),
            ms(figure.median),
            ms(figure.quickest),
            ms(figure.slow)
        )
    };
    let figures: Vec<String> = figures.iter().map(object).collect();
    format!("{{\"reference\":\"{}\",\"figures\":[{}]}}\n", Way::Landlock.name(), figures.join(","))
}

/// The whole report.
pub fn markdown(figures: &[Figure]) -> String {
    let mut out = String::from("| way | parent | median ms | quickest | 95th |\n|---|---|--:|--:|--:|\n");
    for figure in figures {
        let parent = if figure.large { "1 GiB" } else { "small" };
        let ms = |time: Duration| time.as_secs_f64() * 1000.0;
        let (median, quickest, slow) = (ms(figure.median), ms(figure.quickest), ms(figure.slow));
        let name = figure.way.name();
        writeln!(out, "| {name} | {parent} | {median:.2} | {quickest:.2} | {slow:.2} |").unwrap_or_default();
    }
    let find = |way, large| figures.iter().find(|figure| figure.way == way && figure.large == large);
    let ratio = |over: Option<&Figure>, under: Option<&Figure>| {
        // The quickest: a busy machine moves medians by more than what is compared.
        Some(over?.quickest.as_secs_f64() / under?.quickest.as_secs_f64())
    };
    let landlock = find(Way::Landlock, false);
    let mut aim = |what: &str, measured: Option<f64>, met: fn(f64) -> bool| {
        let text = measured.map_or("not measured".into(), |measured| {
            format!("{measured:.2}, {}", if met(measured) { "met" } else { "missed" })
        });
        writeln!(out, "- {what}: {text}").unwrap_or_default();
    };
    let least = |measured| measured >= OVER_BUBBLEWRAP;
    let most = |measured| measured <= FROM_LARGE;
    aim("times quicker than bubblewrap (at least 4)", ratio(find(Way::Bubblewrap, false), landlock), least);
    let by_hand = ratio(find(Way::PlainBubblewrap, false), landlock);
    aim("times quicker than bubblewrap by hand (at least 4)", by_hand, least);
    let writing = ratio(find(Way::BubblewrapWriting, false), find(Way::LandlockWriting, false));
    aim("times quicker than bubblewrap, writing (at least 4)", writing, least);
    aim(
        "from 1 GiB, by that from a small process (at most 1.2)",
        ratio(find(Way::Landlock, true), landlock),
        most,
    );
    out
}

#[cfg(test)]
mod tests {
    use super::{Duration, Figure, Way, json};

    #[test]
    fn a_program_reads_the_same_figures() {
        let [quickest, median, slow] = [1, 2, 9].map(Duration::from_millis);
        let told = json(&[Figure { way: Way::Bare, large: true, median, quickest, slow }]);
        let figure =
            r#"{"system":"bare","parent":"1 GiB","median_ms":2.000,"quickest_ms":1.000,"slow_ms":9.000}"#;
        assert_eq!(told, format!("{{\"reference\":\"launcher, Landlock\",\"figures\":[{figure}]}}\n"));
    }
}
