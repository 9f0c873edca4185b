//! The figures as Markdown, and what they are meant to reach. A missed aim is shown, never an error.

use std::{fmt::Write as _, time::Duration};

/// How soon the first screen is meant to be there.
const FIRST_SCREEN: Duration = Duration::from_millis(100);
/// How many frames a second there are meant to be while an answer streams in.
const FRAMES: f64 = 60.0;
/// How much of a processor rest is meant to take at most, of a hundred.
const REST: f64 = 0.5;

/// What one chat costs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Figure {
    /// The program.
    pub name: &'static str,
    /// From the start to the first screen, in the middle and at worst.
    pub first: (Duration, Duration),
    /// From the start until something can be said, in the middle.
    pub ready: Duration,
    /// Frames a second, bytes a frame and processor time of a hundred while an answer streams in.
    pub stream: (f64, usize, f64),
    /// How often a second a bare timer came meanwhile, on the beat of Holm's chat.
    pub timer: f64,
    /// The time from one frame to the next meanwhile: of the half, of 95 in a hundred, and at worst.
    pub gaps: [Duration; 3],
    /// Processor time of a hundred, and bytes drawn, while nothing happens.
    pub rest: (f64, usize),
    /// Memory at the start.
    pub memory: Memory,
    /// How many turns there were, and the memory after them.
    pub turns: (usize, Memory),
    /// How long a turn took, and the bytes that one key draws after all of them.
    pub turn: (Duration, usize),
    /// How long a turn took in the first tenth of them, and in the last.
    pub growth: (Duration, Duration),
    /// Why there were no more turns, if it did not hear one.
    pub cut: Option<String>,
}

/// What the processes of a program have in memory, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Memory {
    /// All of it.
    pub resident: u64,
    /// What they have made themselves: the rest is their files, which others may share.
    pub own: u64,
}

/// The whole report.
pub fn markdown(figures: &[Figure], not_driven: &[(&str, String)]) -> String {
    let mut out = String::from(
        "| program | first screen ms | at worst | ready ms | frames/s at 200 tokens/s | ms between frames | bytes a frame | \
         processor % | at rest % | bytes at rest | MiB at the start | MiB after | turns | ms a turn | first and last tenth | \
         bytes a key |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for figure in figures {
        row(&mut out, figure).unwrap_or_default();
    }
    out.push('\n');
    for figure in figures {
        if let Some(why) = &figure.cut {
            writeln!(out, "- {} heard {} turns and no more: {why}", figure.name, figure.turns.0)
                .unwrap_or_default();
        }
    }
    for (name, why) in not_driven {
        writeln!(out, "- {name} could not be driven: {why}").unwrap_or_default();
    }
    let holm = figures.iter().find(|figure| figure.name == "holm");
    let mut aim = |what: &str, measured: Option<(String, bool)>| {
        let text = measured.map_or("not measured".into(), |(measured, met)| {
            format!("{measured}, {}", if met { "met" } else { "missed" })
        });
        writeln!(out, "- {what}: {text}").unwrap_or_default();
    };
    aim(
        "ms to the first screen (at most 100)",
        holm.map(|holm| (format!("{:.1}", ms(holm.first.0)), holm.first.0 <= FIRST_SCREEN)),
    );
    aim(
        "frames a second while 200 tokens a second stream in (60)",
        holm.map(|holm| {
            let frames = format!("{:.1} (a bare timer of 15 ms came {:.1} times)", holm.stream.0, holm.timer);
            (frames, holm.stream.0 >= FRAMES)
        }),
    );
    aim(
        "% of a processor at rest (about 0)",
        holm.map(|holm| (format!("{:.2}", holm.rest.0), holm.rest.0 <= REST)),
    );
    out
}

/// The same for a program: milliseconds, bytes, and processor time of a hundred.
pub fn json(figures: &[Figure]) -> String {
    let figures: Vec<String> = figures.iter().map(object).collect();
    format!("{{\"figures\":[{}]}}\n", figures.join(","))
}

fn object(figure: &Figure) -> String {
    let members = [
        ("first_ms", ms(figure.first.0)),
        ("first_worst_ms", ms(figure.first.1)),
        ("ready_ms", ms(figure.ready)),
        ("frames_a_second", figure.stream.0),
        ("timer_a_second", figure.timer),
        ("bytes_a_frame", figure.stream.1 as f64),
        ("gap_ms", ms(figure.gaps[0])),
        ("gap_late_ms", ms(figure.gaps[1])),
        ("gap_worst_ms", ms(figure.gaps[2])),
        ("processor", figure.stream.2),
        ("processor_at_rest", figure.rest.0),
        ("bytes_at_rest", figure.rest.1 as f64),
        ("memory", figure.memory.resident as f64),
        ("memory_own", figure.memory.own as f64),
        ("memory_after", figure.turns.1.resident as f64),
        ("memory_own_after", figure.turns.1.own as f64),
        ("talked_turns", figure.turns.0 as f64),
        ("turn_ms", ms(figure.turn.0)),
        ("turn_first_ms", ms(figure.growth.0)),
        ("turn_last_ms", ms(figure.growth.1)),
        ("bytes_a_key", figure.turn.1 as f64),
    ];
    let members: String = members.iter().map(|(name, value)| format!(",\"{name}\":{value:.3}")).collect();
    format!("{{\"system\":\"{}\"{members}}}", figure.name)
}

fn row(out: &mut String, figure: &Figure) -> std::fmt::Result {
    let ((first, worst), (frames, bytes, busy)) = (figure.first, figure.stream);
    let ((idle, drawn), (turns, after), (turn, key)) = (figure.rest, figure.turns, figure.turn);
    let [half, most, longest] = figure.gaps;
    writeln!(
        out,
        "| {} | {:.1} | {:.1} | {:.1} | {frames:.1} | {:.1}, {:.1}, {:.1} | {bytes} | {busy:.1} | {idle:.2} | {drawn} | {} | {} | \
         {turns} | {:.1} | {:.1}, {:.1} | {key} |",
        figure.name,
        ms(first),
        ms(worst),
        ms(figure.ready),
        ms(half),
        ms(most),
        ms(longest),
        mib(figure.memory),
        mib(after),
        ms(turn),
        ms(figure.growth.0),
        ms(figure.growth.1),
    )
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// All of it, and how much of that is the program's own.
fn mib(memory: Memory) -> String {
    format!("{} ({} own)", memory.resident >> 20, memory.own >> 20)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holm(first: u64, frames: f64, rest: f64) -> Figure {
        let first = (Duration::from_millis(first), Duration::from_millis(first));
        let turns = (50, Memory { resident: 26 << 20, own: 9 << 20 });
        let stream = (frames, 90, 4.0);
        Figure { name: "holm", first, stream, timer: 66.0, rest: (rest, 0), turns, ..Figure::default() }
    }

    #[test]
    fn aims_are_met_or_missed_and_whoever_is_not_driven_is_named() {
        let good = markdown(&[holm(40, 61.2, 0.0)], &[("codex", "it ended".into())]);
        assert_eq!((good.matches(", met").count(), good.matches("missed").count()), (3, 0), "{good}");
        assert!(good.contains(" | 26 (9 own) | 50 | "), "{good}");
        assert!(good.contains("61.2 (a bare timer of 15 ms came 66.0 times), met"), "{good}");
        assert!(good.contains("- codex could not be driven: it ended"), "{good}");
        let cut = Figure { cut: Some("it asked for no more".into()), ..holm(40, 61.2, 0.0) };
        let cut = markdown(&[cut], &[]);
        assert!(cut.contains("- holm heard 50 turns and no more: it asked for no more"), "{cut}");
        let bad = markdown(&[holm(140, 31.0, 7.0)], &[]);
        assert_eq!(bad.matches("missed").count(), 3, "{bad}");
        assert_eq!(markdown(&[], &[]).matches("not measured").count(), 3);
    }

    #[test]
    fn a_program_reads_the_same_figures() {
        let told = json(&[holm(40, 61.2, 0.0)]);
        assert!(told.starts_with("{\"figures\":[{\"system\":\"holm\",\"first_ms\":40.000,"), "{told}");
        assert!(
            told.contains("\"frames_a_second\":61.200,\"timer_a_second\":66.000,\"bytes_a_frame\":90.000,"),
            "{told}"
        );
        assert!(told.contains("\"memory_after\":27262976.000,\"memory_own_after\":9437184.000,"), "{told}");
        assert!(told.ends_with("\"bytes_a_key\":0.000}]}\n"), "{told}");
        assert_eq!(json(&[]), "{\"figures\":[]}\n");
    }
}
