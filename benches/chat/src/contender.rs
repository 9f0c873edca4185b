//! Who is measured: Holm, codex and opencode, each with its own way to be told where the model is.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

/// A chat in a terminal.
#[derive(Debug, Clone)]
pub struct Contender {
    /// What it is called.
    pub name: &'static str,
    /// Where it is.
    pub program: PathBuf,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Holm,
    Codex,
    Opencode,
}

impl Contender {
    /// Holm's binary, and those that npm brought into a folder.
    pub fn all(holm: &Path, peers: &Path) -> [Self; 3] {
        let modules = peers.join("node_modules");
        let codex = "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex";
        let one = |name, program, kind| Self { name, program, kind };
        [
            one("holm", holm.to_owned(), Kind::Holm),
            one("codex", modules.join(codex), Kind::Codex),
            one("opencode", modules.join("opencode-linux-x64/bin/opencode"), Kind::Opencode),
        ]
    }

    /// A word of the first screen. Blanks may be moves of the cursor, so it is one word.
    pub fn first_word(&self) -> &'static str {
        match self.kind {
            Kind::Holm => "/help",
            Kind::Codex => "Codex",
            Kind::Opencode => "anything",
        }
    }

    /// A word that stands there once something can be said.
    pub fn ready_word(&self) -> &'static str {
        match self.kind {
            Kind::Holm => "done.",
            Kind::Codex => "shortcuts",
            Kind::Opencode => "commands",
        }
    }

    /// What every frame ends with: Holm shows its cursor, the others end what they have drawn at once.
    pub fn frame_mark(&self) -> &'static [u8] {
        match self.kind {
            Kind::Holm => b"\x1b[?25h",
            Kind::Codex | Kind::Opencode => b"\x1b[?2026l",
        }
    }

    /// How long after the words the Enter key comes. The others take what comes too fast for a paste.
    pub fn pause(&self) -> Duration {
        match self.kind {
            Kind::Holm => Duration::ZERO,
            Kind::Codex | Kind::Opencode => Duration::from_millis(250),
        }
    }

    /// The longest that all turns may take together: Holm is to have all of them, the others are only held beside it.
    pub fn longest_talk(&self) -> Duration {
        match self.kind {
            Kind::Holm => Duration::from_secs(600),
            Kind::Codex | Kind::Opencode => Duration::from_secs(240),
        }
    }

    /// The command in a home folder of its own, with the model at this address.
    ///
    /// # Errors
    /// If its settings cannot be written.
    pub fn command(&self, home: &Path, base: &str) -> std::io::Result<Command> {
        let work = home.join("work");
        fs::create_dir_all(&work)?;
        // A session of its own with the terminal as its own, which is what makes it one.
        let mut command = Command::new("setsid");
        command.args(["-c", "-w"]).arg(&self.program).current_dir(&work).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", home);
        command.env("TERM", "xterm-256color").env("LANG", "C.UTF-8");
        match self.kind {
            Kind::Holm => {
                command.args(["chat", "--model", "openai/gpt-5-mini"]).env("HOLM_DATA", home.join("data"));
                command.env("OPENAI_API_KEY", "none").env("OPENAI_BASE_URL", base);
            }
            Kind::Codex => {
                let settings = home.join("codex");
                fs::create_dir_all(&settings)?;
                fs::write(settings.join("config.toml"), codex(base, &work))?;
                command.env("CODEX_HOME", settings);
            }
            Kind::Opencode => {
                command.env("OPENCODE_CONFIG_CONTENT", opencode(base));
                command.env("OPENCODE_DISABLE_MODELS_FETCH", "1");
            }
        }
        Ok(command)
    }
}

fn codex(base: &str, work: &Path) -> String {
    format!(
        "model = \"m\"\nmodel_provider = \"bench\"\ncheck_for_update_on_startup = false\napproval_policy = \"never\"\n\
         sandbox_mode = \"read-only\"\n[model_providers.bench]\nname = \"bench\"\nbase_url = \"{base}\"\n\
         wire_api = \"responses\"\n[projects.\"{}\"]\ntrust_level = \"trusted\"\n",
        work.display()
    )
}

fn opencode(base: &str) -> String {
    format!(
        "{{\"autoupdate\":false,\"model\":\"bench/m\",\"small_model\":\"bench/m\",\"provider\":{{\"bench\":{{\
         \"npm\":\"@ai-sdk/openai-compatible\",\"options\":{{\"baseURL\":\"{base}\",\"apiKey\":\"none\"}},\
         \"models\":{{\"m\":{{\"name\":\"m\"}}}}}}}}}}"
    )
}
