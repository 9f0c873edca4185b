//! Runs the programs of executable postconditions. Each runs in a jail with the program, the
//! system's programs, and the workspace files that its arguments name. It writes nothing and has no
//! network.
//!
//! It does not decide what a ruling means for the result; `holm-guards` does. A program that could
//! not finish is a broken check, never a passed one. Files with names of secrets are not shown to a
//! program, even if its arguments name them.
//!
//! The kernel decides when a check is made and what follows
//! (`holm-kernel/src/run/result_checks.rs`); the jail is `holm-jail`.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
    time::Duration,
};

use holm::{
    grants::FilePath,
    guards::postcondition::{Postcondition, Rule},
    kernel::CheckRuling,
    runtime::{BoxFuture, CheckProgram, CheckRunner},
};
use holm_jail::{
    CaptureOptions, Jail, JailEnding, JailEngine, JailLauncher, JailLimits, JailNetwork, JailTask,
};
use holm_tools::root::DenyRules;

use crate::{holm_paths::HolmPaths, tools::CommandConfinement};

/// Where a command without a path is looked for.
const PROGRAMS: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];
/// How long one check may take: less than the host waits for it.
const LIMIT: Duration = Duration::from_secs(50);
/// How much of a program's complaint is repeated.
const MOST_WORDS: usize = 400;

/// Runs checks in this machine's jail.
#[derive(Clone)]
pub(crate) struct JailCheckRunner {
    work: PathBuf,
    confinement: CommandConfinement,
    /// Found on first use.
    engine: Arc<OnceLock<Result<JailEngine, String>>>,
}

impl JailCheckRunner {
    pub(crate) fn new(places: &HolmPaths, confinement: CommandConfinement) -> Self {
        Self::in_folder(places.work.clone(), confinement)
    }

    pub(crate) fn in_folder(work: PathBuf, confinement: CommandConfinement) -> Self {
        Self { work, confinement, engine: Arc::default() }
    }

    fn engine(&self) -> Result<JailEngine, String> {
        let found = || match self.confinement {
            CommandConfinement::Required => JailEngine::detect().map_err(|error| error.to_string()),
            CommandConfinement::None => Ok(JailEngine::Unconfined),
        };
        self.engine.get_or_init(found).clone()
    }

    async fn check(self, program: CheckProgram) -> Result<CheckRuling, String> {
        let this = self.clone();
        // It starts programs of its own to find out, and reads files.
        let prepared = tokio::task::spawn_blocking(move || {
            let engine = this.engine()?;
            let path = found(&program.command, &this.work)?;
            let jail = jail(&path, &program.arguments, &this.work)?;
            Ok::<_, String>((engine, jail, path, program))
        });
        let (engine, jail, path, program) = prepared.await.map_err(|error| error.to_string())??;
        let task = JailTask::new(path).args(&program.arguments).input(program.text.as_bytes());
        let job = JailLauncher::this_executable().spawn(&engine, &jail, &task).await;
        let outcome = job.map_err(|error| error.to_string())?.finish(CaptureOptions::default()).await;
        let command = &program.command;
        match outcome.ending {
            JailEnding::Exited(0) => Ok(CheckRuling::Passed),
            JailEnding::Exited(status) => {
                let (out, err) = (&outcome.stdout.bytes, &outcome.stderr.bytes);
                let said = String::from_utf8_lossy(if err.is_empty() { out } else { err });
                let said: String = said.trim().chars().take(MOST_WORDS).collect();
                let said = if said.is_empty() { said } else { format!(": {said}") };
                Ok(CheckRuling::Failed { reason: format!("`{command}` ended with status {status}{said}") })
            }
            JailEnding::TimedOut => Err(format!("`{command}` took longer than {} s", LIMIT.as_secs())),
            JailEnding::Signalled(_)
            | JailEnding::Cancelled
            | JailEnding::OutOfOutput
            | JailEnding::OutOfMemory
            | JailEnding::MadeProtected
            | JailEnding::Lost => Err(format!("`{command}` was stopped before it had checked the result")),
        }
    }
}

impl CheckRunner for JailCheckRunner {
    fn run(&self, program: CheckProgram) -> BoxFuture<'static, CheckRuling> {
        let (this, command) = (self.clone(), program.command.clone());
        Box::pin(async move {
            let broken =
                |why| CheckRuling::Broken { reason: format!("cannot run the check `{command}`: {why}") };
            this.check(program).await.unwrap_or_else(broken)
        })
    }
}

/// What keeps the executable checks among these from being made here, a line each.
pub(crate) fn cannot_be_made(promises: &[Postcondition], work: &Path) -> Vec<String> {
    let problem = |promise: &Postcondition| match &promise.rule {
        Rule::Executable { command, .. } => {
            let why = found(command, work).err().or_else(|| {
                JailEngine::detect()
                    .err()
                    .map(|error| format!("this machine cannot sandbox commands: {error}"))
            })?;
            Some(format!("cannot run the check `{}`: {why}", promise.name))
        }
        _ => None,
    };
    promises.iter().filter_map(problem).collect()
}

/// The program of a command, where it really lies.
fn found(command: &str, work: &Path) -> Result<PathBuf, String> {
    let path = if command.contains('/') {
        Some(work.join(command))
    } else {
        PROGRAMS.iter().map(|folder| Path::new(folder).join(command)).find(|path| path.is_file())
    };
    let real = path.and_then(|path| path.canonicalize().ok()).filter(|path| path.is_file());
    real.ok_or_else(|| format!("there is no program `{command}`"))
}

fn jail(program: &Path, arguments: &[String], work: &Path) -> Result<Jail, String> {
    let work = work.canonicalize().map_err(|error| error.to_string())?;
    let files = named_files(arguments, &work);
    let cwd = if files.is_empty() { PathBuf::from("/") } else { work };
    let limits = JailLimits { wall: LIMIT, cpu: LIMIT, ..JailLimits::default() };
    let jail = Jail::new()
        .read(program)
        .exec(program)
        .exec_system()
        .env("PATH", PROGRAMS.join(":"))
        .env("LANG", "C.UTF-8")
        .network(JailNetwork::None)
        .limits(limits)
        .cwd(cwd);
    Ok(files.into_iter().fold(jail, Jail::read))
}

/// The plain files of the workspace that arguments name; not those that hold secrets by their names.
fn named_files(arguments: &[String], work: &Path) -> Vec<PathBuf> {
    let paths = arguments.iter().map(|argument| work.join(argument));
    let plain = paths.filter(|path| path.is_file() && path.canonicalize().is_ok_and(|real| real == *path));
    let is_free = |path: &PathBuf| {
        let inside = path.strip_prefix(work).ok().and_then(Path::to_str);
        let inside = inside.and_then(|text| text.parse::<FilePath>().ok());
        inside.is_some_and(|inside| DenyRules::usual().reading(&inside).is_none())
    };
    plain.filter(is_free).collect()
}

#[cfg(test)]
mod tests {
    use super::{found, named_files};
    use std::fs;

    #[test]
    fn a_check_is_shown_the_plain_files_of_the_workspace_that_it_names() {
        let folder = tempfile::tempdir().unwrap();
        let work = folder.path().canonicalize().unwrap();
        fs::write(work.join("words.txt"), "").unwrap();
        fs::write(work.join("id_rsa"), "").unwrap();
        std::os::unix::fs::symlink("/etc/passwd", work.join("link")).unwrap();
        let named = ["-f", "words.txt", "id_rsa", "link", "/etc/passwd", "../x"].map(String::from);
        assert_eq!(named_files(&named, &work), [work.join("words.txt")]);
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let folder = tempfile::tempdir().unwrap();
        assert!(found("sh", folder.path()).is_ok());
        let why = found("no-such-checker", folder.path()).unwrap_err();
        assert_eq!(why, "there is no program `no-such-checker`");
        assert!(found("./check.sh", folder.path()).is_err());
    }
}
