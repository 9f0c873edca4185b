//! Agents of agents-exe, as they are brought along.

use std::path::Path;

use holm_config::agents_exe::ExeAgent;

/// The file of an agent: it is read or refused, the same each time, and every place that is named moves with its line.
pub fn agents_exe(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let path = Path::new("/p/agent.json");
    let read = ExeAgent::parse(text, path);
    assert_eq!(ExeAgent::parse(text, path), read, "another answer");
    let below = ExeAgent::parse(&format!("\n{text}"), path);
    let lines = text.lines().count().max(1) + 1;
    match (read, below) {
        (Ok(mut agent), Ok(below)) => {
            for line in agent.unsupported.iter_mut().map(|one| &mut one.line) {
                assert!((1..=lines).contains(line), "line {line} of {lines}");
                *line += 1;
            }
            for line in agent.tools.iter_mut().map(|one| &mut one.line) {
                assert!((1..=lines).contains(line), "line {line} of {lines}");
                *line += 1;
            }
            for line in agent.extra.iter_mut().map(|one| &mut one.line) {
                assert!((1..=lines).contains(line), "line {line} of {lines}");
                *line += 1;
            }
            assert_eq!(agent, below, "an empty line before it changes it");
        }
        (Err(why), Err(below)) => {
            let line = why.line.expect("a line");
            assert!((1..=lines).contains(&line), "line {line} of {lines}");
            assert_eq!(below.line, Some(line + 1), "{why:?}");
        }
        (read, below) => panic!("an empty line before it decides: {read:?}, {below:?}"),
    }
}
