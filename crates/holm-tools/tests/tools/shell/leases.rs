//! Grants that end, and grants that are taken back, as a run and its journal see them.

use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use holm_grants::{GrantSet, Mode};
use holm_kernel::{Input, Proposal, Timestamp, Verdict};
use holm_runtime::{Approver, BoxFuture};

use crate::shell::cell::{Cell, Step, WAYS};

/// Gives what is missing for a while, and keeps what was missing in each question.
#[derive(Clone)]
struct Lender {
    millis: Option<u64>,
    missing: Arc<Mutex<Vec<Vec<String>>>>,
}

impl Lender {
    fn new(millis: Option<u64>) -> Self {
        Self { millis, missing: Arc::default() }
    }

    fn missed(&self, at: usize) -> Vec<String> {
        self.missing.lock().unwrap().get(at).cloned().unwrap_or_else(|| vec!["nothing was asked".into()])
    }
}

impl Approver for Lender {
    fn judge(&self, proposal: Proposal) -> BoxFuture<'static, Verdict> {
        self.missing.lock().unwrap().push(proposal.missing.clone());
        let now = u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap();
        let grants = GrantSet::parse(proposal.missing.iter().map(String::as_str)).unwrap();
        let until = self.millis.map(|millis| Timestamp::new(now + millis));
        Box::pin(async move { Verdict::Allow { grants, until } })
    }
}

const GIT: &[(&str, &[&str])] = &[("write", &[".", ".git"])];

#[tokio::test]
async fn a_temporary_grant_ends_and_the_journal_shows_when() {
    let cell = Cell::new(WAYS[0]);
    cell.outside("git", &["init", "-q", "."]);
    let lender = Lender::new(Some(50));
    let calls =
        [Step::sh("touch .git/a && sleep 0.3 && echo one", GIT), Step::sh("touch .git/b && echo two", GIT)];
    let (mut session, seen) = cell.session(&cell.shell(), Mode::Default, &[], lender.clone(), calls).await;
    session.prompt("go").await.unwrap();
    assert!(
        seen.turn(1).contains("one") && seen.turn(2).contains("two"),
        "{} {}",
        seen.turn(1),
        seen.turn(2)
    );
    assert!(lender.missed(0).contains(&"write:.git/**".to_owned()), "{:?}", lender.missed(0));
    assert!(lender.missed(1).contains(&"write:.git/**".to_owned()), "it had ended: {:?}", lender.missed(1));
    let journal = cell.journal();
    assert!(journal.contains("\"until\"") && journal.contains("write:.git/**"), "{journal}");
}

#[tokio::test]
async fn a_lasting_grant_is_not_asked_for_again_and_one_that_is_taken_back_stops_the_next_call() {
    let cell = Cell::new(WAYS[0]);
    cell.outside("git", &["init", "-q", "."]);
    let lender = Lender::new(None);
    let call = |name: &str| Step::sh(&format!("touch .git/{name} && echo {name}"), GIT);
    let calls = [call("one"), call("two"), Step::Say("done"), call("three")];
    let (mut session, seen) = cell.session(&cell.shell(), Mode::Default, &[], lender.clone(), calls).await;
    session.prompt("go").await.unwrap();
    assert!(seen.turn(2).contains("two"));
    assert_eq!(lender.missed(1), Vec::<String>::new(), "the lease holds for the task");

    session.handle().tell(Input::GrantsChanged(GrantSet::default())).unwrap();
    session.prompt("again").await.unwrap();
    assert!(lender.missed(2).contains(&"write:.git/**".to_owned()), "taken back: {:?}", lender.missed(2));
    assert!(cell.journal().contains("grants_changed"));
}

#[tokio::test]
async fn a_call_without_its_grant_does_not_run_where_nobody_gives_it() {
    let cell = Cell::new(WAYS[0]);
    cell.outside("git", &["init", "-q", "."]);
    let nobody = |proposal: &Proposal| Verdict::deny(format!("no: {}", proposal.missing.join(", ")));
    let calls = [Step::sh("touch .git/a", GIT)];
    let (mut session, seen) = cell.session(&cell.shell(), Mode::Default, &[], nobody, calls).await;
    session.prompt("go").await.unwrap();
    assert!(seen.turn(1).contains("write:.git/**"), "{}", seen.turn(1));
    assert!(!cell.path("work/.git/a").exists());
}
