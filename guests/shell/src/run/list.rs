//! Programs, lists and pipelines.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use brush_parser::Parser;
use brush_parser::ast::{AndOr, AndOrList, Command, CompoundList, Pipeline, Program, SeparatorOperator};

use crate::expand::grammar;
use crate::io::{IoHandle, LocalFuture, SharedWriter, join, pipe};
use crate::shell::{ShellFlow, ShellState, CommandResult};

/// The most output of a command that becomes part of a word.
const MAX_CAPTURE: usize = 16 << 20;

/// Whether a failure counts for `errexit` and traps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FailureEffect {
    Yes,
    No,
}

impl ShellState {
    /// Runs a whole script, then its exit trap. Returns the status.
    pub(crate) async fn run_to_end(&mut self, script: &str) -> i32 {
        let step = self.run_source(script).await;
        let status = self.finish(step).await;
        for fd in [1, 2] {
            self.fds.get(fd).flush();
        }
        status
    }

    /// Runs the exit trap and returns the final status.
    pub(crate) async fn finish(&mut self, step: CommandResult) -> i32 {
        self.status = match step {
            Ok(status) | Err(ShellFlow::Exit(status) | ShellFlow::Return(status)) => status,
            Err(ShellFlow::Break(_) | ShellFlow::Continue(_)) => self.status,
        };
        let Some(trap) = self.traps.remove("EXIT") else {
            return self.status;
        };
        let status = self.status;
        self.options.errexit = false;
        match self.run_source(&trap).await {
            Err(ShellFlow::Exit(status)) => status,
            Ok(_) | Err(_) => status,
        }
    }

    /// Reads a script and runs it in this shell.
    pub(crate) fn run_source<'a>(&'a mut self, script: &'a str) -> LocalFuture<'a, CommandResult> {
        Box::pin(async move {
            let program = match parse(script) {
                Ok(program) => program,
                Err(why) => {
                    self.complain(&format!("shell: syntax error: {why}")).await;
                    self.status = 2;
                    return Ok(2);
                }
            };
            for list in &program.complete_commands {
                self.run_list(list).await?;
            }
            Ok(self.status)
        })
    }

    pub(crate) fn run_list<'a>(&'a mut self, list: &'a CompoundList) -> LocalFuture<'a, CommandResult> {
        Box::pin(async move {
            for item in &list.0 {
                match item.1 {
                    SeparatorOperator::Sequence => self.and_or(&item.0).await?,
                    // There is nothing that could run beside it, so it runs now, apart.
                    SeparatorOperator::Async => {
                        let mut apart = self.fork();
                        let step = apart.and_or(&item.0).await;
                        apart.finish(step).await;
                        self.status = 0;
                        0
                    }
                };
            }
            Ok(self.status)
        })
    }

    async fn and_or(&mut self, list: &AndOrList) -> CommandResult {
        let count = list.additional.len();
        let counts = if count == 0 { FailureEffect::Yes } else { FailureEffect::No };
        let mut status = self.pipeline(&list.first, counts).await?;
        for (index, item) in list.additional.iter().enumerate() {
            let (wanted, pipeline) = match item {
                AndOr::And(pipeline) => (status == 0, pipeline),
                AndOr::Or(pipeline) => (status != 0, pipeline),
            };
            if wanted {
                let counts = if index + 1 == count { FailureEffect::Yes } else { FailureEffect::No };
                status = self.pipeline(pipeline, counts).await?;
            }
        }
        Ok(status)
    }

    async fn pipeline(&mut self, pipeline: &Pipeline, counts: FailureEffect) -> CommandResult {
        let quiet = counts == FailureEffect::No || pipeline.bang;
        self.conditions += u32::from(quiet);
        let step = self.stages(pipeline).await;
        self.conditions -= u32::from(quiet);
        let mut status = step?;
        if pipeline.bang {
            status = i32::from(status == 0);
        }
        self.status = status;
        if status == 0 || quiet || self.conditions > 0 {
            return Ok(status);
        }
        if let Some(trap) = self.traps.get("ERR").cloned() {
            self.conditions += 1;
            let ran = self.run_source(&trap).await;
            self.conditions -= 1;
            ran?;
            self.status = status;
        }
        if self.options.errexit { Err(ShellFlow::Exit(status)) } else { Ok(status) }
    }

    async fn stages(&mut self, pipeline: &Pipeline) -> CommandResult {
        if let [command] = pipeline.seq.as_slice() {
            let status = self.run_command(command).await?;
            self.remember(&[status]);
            return Ok(status);
        }
        let last = pipeline.seq.len().saturating_sub(1);
        let mut input = None;
        let mut stages: Vec<LocalFuture<'_, i32>> = Vec::new();
        for (index, command) in pipeline.seq.iter().enumerate() {
            let mut stage = self.fork();
            if let Some(reader) = input.take() {
                stage.fds.set(0, IoHandle::PipeOut(reader));
            }
            if index < last {
                let (reader, writer) = pipe();
                stage.fds.set(1, IoHandle::PipeIn(writer));
                input = Some(reader);
            }
            stages.push(Box::pin(stage.run_apart(command)));
        }
        let statuses = join(stages).await;
        self.remember(&statuses);
        let failed = statuses.iter().rev().find(|&&status| status != 0);
        let status = if self.options.pipefail { failed } else { statuses.last() };
        Ok(status.copied().unwrap_or(0))
    }

    /// Runs a command in this copy, which is gone afterwards with all that it holds open.
    async fn run_apart(mut self, command: &Command) -> i32 {
        let step = self.run_command(command).await;
        self.finish(step).await
    }

    /// The output of a script, without trailing line ends.
    pub(crate) fn substitute<'a>(&'a mut self, script: &'a str) -> LocalFuture<'a, Result<String, ShellFlow>> {
        Box::pin(async move {
            let bytes = self.capture(script).await;
            let text = String::from_utf8_lossy(&bytes);
            Ok(text.trim_end_matches('\n').replace('\0', ""))
        })
    }

    /// Everything that a script writes.
    pub(crate) async fn capture(&mut self, script: &str) -> Vec<u8> {
        let kept = Rc::new(RefCell::new(BoundedCapture(Vec::new())));
        let mut apart = self.fork();
        apart.fds.set(1, IoHandle::Sink(Rc::clone(&kept) as SharedWriter));
        let step = match script.trim().strip_prefix('<').filter(|rest| !rest.starts_with(['<', '('])) {
            // `$(< file)` is the file.
            Some(file) => apart.run_source(&format!("cat < {file}")).await,
            None => apart.run_source(script).await,
        };
        self.status = apart.finish(step).await;
        self.substituted = true;
        drop(apart);
        std::mem::take(&mut kept.borrow_mut().0)
    }
}

pub(crate) fn parse(script: &str) -> Result<Program, String> {
    Parser::new(script.as_bytes(), &grammar()).parse_program().map_err(|error| error.to_string())
}

/// Memory that takes so much and no more.
struct BoundedCapture(Vec<u8>);

impl Write for BoundedCapture {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_CAPTURE {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
