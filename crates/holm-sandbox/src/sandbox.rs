//! The sandbox itself: loads guests and runs them.
//!
//! It connects the parts: shape, cache, compiler and linker for loading (`wasm_shape.rs`,
//! `cache.rs`, `compile/`, `guest.rs`), gate, workers and clock for running (`gate.rs`,
//! `workers.rs`, `ticker.rs`). It decides nothing about grants: the policy of the call does. Only
//! code from our own compiler is loaded. Dropping a running call cancels it.

use std::collections::HashMap;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};
use thiserror::Error;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use wasmtime::Engine;

use crate::cache::{CodeCache, CodeId, TrustedCode};
use crate::call::GuestCall;
use crate::cancel::CancelSwitch;
use crate::compile::{CompileProgress, CompilerError, CompilerProgram, compile};
use crate::engine::{EnginePurpose, engine, fingerprint};
use crate::files::GuestAccess;
use crate::gate::{GateError, GuestGate};
use crate::guest::{Guest, GuestCode, GuestLinkers, GuestLoadError, LoadedGuest};
use crate::limits::GuestLimits;
use crate::outcome::{GuestOutcome, GuestStop};
use crate::precompiled_code::PrecompiledCode;
use crate::run::{CallHost, GuestFunction, failed};
use crate::ticker::EpochTicker;
use crate::wasm_shape::{WasmKind, WasmShape};
use crate::workers::{WorkerPool, WorkerPoolError};

/// Runs guests with the grants they were given, and nothing else. Clones are the same sandbox.
///
/// One per process is enough: it has one engine, one clock and one pool of threads for all callers.
///
/// ```
/// use holm_sandbox::{GuestAccess, GuestCall, Sandbox, SandboxSettings};
///
/// holm_sandbox::compiler_main();
/// # // Compiling starts this program again, which a documentation test does not survive.
/// # if std::env::args().count() > 9 {
/// let sandbox = Sandbox::new(SandboxSettings::new()?)?;
/// let guest = sandbox.load(&std::fs::read("base64.wasm")?, &mut |_| {})?;
/// let outcome = sandbox.run_here(&guest, GuestCall::new(GuestAccess::none()).arg("base64").stdin("hi"));
/// assert!(outcome.succeeded());
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Sandbox(Arc<SandboxInner>);

struct SandboxInner {
    engine: Engine,
    fingerprint: [u8; 32],
    linkers: GuestLinkers,
    ticker: EpochTicker,
    compiler: CompilerProgram,
    cache: Option<CodeCache>,
    /// The loaded guests, as long as a caller holds them.
    loaded: Mutex<HashMap<[u8; 32], Weak<LoadedGuest>>>,
    workers: WorkerPool,
    gate: Arc<GuestGate>,
    io: Option<Runtime>,
}

/// The settings of a sandbox.
#[derive(Debug, Clone)]
pub struct SandboxSettings {
    pub compiler: CompilerProgram,
    /// The folder for compiled code; without it nothing is cached.
    pub cache: Option<PathBuf>,
    /// The most guests that run at once; further calls wait. Guests that wait for the network count
    /// too. A party with many calls gets half of what the others leave ([`GuestCall::party`]).
    pub guests: u32,
}

/// Enough for a busy machine, few enough that a thousand sessions cannot take all memory.
const GUESTS: u32 = 64;

/// How long a call waits for its place before it is refused. The guest has then done nothing. A
/// caller must wait longer than this, or it would take a refused call for one that ran.
pub const PATIENCE: Duration = Duration::from_secs(30);

impl SandboxSettings {
    /// Compiles by starting this program again, keeps nothing, runs up to 64 guests at once.
    ///
    /// # Errors
    ///
    /// If [`crate::compiler_main`] was not called in this process.
    pub fn new() -> Result<Self, CompilerError> {
        Ok(Self::with_compiler(CompilerProgram::itself()?))
    }

    /// The same with another compiler program.
    #[must_use]
    pub fn with_compiler(compiler: CompilerProgram) -> Self {
        Self { compiler, cache: None, guests: GUESTS }
    }
}

/// Why a sandbox could not be created.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SandboxError {
    /// The engine does not work on this machine.
    #[error("cannot start the WebAssembly engine: {0}")]
    Engine(String),
    /// A thread could not be started.
    #[error("cannot start a thread: {0}")]
    Thread(String),
    /// The folder for compiled code cannot be used.
    #[error("cannot use the cache {path}: {reason}")]
    Cache { path: PathBuf, reason: String },
}

impl Sandbox {
    /// Makes a sandbox with these settings.
    ///
    /// # Errors
    ///
    /// If the machine lacks the needed resources.
    pub fn new(settings: SandboxSettings) -> Result<Self, SandboxError> {
        let wrong = |error: wasmtime::Error| SandboxError::Engine(format!("{error:#}"));
        let thread = |error: std::io::Error| SandboxError::Thread(error.to_string());
        let engine = engine(EnginePurpose::Run { guests: settings.guests.max(1) }).map_err(wrong)?;
        let cache = settings.cache.map(|path| {
            CodeCache::open(&path).map_err(|error| SandboxError::Cache { path, reason: error.to_string() })
        });
        // One thread for timers and sockets; guests run elsewhere.
        let io = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("holm-sandbox-io")
            .enable_all()
            .build()
            .map_err(thread)?;
        let gate = Arc::new(GuestGate::new(settings.guests.max(1)));
        Ok(Self(Arc::new(SandboxInner {
            fingerprint: fingerprint(&engine),
            linkers: GuestLinkers::new(&engine).map_err(wrong)?,
            ticker: EpochTicker::start(&engine, Arc::clone(&gate)).map_err(thread)?,
            compiler: settings.compiler,
            cache: cache.transpose()?,
            loaded: Mutex::default(),
            workers: WorkerPool::new(settings.guests),
            gate,
            io: Some(io),
            engine,
        })))
    }

    /// Loads a guest: from memory, from the cache, or by compiling the bytes, which may take long.
    /// Blocks meanwhile, and calls `progress` ten times a second.
    ///
    /// # Errors
    ///
    /// If the bytes are refused, cannot be compiled in time, or import functions that
    /// do not exist here.
    pub fn load(
        &self,
        bytes: &[u8],
        progress: &mut dyn FnMut(CompileProgress),
    ) -> Result<Guest, GuestLoadError> {
        let hash: [u8; 32] = Sha256::digest(bytes).into();
        if let Some(loaded) = self.0.held(&hash) {
            return Ok(Guest(loaded));
        }
        let shape = WasmShape::of(bytes)?;
        let code = self.0.code(bytes, shape.kind, &hash, progress)?;
        let loaded = Arc::new(LoadedGuest { shape, hash, code });
        self.0.hold(hash, &loaded);
        Ok(Guest(loaded))
    }

    /// The same for a guest that comes with the program and was compiled with it. If that code does
    /// not fit this engine or this processor, the bytes are compiled instead.
    ///
    /// # Errors
    ///
    /// The same errors as [`load`](Self::load).
    pub fn load_ready(
        &self,
        bytes: &[u8],
        ready: PrecompiledCode,
        progress: &mut dyn FnMut(CompileProgress),
    ) -> Result<Guest, GuestLoadError> {
        let hash: [u8; 32] = Sha256::digest(bytes).into();
        if let Some(loaded) = self.0.held(&hash) {
            return Ok(Guest(loaded));
        }
        let shape = WasmShape::of(bytes)?;
        let code = match self.0.linkers.link(&self.0.engine, shape.kind, &TrustedCode::from_program(ready.0))
        {
            Ok(linked) => linked?,
            Err(_) => self.0.code(bytes, shape.kind, &hash, progress)?,
        };
        let loaded = Arc::new(LoadedGuest { shape, hash, code });
        self.0.hold(hash, &loaded);
        Ok(Guest(loaded))
    }

    /// Starts a call on a thread of the sandbox's own. Dropping the returned
    /// value cancels the call.
    #[must_use = "dropping a running call cancels it"]
    pub fn run(&self, guest: &Guest, call: GuestCall) -> RunningGuest {
        self.start(guest, GuestFunction::Run, call)
    }

    /// Runs a call on this thread, which must be one that may block: not a worker
    /// of an async runtime.
    #[must_use]
    pub fn run_here(&self, guest: &Guest, call: GuestCall) -> GuestOutcome {
        self.run_here_until(guest, call, &CancelSwitch::new())
    }

    /// The same, with a switch that ends it.
    #[must_use]
    pub fn run_here_until(&self, guest: &Guest, call: GuestCall, cancel: &CancelSwitch) -> GuestOutcome {
        self.0.run(guest, GuestFunction::Run, call, cancel)
    }

    /// Asks a guest of the text world to describe itself, without any grants. The reply holds the
    /// guest's own JSON text, unchecked.
    #[must_use = "dropping a running call cancels it"]
    pub fn describe(&self, guest: &Guest) -> RunningGuest {
        self.start(guest, GuestFunction::Describe, GuestCall::new(GuestAccess::none()))
    }

    /// The same on this thread, which must be one that may block, under these limits.
    #[must_use]
    pub fn describe_here(&self, guest: &Guest, limits: GuestLimits) -> GuestOutcome {
        let call = GuestCall::new(GuestAccess::none()).limits(limits);
        self.0.run(guest, GuestFunction::Describe, call, &CancelSwitch::new())
    }

    fn start(&self, guest: &Guest, question: GuestFunction, call: GuestCall) -> RunningGuest {
        let (sender, receiver) = oneshot::channel();
        let cancel = CancelSwitch::new();
        let (inner, guest, switch) = (Arc::clone(&self.0), guest.clone(), cancel.clone());
        let party = call.party;
        let job = move || {
            let outcome = inner.run(&guest, question, call, &switch);
            // First let go, then answer: who has the answer may want to see everything gone.
            drop((guest, inner));
            let _ = sender.send(outcome);
        };
        let refused = self.0.workers.submit(party, job).err();
        RunningGuest { receiver, cancel, refused, began: Instant::now() }
    }
}

/// Two sandboxes are equal if one is a clone of the other: the same engine, threads and places.
impl PartialEq for Sandbox {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Sandbox {}

impl std::fmt::Debug for Sandbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sandbox").field("workers", &self.0.workers).finish_non_exhaustive()
    }
}

impl SandboxInner {
    fn run(
        &self,
        guest: &Guest,
        question: GuestFunction,
        call: GuestCall,
        cancel: &CancelSwitch,
    ) -> GuestOutcome {
        let Some(io) = &self.io else {
            return failed(Instant::now(), "the sandbox is closing".to_owned());
        };
        // Room is limited on every thread. Waiting for it does not count as the guest's time.
        let _pass = match self.gate.enter(call.party, cancel, PATIENCE) {
            Ok(pass) => pass,
            Err(GateError::Cancelled) => {
                return GuestOutcome { stop: GuestStop::Cancelled, ..failed(Instant::now(), String::new()) };
            }
            Err(GateError::Busy) => {
                let busy = "too many guests are running, so it was not started; try again later";
                return failed(Instant::now(), busy.to_owned());
            }
        };
        self.ticker.wake_if_asleep();
        let host = CallHost { engine: &self.engine, io: io.handle() };
        host.run(guest, question, call, cancel)
    }

    fn held(&self, hash: &[u8; 32]) -> Option<Arc<LoadedGuest>> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner).get(hash)?.upgrade()
    }

    fn hold(&self, hash: [u8; 32], loaded: &Arc<LoadedGuest>) {
        let mut all = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, held| held.strong_count() > 0);
        all.insert(hash, Arc::downgrade(loaded));
    }

    /// Links code, from the cache if it holds code that fits.
    fn code(
        &self,
        bytes: &[u8],
        kind: WasmKind,
        hash: &[u8; 32],
        progress: &mut dyn FnMut(CompileProgress),
    ) -> Result<GuestCode, GuestLoadError> {
        let id = self.id(kind, hash);
        if let (Some(cache), Some(trusted)) =
            (&self.cache, self.cache.as_ref().and_then(|cache| cache.get(&id)))
        {
            match self.linkers.link(&self.engine, kind, &trusted) {
                Ok(linked) => return linked,
                // Sealed by us and yet not loadable: it was made by a different engine that reports
                // the same fingerprint.
                Err(_) => cache.forget(&id),
            }
        }
        let trusted = TrustedCode::from_compiler(compile(&self.compiler, kind, bytes, progress)?);
        let code = self
            .linkers
            .link(&self.engine, kind, &trusted)
            .map_err(|error| GuestLoadError::Unsuitable(format!("{error:#}")))??;
        if let Some(cache) = &self.cache {
            // A full disk does not keep the guest from running.
            let _ = cache.put(&id, &trusted);
        }
        Ok(code)
    }

    fn id(&self, kind: WasmKind, hash: &[u8; 32]) -> CodeId {
        let kind: &[u8] = match kind {
            WasmKind::Module => b"module",
            WasmKind::Component => b"component",
        };
        let digest = Sha256::new().chain_update(self.fingerprint).chain_update(kind).chain_update(hash);
        CodeId(digest.finalize().into())
    }
}

/// The last user may be a guest's own thread or a task of the caller's runtime; neither may wait
/// for our threads to end.
impl Drop for SandboxInner {
    fn drop(&mut self) {
        if let Some(io) = self.io.take() {
            io.shutdown_background();
        }
    }
}

/// A call that is on its way. Ends with its outcome; dropped before, it is cancelled.
#[derive(Debug)]
pub struct RunningGuest {
    receiver: oneshot::Receiver<GuestOutcome>,
    cancel: CancelSwitch,
    refused: Option<WorkerPoolError>,
    began: Instant,
}

impl RunningGuest {
    /// The switch that cancels this call.
    #[must_use]
    pub fn cancel(&self) -> CancelSwitch {
        self.cancel.clone()
    }
}

impl Future for RunningGuest {
    type Output = GuestOutcome;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<GuestOutcome> {
        if let Some(busy) = self.refused {
            let problem = match busy {
                WorkerPoolError::Full => "too many calls are already waiting",
                WorkerPoolError::NoThread => "cannot start a thread",
            };
            return Poll::Ready(failed(self.began, problem.to_owned()));
        }
        let began = self.began;
        Pin::new(&mut self.receiver)
            .poll(cx)
            .map(|outcome| outcome.unwrap_or_else(|_| failed(began, "the guest's thread is gone".to_owned())))
    }
}

impl Drop for RunningGuest {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}
