//! Runs a guest with the grants that are named: `run TOOL.wasm [--grant GRANT]... [--workspace
//! FOLDER] [-- ARGUMENT...]`.
//!
//! Standard input goes to the guest, its output comes back, and what it used, why it stopped and
//! refusals are printed to standard error. Shows the three steps of an embedder:
//! `compiler_main` first, then load, then run.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use holm_grants::{Authority, GrantPolicy};
use holm_sandbox::{GuestAccess, GuestCall, GuestLimits, Sandbox, SandboxSettings};

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    holm_sandbox::compiler_main();
    let wish = Wish::read(std::env::args().skip(1))?;
    let sandbox = Sandbox::new(SandboxSettings { cache: wish.cache, ..SandboxSettings::new()? })?;
    let bytes = std::fs::read(&wish.tool)?;
    let guest =
        sandbox.load(&bytes, &mut |progress| tell(&format!("compiling for {:.1?}", progress.elapsed)))?;

    let authority = Authority::parse(wish.grants.iter().map(String::as_str))?;
    let policy = GrantPolicy { grants: authority.grants, ..GrantPolicy::default() };
    let access = GuestAccess::open(policy, Some(&wish.workspace))?;
    let mut input = Vec::new();
    std::io::stdin().read_to_end(&mut input)?;
    let limits = GuestLimits::default().within(&authority.allowances);
    let call = GuestCall::new(access).limits(limits).stdin(input).arg("tool").args(wish.args);

    let outcome = sandbox.run_here(&guest, call);
    std::io::stdout().write_all(&outcome.stdout)?;
    std::io::stderr().write_all(&outcome.stderr)?;
    for refusal in &outcome.refusals {
        tell(&refusal.to_string());
    }
    tell(&format!("{}; {:?}", outcome.stop, outcome.usage));
    Ok(if outcome.succeeded() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What the command line asks for.
struct Wish {
    tool: PathBuf,
    grants: Vec<String>,
    workspace: PathBuf,
    cache: Option<PathBuf>,
    args: Vec<String>,
}

impl Wish {
    fn read(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let tool = words.next().ok_or("name a .wasm file")?.into();
        let mut wish =
            Self { tool, grants: Vec::new(), workspace: ".".into(), cache: None, args: Vec::new() };
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--grant" => wish.grants.push(value()?),
                "--workspace" => wish.workspace = value()?.into(),
                "--cache" => wish.cache = Some(value()?.into()),
                "--" => wish.args.extend(words.by_ref()),
                _ => return Err(format!("unknown option {word}")),
            }
        }
        Ok(wish)
    }
}

fn tell(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
