//! The socket of a session in the data folder, and the key that opens it. What is said over it is
//! in `messages.rs`. Folder and key file belong to the user alone, and keys are compared in
//! constant time. Only the process that holds the session may listen, because listening replaces
//! what is there.

use std::{
    fs, io,
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tokio::net::{UnixListener, UnixStream};

use crate::ServerError;

/// The folder of sockets, below a data folder.
const FOLDER: &str = "live";
/// Hex digits of the session's digest in a file name: enough to avoid collisions, and short because
/// socket paths must be.
const LETTERS: usize = 24;
/// Bytes of a key.
const KEY: usize = 32;
/// The longest socket path that all supported systems allow.
const MOST_PATH: usize = 100;

/// The paths of one session's socket and its key file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SessionSocket {
    socket: PathBuf,
    key: PathBuf,
}

/// The content of the key file next to a socket.
#[derive(Serialize, Deserialize)]
struct SocketKeyFile {
    session: String,
    key: String,
}

impl SessionSocket {
    /// The paths for a session of this data folder.
    pub(super) fn of(data: &Path, session: &str) -> Self {
        let name = hex(&Sha256::digest(session.as_bytes()));
        let stem = data.join(FOLDER).join(name.get(..LETTERS).unwrap_or_default());
        Self { socket: stem.with_extension("sock"), key: stem.with_extension("json") }
    }

    /// Listens on the socket, and replaces one that a previous process left. That process has
    /// ended, or it would still hold the session. Returns the key that opens the socket.
    ///
    /// # Errors
    /// If the system refuses, or the path is too long for a socket.
    pub(super) fn listen(&self, session: &str) -> Result<(UnixListener, String), ServerError> {
        let listen = || -> io::Result<(UnixListener, String)> {
            if self.socket.as_os_str().len() > MOST_PATH {
                return Err(io::Error::other("the path is too long for a socket"));
            }
            let folder = self.socket.parent().unwrap_or(Path::new("."));
            fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
            self.clear();
            let key = new_key()?;
            let beside = SocketKeyFile { session: session.to_owned(), key: key.clone() };
            let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&self.key)?;
            io::Write::write_all(&mut file, &serde_json::to_vec(&beside).map_err(io::Error::other)?)?;
            let listener = UnixListener::bind(&self.socket)?;
            fs::set_permissions(&self.socket, fs::Permissions::from_mode(0o600))?;
            Ok((listener, key))
        };
        listen().map_err(|error| ServerError::file(&self.socket, &error))
    }

    /// Connects to the socket and reads its key; `None` if no process listens.
    pub(super) async fn connect(&self, session: &str) -> Option<(UnixStream, String)> {
        let beside: SocketKeyFile = serde_json::from_slice(&fs::read(&self.key).ok()?).ok()?;
        let stream = UnixStream::connect(&self.socket).await.ok()?;
        (beside.session == session).then_some((stream, beside.key))
    }

    /// Deletes the socket and its key file.
    pub(super) fn clear(&self) {
        // Missing files need no removal. If a removal fails, the next attempt to listen reports it.
        let _ = fs::remove_file(&self.socket);
        let _ = fs::remove_file(&self.key);
    }
}

/// Compares two keys in constant time.
pub(super) fn same(a: &str, b: &str) -> bool {
    let differ = a.bytes().zip(b.bytes()).fold(0, |differ, (a, b)| differ | (a ^ b));
    a.len() == b.len() && std::hint::black_box(differ) == 0
}

fn new_key() -> io::Result<String> {
    let mut bytes = [0_u8; KEY];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(hex(&bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
