//! One call from its beginning to its end, on the thread that it was given.
//!
//! It makes a fresh store with all limits, calls the guest, and translates every failure into an
//! outcome (`outcome.rs`). A panic in a host function ends the call and nothing else. It chooses no
//! thread (`workers.rs`), waits for no place (`gate.rs`) and keeps nothing for the next call. A
//! guest that may wait runs where waiting can be cut short. Modules of the text world are called in
//! `run/text_module.rs`.

mod text_module;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use tokio::runtime::Handle;
use wasmtime::component::{ComponentExportIndex, InstancePre, TypedFunc};
use wasmtime::{Engine, Error, PoolConcurrencyLimitError, Store, Trap, UpdateDeadline};
use wasmtime_wasi::{I32Exit, ResourceTableError};

use crate::call::GuestCall;
use crate::cancel::CancelSwitch;
use crate::guest::{Guest, GuestCode, ImportWaiting, TextComponent};
use crate::guest_abort::GuestAbort;
use crate::meter::RefusedGrowth;
use crate::outcome::{GuestOutcome, GuestStop, GuestUsage};
use crate::state::GuestState;

/// What a call needs besides its guest. The caller must make sure that the
/// engine's clock ticks meanwhile.
pub(crate) struct CallHost<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) io: &'a Handle,
}

/// The function of a guest that is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GuestFunction {
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
enum GuestEnding {
    Returned(Option<Result<String, String>>),
    Failed { phase: GuestPhase, error: Error },
}

/// The phase in which a failure happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GuestPhase {
    Start,
    Run,
}

impl CallHost<'_> {
    /// Runs a guest to its end. Never panics, even if the guest or a host function misbehaves.
    pub(crate) fn run(
        &self,
        guest: &Guest,
        question: GuestFunction,
        call: GuestCall,
        cancel: &CancelSwitch,
    ) -> GuestOutcome {
        let began = Instant::now();
        let fuel = call.limits.fuel;
        let ran = catch_unwind(AssertUnwindSafe(|| {
            let mut store = self.store(call, began, cancel.clone())?;
            let ended = if cancel.is_cancelled() {
                GuestEnding::Failed { phase: GuestPhase::Start, error: GuestAbort::Cancelled.into() }
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
    fn store(
        &self,
        call: GuestCall,
        began: Instant,
        cancel: CancelSwitch,
    ) -> Result<Store<GuestState>, Error> {
        let (fuel, output) = (call.limits.fuel, call.limits.output);
        let state = GuestState::new(call, began, cancel.clone());
        let deadline = state.deadline;
        let mut store = Store::new(self.engine, state);
        store.limiter(|state| &mut state.meter);
        store.set_fuel(fuel)?;
        // An answer is passed at once, so it must fit too; its own limit then reports that it
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

    fn enter(&self, guest: &Guest, question: GuestFunction, store: &mut Store<GuestState>) -> GuestEnding {
        match &guest.0.code {
            GuestCode::Module { pre, start } => {
                let instance = match pre.instantiate(&mut *store) {
                    Ok(instance) => instance,
                    Err(error) => return GuestEnding::start(error),
                };
                let Some(start) = instance.get_module_export(&mut *store, start) else {
                    return GuestEnding::start(wasmtime::format_err!("_start is missing"));
                };
                let run = start
                    .into_func()
                    .ok_or_else(|| wasmtime::format_err!("_start is not a function"))
                    .and_then(|func| func.typed::<(), ()>(&*store));
                match run {
                    Ok(run) => GuestEnding::of(run.call(store, ()).map(|()| None)),
                    Err(error) => GuestEnding::start(error),
                }
            }
            GuestCode::Plain(plain) => text_module::ask(plain, question, store),
            GuestCode::Command { pre, run } => {
                self.wait(store, async |store| command(pre, *run, store).await)
            }
            GuestCode::Text(text) => match (question, text.describe, text.waits) {
                (GuestFunction::Run, _, ImportWaiting::Never) => answer(text, store),
                (GuestFunction::Run, _, ImportWaiting::Maybe) => {
                    self.wait(store, async |store| answer_async(text, store).await)
                }
                (GuestFunction::Describe, Some(describe), _) => {
                    self.wait(store, async |store| describe_async(text, describe, store).await)
                }
                (GuestFunction::Describe, None, _) => {
                    GuestEnding::start(wasmtime::format_err!("it does not describe itself"))
                }
            },
        }
    }

    /// Runs a guest that may wait, until it ends, its time is over or it is cancelled.
    fn wait(
        &self,
        store: &mut Store<GuestState>,
        run: impl AsyncFnOnce(&mut Store<GuestState>) -> GuestEnding,
    ) -> GuestEnding {
        let (cancel, deadline) = (store.data().cancel.clone(), store.data().deadline);
        self.io.block_on(async {
            tokio::select! {
                biased;
                ended = run(store) => ended,
                () = cancel.cancelled() => GuestEnding::of(Err(GuestAbort::Cancelled.into())),
                () = tokio::time::sleep_until(deadline.into()) => GuestEnding::of(Err(GuestAbort::Time.into())),
            }
        })
    }
}

async fn command(
    pre: &InstancePre<GuestState>,
    run: ComponentExportIndex,
    store: &mut Store<GuestState>,
) -> GuestEnding {
    let instance = match pre.instantiate_async(&mut *store).await {
        Ok(instance) => instance,
        Err(error) => return GuestEnding::start(error),
    };
    let run: TypedFunc<(), (Result<(), ()>,)> = match instance.get_typed_func(&mut *store, run) {
        Ok(run) => run,
        Err(error) => return GuestEnding::start(error),
    };
    match run.call_async(store, ()).await {
        Ok((Ok(()),)) => GuestEnding::Returned(None),
        Ok((Err(()),)) => GuestEnding::of(Err(GuestAbort::Exit(1).into())),
        Err(error) => GuestEnding::of(Err(error)),
    }
}

/// The fast path: no separate stack, no runtime, no WASI.
fn answer(text: &TextComponent, store: &mut Store<GuestState>) -> GuestEnding {
    let instance = match text.pre.instantiate(&mut *store) {
        Ok(instance) => instance,
        Err(error) => return GuestEnding::start(error),
    };
    let input = std::mem::take(&mut store.data_mut().input);
    let run: TypedFunc<(&str,), (Result<String, String>,)> =
        match instance.get_typed_func(&mut *store, text.run) {
            Ok(run) => run,
            Err(error) => return GuestEnding::start(error),
        };
    match run.call(&mut *store, (&input,)) {
        Ok((reply,)) => GuestEnding::of(fitting(store, reply).map(Some)),
        Err(error) => GuestEnding::of(Err(error)),
    }
}

async fn answer_async(text: &TextComponent, store: &mut Store<GuestState>) -> GuestEnding {
    let instance = match text.pre.instantiate_async(&mut *store).await {
        Ok(instance) => instance,
        Err(error) => return GuestEnding::start(error),
    };
    let input = std::mem::take(&mut store.data_mut().input);
    let run: TypedFunc<(&str,), (Result<String, String>,)> =
        match instance.get_typed_func(&mut *store, text.run) {
            Ok(run) => run,
            Err(error) => return GuestEnding::start(error),
        };
    match run.call_async(&mut *store, (&input,)).await {
        Ok((reply,)) => GuestEnding::of(fitting(store, reply).map(Some)),
        Err(error) => GuestEnding::of(Err(error)),
    }
}

async fn describe_async(
    text: &TextComponent,
    describe: ComponentExportIndex,
    store: &mut Store<GuestState>,
) -> GuestEnding {
    let instance = match text.pre.instantiate_async(&mut *store).await {
        Ok(instance) => instance,
        Err(error) => return GuestEnding::start(error),
    };
    let describe: TypedFunc<(), (String,)> = match instance.get_typed_func(&mut *store, describe) {
        Ok(describe) => describe,
        Err(error) => return GuestEnding::start(error),
    };
    match describe.call_async(&mut *store, ()).await {
        Ok((reply,)) => GuestEnding::of(fitting(store, Ok(reply)).map(Some)),
        Err(error) => GuestEnding::of(Err(error)),
    }
}

/// An answer, if it is not longer than an output may be. The engine copied it, within the bytes
/// that a call may pass at once. When the call returns, the guest has been told to free its answer.
fn fitting(
    store: &Store<GuestState>,
    reply: Result<String, String>,
) -> Result<Result<String, String>, Error> {
    let len = reply.as_ref().map_or_else(String::len, String::len);
    if store.data().output_budget.take(len) < len {
        return Err(GuestAbort::Output.into());
    }
    Ok(reply)
}

impl GuestEnding {
    fn start(error: Error) -> Self {
        Self::Failed { phase: GuestPhase::Start, error }
    }

    fn of(result: Result<Option<Result<String, String>>, Error>) -> Self {
        match result {
            Ok(reply) => Self::Returned(reply),
            Err(error) => Self::Failed { phase: GuestPhase::Run, error },
        }
    }
}

/// Collects everything that is known about a call that has ended.
fn finish(store: &mut Store<GuestState>, ended: GuestEnding, began: Instant, fuel: u64) -> GuestOutcome {
    let left = store.get_fuel().unwrap_or(0);
    let state = store.data_mut();
    let (reply, stop) = match ended {
        GuestEnding::Returned(reply) => (reply, GuestStop::Returned),
        GuestEnding::Failed { phase, error } => (None, stop(phase, &error, state.meter.refused())),
    };
    let (refusals, unlisted_refusals) = state.audit.take();
    GuestOutcome {
        stop,
        reply,
        stdout: state.stdout.take(),
        stderr: state.stderr.take(),
        usage: GuestUsage {
            fuel: fuel.saturating_sub(left),
            peak_memory: state.meter.peak_memory(),
            time: began.elapsed(),
        },
        refusals,
        unlisted_refusals,
    }
}

/// Translates an error of the engine.
fn stop(phase: GuestPhase, error: &Error, refused: Option<RefusedGrowth>) -> GuestStop {
    if let Some(cut) = error.downcast_ref::<GuestAbort>() {
        return match *cut {
            GuestAbort::Exit(code) => GuestStop::Exited(code),
            GuestAbort::Output => GuestStop::TooMuchOutput,
            GuestAbort::Written => GuestStop::TooMuchWritten,
            GuestAbort::Time => GuestStop::OutOfTime,
            GuestAbort::Cancelled => GuestStop::Cancelled,
        };
    }
    if let Some(exit) = error.downcast_ref::<I32Exit>() {
        return GuestStop::Exited(exit.0);
    }
    if matches!(error.downcast_ref(), Some(ResourceTableError::Full)) {
        return GuestStop::OutOfHandles;
    }
    if error.is::<PoolConcurrencyLimitError>() {
        return GuestStop::HostFailed("all instances are in use".to_owned());
    }
    match error.downcast_ref::<Trap>() {
        Some(Trap::OutOfFuel) => return GuestStop::OutOfFuel,
        Some(Trap::StackOverflow) => return GuestStop::OutOfStack,
        _ => {}
    }
    // A guest that was refused memory and then trapped has given up for that reason.
    match (refused, phase) {
        (Some(RefusedGrowth::Memory), _) => GuestStop::OutOfMemory,
        (Some(RefusedGrowth::Table), _) => GuestStop::OutOfTable,
        (None, GuestPhase::Start) if error.downcast_ref::<Trap>().is_none() => {
            GuestStop::Unstartable(text(error))
        }
        (None, GuestPhase::Start | GuestPhase::Run) => GuestStop::Trapped(text(error)),
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
    let message = panic.downcast_ref::<&str>().copied();
    let message = message.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    message.unwrap_or("a host function panicked").chars().take(MAX_TEXT).collect()
}

/// An outcome of a call that failed on the host's side.
pub(crate) fn failed(began: Instant, problem: String) -> GuestOutcome {
    GuestOutcome {
        stop: GuestStop::HostFailed(problem),
        reply: None,
        stdout: Vec::new(),
        stderr: Vec::new(),
        usage: GuestUsage { time: began.elapsed(), ..GuestUsage::default() },
        refusals: Vec::new(),
        unlisted_refusals: 0,
    }
}

#[cfg(test)]
mod tests;
