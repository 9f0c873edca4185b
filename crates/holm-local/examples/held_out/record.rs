//! The file of replies. Each reply is written at once as one line, so that stopping the program
//! loses at most one reply.

use std::{
    collections::BTreeSet,
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::Path,
};

use serde_json::{Value, json};

use crate::ask::Said;

/// Replies that are known.
#[derive(Debug)]
pub(crate) struct Record {
    file: File,
    known: BTreeSet<(usize, usize)>,
}

impl Record {
    /// Opens the file and reads which replies it has. A line that was broken off is taken out.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let before = match fs::read_to_string(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            read => read?,
        };
        let (mut kept, mut known) = (String::new(), BTreeSet::new());
        for line in before.split_inclusive('\n') {
            if let Some(place) = place(line).filter(|_| line.ends_with('\n')) {
                known.insert(place);
                kept.push_str(line);
            }
        }
        if kept != before {
            fs::write(path, kept)?;
        }
        Ok(Self { file: OpenOptions::new().create(true).append(true).open(path)?, known })
    }

    /// Whether this turn of this episode has its reply.
    pub(crate) fn has(&self, episode: usize, turn: usize) -> bool {
        self.known.contains(&(episode, turn))
    }

    pub(crate) fn add(&mut self, episode: usize, turn: usize, said: &Said) -> io::Result<()> {
        let line = json!({ "episode": episode, "turn": turn, "reply": said.text, "valid": said.valid });
        self.file.write_all(format!("{line}\n").as_bytes())?;
        self.known.insert((episode, turn));
        Ok(())
    }
}

/// Whose reply a line is.
fn place(line: &str) -> Option<(usize, usize)> {
    let line: Value = serde_json::from_str(line).ok()?;
    let number = |name: &str| line.get(name)?.as_u64().and_then(|number| usize::try_from(number).ok());
    Some((number("episode")?, number("turn")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_is_not_asked_again_and_what_was_broken_off_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("replies.jsonl");
        let said = Said { text: "Yes.\n".into(), valid: true };
        let mut record = Record::open(&path).unwrap();
        assert!(!record.has(0, 1));
        record.add(0, 1, &said).unwrap();
        record.add(0, 3, &said).unwrap();
        drop(record);
        let whole = fs::read_to_string(&path).unwrap();
        fs::write(&path, whole.trim_end_matches("}\n")).unwrap();

        let mut record = Record::open(&path).unwrap();
        assert!(record.has(0, 1) && !record.has(0, 3));
        record.add(0, 3, &said).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), whole);
    }
}
