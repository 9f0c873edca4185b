//! Stores verdicts on disk, one a line. Some columns take long, and a stopped evaluation loses one
//! task at most.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::Path,
};

use serde::{Deserialize, Serialize};

use crate::score::Verdict;

/// What becomes of verdicts that are already there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Past {
    /// They count: the run goes on.
    Kept,
    /// They are of another day.
    Forgotten,
}

/// Verdicts that are known.
#[derive(Debug)]
pub(crate) struct Kept {
    file: File,
    lines: Vec<Line>,
}

/// A verdict and whose it is.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    column: String,
    verdict: Verdict,
}

impl Kept {
    /// Opens the file. A line that was broken off is taken out.
    pub(crate) fn open(path: &Path, past: Past) -> io::Result<Self> {
        let before = match (past, fs::read_to_string(path)) {
            (Past::Forgotten, _) => String::new(),
            (Past::Kept, Err(error)) if error.kind() == io::ErrorKind::NotFound => String::new(),
            (Past::Kept, read) => read?,
        };
        let lines: Vec<Line> = before.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let mut kept =
            Self { file: OpenOptions::new().create(true).append(true).open(path)?, lines: Vec::new() };
        kept.file.set_len(0)?;
        for Line { column, verdict } in lines {
            kept.add(&column, verdict)?;
        }
        Ok(kept)
    }

    /// The verdict on a task in a column.
    pub(crate) fn find(&self, column: &str, task: &str) -> Option<&Verdict> {
        let line = self.lines.iter().find(|line| line.column == column && line.verdict.task == task);
        line.map(|line| &line.verdict)
    }

    /// Adds one.
    pub(crate) fn add(&mut self, column: &str, verdict: Verdict) -> io::Result<()> {
        let line = Line { column: column.into(), verdict };
        let text = serde_json::to_string(&line).map_err(io::Error::other)?;
        self.file.write_all(format!("{text}\n").as_bytes())?;
        self.lines.push(line);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        score::{Done, judge},
        tasks::TASKS,
    };

    #[test]
    fn verdicts_are_found_again_unless_the_past_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("verdicts.jsonl");
        let verdict = judge(&TASKS[0], Done { code: Some(0), answer: "so".into(), ..Done::default() });
        let mut kept = Kept::open(&path, Past::Kept).unwrap();
        kept.add("a", verdict.clone()).unwrap();
        kept.add("b", verdict.clone()).unwrap();
        drop(kept);
        let whole = fs::read_to_string(&path).unwrap();
        fs::write(&path, whole.trim_end_matches("}\n")).unwrap();

        let kept = Kept::open(&path, Past::Kept).unwrap();
        assert_eq!(kept.find("a", TASKS[0].name), Some(&verdict));
        assert_eq!(kept.find("b", TASKS[0].name), None, "it was broken off");
        assert_eq!(kept.find("a", TASKS[1].name), None);
        drop(kept);

        let kept = Kept::open(&path, Past::Forgotten).unwrap();
        assert_eq!(kept.find("a", TASKS[0].name), None);
    }
}
