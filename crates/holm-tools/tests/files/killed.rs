//! `kill -9` in the middle of a write leaves the old file or the new one.

use std::{
    env, fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use holm_kernel::{IdempotencyKey, Outcome};
use holm_tools::undo::{UndoStore, UndoVerdict};
use serde_json::json;

use super::{call, tools};

/// How often the writer is killed.
const KILLS: u64 = 60;

/// Files that are written, each with its number all over it.
fn content(number: u64) -> String {
    format!("{number:07}\n").repeat(usize::try_from(1 + number % 40).unwrap() * 1_500)
}

fn key(number: u64) -> IdempotencyKey {
    IdempotencyKey::from_bytes(u128::from(number).to_be_bytes())
}

/// Writes one file again and again, each time with another number.
pub(super) fn write_for_ever(folder: &Path) {
    let tools = tools(folder);
    let first = read_number(folder).map_or(0, |number| number + 1);
    call(&tools, "read", key(0), &json!({ "path": "file" }));
    for number in first.. {
        let arguments = json!({ "path": "file", "content": content(number) });
        let output = call(&tools, "write", key(number), &arguments);
        assert_eq!(output.outcome, Outcome::Succeeded, "{}", output.text);
        println!("{number}");
    }
}

fn read_number(folder: &Path) -> Option<u64> {
    let text = fs::read_to_string(folder.join("work/file")).ok()?;
    let number = text.lines().next().expect("a file that is never empty").parse().expect("a number");
    assert!(text == content(number), "the file of number {number} is torn: {} bytes", text.len());
    Some(number)
}

pub(super) fn old_or_new() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("work")).unwrap();
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let (mut old, mut strays) = (0, 0);
    for _ in 0..KILLS {
        let before = read_number(folder.path());
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["writer".as_ref(), folder.path().as_os_str()])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        // Anywhere within a few writes.
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        thread::sleep(Duration::from_micros((seed >> 33) % 60_000));
        child.kill().unwrap();
        child.wait().unwrap();
        let last = said.lines().map_while(Result::ok).last().unwrap_or(line);
        let last: u64 = last.trim().parse().expect("the writer says what it has written");
        let found = read_number(folder.path()).expect("the file is there");
        assert!(found == last || found == last + 1, "{found} is there after {last} was written");
        assert!(before.is_none_or(|before| found > before), "nothing was written");
        old += u64::from(found == last);
        strays = fs::read_dir(folder.path().join("work")).unwrap().count() - 1;
    }
    let (writes, new) = (read_number(folder.path()).unwrap_or(0), KILLS - old);
    println!(
        "{KILLS} kills in {writes} writes: {old} left the old file, {new} the new one; {strays} drafts lie about"
    );
    can_be_undone(folder.path());
}

/// After every kill, every record can be read, and the last change can be undone.
fn can_be_undone(folder: &Path) {
    let undo = UndoStore::open(folder.join("undo")).unwrap();
    let last = read_number(folder).unwrap();
    for number in 0..=last + 1 {
        undo.plan(&[key(number)]).expect("whole records");
    }
    let plan = undo.plan(&[key(last), key(last + 1)]).unwrap();
    assert_eq!(plan.steps.iter().map(|step| step.verdict).collect::<Vec<_>>(), [UndoVerdict::Ready]);
    undo.restore(&plan, &[], holm_tools::undo::OperationLabel::default()).unwrap();
    assert_eq!(read_number(folder), Some(last - 1));
}
