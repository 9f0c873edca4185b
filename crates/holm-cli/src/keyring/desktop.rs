//! The desktop keyring: the Secret Service, as offered by the keyrings of GNOME and KDE and by
//! password managers. Holm calls `secret-tool` from libsecret, so no D-Bus code is built in. Keys
//! survive a reboot. Which keyring is used is decided in `keyring.rs`.

use std::{
    io::{Read as _, Write as _},
    path::PathBuf,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use holm::models::SecretString;
use holm_config::KeyringError;
use secrecy::ExposeSecret as _;

const PROGRAM: &str = "secret-tool";
/// The address of the desktop's message bus; without it there is no desktop keyring.
const BUS: &str = "DBUS_SESSION_BUS_ADDRESS";
/// What the program needs beside that, where it is set.
const ENVIRONMENT: [&str; 3] = ["HOME", "XDG_RUNTIME_DIR", "LANG"];
/// By which secrets of Holm are found again.
const FOLDER: &str = "holm-folder";
const KEY: &str = "holm-key";
/// How long it may take: a person may have to unlock the keyring.
const PATIENCE: Duration = Duration::from_secs(120);
/// How often Holm checks whether the program has ended.
const LOOK: Duration = Duration::from_millis(10);
/// The longest answer: a key is a line.
const MOST: u64 = 64 << 10;

/// The keyring of a desktop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DesktopKeyring {
    program: PathBuf,
    env: Vec<(&'static str, String)>,
}

/// The result of one call of the program.
struct SecretToolOutput {
    success: bool,
    said: String,
}

impl DesktopKeyring {
    /// The desktop of this environment; none where there is no bus, or no program to speak to it.
    pub(super) fn here(env: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let set = |name: &'static str| env(name).filter(|value| !value.is_empty()).map(|value| (name, value));
        let bus = set(BUS)?;
        let path = env("PATH")?;
        let program = std::env::split_paths(&path)
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(PROGRAM))
            .find(|program| program.is_file())?;
        Some(Self {
            program,
            env: [bus].into_iter().chain(ENVIRONMENT.into_iter().filter_map(set)).collect(),
        })
    }

    /// Looks up a key by name. Returns `None` if it is missing or access was refused: the program
    /// does not tell these apart.
    pub(super) fn get(&self, service: &str, name: &str) -> Result<Option<SecretString>, KeyringError> {
        let done = self.run(&["lookup", FOLDER, service, KEY, name], None)?;
        Ok(Some(done.said).filter(|said| done.success && !said.is_empty()).map(Into::into))
    }

    /// Keeps a key, and looks whether it is kept.
    pub(super) fn set(&self, service: &str, name: &str, key: &SecretString) -> Result<(), KeyringError> {
        let text = key.expose_secret().trim();
        if text.is_empty() || text.contains(char::is_control) {
            return Err(KeyringError::NoKey);
        }
        let label = format!("--label=Holm: {name}");
        self.run(&["store", &label, FOLDER, service, KEY, name], Some(text))?;
        let kept = self.get(service, name)?.is_some_and(|kept| kept.expose_secret() == text);
        if kept {
            Ok(())
        } else {
            Err(KeyringError::Refused("the desktop's keyring did not store it".into()))
        }
    }

    /// Forgets a key, and says whether there was one.
    pub(super) fn remove(&self, service: &str, name: &str) -> Result<bool, KeyringError> {
        Ok(self.run(&["clear", FOLDER, service, KEY, name], None)?.success)
    }

    fn run(&self, args: &[&str], input: Option<&str>) -> Result<SecretToolOutput, KeyringError> {
        let refused = |why: &str| KeyringError::Refused(format!("{PROGRAM}: {why}"));
        let mut command = Command::new(&self.program);
        command.args(args).env_clear().envs(self.env.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| refused(&error.to_string()))?;
        if let Some(mut stdin) = child.stdin.take() {
            // A program that does not read says so by its end.
            let _ = stdin.write_all(input.unwrap_or_default().as_bytes());
        }
        let began = Instant::now();
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) if began.elapsed() < PATIENCE => thread::sleep(LOOK),
                Ok(None) | Err(_) => {
                    // It is gone then, or was before.
                    let _ = child.kill();
                    let _ = child.wait();
                    return Err(refused("it does not answer"));
                }
            }
        };
        let mut said = String::new();
        if let Some(stdout) = child.stdout.take() {
            stdout
                .take(MOST)
                .read_to_string(&mut said)
                .map_err(|_| refused("its answer is not UTF-8 text"))?;
        }
        Ok(SecretToolOutput { success: status.success(), said })
    }
}
