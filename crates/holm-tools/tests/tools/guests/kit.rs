//! One sandbox for all tests, a workspace each, and the guests by their names.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use holm_grants::{CallNeed, GrantSet};
use holm_guards::json::Json;
use holm_kernel::{Outcome, ToolOutput};
use holm_runtime::{Tool, ToolInvocation};
use holm_sandbox::{CompilerProgram, OutboundNetwork, Sandbox, SandboxSettings};
use holm_tools::registry::PinStatus;
use holm_tools::shipped_guests;
use holm_tools::wasm::{GuestInspection, WasmHost, WasmSettings, WasmTool};

/// One sandbox for all tests, with a cache, because the larger guests take seconds to compile.
pub(crate) fn sandbox() -> Sandbox {
    static SANDBOX: OnceLock<Sandbox> = OnceLock::new();
    let make = || {
        let compiler = CompilerProgram::program(env!("CARGO_BIN_EXE_holm-tools-compiler"));
        let cache = Some(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("guests"));
        Sandbox::new(SandboxSettings { cache, ..SandboxSettings::with_compiler(compiler) }).unwrap()
    };
    SANDBOX.get_or_init(make).clone()
}

/// A workspace and what guests see of it.
pub(crate) struct Scene {
    folder: tempfile::TempDir,
    outbound: Option<Arc<dyn OutboundNetwork>>,
}

impl Scene {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), outbound: None }
    }

    pub(crate) fn with_network(outbound: Arc<dyn OutboundNetwork>) -> Self {
        Self { outbound: Some(outbound), ..Self::new() }
    }

    pub(crate) fn file(self, path: &str, text: &str) -> Self {
        let path = self.folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(path)).unwrap()
    }

    /// Everything in a folder, by name.
    pub(crate) fn names(&self, folder: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path().join(folder)).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The guest of a name as a tool.
    pub(crate) fn tool(&self, name: &str) -> (WasmTool, GuestInspection) {
        let guest = shipped_guests::all().iter().find(|guest| guest.name() == name);
        let guest =
            guest.unwrap_or_else(|| panic!("{name} is not inside; run scripts/build-guests and build again"));
        let host = self.host();
        let open = || guest.open(&host, &mut |_| {});
        std::thread::scope(|scope| scope.spawn(open).join().unwrap()).unwrap()
    }

    /// A tool of bytes from elsewhere. On a thread of its own, because opening blocks.
    pub(crate) fn open(&self, name: &str, bytes: &[u8]) -> WasmTool {
        let host = self.host();
        let open = || WasmTool::open(&host, name, bytes, None, PinStatus::Confirmed, &mut |_| {});
        std::thread::scope(|scope| scope.spawn(open).join().unwrap()).unwrap().0
    }

    fn host(&self) -> WasmHost {
        let workspace = Some(self.folder.path().to_owned());
        let settings = WasmSettings { workspace, outbound: self.outbound.clone(), ..WasmSettings::default() };
        WasmHost::new(sandbox(), settings)
    }

    /// Runs a call that was allowed these grants.
    pub(crate) async fn run(tool: &WasmTool, arguments: &str, grants: &[&str]) -> ToolOutput {
        let mut job = ToolInvocation::alone(arguments);
        let grants = GrantSet::parse(grants.iter().copied()).unwrap();
        job.needs = grants.iter().cloned().map(CallNeed::Grant).collect();
        tool.run(job).await
    }

    /// Calls a guest that was allowed these grants.
    pub(crate) async fn call(&self, name: &str, arguments: &str, grants: &[&str]) -> ToolOutput {
        Self::run(&self.tool(name).0, arguments, grants).await
    }

    /// Calls a guest that was allowed exactly what it asks for with these arguments, as the kernel would.
    pub(crate) async fn as_asked(&self, name: &str, arguments: &str) -> ToolOutput {
        let (tool, _) = self.tool(name);
        let parsed = Json::parse(arguments).unwrap();
        let value = |name: &str| parsed.get(name).and_then(Json::as_str);
        let mut job = ToolInvocation::alone(arguments);
        let asked = tool.declaration().needs.iter().flat_map(|ask| ask.needs(value).unwrap());
        job.needs = asked.collect();
        tool.run(job).await
    }

    /// The same, where it must go well: what it says.
    pub(crate) async fn ask(&self, name: &str, arguments: &str, grants: &[&str]) -> String {
        let output = self.call(name, arguments, grants).await;
        assert_eq!(output.outcome, Outcome::Succeeded, "{name} {arguments}: {}", output.text);
        output.text
    }
}
