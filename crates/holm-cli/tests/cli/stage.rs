//! The test stage: a folder, a data folder, a provider, and the binary.

use std::{
    ffi::OsStr,
    fs,
    io::Write,
    os::unix::fs::{DirBuilderExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use holm_testkit::double::{Act, Double, Seen};
use tempfile::TempDir;

/// The key that the double wants; nothing may ever show it. It has no shape by which it could be guessed.
pub(crate) const KEY: &str = "correct-horse-battery-staple-7";

/// The model as the command knows it.
pub(crate) const MODEL: &str = "openai/gpt-5-mini";

/// Says which tools are offered.
pub(crate) const TOOLS: &str = "HOLM_TOOLS";

/// Commands that run an agent.
const RUNS: [&str; 7] = ["run", "chat", "acp", "serve", "mcp-server", "session", "skill"];

pub(crate) struct Stage {
    folder: TempDir,
    pub(crate) double: Double,
}

/// What came of one command.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Stage {
    /// A stage whose provider performs these acts.
    pub(crate) fn new(acts: impl IntoIterator<Item = Act>) -> Self {
        Self::with(Double::start(acts.into_iter().collect::<Vec<_>>()).unwrap())
    }

    /// A stage whose provider answers each request as this says.
    pub(crate) fn answering(answer: impl Fn(&Seen) -> Act + Send + Sync + 'static) -> Self {
        Self::with(Double::answering(answer).unwrap())
    }

    fn with(double: Double) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("work")).unwrap();
        let stage = Self { folder, double: double.wants_key(KEY) };
        // Nothing is allowed at first, and the first question was answered.
        stage.trust("ask");
        stage
    }

    /// Chooses what agents may do in the folder without asking.
    pub(crate) fn trust(&self, level: &str) {
        let mut private = fs::DirBuilder::new();
        private.recursive(true).mode(0o700).create(self.data()).unwrap();
        let work = self.work().canonicalize().unwrap();
        let text = format!("[folders]\n\"{}\" = \"{level}\"\n", work.display());
        fs::write(self.folders_file(), text).unwrap();
        fs::set_permissions(self.folders_file(), fs::Permissions::from_mode(0o600)).unwrap();
    }

    /// The same for a user who was not asked yet.
    pub(crate) fn unasked(self) -> Self {
        fs::remove_file(self.folders_file()).unwrap();
        self
    }

    fn folders_file(&self) -> PathBuf {
        self.data().join("folders.toml")
    }

    /// The folder in which commands run.
    pub(crate) fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// The folder of the sessions.
    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Puts a file into the folder.
    pub(crate) fn file(self, name: &str, text: &str) -> Self {
        fs::write(self.work().join(name), text).unwrap();
        self
    }

    /// The command, in a world of its own: nothing of the machine's environment reaches it but the way to programs.
    pub(crate) fn command<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_holm"));
        command.args(args).current_dir(self.work()).env_clear();
        self.dress(&mut command);
        if !command.get_args().next().is_some_and(|first| RUNS.iter().any(|run| first == *run)) {
            command.env_remove(TOOLS);
        }
        // What a run tells of its calls is looked at where it is the matter.
        command.env("HOLM_QUIET", "1");
        command
    }

    /// `holm run` with the model and these arguments, and with the tools that are offered by default.
    pub(crate) fn run_by_default(&self, args: &[&str]) -> Ran {
        let mut command = self.command([&["run", "--model", MODEL], args].concat());
        Ran::of(&command.env_remove(TOOLS).output().unwrap())
    }

    /// Gives a command the environment of this stage.
    pub(crate) fn dress(&self, command: &mut Command) {
        command
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOLM_DATA", self.data())
            .env("OPENAI_API_KEY", KEY)
            // What is offered by default is looked at where it is the matter; elsewhere any tool can be called at once.
            .env(TOOLS, "all")
            .env("OPENAI_BASE_URL", self.double.base(holm::wire::Format::OpenaiChat))
            .stdin(Stdio::null());
    }

    /// Runs the command.
    pub(crate) fn holm<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Ran {
        Ran::of(&self.command(args).output().unwrap())
    }

    /// Runs the command with something on standard input.
    pub(crate) fn holm_with<S: AsRef<OsStr>>(&self, input: &str, args: impl IntoIterator<Item = S>) -> Ran {
        let mut command = self.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        Ran::of(&child.wait_with_output().unwrap())
    }

    /// `holm run` with the model and these arguments.
    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        self.holm([&["run", "--model", MODEL], args].concat())
    }

    /// Runs a command that shows something, and then what it says that a person who agrees would run.
    #[track_caller]
    pub(crate) fn agrees<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Ran {
        let ran = self.holm(args);
        // Where nothing is new there is nothing to agree to.
        let ran = if ran.code == Some(3) { self.holm(ran.leads_to()) } else { ran };
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran
    }

    /// Every byte that the command left on disk.
    pub(crate) fn left_behind(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        gather(&self.data(), &mut bytes);
        bytes
    }
}

impl Ran {
    pub(crate) fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        Self { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
    }

    /// The arguments of the command by which a person would agree to what was shown.
    #[track_caller]
    pub(crate) fn leads_to(&self) -> Vec<String> {
        let lead = self.err.lines().find_map(|line| line.strip_prefix("holm: to trust it, run: holm "));
        lead.unwrap_or_else(|| panic!("{self:?}")).split(' ').map(str::to_owned).collect()
    }

    /// The command did what was asked and had nothing else to say.
    #[track_caller]
    pub(crate) fn says(&self, expect: &str) {
        assert_eq!((self.code, self.out.as_str(), self.err.as_str()), (Some(0), expect, ""), "{self:?}");
    }

    /// The model answered, although a call was denied because nobody could be asked. The code is 3 if no call ran at all.
    #[track_caller]
    pub(crate) fn says_without(&self, tool: &str, code: i32, expect: &str) {
        assert_eq!((self.code, self.out.as_str()), (Some(code), expect), "{self:?}");
        let denied = format!("holm: `{tool}` was denied, because there is no terminal to ask at; ");
        assert!(self.err.lines().all(|line| line.starts_with(&denied)), "{self:?}");
    }

    /// The command failed with one message, and nothing went to standard output.
    #[track_caller]
    pub(crate) fn fails(&self, code: i32, expect: &str) {
        assert_eq!(self.code, Some(code), "{self:?}");
        assert_eq!(self.out, "", "nothing is printed by mistake");
        assert_eq!(self.err.matches("error: ").count(), 1, "{}", self.err);
        assert!(self.err.contains(expect), "{}", self.err);
    }
}

impl Ran {
    /// As [`Self::fails`], where something was told before.
    #[track_caller]
    pub(crate) fn fails_after_notes(&self, code: i32, expect: &str) {
        assert_eq!((self.code, self.out.as_str()), (Some(code), ""), "{self:?}");
        let (_, error) = self.err.split_once("error: ").unwrap_or_else(|| panic!("{self:?}"));
        assert!(error.contains(expect), "{self:?}");
    }
}

fn gather(folder: &Path, bytes: &mut Vec<u8>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            gather(&path, bytes);
        } else if path.is_file() {
            bytes.extend(fs::read(path).unwrap());
        }
    }
}
