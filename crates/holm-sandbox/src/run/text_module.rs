//! Calls a text-world module without a component: the host does the work of a component's wrapper.
//!
//! The layout is the canonical ABI's. Every pointer that a guest passes is untrusted: one outside
//! the guest's memory ends the call.
//!
//! Answers count as output (`output.rs`). Guests with a component around them are called in
//! `run.rs`; the interface is in `wit/tool.wit`.

use wasmtime::{
    Error, Extern, Instance, Memory, ModuleExport, Store, TypedFunc, WasmParams, WasmResults, format_err,
};

use super::{GuestEnding, GuestFunction};
use crate::guest::TextModule;
use crate::guest_abort::GuestAbort;
use crate::state::GuestState;

/// The answer of the guest.
type GuestReply = Result<String, String>;

/// Asks a guest one thing.
pub(super) fn ask(plain: &TextModule, question: GuestFunction, store: &mut Store<GuestState>) -> GuestEnding {
    let started = match question {
        GuestFunction::Run => TextModuleInstance::start(plain, store).map(|talk| talk.run(store)),
        GuestFunction::Describe => TextModuleInstance::start(plain, store).and_then(|talk| {
            let describe = plain.describe.as_ref();
            let describe = describe.ok_or_else(|| format_err!("it does not describe itself"))?;
            Ok(talk.describe(&function(talk.instance, describe, store)?, store))
        }),
    };
    match started {
        Ok(reply) => GuestEnding::of(reply.map(Some)),
        Err(error) => GuestEnding::start(error),
    }
}

/// A fresh instance, and the ways to its memory.
struct TextModuleInstance {
    instance: Instance,
    memory: Memory,
    realloc: TypedFunc<(u32, u32, u32, u32), u32>,
    run: TypedFunc<(u32, u32), u32>,
}

impl TextModuleInstance {
    fn start(plain: &TextModule, store: &mut Store<GuestState>) -> Result<Self, Error> {
        let instance = plain.pre.instantiate(&mut *store)?;
        let memory = instance.get_module_export(&mut *store, &plain.memory).and_then(Extern::into_memory);
        let memory = memory.ok_or_else(|| format_err!("its export `memory` is not a memory"))?;
        let realloc = function(instance, &plain.realloc, store)?;
        let run = function(instance, &plain.run, store)?;
        if let Some(initialize) = &plain.initialize {
            function::<(), ()>(instance, initialize, store)?.call(&mut *store, ())?;
        }
        Ok(Self { instance, memory, realloc, run })
    }

    fn run(&self, store: &mut Store<GuestState>) -> Result<GuestReply, Error> {
        let input = std::mem::take(&mut store.data_mut().input);
        let len = u32::try_from(input.len())
            .map_err(|_| format_err!("the input is larger than its memory can be"))?;
        let at = self.realloc.call(&mut *store, (0, 0, 1, len))?;
        self.memory
            .write(&mut *store, at as usize, input.as_bytes())
            .map_err(|_| format_err!("it has no room for its input at {at}"))?;
        let at = self.run.call(&mut *store, (at, len))?;
        let memory = self.memory.data(&*store);
        let which = memory.get(at as usize).copied().ok_or_else(|| outside(at))?;
        let text = kept(store, text(memory, at.checked_add(4).ok_or_else(|| outside(at))?)?)?;
        match which {
            0 => Ok(Ok(text)),
            1 => Ok(Err(text)),
            other => Err(format_err!("its answer is neither a result nor an error, but {other}")),
        }
    }

    fn describe(
        &self,
        describe: &TypedFunc<(), u32>,
        store: &mut Store<GuestState>,
    ) -> Result<GuestReply, Error> {
        let at = describe.call(&mut *store, ())?;
        Ok(Ok(kept(store, text(self.memory.data(&*store), at)?)?))
    }
}

/// A function of an instance, if it has this type.
fn function<P: WasmParams, R: WasmResults>(
    instance: Instance,
    export: &ModuleExport,
    store: &mut Store<GuestState>,
) -> Result<TypedFunc<P, R>, Error> {
    let function = instance.get_module_export(&mut *store, export).and_then(Extern::into_func);
    function.ok_or_else(|| format_err!("one of its exports is not a function"))?.typed(&*store)
}

/// The text whose address and length are at `at`.
fn text(memory: &[u8], at: u32) -> Result<&str, Error> {
    let number = |at: u32| {
        let bytes = memory.get(at as usize..)?.first_chunk::<4>()?;
        Some(u32::from_le_bytes(*bytes))
    };
    let span = || Some((number(at)? as usize, number(at.checked_add(4)?)? as usize));
    let bytes = span().and_then(|(start, len)| memory.get(start..)?.get(..len));
    std::str::from_utf8(bytes.ok_or_else(|| outside(at))?).map_err(|_| {
        format_err!(
            "its answer is not \
        UTF-8 text"
        )
    })
}

/// A copy of an answer, if it is not longer than an output may be.
fn kept(store: &Store<GuestState>, text: &str) -> Result<String, Error> {
    if store.data().output_budget.take(text.len()) < text.len() {
        return Err(GuestAbort::Output.into());
    }
    Ok(text.to_owned())
}

fn outside(at: u32) -> Error {
    format_err!("its answer is outside its memory, at {at}")
}
