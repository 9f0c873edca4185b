//! Plays public attack lists against the policies.
//!
//! `scripts/fetch-suites` fetches the lists; none of them is in the repository. Each list has a
//! rule here, written a second time and as simply as possible, by which the decision of the
//! policies is judged. A payload is stopped, or it is harmless because the policies read it as
//! something that was not granted. Anything else went through.

use std::{
    collections::BTreeSet,
    env, fmt, fs,
    net::IpAddr,
    path::{Path, PathBuf},
};

use holm::grants::Url;
use serde_json::Value;

use crate::{outcome::Outcome, policy};

/// Fewer distinct payloads than these mean that a list was lost.
const FEWEST_PAYLOADS: usize = 4_000;

/// As many as anybody wants to read.
const MOST_SHOWN: usize = 20;

/// A public address, for names that lead where they say.
const PUBLIC: &str = "93.184.216.34";

/// What came of every list.
pub(crate) struct Corpora(Vec<Corpus>);

/// What came of one list.
struct Corpus {
    name: &'static str,
    stopped: usize,
    harmless: usize,
    through: Vec<String>,
}

/// What came of one payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Came {
    /// It is refused, or a person is asked.
    Stopped,
    /// It is taken for something that was granted, and it is that.
    Harmless,
    /// It is taken for something that was granted, and it is not.
    Through,
}

impl Corpora {
    /// Plays every list.
    pub(crate) fn play() -> Result<Self, String> {
        Ok(Self(vec![paths()?, attacks()?, strings()?, addresses()?, public()?, urls()?, lookalikes()?]))
    }

    /// Whether nothing went through, and whether nothing was lost on the way here.
    pub(crate) fn is_sound(&self) -> bool {
        self.0.iter().all(|corpus| corpus.through.is_empty()) && self.payloads() >= FEWEST_PAYLOADS
    }

    fn payloads(&self) -> usize {
        self.0.iter().map(Corpus::payloads).sum()
    }
}

impl Corpus {
    /// Judges each distinct payload.
    fn judge(
        name: &'static str,
        payloads: impl IntoIterator<Item = String>,
        mut judge: impl FnMut(&str) -> Result<Came, String>,
    ) -> Result<Self, String> {
        let mut corpus = Self { name, stopped: 0, harmless: 0, through: Vec::new() };
        for payload in payloads.into_iter().collect::<BTreeSet<_>>() {
            match judge(&payload)? {
                Came::Stopped => corpus.stopped += 1,
                Came::Harmless => corpus.harmless += 1,
                Came::Through => corpus.through.push(payload),
            }
        }
        Ok(corpus)
    }

    fn payloads(&self) -> usize {
        self.stopped + self.harmless + self.through.len()
    }
}

impl fmt::Display for Corpora {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| list | payloads | stopped | harmless | through |\n|---|--:|--:|--:|--:|")?;
        for corpus in &self.0 {
            let Corpus { name, stopped, harmless, through } = corpus;
            let (payloads, through) = (corpus.payloads(), through.len());
            writeln!(f, "| {name} | {payloads} | {stopped} | {harmless} | {through} |")?;
        }
        let through: usize = self.0.iter().map(|corpus| corpus.through.len()).sum();
        writeln!(f, "\nRESULT attack.lists payloads={} through={through}", self.payloads())?;
        for corpus in &self.0 {
            for payload in corpus.through.iter().take(MOST_SHOWN) {
                writeln!(f, "{}: {payload:?} went through", corpus.name)?;
            }
        }
        Ok(())
    }
}

/// Paths that climb, as they are written and with their percent signs undone once and twice, as a careless program would.
fn paths() -> Result<Corpus, String> {
    let mut payloads = Vec::new();
    for name in ["dirTraversal", "dirTraversal-nix", "dirTraversal-win", "Traversal"] {
        for line in lines(&folder("traversal")?.join(format!("{name}.txt")))? {
            let once = undone(&line);
            payloads.extend([undone(&once), once, line]);
        }
    }
    let grants = texts(&["read:**", "write:**"]);
    Corpus::judge("wfuzz: paths", payloads, |payload| {
        let read = passes(&format!("read:{payload}"), &grants)?;
        let write = passes(&format!("write:{payload}"), &grants)?;
        Ok(came(read || write, stays_inside(payload)))
    })
}

/// Everything that is put into forms, as paths, programs, hosts and scripts.
fn attacks() -> Result<Corpus, String> {
    let folder = folder("traversal")?;
    let mut payloads = lines(&folder.join("All_attack.txt"))?;
    payloads.extend(lines(&folder.join("XSS.txt"))?);
    Corpus::judge("wfuzz: injections", payloads, anything)
}

/// Strings that break programs, as the same.
fn strings() -> Result<Corpus, String> {
    let strings = list(&read(&folder("strings")?.join("strings.json"))?)?;
    Corpus::judge("blns", strings, anything)
}

/// URLs that lead inside. A name among them is one that leads to this machine.
fn addresses() -> Result<Corpus, String> {
    let grants = texts(&["fetch:*://*:*", "fetch:http://*", "fetch:https://*"]);
    let urls = list(&read(&folder("addresses")?.join("should-not-pass.json"))?)?;
    Corpus::judge("ssrfcheck: inside", urls, |url| {
        let host = url.parse::<Url>().ok().map(|url| url.host().to_string());
        let leads_to = host.filter(|host| !is_address(host)).map(|_| "127.0.0.1");
        Ok(came(policy::url(url, leads_to, &grants)? == Outcome::Passed, false))
    })
}

/// The twins of those: plain names outside, which must pass. What is plain is said here, because Holm refuses much that this
/// list lets through: names and passwords, letters of other alphabets.
fn public() -> Result<Corpus, String> {
    let grants = texts(&["fetch:http://*", "fetch:https://*"]);
    let urls = list(&read(&folder("addresses")?.join("should-pass.json"))?)?;
    let plain = urls.into_iter().filter(|url| is_plain(url));
    let corpus = Corpus::judge("ssrfcheck: outside", plain, |url| {
        let passed = policy::url(url, Some(PUBLIC), &grants)? == Outcome::Passed;
        Ok(if passed { Came::Harmless } else { Came::Stopped })
    })?;
    match (corpus.stopped, corpus.harmless) {
        (0, 1..) => Ok(corpus),
        (stopped, passed) => Err(format!("{stopped} plain URLs were refused and {passed} passed")),
    }
}

/// The cases of browsers: what Holm reads at all, it reads as they do.
fn urls() -> Result<Corpus, String> {
    let cases = read(&folder("urls")?.join("urltestdata.json"))?;
    let cases = cases.as_array().ok_or("the URL data is no list")?;
    let mut corpus = Corpus { name: "WHATWG URLs", stopped: 0, harmless: 0, through: Vec::new() };
    for case in cases.iter().filter(|case| case.is_object()) {
        let input = case["input"].as_str().unwrap_or_default();
        match input.parse::<Url>() {
            Err(_) => corpus.stopped += 1,
            Ok(url) if same_host(&url.host().to_string(), case["hostname"].as_str()) => corpus.harmless += 1,
            Ok(_) => corpus.through.push(input.to_owned()),
        }
    }
    Ok(corpus)
}

/// Names with one letter in the place of one that looks alike: none of them is what was granted.
fn lookalikes() -> Result<Corpus, String> {
    const GRANTED: [&str; 4] = [
        "read:jumps/0123456789",
        "exec:quickbrownfox",
        "fetch:https://overlazydogs.example",
        "env:THEQUICKBROWNFOXJUMPSOVERLAZYDOGS",
    ];
    let table = read(&folder("lookalikes")?.join("confusables.json"))?;
    let table = table.as_object().ok_or("the look-alikes are no table")?;
    let mut payloads = Vec::new();
    for (letter, others) in table.iter().filter(|(letter, _)| is_letter(letter)) {
        for other in others.as_array().into_iter().flatten() {
            let other = other["c"].as_str().unwrap_or_default();
            for granted in GRANTED {
                let (kind, value) = granted.split_once(':').unwrap_or_default();
                if value.contains(letter.as_str()) {
                    payloads.push(format!("{kind}:{}", value.replace(letter.as_str(), other)));
                }
            }
        }
    }
    let grants = texts(&GRANTED);
    Corpus::judge("look-alikes", payloads, |payload| Ok(came(passes(payload, &grants)?, false)))
}

/// Judges a text in every place where it could be inserted. Nothing of it was granted.
fn anything(text: &str) -> Result<Came, String> {
    let grants = texts(&["read:granted/**", "exec:granted", "fetch:https://granted.example/", "env:GRANTED"]);
    for kind in ["read", "write", "exec", "fetch", "env", "tool", "spawn", "secret"] {
        if passes(&format!("{kind}:{text}"), &grants)? {
            return Ok(Came::Through);
        }
    }
    // Behind a folder that was granted it is a file there, or nothing.
    let inside = passes(&format!("read:granted/{text}"), &grants)?;
    if inside && !stays_inside(text.trim_start_matches('/')) {
        return Ok(Came::Through);
    }
    // After an allowed command it is an argument of that command, or the user is asked.
    let ruling = policy::rules(text, &[], &texts(&["granted status"]))?;
    Ok(match ruling {
        Outcome::Passed => Came::Through,
        _ if inside => Came::Harmless,
        _ => Came::Stopped,
    })
}

fn came(passed: bool, harmless: bool) -> Came {
    match (passed, harmless) {
        (false, _) => Came::Stopped,
        (true, true) => Came::Harmless,
        (true, false) => Came::Through,
    }
}

fn passes(request: &str, grants: &[String]) -> Result<bool, String> {
    Ok(policy::request(request, grants)? == Outcome::Passed)
}

/// Whether a path, taken letter by letter, never leaves the folder that it starts from.
fn stays_inside(path: &str) -> bool {
    if path.starts_with('/') || path.contains(['\\', '\0']) {
        return false;
    }
    let mut depth = 0_i64;
    for part in path.split('/') {
        depth += match part {
            "" | "." => 0,
            ".." => -1,
            _ => 1,
        };
        if depth < 0 {
            return false;
        }
    }
    true
}

/// The text with its percent signs undone once; what is no letter then is left as it is.
fn undone(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let code = text.get(at + 1..at + 3).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match (byte, code) {
            (b'%', Some(code)) => {
                out.push(code);
                at += 3;
            }
            _ => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Whether Holm's host is the one that browsers read. Where they read none, only a name that DNS would have to know is left:
/// Holm hands such a name on as it is written.
fn same_host(ours: &str, theirs: Option<&str>) -> bool {
    let Some(theirs) = theirs else { return ours.contains("xn--") };
    match (address(ours), address(theirs)) {
        (Some(ours), Some(theirs)) => ours == theirs,
        (None, None) => ours == theirs.strip_suffix('.').unwrap_or(theirs),
        _ => false,
    }
}

fn is_address(host: &str) -> bool {
    address(host).is_some()
}

/// The address of a host, without the clothes of the newer protocol.
fn address(host: &str) -> Option<IpAddr> {
    let plain = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let address: IpAddr = plain.parse().ok()?;
    Some(match address {
        IpAddr::V6(six) => six.to_ipv4_mapped().map_or(address, IpAddr::V4),
        IpAddr::V4(_) => address,
    })
}

/// Whether a URL is a name of small letters with a path of letters, and nothing else.
fn is_plain(url: &str) -> bool {
    let Some(rest) = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://")) else {
        return false;
    };
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let last = host.rsplit('.').next().unwrap_or_default();
    host.contains('.')
        && host.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'.' | b'-'))
        && last.len() >= 2
        && path.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'_' | b'-'))
        && !path.contains("//")
}

fn is_letter(text: &str) -> bool {
    text.len() == 1 && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// Where a list lies. One that is missing is a failure: what is silently left out proves nothing.
fn folder(name: &str) -> Result<PathBuf, String> {
    let named = |variable: &str| env::var_os(variable).map(PathBuf::from);
    let cache = || named("XDG_CACHE_HOME").or_else(|| Some(named("HOME")?.join(".cache")));
    let suites = named("HOLM_SUITES").or_else(|| Some(cache()?.join("holm/suites")));
    let folder = suites.ok_or("HOLM_SUITES, XDG_CACHE_HOME or HOME must be set")?.join(name);
    if folder.is_dir() {
        Ok(folder)
    } else {
        Err(format!("{} is missing; run scripts/fetch-suites", folder.display()))
    }
}

fn read(path: &Path) -> Result<Value, String> {
    let wrong = |why: String| format!("{}: {why}", path.display());
    let bytes = fs::read(path).map_err(|error| wrong(error.to_string()))?;
    serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string()))
}

/// The lines of a file, also where they are no text.
fn lines(path: &Path) -> Result<Vec<String>, String> {
    let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

fn list(value: &Value) -> Result<Vec<String>, String> {
    let texts = value.as_array().ok_or("a list is no list")?.iter().filter_map(Value::as_str);
    Ok(texts.map(str::to_owned).collect())
}
