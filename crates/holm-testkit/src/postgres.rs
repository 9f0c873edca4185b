//! A PostgreSQL server for tests, which they start themselves: Debian's binaries, a folder of its own, a socket and no port. A
//! server does not run as root, so root starts it as somebody else.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

/// Who the server runs as when the tests run as root: the user that its package made. Not `nobody`, whose processes any
/// other program of `nobody` may end.
const USER: &str = "postgres";
/// The socket's name has this number in it; nobody listens on a port.
const PORT: &str = "5432";
/// How the servers' folders begin.
const PREFIX: &str = "holm-pg-";
/// How long a server may take to begin.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often it is looked whether it has.
const LOOK: Duration = Duration::from_millis(50);
/// Where Debian has the binaries.
const BINARIES: [&str; 3] =
    ["/usr/lib/postgresql/15/bin", "/usr/lib/postgresql/16/bin", "/usr/lib/postgresql/17/bin"];

/// One server for all tests of this process; it ends with the process.
#[derive(Debug)]
pub struct Postgres {
    folder: PathBuf,
    binaries: PathBuf,
    _child: Child,
    /// Held as long as this process lives: says to others that the folder is in use.
    _lock: File,
}

/// Why there is no server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PostgresError {
    /// It is not installed.
    #[error("PostgreSQL is missing: sudo apt-get install -y --no-install-recommends postgresql")]
    Missing,
    /// One of its programs failed.
    #[error("{program} failed: {reason}")]
    Failed {
        /// Which.
        program: String,
        /// What it said.
        reason: String,
    },
}

impl Postgres {
    /// The server, started if it is not there yet.
    ///
    /// # Errors
    /// [`PostgresError`] with what to install, or what went wrong.
    pub fn get() -> Result<&'static Self, PostgresError> {
        static SERVER: OnceLock<Result<Postgres, PostgresError>> = OnceLock::new();
        let started = SERVER.get_or_init(|| {
            let (sender, ready) = mpsc::channel();
            // The server ends with the thread that started it, so that thread must outlive every test.
            thread::spawn(move || {
                let _ = sender.send(Self::start());
                loop {
                    thread::park();
                }
            });
            ready.recv().unwrap_or_else(|_| Err(failed("postgres", "nobody started it")))
        });
        started.as_ref().map_err(Clone::clone)
    }

    /// Makes a database that nobody else has. What `psql` takes to reach it.
    ///
    /// # Errors
    /// [`PostgresError::Failed`].
    pub fn database(&self) -> Result<String, PostgresError> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("holm_{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let since = Instant::now();
        // The socket is there a moment before the server is ready.
        loop {
            let mut command = Command::new(self.binaries.join("createdb"));
            command.arg("-h").arg(&self.folder).args(["-p", PORT, "-U", "holm", "-w", &name]);
            match output("createdb", &mut command) {
                Ok(()) => break,
                Err(error) if since.elapsed() > PATIENCE => return Err(error),
                Err(_) => thread::sleep(LOOK),
            }
        }
        Ok(format!("host={} port={PORT} user=holm dbname={name}", self.folder.display()))
    }

    /// Runs SQL in a database, which is named as `psql` takes it.
    ///
    /// # Errors
    /// [`PostgresError::Failed`].
    pub fn execute(&self, database: &str, sql: &str) -> Result<(), PostgresError> {
        let mut command = Command::new(self.binaries.join("psql"));
        command.args([
            "--no-psqlrc",
            "--quiet",
            "--set=ON_ERROR_STOP=1",
            "--dbname",
            database,
            "--command",
            sql,
        ]);
        output("psql", &mut command)
    }

    fn start() -> Result<Self, PostgresError> {
        let found = BINARIES.iter().map(PathBuf::from).find(|path| path.join("postgres").exists());
        let binaries = found.ok_or(PostgresError::Missing)?;
        sweep();
        let (folder, data, lock) = prepared().map_err(|error| failed("the folder", &error.to_string()))?;
        let mut initdb = as_somebody(&binaries.join("initdb"));
        initdb
            .args(["--username=holm", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "-D"])
            .arg(&data)
            .current_dir(&folder);
        output("initdb", &mut initdb)?;
        let log = File::create(folder.join("log")).map_err(|error| failed("the log", &error.to_string()))?;
        let mut postgres = as_somebody(&binaries.join("postgres"));
        postgres
            .arg("-D")
            .arg(&data)
            .arg("-k")
            .arg(&folder)
            .args(["-p", PORT, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=300"])
            .current_dir(&folder)
            .stdout(Stdio::null())
            .stderr(log);
        let child = postgres.spawn().map_err(|error| failed("postgres", &error.to_string()))?;
        let since = Instant::now();
        while !folder.join(format!(".s.PGSQL.{PORT}")).exists() {
            if since.elapsed() > PATIENCE {
                return Err(failed("postgres", &format!("see {}", folder.join("log").display())));
            }
            thread::sleep(LOOK);
        }
        Ok(Self { folder, binaries, _child: child, _lock: lock })
    }
}

/// A folder with a lock, and in it the one of the data, both the server's. Not in the user's own folder, where nobody else may
/// go; removed by the next tests that come here.
fn prepared() -> io::Result<(PathBuf, PathBuf, File)> {
    let stamp = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let folder = Path::new("/tmp").join(format!("{PREFIX}{}-{}", std::process::id(), stamp.as_nanos()));
    let data = folder.join("data");
    fs::DirBuilder::new().create(&folder)?;
    let lock = File::create(folder.join("lock"))?;
    lock.lock()?;
    fs::DirBuilder::new().create(&data)?;
    for path in [&folder, &data] {
        fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
        if let Some(user) = somebody() {
            std::os::unix::fs::chown(path, Some(user), None)?;
        }
    }
    Ok((folder, data, lock))
}

/// Removes the folders of servers that are gone with their tests.
fn sweep() {
    let Ok(all) = fs::read_dir("/tmp") else { return };
    for path in all.flatten().map(|entry| entry.path()) {
        let ours = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX));
        if ours && File::open(path.join("lock")).is_ok_and(|lock| lock.try_lock().is_ok()) {
            let _ = fs::remove_dir_all(&path);
        }
    }
}

/// The user to start it as; none where this is nobody special.
fn somebody() -> Option<u32> {
    let own = fs::metadata("/proc/self").ok()?;
    if std::os::unix::fs::MetadataExt::uid(&own) != 0 {
        return None;
    }
    let users = fs::read_to_string("/etc/passwd").ok()?;
    let line = users.lines().find_map(|line| line.strip_prefix(&format!("{USER}:")))?;
    line.split(':').nth(1).and_then(|id| id.parse().ok())
}

/// The program ends when this process does, however it ends.
fn as_somebody(program: &Path) -> Command {
    let mut command = Command::new("setpriv");
    command.arg("--pdeathsig=INT");
    if let Some(id) = somebody() {
        command.args([&format!("--reuid={id}"), "--clear-groups"]);
    }
    command.arg(program);
    command
}

fn output(program: &str, command: &mut Command) -> Result<(), PostgresError> {
    let ran = command.output().map_err(|error| failed(program, &error.to_string()))?;
    if ran.status.success() {
        return Ok(());
    }
    Err(failed(program, &String::from_utf8_lossy(&ran.stderr)))
}

fn failed(program: &str, reason: &str) -> PostgresError {
    PostgresError::Failed { program: program.into(), reason: reason.into() }
}
