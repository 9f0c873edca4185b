//! What is remembered of an answer, for how long, and what is always asked.

use std::sync::{Arc, Mutex};

use holm_grants::Level;
use holm_kernel::{
    AskReason, Event, EventId, Marks, Numbered, Proposal, QuestionId, Seq, Timestamp, ToolCallId, Verdict,
};
use holm_runtime::{Approver, BoxFuture, EventSink};

use crate::{
    files::{LineDifference, ProposedChange},
    root::WorkspaceRoot,
    shell::{
        ApprovalAnswer, ApprovalAsker, ApprovalGate, ApprovalOffer, ClosedPlaces, CommandRules, RUN_PROGRAM,
        SHELL,
    },
};

/// Gives the same answer to every question, and keeps the questions.
#[derive(Clone)]
struct Person {
    answer: ApprovalAnswer,
    asked: Arc<Mutex<Vec<ApprovalOffer>>>,
}

impl ApprovalAsker for Person {
    fn ask(&self, _: Proposal, offer: ApprovalOffer) -> BoxFuture<'static, ApprovalAnswer> {
        self.asked.lock().expect("a lock").push(offer);
        let answer = self.answer.clone();
        Box::pin(async { answer })
    }
}

fn person(answer: ApprovalAnswer) -> (Person, ApprovalGate) {
    let person = Person { answer, asked: Arc::default() };
    let gate =
        ApprovalGate::new(person.clone(), CommandRules::new(["git push"], ["git status"]).expect("rules"));
    (person, gate)
}

impl Person {
    fn asked(&self) -> usize {
        self.asked.lock().expect("a lock").len()
    }
}

fn proposal(script: &str) -> Proposal {
    let arguments = holm_guards::json::Json::object([("script", script.into())]).canonical();
    Proposal {
        call: QuestionId::new(1),
        tool_call: ToolCallId::new(2),
        tool: SHELL.into(),
        digest: super::super::approval_gate::digest(SHELL, &arguments),
        arguments,
        level: Level::Execute,
        needs: Vec::new(),
        missing: Vec::new(),
        hands_on: Vec::new(),
        reasons: vec![AskReason::Level],
        marks: Marks::default(),
    }
}

async fn judged(gate: &ApprovalGate, script: &str) -> bool {
    matches!(gate.judge(proposal(script)).await, Verdict::Allow { .. })
}

#[tokio::test]
async fn an_answer_counts_for_as_much_as_was_said() {
    for (answer, same, alike, other) in [
        (ApprovalAnswer::Once, 2, 3, 4),
        (ApprovalAnswer::Session, 1, 2, 3),
        (ApprovalAnswer::Prefix, 1, 1, 2),
        (ApprovalAnswer::No { reason: "no".into() }, 2, 3, 4),
        (ApprovalAnswer::Never, 1, 2, 3),
    ] {
        let (person, gate) = person(answer.clone());
        let allows = !matches!(answer, ApprovalAnswer::No { .. } | ApprovalAnswer::Never);
        assert_eq!(judged(&gate, "wc -l a").await, allows);
        assert_eq!(judged(&gate, "wc -l a").await, allows);
        assert_eq!(person.asked(), same, "{answer:?}: the same again");
        assert_eq!(judged(&gate, "wc -l b c").await, allows);
        assert_eq!(person.asked(), alike, "{answer:?}: one that begins alike");
        assert_eq!(judged(&gate, "head a").await, allows);
        assert_eq!(person.asked(), other, "{answer:?}: another");
    }
}

#[tokio::test]
async fn a_person_is_told_whose_call_it_is_and_what_was_answered_counts_for_all() {
    let (person, gate) = person(ApprovalAnswer::Session);
    let scout = gate.of_helper("scout").expect("an approver");
    let reader = scout.of_helper("reader").expect("an approver");
    for approver in [&scout, &reader] {
        approver.judge(proposal(&format!("cargo build {}", person.asked()))).await;
    }
    gate.judge(proposal("cargo test")).await;
    let whose: Vec<Option<String>> =
        person.asked.lock().expect("a lock").iter().map(|offer| offer.helper.clone()).collect();
    assert_eq!(whose, [Some("scout".into()), Some("scout › reader".into()), None]);
    reader.judge(proposal("cargo test")).await;
    assert_eq!(person.asked(), 3, "the same call again");
}

#[tokio::test]
async fn a_pattern_in_the_place_of_a_folder_is_denied_without_a_question() {
    let (person, gate) = person(ApprovalAnswer::Once);
    let arguments = r#"{"script":"git commit -m x","write":[".git/**"]}"#.to_owned();
    let asked = Proposal {
        digest: super::super::approval_gate::digest(SHELL, &arguments),
        arguments,
        ..proposal("git commit -m x")
    };
    let Verdict::Deny { reason } = gate.judge(asked).await else { panic!("allowed") };
    assert_eq!(reason, "`write` takes folders, not patterns: say \".git\" instead of \".git/**\"");
    assert_eq!(person.asked(), 0);
}

#[tokio::test]
async fn rules_answer_first_and_deny_wins() {
    let (person, gate) = person(ApprovalAnswer::Prefix);
    assert!(judged(&gate, "git status").await);
    assert!(!judged(&gate, "git push").await);
    assert!(!judged(&gate, "git status && git push").await);
    assert_eq!(person.asked(), 0);
}

#[tokio::test]
async fn what_was_not_shown_is_asked_whatever_was_said_before() {
    let (person, gate) = person(ApprovalAnswer::Session);
    assert!(judged(&gate, "git status").await, "a rule lets it pass");
    let mut wants = proposal("git status");
    wants.missing = vec!["write:.git/**".into()];
    wants.reasons.push(AskReason::MissingGrant);
    assert_eq!(gate.judge(wants.clone()).await, Verdict::allow(), "other calls get no grant");
    assert_eq!(gate.judge(wants.clone()).await, Verdict::allow());
    assert_eq!(person.asked(), 1, "the same call with the same needs was approved");
    let helper = gate.of_helper("scout").expect("an approver");
    helper.judge(wants.clone()).await;
    assert_eq!(person.asked(), 2, "a helper has grants of its own");
    wants.missing.push("read:/home/u/**".into());
    gate.judge(wants).await;
    assert_eq!(person.asked(), 3, "it misses more than was shown");
    for reason in [AskReason::EgressAfterMark, AskReason::WriteAfterMark, AskReason::HookWants] {
        let before = person.asked();
        gate.judge(Proposal { reasons: vec![AskReason::Level, reason], ..proposal("git status") }).await;
        assert_eq!(person.asked(), before + 1, "{reason:?}");
    }
}

#[tokio::test]
async fn what_is_not_shown_as_it_is_passes_by_no_rule() {
    let (person, gate) = person(ApprovalAnswer::Once);
    // The text that a person sees is not the text that would run.
    gate.judge(Proposal { digest: "0".repeat(64), ..proposal("git status") }).await;
    // A hidden character is written out on the screen, so that the shown text has another digest.
    let mut hidden = proposal("git status \u{202e}");
    hidden.arguments = holm_kernel::visible(&hidden.arguments);
    gate.judge(hidden).await;
    assert_eq!(person.asked(), 2);
    let offers = person.asked.lock().expect("a lock");
    assert!(offers.iter().all(|offer| offer.prefix.is_none() && offer.command.is_none()));
}

#[tokio::test]
async fn a_command_of_which_a_part_is_not_shown_is_refused_unasked() {
    let (person, gate) = person(ApprovalAnswer::Once);
    let cut = |text: &str| format!("{text} […9 characters not shown…] ");
    let mut long = proposal("true");
    long.arguments = cut(&long.arguments);
    let mut many = proposal("true");
    many.needs = vec!["read:a".into(), cut("read:"), "[…7 more not shown…]".into()];
    for refused in [long.clone(), many, Proposal { tool: RUN_PROGRAM.into(), ..long.clone() }] {
        let Verdict::Deny { reason } = gate.judge(refused).await else { panic!("a no") };
        assert!(reason.contains("too long to show"), "{reason}");
    }
    assert_eq!(person.asked(), 0);
    // A script may say these words, if all of it is shown; and other tools may hold more than a screen.
    gate.judge(proposal("echo '[…9 characters not shown…]'")).await;
    gate.judge(Proposal { tool: "write_file".into(), ..long }).await;
    assert_eq!(person.asked(), 2);
}

#[tokio::test]
async fn a_program_that_runs_the_workspace_is_asked_about_each_time() {
    let (person, gate) = person(ApprovalAnswer::Prefix);
    for (times, script) in
        (1..).zip(["npm test", "npm test", "make", "cargo build", "printf -v x y", "printf -v x y"])
    {
        assert!(judged(&gate, script).await, "{script}");
        assert_eq!(person.asked(), times, "{script}");
    }
    assert!(person.asked.lock().expect("a lock").iter().all(|offer| offer.prefix.is_none()));
}

#[tokio::test]
async fn a_prefix_holds_in_the_folder_that_it_was_given_in() {
    let (person, gate) = person(ApprovalAnswer::Prefix);
    let call = |folder: &str| {
        let arguments = [("folder", folder.into()), ("script", "git diff".into())];
        let arguments = holm_guards::json::Json::object(arguments).canonical();
        let digest = super::super::approval_gate::digest(SHELL, &arguments);
        Proposal { arguments, digest, ..proposal("git diff") }
    };
    for (folder, asked) in [("sub", 1), ("sub", 1), ("other", 2), ("sub", 2)] {
        gate.judge(call(folder)).await;
        assert_eq!(person.asked(), asked, "{folder}");
    }
    judged(&gate, "git diff").await;
    assert_eq!(person.asked(), 3, "the workspace is another folder");
}

#[tokio::test]
async fn a_prefix_covers_commands_that_miss_no_more_than_the_approved_one() {
    let (person, gate) = person(ApprovalAnswer::Prefix);
    let wants = |script: &str, missing: &[&str]| Proposal {
        missing: missing.iter().map(|need| (*need).to_owned()).collect(),
        reasons: vec![AskReason::Level, AskReason::MissingGrant],
        ..proposal(script)
    };
    let home = "read:/home/u/**";
    assert_eq!(gate.judge(wants("ls src", &["exec:*", "write:**"])).await, Verdict::allow());
    assert_eq!(gate.judge(wants("ls docs", &["exec:*"])).await, Verdict::allow());
    assert_eq!(person.asked(), 1);
    gate.judge(wants("ls docs", &["exec:*", home])).await;
    assert_eq!(person.asked(), 2, "it misses more");
    for outside in [home, "write:/srv/**", "fetch:https://a.example", "secret:KEY@https://a.example"] {
        let before = person.asked();
        gate.judge(wants("ls docs", &[outside])).await;
        gate.judge(wants("ls src", &[outside])).await;
        assert_eq!(person.asked(), before + 2, "{outside} is outside the workspace");
    }
    // A rule of the settings approves no grant, beside an approved beginning or alone.
    for script in ["git status && ls src", "git status"] {
        let before = person.asked();
        gate.judge(wants(script, &["exec:*"])).await;
        assert_eq!(person.asked(), before + 1, "{script}");
    }
}

#[tokio::test]
async fn a_change_of_mode_takes_answers_back_and_leaves_the_rules() {
    let (person, gate) = person(ApprovalAnswer::Prefix);
    judged(&gate, "wc a").await;
    judged(&gate, "wc a").await;
    assert_eq!(person.asked(), 1);
    let changed = Event::ModeChanged { mode: holm_grants::Mode::Plan };
    gate.event(&Numbered { id: EventId::default(), at: Timestamp::new(0), event: changed });
    judged(&gate, "wc a").await;
    assert_eq!(person.asked(), 2);
    judged(&gate, "git status").await;
    assert_eq!(person.asked(), 2);
}

/// A call of another tool that misses one grant.
fn other_call(tool: &str) -> Proposal {
    let arguments = String::from(r#"{"path":"notes.txt"}"#);
    Proposal {
        tool: tool.into(),
        digest: super::super::approval_gate::digest(tool, &arguments),
        arguments,
        missing: vec!["read:notes.txt".into()],
        reasons: vec![AskReason::MissingGrant],
        ..proposal("git status")
    }
}

fn tell(gate: &ApprovalGate, (record, index): (u64, u64), event: Event) {
    let id = EventId { record: Seq::new(record), index };
    gate.event(&Numbered { id, at: Timestamp::new(0), event });
}

fn given() -> Event {
    Event::ApprovalGiven { call: ToolCallId::new(2), allowed: true, reason: String::new() }
}

#[tokio::test]
async fn a_replacement_of_the_grants_takes_answers_back_and_the_grants_of_an_answer_do_not() {
    let (person, gate) = person(ApprovalAnswer::Session);
    let wants = || Proposal {
        missing: vec!["write:**".into()],
        reasons: vec![AskReason::Level, AskReason::MissingGrant],
        ..proposal("wc a")
    };
    gate.judge(wants()).await;
    gate.judge(wants()).await;
    assert_eq!(person.asked(), 1);
    // An answer that gives grants: the kernel tells both for one record.
    gate.judge(other_call("read")).await;
    tell(&gate, (4, 0), given());
    tell(&gate, (4, 1), Event::GrantsChanged);
    gate.judge(wants()).await;
    assert_eq!(person.asked(), 2);
    // An answer without grants, and then a replacement.
    tell(&gate, (5, 0), given());
    tell(&gate, (6, 0), Event::GrantsChanged);
    gate.judge(wants()).await;
    assert_eq!(person.asked(), 3, "what was answered before is withdrawn");
}

#[tokio::test]
async fn new_tools_take_answers_back_about_all_but_commands() {
    let (person, gate) = person(ApprovalAnswer::Session);
    gate.judge(other_call("mcp_read")).await;
    gate.judge(other_call("mcp_read")).await;
    judged(&gate, "wc a").await;
    assert_eq!(person.asked(), 2);
    tell(&gate, (9, 0), Event::ToolsChanged { tools: 3 });
    judged(&gate, "wc a").await;
    assert_eq!(person.asked(), 2);
    gate.judge(other_call("mcp_read")).await;
    assert_eq!(person.asked(), 3, "the tool may be another one by now");
}

#[tokio::test]
async fn a_star_that_a_call_brought_along_is_a_letter_of_a_name() {
    let (_, gate) = person(ApprovalAnswer::Session);
    for (path, missing, expect) in [
        ("a*.txt", "read:a*.txt", "read:a[*].txt"),
        ("**", "read:**", "read:[*][*]"),
        ("src", "read:src/**", "read:src/**"),
        ("notes.txt", "read:notes.txt", "read:notes.txt"),
    ] {
        let asked = Proposal {
            tool: "read".into(),
            arguments: format!(r#"{{"path":"{path}"}}"#),
            missing: vec![missing.into()],
            reasons: vec![AskReason::MissingGrant],
            ..proposal("git status")
        };
        let Verdict::Allow { grants, .. } = gate.judge(asked).await else { panic!("a yes") };
        assert_eq!(grants.iter().map(ToString::to_string).collect::<Vec<_>>(), [expect], "{path}");
    }
}

#[tokio::test]
async fn other_tools_are_asked_about_and_remembered_by_their_digest() {
    let (person, gate) = person(ApprovalAnswer::Session);
    let other = Proposal { tool: "write_file".into(), ..proposal("x") };
    gate.judge(other.clone()).await;
    gate.judge(other).await;
    assert_eq!(person.asked(), 1);
}

#[tokio::test]
async fn other_arguments_go_back_to_the_kernel_and_are_not_remembered() {
    let (person, gate) = person(ApprovalAnswer::Rewrite { arguments: "{}".into() });
    for times in 1..=2 {
        let verdict = gate.judge(proposal("cargo build")).await;
        assert_eq!((verdict, person.asked()), (Verdict::Rewrite { arguments: "{}".into() }, times));
    }
}

#[test]
fn answers_are_data() {
    for (answer, text) in [
        (ApprovalAnswer::Once, r#""once""#),
        (ApprovalAnswer::Session, r#""session""#),
        (ApprovalAnswer::Prefix, r#""prefix""#),
        (ApprovalAnswer::Never, r#""never""#),
        (ApprovalAnswer::No { reason: "r".into() }, r#"{"no":{"reason":"r"}}"#),
        (ApprovalAnswer::Rewrite { arguments: "{}".into() }, r#"{"rewrite":{"arguments":"{}"}}"#),
    ] {
        assert_eq!(serde_json::to_string(&answer).expect("data"), text);
        assert_eq!(serde_json::from_str::<ApprovalAnswer>(text).expect("an answer"), answer);
    }
}

/// Answers the first question, and leaves the others open.
struct AnswersOne {
    answer: Mutex<Option<ApprovalAnswer>>,
}

impl ApprovalAsker for AnswersOne {
    fn ask(&self, _: Proposal, _: ApprovalOffer) -> BoxFuture<'static, ApprovalAnswer> {
        match self.answer.lock().expect("a lock").take() {
            Some(answer) => Box::pin(async {
                // After all questions have been asked.
                tokio::task::yield_now().await;
                answer
            }),
            None => Box::pin(std::future::pending()),
        }
    }
}

/// The verdict on the second of two calls, if the answer to the first one decides it too.
async fn second(answer: ApprovalAnswer, first: Proposal, second: Proposal) -> Option<Verdict> {
    let asker = AnswersOne { answer: Mutex::new(Some(answer)) };
    let gate = ApprovalGate::new(asker, CommandRules::default());
    let (first, second) = (gate.judge(first), gate.judge(second));
    let both = async { tokio::join!(first, second).1 };
    tokio::time::timeout(std::time::Duration::from_millis(50), both).await.ok()
}

fn write_of(path: &str, missing: bool, reasons: &[AskReason]) -> Proposal {
    let need = format!("write:{path}");
    let arguments = holm_guards::json::Json::object([("path", path.into())]).canonical();
    Proposal {
        tool: "write".into(),
        digest: super::super::approval_gate::digest("write", &arguments),
        arguments,
        level: Level::Write,
        missing: if missing { vec![need.clone()] } else { Vec::new() },
        needs: vec![need],
        reasons: reasons.to_vec(),
        ..proposal("")
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_for_a_family_also_answers_the_open_questions_of_that_family() {
    use AskReason::{HookWants, Level as Asks, MissingGrant};
    let family = ApprovalAnswer::Family;
    for (missing, reasons) in
        [(true, vec![MissingGrant]), (false, vec![Asks]), (true, vec![Asks, MissingGrant])]
    {
        let call = |path: &str| write_of(path, missing, &reasons);
        let verdict = second(family.clone(), call("src/a.rs"), call("src/b/c.rs")).await;
        assert_eq!(verdict, Some(Verdict::allow()), "{reasons:?}");
        assert_eq!(second(family.clone(), call("src/a.rs"), call("docs/b.md")).await, None, "another folder");
        assert_eq!(second(ApprovalAnswer::Once, call("src/a.rs"), call("src/b.rs")).await, None, "once");
    }
    let call = |path: &str, reasons: &[AskReason]| write_of(path, true, reasons);
    let hooked = call("src/b.rs", &[MissingGrant, HookWants]);
    assert_eq!(
        second(family, call("src/a.rs", &[MissingGrant]), hooked).await,
        None,
        "a hook wants a question"
    );
}

#[tokio::test(start_paused = true)]
async fn an_answer_for_a_family_leaves_the_question_of_a_helper_open() {
    let asker = AnswersOne { answer: Mutex::new(Some(ApprovalAnswer::Family)) };
    let gate = ApprovalGate::new(asker, CommandRules::default());
    let helper = gate.of_helper("scout").expect("an approver");
    let call = |path: &str| write_of(path, true, &[AskReason::MissingGrant]);
    let (first, second) = (gate.judge(call("src/a.rs")), helper.judge(call("src/b.rs")));
    let both = async { tokio::join!(first, second).1 };
    let verdict = tokio::time::timeout(std::time::Duration::from_millis(50), both).await;
    assert!(verdict.is_err(), "{verdict:?}");
}

#[tokio::test(start_paused = true)]
async fn a_grant_that_was_given_before_a_question_does_not_answer_it() {
    let asker = AnswersOne { answer: Mutex::new(Some(ApprovalAnswer::Family)) };
    let gate = ApprovalGate::new(asker, CommandRules::default());
    let call = |path: &str| write_of(path, true, &[AskReason::MissingGrant]);
    gate.judge(call("src/a.rs")).await;
    // The kernel knows of the grant. If it asks nevertheless, the grant was withdrawn.
    let later =
        tokio::time::timeout(std::time::Duration::from_millis(50), gate.judge(call("src/b.rs"))).await;
    assert!(later.is_err(), "{later:?}");
}

#[tokio::test(start_paused = true)]
async fn never_for_one_call_also_answers_its_open_repetition() {
    let call = || write_of("src/a.rs", true, &[AskReason::MissingGrant]);
    let verdict = second(ApprovalAnswer::Never, call(), call()).await;
    assert!(matches!(verdict, Some(Verdict::Deny { .. })), "{verdict:?}");
}

#[tokio::test]
async fn a_person_is_not_asked_about_a_file_that_no_answer_opens() {
    let folder = tempfile::tempdir().expect("a folder");
    let (person, gate) = person(ApprovalAnswer::Once);
    let gate = gate.over(WorkspaceRoot::open(folder.path()).expect("a root"));
    let write = |path: &str| Proposal {
        tool: "write".into(),
        level: Level::Write,
        needs: vec![format!("write:{path}")],
        ..proposal("")
    };
    let Verdict::Deny { reason, .. } = gate.judge(write(".vscode/tasks.json")).await else {
        panic!("it was not denied")
    };
    assert!(reason.contains("is protected, because"), "{reason}");
    assert_eq!(person.asked(), 0);
    assert!(matches!(gate.judge(write("a.txt")).await, Verdict::Allow { .. }));
    assert!(judged(&gate, "cat .vscode/tasks.json").await, "commands are held by their jail");
    assert_eq!(person.asked(), 2);
}

#[tokio::test]
async fn a_person_is_not_asked_about_a_command_that_could_only_read_closed_files() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join(".env"), "KEY=planted").expect("a file");
    let root = WorkspaceRoot::open(folder.path()).expect("a root");
    let (person, gate) = person(ApprovalAnswer::Once);
    assert!(judged(&gate, "cat .env").await, "without a jail nothing is closed to commands");
    let gate = gate.hiding(ClosedPlaces::of(&root));
    let Verdict::Deny { reason } = gate.judge(proposal("cat .env")).await else { panic!("allowed") };
    assert!(reason.starts_with("`.env` is closed to commands, because it may hold secrets"), "{reason}");
    assert!(judged(&gate, "cat README.md").await);
    assert_eq!(person.asked(), 2);
}

#[tokio::test]
async fn a_person_is_asked_about_a_write_only_if_it_can_run_and_is_shown_what_it_changes() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.txt"), "one\n").expect("a file");
    let root = WorkspaceRoot::open(folder.path()).expect("a root");
    let (person, gate) = person(ApprovalAnswer::Once);
    let gate = gate.over(root.clone()).requiring_reads();
    let write = |path: &str| {
        let arguments = format!(r#"{{"content":"two\n","path":"{path}"}}"#);
        let digest = super::super::approval_gate::digest("write", &arguments);
        let needs = vec![format!("write:{path}")];
        Proposal { tool: "write".into(), level: Level::Write, needs, digest, arguments, ..proposal("") }
    };
    let Verdict::Deny { reason } = gate.judge(write("a.txt")).await else { panic!("allowed") };
    assert_eq!(reason, "`a.txt` exists and you have not read it; read it before you overwrite it");
    assert_eq!(person.asked(), 0);
    root.seen().saw(&"a.txt".parse().expect("a path"), b"one\n");
    gate.judge(write("a.txt")).await;
    gate.judge(write("b.txt")).await;
    let offers = person.asked.lock().expect("a lock");
    let lines = vec!["- one".to_owned(), "+ two".to_owned()];
    let replaced = ProposedChange::Replaced(LineDifference { added: 1, removed: 1, lines });
    let changes: Vec<_> = offers.iter().map(|offer| offer.change.clone()).collect();
    assert_eq!(changes, [Some(replaced), Some(ProposedChange::New)]);
}

#[tokio::test]
async fn a_person_is_not_asked_about_a_patch_that_cannot_be_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let (person, gate) = person(ApprovalAnswer::Once);
    let gate = gate.over(WorkspaceRoot::open(folder.path()).expect("a root"));
    let judge = async |diff: &str| {
        let arguments = holm_guards::json::Json::object([("diff", diff.into())]).canonical();
        let digest = super::super::approval_gate::digest("patch", &arguments);
        gate.judge(Proposal { tool: "patch".into(), level: Level::Write, digest, arguments, ..proposal("") })
            .await
    };
    for diff in ["no patch", "@@ -1 +1 @@\n-a\n+b\n", "*** Begin Patch\n*** End Patch"] {
        let Verdict::Deny { reason } = judge(diff).await else { panic!("{diff}") };
        assert!(reason.contains("nothing was changed"), "{reason}");
    }
    assert_eq!(person.asked(), 0);
    judge("--- a\n+++ a\n@@ -1 +1 @@\n-a\n+b\n").await;
    assert_eq!(person.asked(), 1);
}

/// Keeps the needs of every question.
#[derive(Clone, Default)]
struct NeedsReader(Arc<Mutex<Vec<Vec<String>>>>);

impl ApprovalAsker for NeedsReader {
    fn ask(&self, proposal: Proposal, _: ApprovalOffer) -> BoxFuture<'static, ApprovalAnswer> {
        self.0.lock().expect("a lock").push(proposal.needs);
        Box::pin(async { ApprovalAnswer::Once })
    }
}

#[tokio::test]
async fn a_question_about_a_plain_git_command_names_the_repository_that_is_opened_for_it() {
    let reader = NeedsReader::default();
    let gate = ApprovalGate::new(reader.clone(), CommandRules::default());
    let asked = async |script: &str, missing: &[&str]| {
        let needs = ["exec:*", "read:**", "write:**"].map(str::to_owned).to_vec();
        let missing = missing.iter().map(|need| (*need).to_owned()).collect();
        gate.judge(Proposal { needs, missing, ..proposal(script) }).await;
        reader.0.lock().expect("a lock").pop().expect("a question").join(" ")
    };
    let opened = asked("git add -A && git commit -m x", &["exec:*"]).await;
    assert!(opened.ends_with("write:** read:.git/** write:.git/**"), "{opened}");
    for script in ["git status", "git add -A; python3 p.py", "git add -A; echo evil > .git/zz"] {
        let closed = asked(script, &["exec:*"]).await;
        assert!(!closed.contains(".git"), "{script}: {closed}");
    }
    let closed = asked("git commit -m x", &["exec:*", "write:**"]).await;
    assert!(!closed.contains(".git"), "only a run that may write the workspace opens it: {closed}");
}
