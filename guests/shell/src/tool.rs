//! The declaration of the guest, and the work of one call.

use std::cell::RefCell;
use std::io::Write;
use std::rc::Rc;

use guest_kit::{GuestError, ParamKind, GuestToolLevel, GuestParam, GuestTool, ArgumentValues};

use crate::io::{IoHandle, SharedWriter, block_on};
use crate::shell::ShellState;

/// The declaration of the guest.
pub const TOOL: GuestTool = GuestTool {
    name: "shell",
    about: "Runs a bash script with built-in utilities (ls cat head tail wc grep sed sort uniq cut tr find mkdir rm cp mv touch \
            echo printf test date env xargs tee seq basename dirname and more); no other programs can be started",
    keywords: "shell, bash, sh, script, command, pipe",
    level: GuestToolLevel::Execute,
    params: &[
        GuestParam::position("script", "The script, as after bash -c"),
        GuestParam::position("args", "What $1, $2 and so on are").optional().of(ParamKind::Texts),
        GuestParam::text("directory", "The folder to start in").short('C'),
    ],
};

/// Does the work of one call.
///
/// # Errors
///
/// With the status of the script if that is not 0.
pub fn work(values: &ArgumentValues, out: &mut dyn Write) -> Result<(), GuestError> {
    let script = values.need("script")?;
    let mut shell = ShellState::new(IoHandle::stdin(), IoHandle::stdout(), IoHandle::stderr());
    shell.args = values.texts("args").map(str::to_owned).collect();
    for (name, value) in std::env::vars() {
        shell.vars.export_text(&name, value);
    }
    if let Some(directory) = values.text("directory") {
        shell.change_directory(directory).map_err(GuestError::Failed)?;
    }
    let status = block_on(shell.run_to_end(script));
    drop(shell);
    let flushed = out.flush().and_then(|()| std::io::stdout().flush());
    flushed.map_err(|error| GuestError::failed(format!("could not write the output: {error}")))?;
    if status == 0 {
        return Ok(());
    }
    // Not every way of starting a guest carries its status, so the output does.
    let _ = writeln!(std::io::stderr(), "[exit status {status}]");
    Err(GuestError::Status(u8::try_from(status & 255).unwrap_or(1)))
}

/// Runs a script with everything in memory. Returns its status, its output and its error output.
#[must_use]
pub fn run_script(script: &str, input: &str, directory: &str) -> (i32, String, String) {
    let (out, err) = (Rc::new(RefCell::new(Vec::new())), Rc::new(RefCell::new(Vec::new())));
    let sink = |bytes: &Rc<RefCell<Vec<u8>>>| IoHandle::Sink(Rc::clone(bytes) as SharedWriter);
    let mut shell = ShellState::new(IoHandle::text(input.as_bytes().to_vec()), sink(&out), sink(&err));
    let status = match shell.change_directory(directory) {
        Ok(()) => block_on(shell.run_to_end(script)),
        Err(_) => 1,
    };
    drop(shell);
    let take = |bytes: Rc<RefCell<Vec<u8>>>| String::from_utf8_lossy(&bytes.borrow()).into_owned();
    (status, take(out), take(err))
}
