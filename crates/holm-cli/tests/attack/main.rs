//! Plays the attack cases of `attacks/` against the built command, its server and the policies, and prints what came of each class.
//!
//! A case is data: what is tried, with which grants, what must come of it, and often a harmless twin that must pass. Nothing
//! here knows the answer: an outcome is read off exit codes, events, files and what was printed, and then compared. Lists of
//! other people are played against the policies after them.
//!
//!     make attack                                         all of them
//!     cargo test -p holm-cli --test attack -- paths.      those whose id holds a word
//!     cargo test -p holm-cli --test attack -- lists       the lists of other people alone
//!
//! The program is its own harness, because a table is what people read.

#![expect(clippy::print_stdout, reason = "it is its own harness, and the table is what it is for")]

mod calls;
mod case;
mod command;
mod corpus;
mod door;
mod guest;
mod outcome;
mod policy;
mod reach;
mod scene;
mod seal;
mod server;
mod site;
mod store;
mod table;
#[path = "../cli/wasi.rs"]
mod wasi;

use std::{env, path::PathBuf, process::ExitCode, thread};

use case::{Case, Deed, Twin};
use corpus::Corpora;
use outcome::Outcome;
use reach::Reach;
use table::{Row, Table};

/// Fewer than these mean that files were lost.
const FEWEST_CASES: usize = 590;

/// The same of twins: a policy that refuses everything would stop every attack.
const FEWEST_TWINS: usize = 370;

/// The minimum number of cases with the built command: a policy that the command never asks would
/// stop nothing.
const FEWEST_PLAYED: usize = 290;

/// What stands in the place of a word when only the lists of other people are wanted.
const LISTS: &str = "lists";

fn main() -> ExitCode {
    let word = env::args().skip(1).find(|word| !word.starts_with('-')).unwrap_or_default();
    let cases =
        if word == LISTS { Ok(true) } else { play(&word).map(|table| shown(&table, table.is_sound())) };
    let lists = if word.is_empty() || word == LISTS {
        Corpora::play().map(|lists| shown(&lists, lists.is_sound()))
    } else {
        Ok(true)
    };
    for why in [&cases, &lists].into_iter().filter_map(|came| came.as_ref().err()) {
        println!("the attacks cannot be played: {why}");
    }
    if cases == Ok(true) && lists == Ok(true) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints what came of something, and says whether it is sound.
fn shown(table: &impl std::fmt::Display, is_sound: bool) -> bool {
    println!("{table}");
    is_sound
}

fn play(word: &str) -> Result<Table, String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../attacks");
    let all = case::read_all(&folder)?;
    let twins = all.iter().filter(|case| case.twin.is_some()).count();
    let played = all.iter().filter(|case| case.deed.is_played()).count();
    if all.len() < FEWEST_CASES || twins < FEWEST_TWINS || played < FEWEST_PLAYED {
        return Err(format!("there are {} cases with {twins} twins, {played} of them played", all.len()));
    }
    let chosen: Vec<&Case> = all.iter().filter(|case| case.id.contains(word)).collect();
    if chosen.is_empty() {
        return Err(format!("no id holds `{word}`"));
    }
    let table = Table::new(play_all(&chosen));
    door::close();
    println!("{}", Reach::of(&chosen));
    Ok(table)
}

/// As many at a time as there are processors; the table has them in the order of the files.
fn play_all(cases: &[&Case]) -> Vec<Row> {
    let workers = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let share = cases.len().div_ceil(workers).max(1);
    thread::scope(|scope| {
        let threads: Vec<_> = cases
            .chunks(share)
            .map(|share| scope.spawn(move || share.iter().map(|case| row(case)).collect::<Vec<_>>()))
            .collect();
        let finished = threads.into_iter().zip(cases.chunks(share));
        let rows = finished.map(|(thread, share)| thread.join().unwrap_or_else(|_| lost(share)));
        rows.flatten().collect()
    })
}

fn row(case: &Case) -> Row {
    let came = try_out(&case.deed, &case.grants, &case.mode);
    let twin = case.twin.as_ref().map(|Twin { deed, grants, expect }| {
        (*expect, try_out(deed, grants.as_ref().unwrap_or(&case.grants), &case.mode))
    });
    Row { class: case.class, id: case.id.clone(), tries: case.tries.clone(), expect: case.expect, came, twin }
}

/// What is left to say where a worker died: none of its cases was seen to be stopped.
fn lost(share: &[&Case]) -> Vec<Row> {
    let row = |case: &&Case| Row {
        class: case.class,
        id: case.id.clone(),
        tries: case.tries.clone(),
        expect: case.expect,
        came: Err("the runner died in this share".into()),
        twin: None,
    };
    share.iter().map(row).collect()
}

/// Does it, and says what came of it.
fn try_out(deed: &Deed, grants: &[String], mode: &str) -> Result<Outcome, String> {
    match deed {
        Deed::Tool { name, arguments } => command::tool(name, arguments, grants, mode),
        Deed::Command { script, deny, allow } => command::script(script, deny, allow, grants, mode),
        Deed::Calls(calls) => calls::calls(&[], calls, grants, mode),
        Deed::Prompted { flags, calls } => calls::calls(flags, calls, grants, mode),
        Deed::Says(text) => command::says(text),
        Deed::Reads(text) => command::reads(text),
        Deed::Rules { script, deny, allow } => policy::rules(script, deny, allow),
        Deed::Url { url, leads_to } => policy::url(url, leads_to.as_deref(), grants),
        Deed::Request(request) => policy::request(request, grants),
        Deed::Child { wish, asks } => policy::child(wish, asks, grants),
        Deed::Grant(text) => Ok(policy::grant(text)),
        Deed::Holm(words) => command::holm(words),
        Deed::Guest { does, path } => guest::guest(does, path, grants, mode),
        Deed::Server { behaves, tool, arguments } => server::server(behaves, tool, arguments, grants, mode),
        Deed::Keyed { name, script } => command::keyed(name, script, grants, mode),
        Deed::Later { before, script, does } => command::later(before, script, does, grants, mode),
        Deed::Door(asked) => door::door(asked),
        Deed::Store(damaged) => store::store(damaged),
    }
}
