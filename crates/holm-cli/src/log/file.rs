//! A log file that only its owner can read, because events contain conversations. It writes bytes;
//! what a line contains is decided in `log.rs`, and logs are sent to URLs in `log/http.rs`.

use std::{
    fs::{File, OpenOptions},
    io::{BufWriter, Write as _},
    path::Path,
    sync::Arc,
};

use tokio::sync::mpsc::Receiver;

use crate::exit::{CommandError, CommandExit};
use crate::screen::DisplayablePath as _;

/// Opens the file, to write behind what is in it; afterwards only its owner can read it.
pub(super) fn open(path: &Path) -> Result<File, CommandError> {
    let refused = |why: &str| {
        CommandError::new(CommandExit::Usage, format!("the log {} cannot be used: {why}", path.shown()))
            .hint("name another file with --log-json-file")
    };
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path).map_err(|error| refused(&error.to_string()))?;
    // A device such as /dev/stderr, or a pipe, belongs to its reader.
    #[cfg(unix)]
    if file.metadata().is_ok_and(|known| known.is_file()) {
        let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        file.set_permissions(private).map_err(|error| refused(&error.to_string()))?;
    }
    Ok(file)
}

/// Writes lines until no more can come. Whenever none waits, all that came is in the file.
pub(super) fn write(file: File, mut lines: Receiver<Arc<str>>) -> Result<(), String> {
    let mut out = BufWriter::new(file);
    while let Some(line) = lines.blocking_recv() {
        let mut next = Some(line);
        while let Some(line) = next {
            writeln!(out, "{line}").map_err(|error| error.to_string())?;
            next = lines.try_recv().ok();
        }
        out.flush().map_err(|error| error.to_string())?;
    }
    Ok(())
}
