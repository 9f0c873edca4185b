//! Sets up the folder of the tasks and runs the real command in it, with real tools and real
//! grants.

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use holm::kernel::Numbered;

use crate::{
    column::Column,
    score::Done,
    tasks::{FILES, LOG_LINE, LOG_LINES, Wish},
};

/// How long one task may take; a small model on a busy machine takes a tenth of it.
const PATIENCE: Duration = Duration::from_secs(300);
/// Model turns of one task: a look, a second one, an answer, and room for a correction.
const TURNS: &str = "6";

/// A folder, and the command that works in it.
pub(crate) struct Stage {
    folder: tempfile::TempDir,
    holm: PathBuf,
}

impl Stage {
    /// Makes the folder.
    pub(crate) fn new(holm: &Path) -> std::io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let work = folder.path().join("work");
        let log = LOG_LINE.repeat(LOG_LINES);
        for (path, text) in FILES.iter().copied().chain([("log.txt", log.as_str())]) {
            let path = work.join(path);
            fs::create_dir_all(path.parent().unwrap_or(&work))?;
            fs::write(path, text)?;
        }
        Ok(Self { folder, holm: holm.to_owned() })
    }

    /// Does one task.
    pub(crate) fn perform(&self, wish: &Wish, column: &Column) -> std::io::Result<Done> {
        let mut command = Command::new(&self.holm);
        match wish {
            Wish::Run { prompt, grant, .. } => {
                command.args([
                    "run",
                    "-p",
                    prompt,
                    "--grant",
                    grant,
                    "--turns",
                    TURNS,
                    "--output",
                    "stream-json",
                ]);
                command.args(column.tools.iter().flat_map(|set| ["--tools", set]));
            }
            Wish::Extract { text, target, .. } => {
                command.args(["extract", "--text", text, "--target", target]);
            }
        }
        command.arg("--offline").args(column.flags);
        command.args(["--model", &column.model]);
        command
            .current_dir(self.folder.path().join("work"))
            .env("HOLM_DATA", self.folder.path().join("data"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let began = Instant::now();
        let mut child = command.spawn()?;
        let out = child.stdout.take();
        let reader = std::thread::spawn(move || out.map(read).unwrap_or_default());
        let code = waited(&mut child, began)?;
        let (mut done, plain) = reader.join().unwrap_or_default();
        if matches!(wish, Wish::Extract { .. }) {
            done.answer = plain;
        }
        done.code = code;
        done.millis = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(done)
    }
}

/// The output of the command: its events, and all other lines.
fn read(out: impl Read) -> (Done, String) {
    let (mut done, mut plain) = (Done::default(), String::new());
    for line in BufReader::new(out).lines().map_while(Result::ok) {
        match serde_json::from_str::<Numbered>(&line) {
            Ok(event) => done.hear(&event.event),
            Err(_) => plain.push_str(&line),
        }
    }
    (done, plain)
}

/// The exit code; none where it was stopped because it took too long.
fn waited(child: &mut Child, began: Instant) -> std::io::Result<Option<i32>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.code());
        }
        if began.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}
