//! The listening side: accepts, counts, answers, and stops when it is dropped.

use std::{
    collections::{BTreeMap, VecDeque},
    io,
    net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use holm_kernel::FailureClass;
use holm_wire::Format;

use super::{
    Act, Fault, Seen,
    act::failure,
    connection::Connection,
    perform::{self, Went},
    route::{self, Route},
};

/// Clients at the same time; more are turned away, so that a runaway test cannot take the machine with it.
const MAX_CONNECTIONS: usize = 256;

/// A provider on `127.0.0.1`, on a port of its own. It stops when it is dropped.
pub struct Double {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

impl Double {
    /// A double that performs these acts, one a request. A request after the last act is refused and says so.
    ///
    /// # Errors
    /// When no port can be had.
    pub fn start(acts: impl IntoIterator<Item = Act>) -> io::Result<Self> {
        let acts = Mutex::new(acts.into_iter().collect::<VecDeque<_>>());
        Self::answering(move |_| {
            let next = acts.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            next.unwrap_or_else(|| {
                let message = "the script of the double is over".into();
                Act::fails(Fault::Refused { status: Some(400), class: FailureClass::BadRequest, message })
            })
        })
    }

    /// A double that decides from each request what to do.
    ///
    /// # Errors
    /// When no port can be had.
    pub fn answering(answer: impl Fn(&Seen) -> Act + Send + Sync + 'static) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            answer: Box::new(answer),
            log: Mutex::default(),
            changed: Condvar::new(),
            stopped: AtomicBool::new(false),
        });
        let held = Arc::clone(&shared);
        let accepting = thread::spawn(move || accept(&listener, &held));
        Ok(Self { address, shared, accepting: Some(accepting) })
    }

    /// From now on only this key is taken, in whichever header the format sends it.
    #[must_use]
    pub fn wants_key(self, key: &str) -> Self {
        self.shared.log().key = Some(key.into());
        self
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The base URL for clients of a format.
    pub fn base(&self, format: Format) -> String {
        format!("http://{}{}", self.address, route::base(format))
    }

    /// The requests so far, in the order in which they came.
    pub fn requests(&self) -> Vec<Seen> {
        self.shared.log().seen.clone()
    }

    /// How many clients left before their answer had ended.
    pub fn left_early(&self) -> u64 {
        self.shared.log().left
    }

    /// How many connections were made.
    pub fn connections(&self) -> u64 {
        self.shared.log().connections
    }

    /// Waits until so many clients have left early; whether they have.
    pub fn wait_until_left(&self, clients: u64, patience: Duration) -> bool {
        let until = Instant::now() + patience;
        let mut log = self.shared.log();
        while log.left < clients {
            let rest = until.saturating_duration_since(Instant::now());
            if rest.is_zero() {
                return false;
            }
            let waited = self.shared.changed.wait_timeout(log, rest);
            log = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }
}

impl Drop for Double {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        for stream in self.shared.log().open.values() {
            let _ = stream.shutdown(Shutdown::Both);
        }
        // Wakes the thread that waits for clients.
        let _ = TcpStream::connect(self.address);
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
    }
}

/// What the threads share.
struct Shared {
    answer: Box<dyn Fn(&Seen) -> Act + Send + Sync>,
    log: Mutex<Log>,
    changed: Condvar,
    stopped: AtomicBool,
}

#[derive(Default)]
struct Log {
    seen: Vec<Seen>,
    key: Option<String>,
    left: u64,
    connections: u64,
    open: BTreeMap<u64, TcpStream>,
}

impl Shared {
    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }

    fn client_left(&self) {
        self.log().left += 1;
        self.changed.notify_all();
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    let mut threads: Vec<JoinHandle<()>> = Vec::new();
    for stream in listener.incoming() {
        if shared.stopped() {
            break;
        }
        threads.retain(|thread| !thread.is_finished());
        let Ok(stream) = stream else { continue };
        let Some(id) = admit(shared, &stream) else { continue };
        let shared = Arc::clone(shared);
        threads.push(thread::spawn(move || {
            // A connection that breaks is what clients do; the double goes on.
            let _ = serve(stream, &shared);
            shared.log().open.remove(&id);
        }));
    }
    for thread in threads {
        let _ = thread.join();
    }
}

/// Writes a client down; none if there are too many.
fn admit(shared: &Shared, stream: &TcpStream) -> Option<u64> {
    let twin = stream.try_clone().ok()?;
    let mut log = shared.log();
    if log.open.len() >= MAX_CONNECTIONS {
        return None;
    }
    log.connections += 1;
    let id = log.connections;
    log.open.insert(id, twin);
    Some(id)
}

fn serve(stream: TcpStream, shared: &Shared) -> io::Result<()> {
    let mut connection = Connection::new(stream)?;
    while !shared.stopped() {
        let Some(seen) = Seen::read(connection.reader())? else { return Ok(()) };
        let last = seen.header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"));
        match answer(&mut connection, seen, shared) {
            Ok(Went::Well) if !last => {}
            Ok(Went::Well | Went::Over) => break,
            Ok(Went::ClientLeft) | Err(_) => {
                shared.client_left();
                return Ok(());
            }
        }
    }
    connection.close();
    Ok(())
}

fn answer(connection: &mut Connection, mut seen: Seen, shared: &Shared) -> io::Result<Went> {
    let route = Route::of(&seen.path);
    seen.format = route.as_ref().map(|route| route.format);
    let read = route.as_ref().map(|route| route.read(&seen.body));
    seen.asked = read.as_ref().and_then(|read| read.as_ref().ok()).cloned();
    let (number, admitted) = {
        let mut log = shared.log();
        log.seen.push(seen.clone());
        let admitted =
            log.key.as_ref().is_none_or(|key| seen.headers.iter().any(|(_, value)| shows(value, key)));
        (log.seen.len() as u64, admitted)
    };
    if seen.method == "GET"
        && let Some(list) = route::listing(&seen.path)
    {
        let refusal = r#"{"error":{"type":"authentication_error","code":"invalid_api_key","message":"Incorrect API key provided"}}"#;
        let (status, body) = if admitted { (200, list) } else { (401, refusal) };
        perform::plain(connection, status, body)?;
        return Ok(Went::Well);
    }
    let (Some(route), Some(read)) = (route, read) else {
        perform::plain(connection, 404, r#"{"error":{"message":"the double has no such path"}}"#)?;
        return Ok(Went::Well);
    };
    let refusal = match read {
        Ok(asked) if admitted => {
            let act = (shared.answer)(&seen);
            return perform::perform(connection, &route, &asked, &act, number, || shared.stopped());
        }
        Ok(_) => failure(FailureClass::Auth, "Incorrect API key provided"),
        Err(bad) => failure(FailureClass::BadRequest, &bad.to_string()),
    };
    let (status, body) = route.codec.failure(&refusal);
    perform::plain(connection, status, &String::from_utf8_lossy(&body))?;
    Ok(Went::Well)
}

/// Whether a header's value is the key, or ends in it after a word such as `Bearer`.
fn shows(value: &str, key: &str) -> bool {
    value == key || value.strip_suffix(key).is_some_and(|before| before.ends_with(' '))
}
