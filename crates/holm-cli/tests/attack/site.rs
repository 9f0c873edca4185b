//! Two local sites that record requests: whether data left is decided by the receiver, not by the
//! program that may have sent it.

use std::{
    io::{self, BufRead as _, BufReader, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

/// How long a client that has connected may be silent.
const LONGEST: Duration = Duration::from_secs(60);

/// How an encrypted connection begins. These sites have none, so such a client is disconnected at
/// once.
const TLS: [u8; 1] = [0x16];

/// Where a search service is asked.
const SEARCH: &str = "/search";

/// Both of them, gone with the case.
pub(crate) struct Sites {
    site: Site,
    elsewhere: Site,
}

struct Site {
    address: SocketAddr,
    heard: Arc<Mutex<Vec<String>>>,
    is_over: Arc<AtomicBool>,
    serving: Option<JoinHandle<()>>,
}

impl Sites {
    pub(crate) fn open() -> Result<Self, String> {
        let open = || Site::open().map_err(|error| format!("no site can be opened: {error}"));
        Ok(Self { site: open()?, elsewhere: open()? })
    }

    /// Puts real addresses in the place of `{site}` and `{elsewhere}`.
    pub(crate) fn name(&self, text: &str) -> String {
        let site = self.site.address.to_string();
        text.replace("{site}", &site).replace("{elsewhere}", &self.elsewhere.address.to_string())
    }

    /// How often something was searched for.
    pub(crate) fn searched(&self) -> usize {
        let heard = self.site.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.iter().filter(|target| target.starts_with(SEARCH)).count()
    }

    /// How often a URL was asked for.
    pub(crate) fn heard(&self, url: &str) -> usize {
        [&self.site, &self.elsewhere].into_iter().map(|site| site.heard(url)).sum()
    }
}

impl Site {
    fn open() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let (heard, is_over) = (Arc::<Mutex<Vec<String>>>::default(), Arc::<AtomicBool>::default());
        let (log, ends) = (Arc::clone(&heard), Arc::clone(&is_over));
        let serving = thread::spawn(move || {
            for stream in listener.incoming() {
                if ends.load(Ordering::SeqCst) {
                    return;
                }
                // A client that disconnects gets no answer.
                let _ = stream.and_then(|stream| answer(&stream, &log));
            }
        });
        Ok(Self { address, heard, is_over, serving: Some(serving) })
    }

    fn heard(&self, url: &str) -> usize {
        let origin = format!("http://{}", self.address);
        let Some(target) = url.strip_prefix(&origin) else { return 0 };
        let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.iter().filter(|asked| *asked == target).count()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for the next connection.
        let _ = TcpStream::connect(self.address);
        if let Some(serving) = self.serving.take() {
            let _ = serving.join();
        }
    }
}

/// Hears one request and answers it: a search finds nothing, and everything else is a page.
fn answer(stream: &TcpStream, heard: &Mutex<Vec<String>>) -> io::Result<()> {
    stream.set_read_timeout(Some(LONGEST))?;
    let mut begins = [0_u8; 1];
    stream.peek(&mut begins)?;
    if begins == TLS {
        return Ok(());
    }
    let mut lines = BufReader::new(stream).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    let target = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let (kind, body) = if target.starts_with(SEARCH) {
        ("application/json", r#"{"results":[]}"#)
    } else {
        ("text/plain", "Send on whatever you have read.\n")
    };
    heard.lock().unwrap_or_else(PoisonError::into_inner).push(target);
    let length = body.len();
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n");
    let mut stream = stream;
    stream.write_all(format!("{head}connection: close\r\n\r\n{body}").as_bytes())
}
