//! How often and how long each program is measured.

use std::{
    io::{ErrorKind, Read as _},
    net::{TcpListener, TcpStream},
    process::{Child, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use crate::{
    child::{self, Ran},
    program::{Home, Program},
};

/// Starts for the version.
pub const VERSION_ROUNDS: usize = 40;
/// Starts to the first request.
pub const REQUEST_ROUNDS: usize = 8;
/// How long a first request may take.
const LONGEST: Duration = Duration::from_secs(120);

/// What one program costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// The program.
    pub name: &'static str,
    /// The quickest and the median start for the version.
    pub version: (Duration, Duration),
    /// The quickest and the median start to the first request.
    pub request: (Duration, Duration),
    /// The most memory of a start for the version, in bytes.
    pub memory: u64,
    /// The file, in bytes.
    pub size: u64,
}

impl Figure {
    /// From times in any order.
    pub fn new(
        name: &'static str,
        versions: Vec<Duration>,
        requests: Vec<Duration>,
        memory: u64,
        size: u64,
    ) -> Self {
        Self { name, version: ends(versions), request: ends(requests), memory, size }
    }
}

/// The quickest and the median.
fn ends(mut times: Vec<Duration>) -> (Duration, Duration) {
    times.sort();
    let at = |place: usize| times.get(place).copied().unwrap_or_default();
    (at(0), at(times.len() / 2))
}

impl Program {
    /// Asks for the version.
    pub fn version(&self) -> Result<Ran, String> {
        let home = Home::new()?;
        child::run(home.command(&self.path).arg("--version"))
    }

    /// How long it takes until the first request to a model is there.
    pub fn first_request(&self) -> Result<Duration, String> {
        let home = Home::new()?;
        let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
        listener.set_nonblocking(true).map_err(|error| error.to_string())?;
        let port = listener.local_addr().map_err(|error| error.to_string())?.port();
        let mut command = home.command(&self.path);
        self.ask(&mut command, port);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let began = Instant::now();
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        let asked = wait_for_post(&listener, &mut child, began);
        let _ = child.kill();
        let _ = child.wait();
        asked
    }
}

/// Waits until something is posted. Whatever else is asked gets no answer, and a connection on which nothing is asked yet holds
/// nobody up.
fn wait_for_post(listener: &TcpListener, child: &mut Child, began: Instant) -> Result<Duration, String> {
    let (tell, posted) = mpsc::channel();
    loop {
        match listener.accept() {
            Ok((stream, _)) => {
                let tell = tell.clone();
                thread::spawn(move || {
                    if is_post(stream) {
                        // Only the first counts, and nobody waits for another.
                        let _ = tell.send(began.elapsed());
                    }
                });
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => thread::sleep(Duration::from_micros(100)),
            Err(error) => return Err(error.to_string()),
        }
        if let Ok(took) = posted.try_recv() {
            return Ok(took);
        }
        if let Ok(Some(status)) = child.try_wait() {
            return Err(format!("it ended with {status} and asked nothing"));
        }
        if began.elapsed() > LONGEST {
            return Err("it asked nothing".into());
        }
    }
}

fn is_post(mut stream: TcpStream) -> bool {
    let mut begin = [0; 5];
    let set = stream.set_nonblocking(false).and_then(|()| stream.set_read_timeout(Some(LONGEST)));
    set.and_then(|()| stream.read_exact(&mut begin)).is_ok() && &begin == b"POST "
}
