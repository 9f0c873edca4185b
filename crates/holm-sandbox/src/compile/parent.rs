//! The parent's side: starts the child, watches it, and kills it when its time is over.
//!
//! The child gets limits and bytes over a pipe, and no environment. Only a complete answer counts.
//! The limits come from `compile/budget.rs`; the child's own limits are set in `compile/child.rs`.
//! Code that comes back is machine code, so the program that is started must be trusted.

use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::budget::{CompileBudget, CompileProgress};
use super::child::{COMPILED, CompileHeader, HEADER, INVALID, MAGIC};
use super::{ARGUMENT, CompileError, CompilerProgram};
use crate::wasm_shape::WasmKind;

/// How often progress is reported.
const TICK: Duration = Duration::from_millis(100);
/// How long a child may take to end after its answer.
const GRACE: Duration = Duration::from_secs(2);
/// The largest code that is taken: some times the largest input.
const MAX_CODE: u64 = 1 << 30;

/// Compiles in a child and waits for it.
pub(crate) fn compile(
    compiler: &CompilerProgram,
    kind: WasmKind,
    bytes: &[u8],
    progress: &mut dyn FnMut(CompileProgress),
) -> Result<Vec<u8>, CompileError> {
    let budget = CompileBudget::of(bytes.len());
    let began = Instant::now();
    let (mut child, input, output) = start(compiler)?;
    let header = CompileHeader::new(kind, &budget).to_bytes();
    let answer = std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        scope.spawn(move || {
            let _ = sender.send(converse(input, output, &header, bytes));
        });
        // Killing the child closes its pipes, which ends the thread above, so the scope always
        // ends.
        let answer = wait(&receiver, began, &budget, bytes.len(), progress);
        if answer.is_none() {
            let _ = child.kill();
        }
        answer
    });
    let status = reap(&mut child).map_err(unavailable)?;
    let slow = CompileError::TooSlow { cpu_seconds: budget.cpu_seconds, wall: budget.wall };
    let Some(mut answer) = answer else { return Err(slow) };
    match parse(&answer) {
        Some((COMPILED, code)) => {
            // Moved in place: code is large, and a second copy is not needed.
            let head = answer.len() - code.len();
            answer.drain(..head);
            Ok(answer)
        }
        Some((INVALID, reason)) => Err(CompileError::Invalid(String::from_utf8_lossy(reason).into_owned())),
        Some(_) => Err(CompileError::Unavailable("an unknown answer".to_owned())),
        // It began to work and did not finish: stopped by the system, or by itself when it got no
        // memory.
        None if is_out_of_time(status) => Err(slow),
        None if status.signal().is_some() => Err(CompileError::TooLarge),
        None => Err(CompileError::Unavailable(format!("no answer ({status})"))),
    }
}

/// Waits for the end of a child that has sent its whole answer.
fn reap(child: &mut Child) -> std::io::Result<ExitStatus> {
    let began = Instant::now();
    while began.elapsed() < GRACE {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill()?;
    child.wait()
}

/// Whether the system ended the child because it exceeded its processor time.
fn is_out_of_time(status: ExitStatus) -> bool {
    status.signal() == Some(Signal::XCPU.as_raw())
}

fn start(compiler: &CompilerProgram) -> Result<(Child, ChildStdin, ChildStdout), CompileError> {
    let mut child = Command::new(&compiler.0)
        .arg(ARGUMENT)
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        // Its last message is of no use: the limit is the reason.
        .stderr(Stdio::null())
        .spawn()
        .map_err(unavailable)?;
    let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(CompileError::Unavailable("no pipes".to_owned()));
    };
    Ok((child, input, output))
}

/// Sends everything, then reads everything. The child reads to the end before it writes, so neither
/// waits for the other.
fn converse(mut input: ChildStdin, output: ChildStdout, header: &[u8; HEADER], bytes: &[u8]) -> Vec<u8> {
    let sent = input.write_all(header).and_then(|()| input.write_all(bytes));
    drop(input);
    let mut answer = Vec::new();
    if sent.is_ok() {
        let _ = output.take(MAX_CODE).read_to_end(&mut answer);
    }
    answer
}

/// Waits for the answer and reports progress meanwhile. Returns `None` if the time is over first.
fn wait(
    receiver: &mpsc::Receiver<Vec<u8>>,
    began: Instant,
    budget: &CompileBudget,
    size: usize,
    progress: &mut dyn FnMut(CompileProgress),
) -> Option<Vec<u8>> {
    loop {
        let elapsed = began.elapsed();
        let left = budget.wall.checked_sub(elapsed)?;
        match receiver.recv_timeout(left.min(TICK)) {
            Ok(answer) => return Some(answer),
            Err(RecvTimeoutError::Disconnected) => return Some(Vec::new()),
            Err(RecvTimeoutError::Timeout) => {
                progress(CompileProgress { size, elapsed: began.elapsed(), budget: budget.wall });
            }
        }
    }
}

/// The answer, if all of it has come.
fn parse(answer: &[u8]) -> Option<(u8, &[u8])> {
    let (tag, rest) = answer.strip_prefix(&MAGIC)?.split_first()?;
    let (len, rest) = rest.split_first_chunk()?;
    (rest.len() as u64 == u64::from_le_bytes(*len)).then_some((*tag, rest))
}

#[expect(clippy::needless_pass_by_value, reason = "the signature of map_err")]
fn unavailable(error: std::io::Error) -> CompileError {
    CompileError::Unavailable(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_answer_is_an_answer() {
        let answer = [&MAGIC[..], &[COMPILED], &3_u64.to_le_bytes(), b"abc"].concat();
        assert_eq!(parse(&answer), Some((COMPILED, &b"abc"[..])));
        for len in 0..answer.len() {
            assert_eq!(parse(&answer[..len]), None, "cut at {len}");
        }
        assert_eq!(parse(&[answer, b"d".to_vec()].concat()), None);
    }

    #[test]
    fn a_program_that_is_no_compiler_is_told_apart() {
        let mut ignore = |_| {};
        for program in ["/bin/true", "/bin/cat", "/nonexistent"] {
            let result = compile(&CompilerProgram::program(program), WasmKind::Module, b"bytes", &mut ignore);
            assert!(matches!(result, Err(CompileError::Unavailable(_))), "{program}: {result:?}");
        }
    }
}
