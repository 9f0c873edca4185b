//! Runs a server as a job: builds its jail with the same protections as for commands, starts it,
//! and reports what it leaves.
//!
//! The protections are those of `holm-tools/src/shell/denied_paths.rs`; what the entry grants is
//! decided in `process.rs`. No server may write Holm's own folder.

use std::path::{Path, PathBuf};

use holm_grants::GrantSet;
use holm_jail::{CaptureOptions, Jail, JailError, JailJob, JailTask, StartStage};
use holm_tools::root::DenyRules;
use holm_tools::shell::{WorkspaceRecord, appeared, hold_with};

use super::ProgramSettings;

/// Holm's own folder in a project. No server may write to it.
const OWN_FOLDER: &str = ".holm";
/// How often the start is retried if a hidden file is moved during it.
const MAX_STARTS: u32 = 20;

/// A running server, and a record of the writable workspace before it started.
#[derive(Debug)]
pub(super) struct ServerJob {
    pub(super) job: JailJob,
    record: WorkspaceRecord,
    workspace: PathBuf,
}

impl ServerJob {
    /// Starts a server in this jail. The `open` files stay visible although their names look
    /// like those of secrets.
    pub(super) async fn start(
        programs: &ProgramSettings,
        jail: &Jail,
        grants: &GrantSet,
        open: Vec<PathBuf>,
        task: &JailTask,
    ) -> Result<Self, String> {
        let workspace = programs.workspace.clone();
        let mut starts = 1;
        loop {
            let (jail, grants, open) = (jail.clone(), grants.clone(), open.clone());
            let folder = workspace.clone();
            // This walks over the workspace.
            let held = tokio::task::spawn_blocking(move || hold(jail, &folder, &grants, &open)).await;
            let (jail, record) = held.map_err(|error| error.to_string())?;
            let error = match programs.launcher.spawn(&programs.engine, &jail, task).await {
                Ok(job) => return Ok(Self { job, record, workspace }),
                Err(error) => error,
            };
            record.end_unstarted(&error).await;
            let has_moved = matches!(error, JailError::Start { stage: StartStage::Changed, .. });
            if !has_moved || starts == MAX_STARTS {
                return Err(error.to_string());
            }
            starts += 1;
        }
    }

    /// Waits until the server ends. Returns notes about files it created that are protected, or
    /// that the user's tools would execute.
    pub(super) async fn finish(self) -> Vec<String> {
        let Self { job, record, workspace } = self;
        let outcome = job.finish(CaptureOptions { keep: 0, spill: None }).await;
        let mut lines: Vec<String> = outcome.appeared.iter().map(|name| appeared(&workspace, name)).collect();
        let settled = tokio::task::spawn_blocking(move || record.settle()).await;
        lines.extend(settled.unwrap_or_default());
        lines
    }
}

fn hold(jail: Jail, workspace: &Path, grants: &GrantSet, open: &[PathBuf]) -> (Jail, WorkspaceRecord) {
    let denials = DenyRules::usual().naming(grants).for_commands();
    let (jail, record) = hold_with(jail, workspace, grants, &denials, open);
    (jail.protect(workspace.join(OWN_FOLDER)), record)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use holm_jail::{JailEngine, JailLauncher};

    use super::*;

    #[tokio::test]
    async fn a_server_is_held_as_a_command_is_and_what_it_makes_is_told() {
        let launcher = std::env::var_os("CARGO_BIN_EXE_holm-mcp-launcher").map_or_else(
            || {
                let test = std::env::current_exe().unwrap();
                test.ancestors().nth(2).unwrap().join("holm-mcp-launcher")
            },
            PathBuf::from,
        );
        assert!(launcher.is_file(), "{} is missing: build the binaries of this crate", launcher.display());
        let folder = tempfile::tempdir().unwrap();
        let work = folder.path().canonicalize().unwrap();
        for name in [".env", "named.pem", "id_rsa"] {
            fs::write(work.join(name), "secret").unwrap();
        }
        fs::create_dir_all(work.join("lib/.git/hooks")).unwrap();
        fs::write(work.join("lib/.git/config"), "safe").unwrap();
        let programs =
            ProgramSettings::new(JailLauncher::at(launcher), JailEngine::detect().unwrap(), work.clone());
        let grants = GrantSet::parse(["read:**", "write:**"]).unwrap();
        let jail = Jail::from_grants(&work, &grants, []).unwrap().exec_system().env("PATH", "/usr/bin:/bin");
        let script = "cat .env id_rsa > seen; echo evil > lib/.git/config; echo evil > lib/.git/hooks/pre-commit; \
                      mkdir .vscode; echo x > .vscode/tasks.json; while [ -e .vscode ]; do :; done; \
                      mkdir -p new/.git; printf '[core]\\n\\tfsmonitor = ./evil\\n' > new/.git/config";
        let task = JailTask::new(fs::canonicalize("/bin/sh").unwrap()).args(["-c", script]);
        let open = vec![work.join("id_rsa")];
        let lines = ServerJob::start(&programs, &jail, &grants, open, &task).await.unwrap().finish().await;
        assert_eq!(
            fs::read_to_string(work.join("seen")).unwrap(),
            "secret",
            "one is named, the other hidden"
        );
        assert_eq!(fs::read_to_string(work.join("lib/.git/config")).unwrap(), "safe");
        assert!(!work.join("lib/.git/hooks/pre-commit").exists() && !work.join(".vscode").exists());
        assert!(!fs::read_to_string(work.join("new/.git/config")).unwrap().contains("evil"));
        let has = |text: &str| lines.iter().any(|line| line.contains(text));
        assert!(has(".vscode is protected") && has("new: Holm disabled"), "{lines:?}");
    }
}
