//! The pieces of work that are run under callgrind, and what their totals say.

use std::{collections::BTreeMap, hint::black_box, path::Path};

use crate::{
    encode::{Encoded, Session},
    instructions,
    measure::{self, Figure},
    readers::Reader,
    streams::Stream,
};

/// Counts instructions of all work and adds them to the figures.
///
/// # Errors
/// Says why there are no counts.
pub fn count(figures: &mut [Figure], encoded: &mut [Encoded], folder: &Path) -> Result<(), String> {
    let mut jobs = Vec::new();
    for figure in figures.iter() {
        for what in ["read", "hold"] {
            jobs.push(job(&[what, figure.reader, figure.stream]));
        }
    }
    for one in encoded.iter() {
        for what in ["write", "assemble"] {
            jobs.push(job(&[what, one.format, &one.turn.to_string()]));
        }
    }
    let totals = instructions::totals(&jobs, folder)?;
    measure::add_instructions(figures, &differences(&totals, "read", "hold"));
    let written = differences(&totals, "write", "assemble");
    for one in encoded {
        let count = written.get(&job(&[one.format, &one.turn.to_string()]));
        one.new_instructions = count.map(|count| *count as f64);
    }
    Ok(())
}

/// Does one piece of work; none if the arguments name none.
pub fn perform(what: &str, who: &str, on: &str) -> Option<()> {
    match what {
        "read" | "hold" => {
            let (reader, stream) = (Reader::named(who)?, Stream::named(on)?);
            let pieces = stream.pieces();
            if what == "read" {
                std::mem::forget(black_box(reader.read(stream, &pieces)));
            }
            std::mem::forget(pieces);
        }
        "write" | "assemble" => {
            let turn = on.parse().ok()?;
            let mut session = Session::before(who, turn)?;
            // Both do the same, but in one of them there is nothing new yet when the request is made.
            if what == "write" {
                session.grow(turn);
            }
            std::mem::forget(black_box(session.encode()));
            if what == "assemble" {
                session.grow(turn);
            }
            std::mem::forget(session);
        }
        _ => return None,
    }
    Some(())
}

fn job(parts: &[&str]) -> Vec<String> {
    parts.iter().map(|part| (*part).to_owned()).collect()
}

/// What the whole work takes beyond its preparation, by who and on what.
fn differences(totals: &BTreeMap<Vec<String>, u64>, whole: &str, part: &str) -> BTreeMap<Vec<String>, u64> {
    let of = |(job, total): (&Vec<String>, &u64)| {
        let (what, rest) = job.split_first()?;
        let mut prepared = vec![part.to_owned()];
        prepared.extend_from_slice(rest);
        (what == whole).then(|| (rest.to_vec(), total.saturating_sub(*totals.get(&prepared).unwrap_or(&0))))
    };
    totals.iter().filter_map(of).collect()
}
