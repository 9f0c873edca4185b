//! The whole suite on PostgreSQL, which the tests start themselves: Debian's binaries, a folder of its own, a socket and
//! no port. A server does not run as root, so root starts it as somebody else.

#![expect(clippy::expect_used, reason = "the message says what to install")]

use std::{
    fs::File,
    future::Future,
    path::{Path, PathBuf},
    pin::Pin,
    process::{Child, Command, Stdio},
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use holm_runtime::{Durability, JournalFailed, Journals as _};
use holm_store::{Options, Store, StoreError};

use crate::suite::{Place, script::session};

/// Who the server runs as when the tests run as root: the user that its package made. Not `nobody`, whose processes any
/// other program of `nobody` may end.
const USER: &str = "postgres";

/// The socket's name has this number in it; nobody listens on a port.
const PORT: &str = "5432";

/// How the servers' folders begin.
const PREFIX: &str = "holm-pg-";

/// One server for all tests of this process; each test has a database of its own.
struct Server {
    folder: PathBuf,
    _child: Child,
    /// Held as long as this process lives: says to others that the folder is in use.
    _lock: File,
}

impl Server {
    fn get() -> &'static Self {
        static SERVER: OnceLock<Server> = OnceLock::new();
        SERVER.get_or_init(|| {
            let (sender, ready) = std::sync::mpsc::channel();
            // The server ends with the thread that started it, so that thread must outlive every test.
            std::thread::spawn(move || {
                sender.send(Self::start()).unwrap();
                loop {
                    std::thread::park();
                }
            });
            ready.recv().expect("PostgreSQL did not start; see above")
        })
    }

    fn start() -> Self {
        let bin = binaries();
        sweep();
        // Not in the user's own folder, where nobody else may go; removed by the next tests that come here.
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in("/tmp").unwrap().keep();
        let lock = File::create(folder.join("lock")).unwrap();
        lock.lock().unwrap();
        let data = folder.join("data");
        std::fs::create_dir(&data).unwrap();
        if is_root() {
            for path in [&folder, &data] {
                std::os::unix::fs::chown(path, Some(user()), None).unwrap();
            }
        }
        let made = as_somebody(&bin.join("initdb"))
            .args(["--username=holm", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "-D"])
            .arg(&data)
            .current_dir(&folder)
            .output()
            .unwrap();
        assert!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
        let child = as_somebody(&bin.join("postgres"))
            .arg("-D")
            .arg(&data)
            .arg("-k")
            .arg(&folder)
            .args(["-p", PORT, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=300"])
            .current_dir(&folder)
            .stdout(Stdio::null())
            .stderr(File::create(folder.join("log")).unwrap())
            .spawn()
            .unwrap();
        let server = Self { folder, _child: child, _lock: lock };
        server.wait();
        server
    }

    fn wait(&self) {
        let since = Instant::now();
        while !self.folder.join(format!(".s.PGSQL.{PORT}")).exists() {
            assert!(
                since.elapsed() < Duration::from_secs(60),
                "PostgreSQL did not start within a minute: see {}",
                self.folder.join("log").display()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn url(&self, database: &str) -> String {
        format!("host={} port={PORT} user=holm dbname={database}", self.folder.display())
    }
}

/// Removes the folders of servers that are gone with their tests.
fn sweep() {
    for path in std::fs::read_dir("/tmp").unwrap().flatten().map(|entry| entry.path()) {
        let ours = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX));
        if ours && File::open(path.join("lock")).is_ok_and(|lock| lock.try_lock().is_ok()) {
            let _ = std::fs::remove_dir_all(&path);
        }
    }
}

fn binaries() -> PathBuf {
    let known = ["/usr/lib/postgresql/15/bin", "/usr/lib/postgresql/16/bin", "/usr/lib/postgresql/17/bin"];
    let found = known.iter().map(PathBuf::from).find(|path| path.join("postgres").exists());
    found.expect("PostgreSQL is missing: sudo apt-get install -y --no-install-recommends postgresql")
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}

fn user() -> u32 {
    let users = std::fs::read_to_string("/etc/passwd").unwrap();
    let line = users.lines().find_map(|line| line.strip_prefix(&format!("{USER}:")));
    let id = line.and_then(|line| line.split(':').nth(1)).and_then(|id| id.parse().ok());
    id.expect("the user `postgres` is missing: sudo apt-get install -y --no-install-recommends postgresql")
}

/// The program ends when this process does, however it ends.
fn as_somebody(program: &Path) -> Command {
    let mut command = Command::new("setpriv");
    command.arg("--pdeathsig=INT");
    if is_root() {
        let id = user().to_string();
        command.args([&format!("--reuid={id}"), "--clear-groups"]);
    }
    command.arg(program);
    command
}

pub(crate) struct Database(String);

impl Database {
    async fn client(&self) -> tokio_postgres::Client {
        let (client, connection) = tokio_postgres::connect(&self.0, tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        client
    }
}

impl Place for Database {
    fn open(&self, options: Options) -> Pin<Box<dyn Future<Output = Store> + Send + '_>> {
        Box::pin(async { self.try_open(options).await.unwrap() })
    }

    fn try_open(
        &self,
        options: Options,
    ) -> Pin<Box<dyn Future<Output = Result<Store, StoreError>> + Send + '_>> {
        Box::pin(async move { options.postgres(&self.0).await })
    }
}

pub(crate) async fn database() -> Database {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let server = tokio::task::spawn_blocking(Server::get).await.unwrap();
    let name = format!("holm_{}", COUNT.fetch_add(1, Ordering::Relaxed));
    let since = Instant::now();
    // The socket is there a moment before the server is ready.
    let client = loop {
        match tokio_postgres::connect(&server.url("postgres"), tokio_postgres::NoTls).await {
            Ok((client, connection)) => {
                tokio::spawn(connection);
                break client;
            }
            Err(error) => assert!(since.elapsed() < Duration::from_secs(60), "{error}"),
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    client.batch_execute(&format!("CREATE DATABASE {name}")).await.unwrap();
    Database(server.url(&name))
}

whole_suite!(crate::postgres::database);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_newer_schema_is_refused() {
    let place = database().await;
    drop(place.open(Options::new()).await);
    place.client().await.batch_execute("UPDATE holm_schema SET version = 99").await.unwrap();
    assert_eq!(
        place.try_open(Options::new()).await.map(|_| ()),
        Err(StoreError::Newer { found: 99, known: 5 })
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_connection_stops_every_append_and_frees_the_run() {
    let place = database().await;
    let store = place.open(Options::new()).await;
    let script = session("one", "hello", "out", "fine");
    let mut journal = store.create("one").await.unwrap();
    journal.append(&script.lines[0], Durability::Synced).await.unwrap();
    let other = place.open(Options::new()).await;
    assert!(matches!(other.open("one").await.map(|_| ()), Err(JournalFailed::Busy { .. })));
    // The server ends the connection that holds the lease, as it does when a machine vanishes.
    place
        .client()
        .await
        .batch_execute(
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
        )
        .await
        .unwrap();
    let mut opened = None;
    for _ in 0..1_500 {
        match other.open("one").await {
            Ok(found) => {
                opened = Some(found);
                break;
            }
            Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    }
    let mut opened = opened.expect("the run is free");
    assert_eq!(opened.text, script.lines[0].as_bytes());
    opened.journal.append(&script.lines[1], Durability::Synced).await.unwrap();
    for durability in [Durability::Written, Durability::Synced] {
        assert!(journal.append(&script.lines[1], durability).await.is_err());
    }
    assert_eq!(other.read("one").await.unwrap(), script.lines[..2].concat().as_bytes());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_late_append_does_not_bring_an_erased_run_back() {
    let place = database().await;
    let store = place.open(Options::new()).await;
    let script = session("one", "hello", "out", "fine");
    let mut journal = store.create("one").await.unwrap();
    journal.append(&script.lines[0], Durability::Synced).await.unwrap();
    // What another process does that believes this one dead.
    let client = place.client().await;
    client.batch_execute("DELETE FROM holm_records; DELETE FROM holm_runs").await.unwrap();
    for durability in [Durability::Written, Durability::Synced] {
        assert!(journal.append(&script.lines[1], durability).await.is_err());
    }
    let left: i64 = client.query_one("SELECT count(*) FROM holm_records", &[]).await.unwrap().get(0);
    assert_eq!(left, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stores_in_two_schemas_know_nothing_of_each_other() {
    let place = database().await;
    let script = session("one", "hello", "out", "fine");
    let (mut stores, mut journals) = (Vec::new(), Vec::new());
    for schema in ["holm_ada", "holm_bob"] {
        let store = place.open(Options::new().schema(schema)).await;
        // The same name, and the same number in each of them: whoever drives one drives not the other.
        let mut journal = store.create("one").await.unwrap();
        journal.append(&script.lines[0], Durability::Synced).await.unwrap();
        let again = place.open(Options::new().schema(schema)).await;
        assert!(matches!(again.open("one").await.map(|_| ()), Err(JournalFailed::Busy { .. })));
        stores.push(store);
        journals.push(journal);
    }
    assert!(stores[0].put_slip("letters", "x", holm_kernel::Timestamp::new(1), b"").await.unwrap());
    assert!(stores[1].slips("letters").await.unwrap().is_empty());
    let none = place.open(Options::new()).await;
    assert!(none.list(&holm_store::Listing::default()).await.unwrap().sessions.is_empty());
    for bad in ["", "Ada", "a\"b", "a b", &"x".repeat(64)] {
        let opened = place.try_open(Options::new().schema(bad)).await;
        assert!(matches!(opened.map(|_| ()), Err(StoreError::BadLabel { .. })), "{bad}");
    }
    let sql = "SELECT 1 FROM pg_indexes WHERE indexname = 'holm_texts_by_trigram'";
    assert_eq!(place.client().await.query(sql, &[]).await.unwrap().len(), 3, "each has an index");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn search_has_an_index_where_the_server_offers_one() {
    let place = database().await;
    drop(place.open(Options::new()).await);
    let rows = place
        .client()
        .await
        .query("SELECT 1 FROM pg_indexes WHERE indexname = 'holm_texts_by_trigram'", &[])
        .await
        .unwrap();
    assert_eq!(rows.len(), 1, "Debian's server has pg_trgm");
}
