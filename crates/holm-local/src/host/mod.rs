//! The local model as a run sees it. All runs share one confined worker, which is started with the
//! first call and again after a crash, with a growing delay. llama.cpp never runs in this process:
//! it is in `worker/mod.rs`. The worker may read its own files and nothing else, and it has no
//! network.
//!
//! Where things are:
//! - `local_connection.rs`: the calls of one run. `worker_link.rs`: the connection to the worker.
//! - `calibration.rs`, `priors.rs`: another choice of the tool of a call.

mod calibration;
mod local_connection;
mod priors;
mod worker_link;

use std::{
    fs::File,
    io::Read as _,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use holm_jail::{Jail, JailEngine, JailLimits, JailNetwork, JailTask};
use holm_kernel::{Family, ModelSpec, Price};
use holm_runtime::{Model, ModelConnection};
use sha2::{Digest as _, Sha256};
use tokio::{sync::Mutex, time::Instant};

use crate::{
    GgufError, GgufHead, GgufKind, LocalError, LocalModelSettings, SERVE_ARGUMENT,
    wire::{LoadRequest, VERSION},
};
pub use local_connection::LocalConnection;
use priors::PriorCache;
use worker_link::WorkerLink;

/// The first delay after a worker that failed to start. It doubles with each failure.
const FIRST_WAIT: Duration = Duration::from_millis(100);
/// The longest wait between two tries.
const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// Memory of the worker beyond what its model needs: stacks of threads, the program
/// itself, and estimation errors.
const SPARE: u64 = 1 << 30;

/// A model on this machine. Clones share one worker, which starts with the first call and ends
/// with the last clone.
///
/// ```no_run
/// use holm_local::{LocalModel, LocalModelSettings};
///
/// // First in `main`: the worker is this program again.
/// holm_jail::launch_if_asked();
/// holm_local::serve_if_asked();
/// let model = LocalModel::open(LocalModelSettings::new("small.gguf"))?;
/// let card = model.card("local/small");
/// # Ok::<(), holm_local::LocalError>(())
/// ```
#[derive(Debug, Clone)]
pub struct LocalModel(Arc<LocalModelInner>);

#[derive(Debug)]
pub(crate) struct LocalModelInner {
    pub(crate) settings: LocalModelSettings,
    head: GgufHead,
    numbers: AtomicU64,
    /// The priors of this model; they are not valid for any other.
    priors: std::sync::Mutex<PriorCache>,
    worker: Mutex<WorkerState>,
}

/// The worker, and the history of its starts.
#[derive(Debug, Default)]
struct WorkerState {
    link: Option<Arc<WorkerLink>>,
    failures: u32,
    not_before: Option<Instant>,
}

impl LocalModel {
    /// Checks the files and the machine, and starts nothing.
    ///
    /// # Errors
    /// [`LocalError`] for unusable files, and for machines on which llama.cpp does not run.
    pub fn open(mut settings: LocalModelSettings) -> Result<Self, LocalError> {
        processor()?;
        let head = checked(&mut settings.model, GgufKind::Model)?;
        if let Some(path) = &mut settings.adapter {
            let adapter = checked(path, GgufKind::Adapter)?;
            if let Some(wants) = adapter.base
                && file_hash(&settings.model)? != wants
            {
                return Err(LocalError::OtherBase { adapter: path.clone(), wants });
            }
        }
        let context = u64::from(settings.context).min(head.context.unwrap_or(u64::MAX));
        if let Some(free) = free_memory() {
            let fits = head.fits(context, free);
            fits.map_err(|error| LocalError::File { path: settings.model.clone(), why: error })?;
        }
        let (numbers, priors) = (AtomicU64::new(0), std::sync::Mutex::default());
        let worker = Mutex::new(WorkerState::default());
        Ok(Self(Arc::new(LocalModelInner { settings, head, numbers, priors, worker })))
    }

    /// The header of the model file.
    #[must_use]
    pub fn head(&self) -> &GgufHead {
        &self.0.head
    }

    /// The model card for the kernel, under a name of the form `provider/model`. Its price is zero.
    #[must_use]
    pub fn card(&self, name: &str) -> ModelSpec {
        ModelSpec {
            family: Family::Open,
            window: Some(self.0.context()),
            max_output: Some(u64::from(self.0.settings.most)),
            price: Some(Price::default()),
            ..ModelSpec::named(name)
        }
    }

    /// Starts the worker, if none is running, and waits until it has loaded the model.
    ///
    /// # Errors
    /// [`LocalError`] if the worker fails to start.
    pub async fn start(&self) -> Result<(), LocalError> {
        self.0.link().await.map(drop)
    }

    /// Opens a connection that can report the cost of its last call.
    #[must_use]
    pub fn line(&self) -> LocalConnection {
        LocalConnection::new(Arc::clone(&self.0))
    }
}

impl Model for LocalModel {
    fn open(&self) -> Box<dyn ModelConnection> {
        Box::new(self.line())
    }
}

impl LocalModelInner {
    /// A number that no other call or session of this model has.
    pub(crate) fn number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }

    /// Returns the worker, and starts it if necessary. After a failure there is a pause, so that a
    /// broken file costs little time.
    pub(crate) async fn link(&self) -> Result<Arc<WorkerLink>, LocalError> {
        let mut worker = self.worker.lock().await;
        if let Some(link) = worker.link.as_ref().filter(|link| link.is_open()) {
            return Ok(Arc::clone(link));
        }
        if worker.link.take().is_some() {
            worker.failed();
        }
        if let Some(then) = worker.not_before.take() {
            tokio::time::sleep_until(then).await;
        }
        match self.start().await {
            Ok(link) => {
                let link = Arc::new(link);
                worker.link = Some(Arc::clone(&link));
                Ok(link)
            }
            Err(error) => {
                worker.failed();
                Err(error)
            }
        }
    }

    /// Records that the worker works.
    pub(crate) async fn worked(&self) {
        self.worker.lock().await.failures = 0;
    }

    async fn start(&self) -> Result<WorkerLink, LocalError> {
        let engine = match &self.settings.engine {
            Some(engine) => engine.clone(),
            None => JailEngine::detect()?,
        };
        let program = match &self.settings.worker {
            Some(program) => program.clone(),
            None => this_program()?,
        };
        let task = JailTask::new(program).args([SERVE_ARGUMENT]).piped_input();
        let job = self.settings.launcher.spawn(&engine, &self.jail(), &task).await?;
        WorkerLink::open(job, self.load()).await
    }

    /// The jail of the worker, which can read its own files and nothing else.
    fn jail(&self) -> Jail {
        let forever = Duration::from_secs(10 * 365 * 24 * 3600);
        let memory = self.head.memory(self.context()).saturating_add(SPARE);
        let limits =
            JailLimits { wall: forever, cpu: forever, memory, output: u64::MAX, ..JailLimits::default() };
        let jail = Jail::new().read(&self.settings.model).network(JailNetwork::None).limits(limits);
        self.settings.adapter.iter().fold(jail, Jail::read)
    }

    fn load(&self) -> LoadRequest {
        LoadRequest {
            version: VERSION,
            model: self.settings.model.clone(),
            adapter: self.settings.adapter.clone(),
            threads: self.settings.thread_count(),
            context: u32::try_from(self.context()).unwrap_or(u32::MAX),
            sequences: self.settings.sequences,
        }
    }

    fn context(&self) -> u64 {
        u64::from(self.settings.context).min(self.head.context.unwrap_or(u64::MAX))
    }
}

impl WorkerState {
    fn failed(&mut self) {
        let wait = FIRST_WAIT.saturating_mul(1_u32.checked_shl(self.failures).unwrap_or(u32::MAX));
        self.failures = self.failures.saturating_add(1);
        self.not_before = Some(Instant::now() + wait.min(LONGEST_WAIT));
    }
}

/// Reads a file's header, and resolves the links in its path, as a jail requires.
fn checked(path: &mut PathBuf, kind: GgufKind) -> Result<GgufHead, LocalError> {
    let head = GgufHead::open(path).and_then(|head| head.expect(kind));
    let head = head.map_err(|why| LocalError::File { path: path.clone(), why })?;
    *path = path.canonicalize().map_err(|error| {
        let why = GgufError::Unreadable { path: path.clone(), why: error.to_string() };
        LocalError::File { path: path.clone(), why }
    })?;
    Ok(head)
}

/// The SHA-256 of a file, in hex.
///
/// # Errors
/// [`LocalError::File`] if the file cannot be read.
pub fn file_hash(path: &Path) -> Result<String, LocalError> {
    let unreadable = |error: std::io::Error| {
        let unreadable_file = GgufError::Unreadable { path: path.to_owned(), why: error.to_string() };
        LocalError::File { path: path.to_owned(), why: unreadable_file }
    };
    let mut file = File::open(path).map_err(unreadable)?;
    let mut state = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer).map_err(unreadable)? {
            0 => break,
            read => state.update(buffer.get(..read).unwrap_or_default()),
        }
    }
    Ok(state.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

fn this_program() -> Result<PathBuf, LocalError> {
    let found = std::env::current_exe().and_then(|path| path.canonicalize());
    found.map_err(|error| LocalError::Refused(format!("this program cannot find itself: {error}")))
}

/// The memory that the system can provide, in bytes.
fn free_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib.saturating_mul(1024))
}

/// llama.cpp is built for the instructions of every processor since 2015. An older one would crash.
#[cfg(target_arch = "x86_64")]
fn processor() -> Result<(), LocalError> {
    let needs = [
        ("AVX2", is_x86_feature_detected!("avx2")),
        ("FMA", is_x86_feature_detected!("fma")),
        ("F16C", is_x86_feature_detected!("f16c")),
        ("BMI2", is_x86_feature_detected!("bmi2")),
    ];
    needs
        .iter()
        .find(|(_, supported)| !supported)
        .map_or(Ok(()), |(name, _)| Err(LocalError::Processor(name)))
}

#[cfg(not(target_arch = "x86_64"))]
fn processor() -> Result<(), LocalError> {
    Ok(())
}
