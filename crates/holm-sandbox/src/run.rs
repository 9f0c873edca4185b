//! One call from its beginning to its end, on the thread that it was given.

mod plain;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use tokio::runtime::Handle;
use wasmtime::component::{ComponentExportIndex, InstancePre, TypedFunc};
use wasmtime::{Engine, Error, PoolConcurrencyLimitError, Store, Trap, UpdateDeadline};
use wasmtime_wasi::{I32Exit, ResourceTableError};

use crate::call::Call;
use crate::cancel::Cancel;
use crate::cut::Cut;
use crate::guest::{Code, Guest, Text, Waits};
use crate::meter::Refused;
use crate::outcome::{Outcome, Stop, Usage};
use crate::state::State;

/// What a call needs besides its guest. The caller must make sure that the
/// engine's clock ticks meanwhile.
pub(crate) struct Host<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) io: &'a Handle,
}

/// The function of a guest that is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Question {
    /// To do its work.
    Run,
    /// The guest describes itself.
    Describe,
}

/// The most bytes that a component may pass to the host at once: the largest honest write,
/// far below its memory.
const HOSTCALL_BYTES: usize = 16 << 20;
/// How often a computing guest is interrupted, in ticks of the clock.
const TICKS: u64 = 1;

/// How a guest's run ended.
enum Ended {
    Returned(Option<Result<String, String>>),
    Failed { phase: Phase, error: Error },
}

/// The phase in which a failure happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Start,
    Run,
}

impl Host<'_> {
    /// Runs a guest to its end. Never panics, even if the guest or a host function misbehaves.
    pub(crate) fn run(&self, guest: &Guest, question: Question, call: Call, cancel: &Cancel) -> Outcome {
        let began = Instant::now();
        let fuel = call.limits.fuel;
        let ran = catch_unwind(AssertUnwindSafe(|| {
            let mut store = self.store(call, began, cancel.clone())?;
            let ended = if cancel.is_cancelled() {
                Ended::Failed { phase: Phase::Start, error: Cut::Cancelled.into() }
            } else {
                self.enter(guest, question, &mut store)
            };
            Ok(finish(&mut store, ended, began, fuel))
        }));
        match ran {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(error)) => failed(began, text(&error)),
            Err(panic) => failed(began, panic_text(&*panic)),
        }
    }

    /// A fresh store with all its limits.
    fn store(&self, call: Call, began: Instant, cancel: Cancel) -> Result<Store<State>, Error> {
        let (fuel, output) = (call.limits.fuel, call.limits.output);
        let state = State::new(call, began, cancel.clone());
        let deadline = state.deadline;
        let mut store = Store::new(self.engine, state);
        store.limiter(|state| &mut state.meter);
        store.set_fuel(fuel)?;
        // An answer is passed at once, so it must fit too; a limit of its own then reports that it
        // is too long.
        let output = usize::try_from(output).unwrap_or(usize::MAX);
        store.set_hostcall_fuel(output.saturating_mul(2).max(HOSTCALL_BYTES));
        store.set_epoch_deadline(TICKS);
        store.epoch_deadline_callback(move |_| {
            cancel.check(deadline)?;
            Ok(UpdateDeadline::Continue(TICKS))
        });
        Ok(store)
    }

    fn enter(&self, guest: &Guest, question: Question, store: &mut Store<State>) -> Ended {
        match &guest.0.code {
            Code::Module { pre, start } => {
                let instance = match pre.instantiate(&mut *store) {
                    Ok(instance) => instance,
                    Err(error) => return Ended::start(error),
                };
                let Some(start) = instance.get_module_export(&mut *store, start) else {
                    return Ended::start(wasmtime::format_err!("_start is gone"));
                };
                let run = start
                    .into_func()
                    .ok_or_else(|| wasmtime::format_err!("_start is no function"))
                    .and_then(|func| func.typed::<(), ()>(&*store));
                match run {
                    Ok(run) => Ended::of(run.call(store, ()).map(|()| None)),
                    Err(error) => Ended::start(error),
                }
            }
            Code::Plain(plain) => plain::ask(plain, question, store),
            Code::Command { pre, run } => self.wait(store, async |store| command(pre, *run, store).await),
            Code::Text(text) => match (question, text.describe, text.waits) {
                (Question::Run, _, Waits::Never) => answer(text, store),
                (Question::Run, _, Waits::Maybe) => {
                    self.wait(store, async |store| answer_async(text, store).await)
                }
                (Question::Describe, Some(describe), _) => {
                    self.wait(store, async |store| describe_async(text, describe, store).await)
                }
                (Question::Describe, None, _) => {
                    Ended::start(wasmtime::format_err!("it does not describe itself"))
                }
            },
        }
    }

    /// Runs a guest that may wait, until it ends, its time is over or it is cancelled.
    fn wait(&self, store: &mut Store<State>, run: impl AsyncFnOnce(&mut Store<State>) -> Ended) -> Ended {
        let (cancel, deadline) = (store.data().cancel.clone(), store.data().deadline);
        self.io.block_on(async {
            tokio::select! {
                biased;
                ended = run(store) => ended,
                () = cancel.cancelled() => Ended::of(Err(Cut::Cancelled.into())),
                () = tokio::time::sleep_until(deadline.into()) => Ended::of(Err(Cut::Time.into())),
            }
        })
    }
}

async fn command(pre: &InstancePre<State>, run: ComponentExportIndex, store: &mut Store<State>) -> Ended {
    let instance = match pre.instantiate_async(&mut *store).await {
        Ok(instance) => instance,
        Err(error) => return Ended::start(error),
    };
    let run: TypedFunc<(), (Result<(), ()>,)> = match instance.get_typed_func(&mut *store, run) {
        Ok(run) => run,
        Err(error) => return Ended::start(error),
    };
    match run.call_async(store, ()).await {
        Ok((Ok(()),)) => Ended::Returned(None),
        Ok((Err(()),)) => Ended::of(Err(Cut::Exit(1).into())),
        Err(error) => Ended::of(Err(error)),
    }
}

/// The fast path: no stack of its own, no runtime, no WASI.
fn answer(text: &Text, store: &mut Store<State>) -> Ended {
    let instance = match text.pre.instantiate(&mut *store) {
        Ok(instance) => instance,
        Err(error) => return Ended::start(error),
    };
    let input = std::mem::take(&mut store.data_mut().input);
    let run: TypedFunc<(&str,), (Result<String, String>,)> =
        match instance.get_typed_func(&mut *store, text.run) {
            Ok(run) => run,
            Err(error) => return Ended::start(error),
        };
    match run.call(&mut *store, (&input,)) {
        Ok((reply,)) => Ended::of(fitting(store, reply).map(Some)),
        Err(error) => Ended::of(Err(error)),
    }
}

async fn answer_async(text: &Text, store: &mut Store<State>) -> Ended {
    let instance = match text.pre.instantiate_async(&mut *store).await {
        Ok(instance) => instance,
        Err(error) => return Ended::start(error),
    };
    let input = std::mem::take(&mut store.data_mut().input);
    let run: TypedFunc<(&str,), (Result<String, String>,)> =
        match instance.get_typed_func(&mut *store, text.run) {
            Ok(run) => run,
            Err(error) => return Ended::start(error),
        };
    match run.call_async(&mut *store, (&input,)).await {
        Ok((reply,)) => Ended::of(fitting(store, reply).map(Some)),
        Err(error) => Ended::of(Err(error)),
    }
}

async fn describe_async(text: &Text, describe: ComponentExportIndex, store: &mut Store<State>) -> Ended {
    let instance = match text.pre.instantiate_async(&mut *store).await {
        Ok(instance) => instance,
        Err(error) => return Ended::start(error),
    };
    let describe: TypedFunc<(), (String,)> = match instance.get_typed_func(&mut *store, describe) {
        Ok(describe) => describe,
        Err(error) => return Ended::start(error),
    };
    match describe.call_async(&mut *store, ()).await {
        Ok((reply,)) => Ended::of(fitting(store, Ok(reply)).map(Some)),
        Err(error) => Ended::of(Err(error)),
    }
}

/// An answer, if it is not longer than an output may be. The engine copied it, within the bytes
/// that a call may pass at once. When the call returns, the guest has been told to free its answer.
fn fitting(store: &Store<State>, reply: Result<String, String>) -> Result<Result<String, String>, Error> {
    let len = reply.as_ref().map_or_else(String::len, String::len);
    if store.data().room.take(len) < len {
        return Err(Cut::Output.into());
    }
    Ok(reply)
}

impl Ended {
    fn start(error: Error) -> Self {
        Self::Failed { phase: Phase::Start, error }
    }

    fn of(result: Result<Option<Result<String, String>>, Error>) -> Self {
        match result {
            Ok(reply) => Self::Returned(reply),
            Err(error) => Self::Failed { phase: Phase::Run, error },
        }
    }
}

/// Collects everything that is known about a call that has ended.
fn finish(store: &mut Store<State>, ended: Ended, began: Instant, fuel: u64) -> Outcome {
    let left = store.get_fuel().unwrap_or(0);
    let state = store.data_mut();
    let (reply, stop) = match ended {
        Ended::Returned(reply) => (reply, Stop::Returned),
        Ended::Failed { phase, error } => (None, stop(phase, &error, state.meter.refused())),
    };
    let (refusals, unlisted_refusals) = state.audit.take();
    Outcome {
        stop,
        reply,
        stdout: state.stdout.take(),
        stderr: state.stderr.take(),
        usage: Usage {
            fuel: fuel.saturating_sub(left),
            peak_memory: state.meter.peak_memory(),
            time: began.elapsed(),
        },
        refusals,
        unlisted_refusals,
    }
}

/// Translates an error of the engine.
fn stop(phase: Phase, error: &Error, refused: Option<Refused>) -> Stop {
    if let Some(cut) = error.downcast_ref::<Cut>() {
        return match *cut {
            Cut::Exit(code) => Stop::Exited(code),
            Cut::Output => Stop::TooMuchOutput,
            Cut::Written => Stop::TooMuchWritten,
            Cut::Time => Stop::OutOfTime,
            Cut::Cancelled => Stop::Cancelled,
        };
    }
    if let Some(exit) = error.downcast_ref::<I32Exit>() {
        return Stop::Exited(exit.0);
    }
    if matches!(error.downcast_ref(), Some(ResourceTableError::Full)) {
        return Stop::OutOfHandles;
    }
    if error.is::<PoolConcurrencyLimitError>() {
        return Stop::HostFailed("all room for instances is in use".to_owned());
    }
    match error.downcast_ref::<Trap>() {
        Some(Trap::OutOfFuel) => return Stop::OutOfFuel,
        Some(Trap::StackOverflow) => return Stop::OutOfStack,
        _ => {}
    }
    // A guest that was refused memory and then trapped has given up for that reason.
    match (refused, phase) {
        (Some(Refused::Memory), _) => Stop::OutOfMemory,
        (Some(Refused::Table), _) => Stop::OutOfTable,
        (None, Phase::Start) if error.downcast_ref::<Trap>().is_none() => Stop::Unstartable(text(error)),
        (None, Phase::Start | Phase::Run) => Stop::Trapped(text(error)),
    }
}

/// The longest text of an error that is kept: a guest can make it as long as it likes.
const MAX_TEXT: usize = 2_000;

fn text(error: &Error) -> String {
    let full = match error.downcast_ref::<Trap>() {
        Some(trap) => trap.to_string(),
        None => format!("{error:#}"),
    };
    full.chars().take(MAX_TEXT).collect()
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let said = panic.downcast_ref::<&str>().copied();
    let said = said.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    said.unwrap_or("a host function panicked").chars().take(MAX_TEXT).collect()
}

/// An outcome of a call that failed on the host's side.
pub(crate) fn failed(began: Instant, what: String) -> Outcome {
    Outcome {
        stop: Stop::HostFailed(what),
        reply: None,
        stdout: Vec::new(),
        stderr: Vec::new(),
        usage: Usage { time: began.elapsed(), ..Usage::default() },
        refusals: Vec::new(),
        unlisted_refusals: 0,
    }
}

#[cfg(test)]
mod tests;
