//! How good is the small model, in truth? More than thirty small tasks through the real `holm`, with real tools and real
//! grants in a folder of its own, and outcomes that a program checks; with and without the grammar, with and without the
//! adapter, side by side. `make eval-local` runs it.
//!
//! ```text
//! eval_local [--holm PROGRAM] [--out FOLDER] [--model NAME] [--resume] [--part NUMBER/OF] [COLUMN...]
//! ```
//!
//! Each verdict is kept at once, in `verdicts.jsonl` of the folder. `--resume` takes those for granted, so that a run that was
//! stopped goes on; `--part 0/4` does every fourth task, so that four machines or processes can share them: put their
//! files together, and `--resume` writes the report.

mod column;
mod kept;
mod report;
mod score;
mod stage;
mod tasks;

use std::{error::Error, fs, path::PathBuf};

use column::{Column, columns};
use kept::{Kept, Past};
use report::Judged;
use stage::Stage;
use tasks::TASKS;

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for people")]
fn main() -> Result<(), Box<dyn Error>> {
    let wish = Wish::read(std::env::args().skip(1))?;
    fs::create_dir_all(&wish.out)?;
    let mut kept = Kept::open(&wish.out.join("verdicts.jsonl"), wish.past)?;
    let mut judged: Vec<Judged> = Vec::new();
    for column in &wish.columns {
        let stage = Stage::new(&wish.holm)?;
        let mut verdicts = Vec::new();
        let mine = TASKS.iter().enumerate().filter(|(number, _)| number % wish.parts == wish.part);
        for (number, task) in mine {
            let verdict = match kept.find(column.name, task.name) {
                Some(verdict) => verdict.clone(),
                None => {
                    let verdict = score::judge(task, stage.perform(&task.wish, column)?);
                    kept.add(column.name, verdict.clone())?;
                    verdict
                }
            };
            eprintln!("{}: {}/{} {}: {:?}", column.name, number + 1, TASKS.len(), task.name, verdict.outcome);
            verdicts.push(verdict);
        }
        judged.push((column.name, verdicts));
        fs::write(wish.out.join("report.md"), report::markdown(&wish.model, &judged))?;
        fs::write(wish.out.join("report.json"), format!("{:#}\n", report::json(&wish.model, &judged)))?;
    }
    println!("{}", report::markdown(&wish.model, &judged));
    Ok(())
}

/// What the command line says.
struct Wish {
    holm: PathBuf,
    out: PathBuf,
    model: String,
    past: Past,
    part: usize,
    parts: usize,
    columns: Vec<Column>,
}

impl Wish {
    fn read(mut words: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        // The program lies beside the folder of the examples.
        let here = std::env::current_exe()?;
        let built = here.parent().and_then(|folder| folder.parent()).map(|folder| folder.join("holm"));
        let mut wish = Self {
            holm: built.unwrap_or_else(|| "holm".into()),
            out: "target/eval-local".into(),
            model: "local/smollm2".into(),
            past: Past::Forgotten,
            part: 0,
            parts: 1,
            columns: Vec::new(),
        };
        let mut named = Vec::new();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} wants a value"));
            match word.as_str() {
                "--holm" => wish.holm = value()?.into(),
                "--out" => wish.out = value()?.into(),
                "--model" => wish.model = value()?,
                "--resume" => wish.past = Past::Kept,
                "--part" => {
                    let share = share(&value()?).ok_or("--part wants two numbers, as in 0/4")?;
                    (wish.part, wish.parts) = share;
                }
                _ => named.push(word),
            }
        }
        wish.columns = columns(&wish.model);
        if let Some(odd) = named.iter().find(|name| !wish.columns.iter().any(|column| column.name == **name))
        {
            return Err(format!("there is no column `{odd}`").into());
        }
        if !named.is_empty() {
            wish.columns.retain(|column| named.iter().any(|name| name == column.name));
        }
        if !wish.holm.is_file() {
            return Err(
                format!("{} is missing; build it with cargo build -p holm-cli", wish.holm.display()).into()
            );
        }
        Ok(wish)
    }
}

/// Which of how many parts.
fn share(text: &str) -> Option<(usize, usize)> {
    let (part, parts) = text.split_once('/')?;
    let (part, parts) = (part.parse().ok()?, parts.parse().ok()?);
    (part < parts).then_some((part, parts))
}
