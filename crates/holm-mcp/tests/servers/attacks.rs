//! Everything that is known to have been tried with MCP, as one table: of which kind it is, what it is, and what must come of it.

mod answers;
mod definitions;
mod door;
mod floods;
mod hangs;

use std::collections::BTreeSet;
use std::future::ready;

use futures::StreamExt as _;
use futures::stream;
use holm_mcp::{RemoteServerError, ToolListing};
use holm_runtime::BoxFuture;

use crate::oauth;
use crate::support::{PATIENCE, Place, echo, text};

/// What can be attacked, and by what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Poison,
    RugPull,
    Shadowing,
    Redos,
    Flood,
    Spoiled,
    IdConfusion,
    AsksPerson,
    Hang,
    Crash,
    OauthMixUp,
    Ssrf,
    Rebinding,
    SessionGuess,
}

/// Each of which there must be a case.
const KINDS: [Kind; 14] = [
    Kind::Poison,
    Kind::RugPull,
    Kind::Shadowing,
    Kind::Redos,
    Kind::Flood,
    Kind::Spoiled,
    Kind::IdConfusion,
    Kind::AsksPerson,
    Kind::Hang,
    Kind::Crash,
    Kind::OauthMixUp,
    Kind::Ssrf,
    Kind::Rebinding,
    Kind::SessionGuess,
];

/// Fewer than these mean that some were lost.
const FEWEST: usize = 55;

/// How many cases run at a time: each starts a program or two.
const AT_ONCE: usize = 4;

/// One attack. Its work panics where it comes to something.
pub(crate) struct Case {
    kind: Kind,
    name: &'static str,
    work: BoxFuture<'static, ()>,
}

impl Case {
    pub(crate) fn new(
        kind: Kind,
        name: &'static str,
        work: impl Future<Output = ()> + Send + 'static,
    ) -> Self {
        Self { kind, name, work: Box::pin(work) }
    }
}

fn cases() -> Vec<Case> {
    let tables = [definitions::cases(), answers::cases(), floods::cases(), hangs::cases(), door::cases()];
    tables.into_iter().flatten().chain(oauth::cases()).collect()
}

/// Its list is read, and this holds of it.
async fn lists(mode: &'static str, holds: fn(&ToolListing)) {
    let place = Place::new();
    holds(&place.remote(mode).list().await.unwrap());
}

/// Two calls each get their own answer.
async fn answers(mode: &'static str) {
    let place = Place::new();
    let remote = place.remote(mode);
    for word in ["one", "two"] {
        let answer = echo(&remote, word).await.unwrap();
        assert_eq!(text(&answer), format!(r#"{{"word": "{word}"}}"#));
    }
}

/// The call fails with this message. The caller must get it at once; otherwise the message would
/// be about a timeout.
async fn spoils(mode: &'static str, words: &'static str) {
    let place = Place::new();
    let error = echo(&place.remote(mode), "x").await.unwrap_err();
    assert!(matches!(&error, RemoteServerError::Protocol(why) if why.contains(words)), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_known_attack_comes_to_nothing() {
    let work = stream::iter(cases()).map(|case| async move {
        let came = tokio::spawn(tokio::time::timeout(PATIENCE * 5, case.work)).await;
        let why = match came {
            Ok(Ok(())) => return None,
            Ok(Err(_)) => "it never ended".to_owned(),
            Err(error) => {
                let panic = error.into_panic();
                let said = panic.downcast_ref::<String>().map(String::as_str);
                said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it failed").to_owned()
            }
        };
        Some(format!("{:?}, {}: {why}", case.kind, case.name))
    });
    let failed: Vec<String> = work.buffer_unordered(AT_ONCE).filter_map(ready).collect().await;
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn every_kind_of_attack_has_cases_and_each_has_a_name_of_its_own() {
    let cases = cases();
    let kinds: BTreeSet<Kind> = cases.iter().map(|case| case.kind).collect();
    assert_eq!(kinds, KINDS.into_iter().collect());
    let names: BTreeSet<&str> = cases.iter().map(|case| case.name).collect();
    assert_eq!(names.len(), cases.len());
    assert!(cases.len() >= FEWEST, "{} cases", cases.len());
}
