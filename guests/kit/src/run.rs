//! Runs a guest as a command: arguments in, text out, a status at the end.

use std::io::Write;
use std::process::ExitCode;

use crate::args::CommandLine;
use crate::fault::GuestError;
use crate::tool::GuestTool;
use crate::values::ArgumentValues;

/// Runs a guest's work with the arguments of this process, and returns its exit status.
#[must_use]
pub fn main(tool: &GuestTool, work: impl FnOnce(&ArgumentValues, &mut dyn Write) -> Result<(), GuestError>) -> ExitCode {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let asked = tool.read_args(std::env::args().skip(1));
    let done = match asked {
        Ok(CommandLine::Help) => {
            out.write_all(tool.help().as_bytes()).map_err(|error| GuestError::failed(error.to_string()))
        }
        Ok(CommandLine::Call(values)) => work(&values, &mut out),
        Err(fault) => Err(fault),
    };
    // Output before a failure is useful too.
    let flushed = out.flush().map_err(|error| GuestError::failed(format!("could not write the output: {error}")));
    let Err(fault) = done.and(flushed) else {
        return ExitCode::SUCCESS;
    };
    if !matches!(fault, GuestError::Status(_)) {
        let _ = writeln!(std::io::stderr(), "{}: {fault}", tool.name);
    }
    ExitCode::from(fault.status())
}
