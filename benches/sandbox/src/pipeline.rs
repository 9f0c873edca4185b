//! Whole calls of tools, as a run makes them: the arguments are checked by the schema, the needs become grants, a fresh
//! instance runs on a thread of the sandbox's own, and the answer becomes a result.

use holm_grants::Template;
use holm_guards::json::Json;
use holm_guards::schema::Schema;
use holm_runtime::{Job, Tool};
use holm_sandbox::{Sandbox, Settings};
use holm_tools::registry::{Sidecar, Standing};
use holm_tools::shipped_guests;
use holm_tools::wasm::{WasmHost, WasmSettings, WasmTool};

use crate::figures::Figures;
use crate::guests;

const CALLS: usize = 20_000;

/// What the guests say about themselves.
const ABOUT: &str = r#"{"description":"A guest of the benchmark.","schema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}"#;
const ARGUMENTS: &str = r#"{"path":"file.txt"}"#;

pub(crate) fn measure(figures: &mut Figures) -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("file.txt"), "x".repeat(4_000))?;
    let settings = WasmSettings { workspace: Some(folder.path().to_owned()), ..WasmSettings::default() };
    let host = WasmHost::new(Sandbox::new(Settings::new()?)?, settings);
    let (hello, reads) = (guests::hello()?, guests::reads()?);
    for (name, bytes, asks) in [
        ("tool: text", guests::text(0)?, ""),
        ("tool: module", hello.clone(), ""),
        ("tool: command", guests::command(&hello)?, ""),
        ("tool: module reads", reads.clone(), "asks = ['read:{path}']"),
        ("tool: command reads", guests::command(&reads)?, "asks = ['read:{path}']"),
    ] {
        let (bytes, sidecar) = (guests::described(&bytes, ABOUT), Sidecar::parse(asks)?);
        let (tool, _) =
            WasmTool::open(&host, "tool", &bytes, Some(&sidecar), Standing::Confirmed, &mut |_| {})?;
        one(figures, name, &tool, ARGUMENTS)?;
    }
    for (row, name, arguments) in [
        ("tool: base64", "base64", r#"{"text":"some text"}"#),
        ("tool: read", "read", ARGUMENTS),
        ("tool: glob", "glob", r#"{"pattern":"*.txt"}"#),
        ("tool: shell", "shell", r#"{"script":"echo hello"}"#),
    ] {
        match shipped_guests::all().iter().find(|guest| guest.name() == name) {
            Some(guest) => one(figures, row, &guest.open(&host, &mut |_| {})?.0, arguments)?,
            None => figures.missing(row),
        }
    }
    Ok(())
}

fn one(
    figures: &mut Figures,
    name: &'static str,
    tool: &WasmTool,
    arguments: &str,
) -> Result<(), Box<dyn std::error::Error>> {
    let schema = Schema::compile(&tool.declaration().schema)?;
    let templates: Vec<Template> = tool.declaration().needs.clone();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build()?;
    figures.take(name, CALLS, || {
        let parsed = Json::parse(arguments).expect("arguments are JSON");
        assert!(schema.is_valid(&parsed));
        let path = parsed.get("path").and_then(Json::as_str).into_iter().collect::<Vec<_>>();
        let needs = templates
            .iter()
            .flat_map(|template| template.needs(|_| path.clone()).expect("the argument is a path"));
        let mut job = Job::alone(arguments);
        job.needs = needs.collect();
        let output = runtime.block_on(tool.run(job));
        assert!(!output.outcome.is_error(), "{}", output.text);
    });
    Ok(())
}
