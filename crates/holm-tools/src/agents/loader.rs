//! Loads agents from the files of a tool folder. They appear and disappear with their files, while
//! runs are under way. Building is done in `agent_set.rs`; folders are watched and files are
//! admitted in `registry/`.
//!
//! An agent is built anew for every call, from the files that exist then. A missing dependency is
//! reported only when the agent is called, since it may still appear; a cycle is refused at once.
//! The tool of an agent is never run by hand: the kernel starts a child run.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use holm_kernel::{CHILDREN, ChildResult, ToolOutput, ToolSpec};
use holm_runtime::{
    BoxFuture, ChildLaunch, ChildSpawner, HelperAgent, HelperSet, LiveChild, Tool, ToolInvocation,
};

use super::{
    AgentBuildError, AgentBuildErrorKind, AgentFile, AgentHost, AgentSet, AgentToolNames,
    agent_set::{asked, distinct, dressed, under},
};
use crate::registry::{ToolFile, ToolLoadError, ToolLoader, ToolOffer};

/// Makes helpers of the agent files in a tool folder, and starts them. Clones share their state:
/// give one to the registry as its loader, and another to the agent as its spawner.
///
/// An agent is built anew for every call, from the files that exist then. So a changed file counts
/// from the next call on. If two files name each other, it does not matter which was found first.
#[derive(Clone)]
pub struct AgentLoader {
    kit: Arc<dyn AgentHost>,
    /// The children of all calls, whichever version of a file they began with.
    helpers: HelperSet,
    files: Arc<Mutex<AgentFileMap>>,
}

/// The agents by the paths of their files. An entry lives as long as the agent's tool is held.
type AgentFileMap = BTreeMap<PathBuf, Weak<AgentFile>>;

impl AgentLoader {
    /// Makes agents of what this host has.
    pub fn new(kit: impl AgentHost) -> Self {
        Self { kit: Arc::new(kit), helpers: HelperSet::new(), files: Arc::default() }
    }

    /// Says how many children of one run may be at work at the same time.
    #[must_use]
    pub fn at_most(self, children: usize) -> Self {
        Self { helpers: self.helpers.at_most(children), ..self }
    }

    /// The children at work now, and theirs.
    pub fn live(&self) -> Vec<LiveChild> {
        self.helpers.live()
    }

    /// The tool with which a model looks after its background children. A host whose agents work in
    /// the background adds it once, independent of which files come and go. Without it, results
    /// still arrive by themselves.
    pub fn children() -> Arc<dyn Tool> {
        Arc::new(KernelTool { declaration: ToolSpec::children(CHILDREN) })
    }

    /// The part of a system prompt that introduces the agents; empty if there are none.
    pub fn introduction(&self) -> String {
        let mut text = String::new();
        for file in self.agents() {
            let lead = if text.is_empty() { "Helpers you can delegate to; each is a tool:" } else { "" };
            let _ = write!(text, "{lead}\n- {}: {}", file.name, file.description);
        }
        text
    }

    /// Why agents cannot be called at present: their file names a tool that does not exist. The
    /// tool may still appear, so the agents stay. After loading all folders, the host reports these
    /// faults to a person. A call of such an agent reports its fault to the model.
    pub fn faults(&self) -> Vec<AgentBuildError> {
        AgentSet::gather_into(HelperSet::new(), self.agents(), Arc::clone(&self.kit)).faults
    }

    /// The agents whose tools are still held, under the names by which they are called.
    fn agents(&self) -> Vec<Arc<AgentFile>> {
        distinct(self.known().into_iter().map(|(_, file)| file))
    }

    /// The same with their places.
    fn known(&self) -> Vec<(PathBuf, Arc<AgentFile>)> {
        let held: Vec<(PathBuf, Arc<AgentFile>)> = {
            let mut files = self.files();
            files.retain(|_, file| file.strong_count() > 0);
            files.iter().filter_map(|(path, file)| Some((path.clone(), file.upgrade()?))).collect()
        };
        let called = |(path, file): (PathBuf, Arc<AgentFile>)| match self.kit.called(&path) {
            Some(name) => (path, under(file, name)),
            None => (path, file),
        };
        held.into_iter().map(called).collect()
    }

    /// Every change is a single step, so a panic elsewhere leaves no partial state.
    fn files(&self) -> MutexGuard<'_, AgentFileMap> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self, path: &Path, bytes: &[u8]) -> Result<ToolOffer, ToolLoadError> {
        let text = str::from_utf8(bytes).map_err(|_| ToolLoadError::refused("it is not UTF-8 text"))?;
        let file = AgentFile::parse(text).map_err(|error| ToolLoadError::refused(error.to_string()))?;
        self.offer(path, file)
    }

    /// The tool that calls the agent of a file that the caller has read. The agent exists as long
    /// as the tool is held.
    ///
    /// # Errors
    /// Why the agent cannot be made beside the others.
    pub fn offer(&self, path: &Path, file: AgentFile) -> Result<ToolOffer, ToolLoadError> {
        let file = Arc::new(file);
        self.check(path, &file)?;
        let declaration = self.declare(&file)?;
        let remarks = file.remarks();
        self.files().insert(path.to_owned(), Arc::downgrade(&file));
        let offer = ToolOffer::new(Arc::new(AgentTool { declaration, _file: file }));
        Ok(remarks.into_iter().fold(offer, ToolOffer::note))
    }

    /// Whether it could be made beside the others. A missing dependency is reported only when
    /// the agent is called.
    fn check(&self, path: &Path, file: &Arc<AgentFile>) -> Result<(), ToolLoadError> {
        let others = self.known().into_iter().filter(|(other, _)| other != path).map(|(_, file)| file);
        let files = [Arc::clone(file)].into_iter().chain(others);
        let crew = AgentSet::gather_into(HelperSet::new(), files, Arc::clone(&self.kit));
        for fault in crew.faults.into_iter().filter(|fault| fault.agent == file.name) {
            match fault.why {
                AgentBuildErrorKind::NoTool { .. } | AgentBuildErrorKind::Below { .. } => {}
                AgentBuildErrorKind::Circle { .. }
                | AgentBuildErrorKind::TooDeep { .. }
                | AgentBuildErrorKind::NoAgent { .. }
                | AgentBuildErrorKind::NoRepository { .. }
                | AgentBuildErrorKind::NotMade { .. } => {
                    return Err(ToolLoadError::refused(fault.why.to_string()));
                }
            }
        }
        Ok(())
    }

    /// Its declaration for the kernel.
    fn declare(&self, file: &AgentFile) -> Result<ToolSpec, ToolLoadError> {
        let refused = |reason: String| ToolLoadError::refused(reason);
        let agent = self.kit.begin(file.model.as_deref()).map_err(refused)?;
        let agent = agent.build().map_err(|error| ToolLoadError::refused(error.to_string()))?;
        let tools = self.kit.tools(None);
        let mut below: Vec<&str> = match &file.tools {
            AgentToolNames::All => Vec::new(),
            AgentToolNames::These(names) => {
                names.iter().map(|name| &**name).filter(|name| tools.find(name).is_none()).collect()
            }
        };
        below.extend(file.manages.iter().map(|name| &**name));
        let helper = HelperAgent::new(&*file.name, &*file.description, agent);
        let helper = dressed(helper, file, asked(file, below));
        // With those in the background comes the tool that looks after them, which is not this one.
        let declarations = HelperSet::new().with(helper).declarations();
        let own = declarations.into_iter().find(|declaration| declaration.name == file.name);
        own.ok_or_else(|| ToolLoadError::refused("it cannot be declared"))
    }
}

impl ToolLoader for AgentLoader {
    /// A Markdown file that begins with a head; any other is a text for people.
    fn claims(&self, path: &Path, head: &[u8]) -> bool {
        let head = head.strip_prefix("\u{feff}".as_bytes()).unwrap_or(head);
        path.extension().is_some_and(|ending| ending == "md") && head.starts_with(b"---")
    }

    fn load<'a>(&'a self, found: ToolFile<'a>) -> BoxFuture<'a, Result<Vec<ToolOffer>, ToolLoadError>> {
        let offer = self.read(found.path, found.bytes).map(|offer| vec![offer]);
        Box::pin(async move { offer })
    }
}

impl ChildSpawner for AgentLoader {
    fn spawn(&self, child: ChildLaunch) -> BoxFuture<'static, ChildResult> {
        let crew = AgentSet::gather_into(self.helpers.clone(), self.agents(), Arc::clone(&self.kit));
        let fault = crew.faults.iter().find(|fault| fault.agent == *child.request.tool);
        if let Some(fault) = fault {
            let reason = fault.to_string();
            return Box::pin(async move { child.not_run(reason).await });
        }
        crew.helpers.spawn(child)
    }
}

/// A tool whose calls the kernel answers itself.
struct KernelTool {
    declaration: ToolSpec,
}

impl Tool for KernelTool {
    fn declaration(&self) -> &ToolSpec {
        &self.declaration
    }

    fn run(&self, _: ToolInvocation) -> BoxFuture<'static, ToolOutput> {
        Box::pin(async { ToolOutput::failed("the run that calls it answers it, and nobody else") })
    }
}

/// An agent as a tool of the registry: the kernel starts a child run for each call.
struct AgentTool {
    declaration: ToolSpec,
    /// Keeps the agent there as long as the tool is.
    _file: Arc<AgentFile>,
}

impl Tool for AgentTool {
    fn declaration(&self) -> &ToolSpec {
        &self.declaration
    }

    fn run(&self, _: ToolInvocation) -> BoxFuture<'static, ToolOutput> {
        Box::pin(async {
            ToolOutput::failed("an agent is started by the run that calls it, and not by hand")
        })
    }
}
