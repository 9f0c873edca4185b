//! Plan mode on a real host: the kernel carries out the two tools, and a person is always asked,
//! even if hooks may decide too.

use holm_kernel::{AskReason, PlanRole, Verdict};

use super::*;
use crate::{Agent, BoxFuture, HookOpinion, ProposedCall};

/// A hook that has nothing against anything.
struct Waves;

impl crate::BeforeCallHook for Waves {
    fn before_call<'a>(&'a self, _: &'a ProposedCall) -> BoxFuture<'a, HookOpinion> {
        Box::pin(async { HookOpinion::Pass })
    }
}

fn plan(role: PlanRole, name: &str) -> impl crate::Tool + 'static {
    let never = |_: ToolInvocation| async { panic!("the kernel carries it out") };
    tool_fn(holm_kernel::ToolSpec::plan(role, name, "For tests."), never)
}

fn calls_exit() -> ModelResult {
    crate::testing::calls_with([("exit_plan", r#"{"plan":"look, then act"}"#.to_owned())])
}

#[tokio::test(start_paused = true)]
async fn a_plan_is_shown_to_a_person_where_hooks_decide_about_everything_else() {
    for allowed in [true, false] {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&asked);
        let person = move |proposal: &holm_kernel::Proposal| {
            seen.lock().unwrap().push((proposal.tool.clone(), proposal.reasons.clone()));
            if allowed { Verdict::allow() } else { Verdict::deny("not yet") }
        };
        let ran = Arc::new(AtomicU64::new(0));
        let counts = Arc::clone(&ran);
        let act = tool_fn(declared("act").level(Level::Execute), move |_: ToolInvocation| {
            counts.fetch_add(1, Ordering::Relaxed);
            async { ToolOutput::text("acted") }
        });
        let model =
            plays([calls(&["enter_plan"]), calls(&["act"]), calls_exit(), calls(&["act"]), says("ok")]);
        let agent = Agent::builder("test/one", model)
            .mode(Mode::Full)
            .tool(plan(PlanRole::Enter, "enter_plan"))
            .tool(plan(PlanRole::Exit, "exit_plan"))
            .tool(act)
            .before_call(Waves)
            .approver(person)
            .build()
            .unwrap();
        let mut session = agent.start().await.unwrap();
        assert_eq!(session.prompt("go").await.unwrap().text().unwrap(), "ok");
        let asked = asked.lock().unwrap();
        assert_eq!(*asked, [("exit_plan".to_owned(), vec![AskReason::LeavesPlan])]);
        assert_eq!(
            ran.load(Ordering::Relaxed),
            u64::from(allowed),
            "what was refused in plan mode never ran"
        );
        let mode = if allowed { Mode::Full } else { Mode::Plan };
        assert_eq!(session.run().mode(), mode);
    }
}

/// A run in which a person puts another plan in the place of the model's, and then says this; its journal.
async fn changed(verdict: fn() -> Verdict) -> String {
    let journal = MemoryJournal::new();
    let asked = AtomicU64::new(0);
    let person = move |_: &holm_kernel::Proposal| match asked.fetch_add(1, Ordering::Relaxed) {
        0 => Verdict::Rewrite { arguments: r#"{"plan":"look twice"}"#.into() },
        _ => verdict(),
    };
    let host = RunHost::new(plays([calls(&["enter_plan"]), calls_exit(), says("ok")]))
        .tool(plan(PlanRole::Enter, "enter_plan"))
        .tool(plan(PlanRole::Exit, "exit_plan"))
        .approver(person)
        .journal(journal.clone())
        .clock(PausedClock::new());
    let (ending, driver) = drive(started(&host), Prompt::text("go"), host).await.unwrap();
    assert_eq!(ending, answered("ok"));
    let text = journal.text();
    let records = journal::decode_strict(text.as_bytes()).unwrap();
    assert_eq!(journal::replay(&records).unwrap().receipt(), driver.run().receipt());
    text
}

#[tokio::test(start_paused = true)]
async fn a_plan_that_was_changed_is_told_before_it_is_agreed_to_and_not_otherwise() {
    let instruction = "Carry out this plan:\\n\\nlook twice";
    let journal = changed(Verdict::allow).await;
    let (told_at, agreed) = (journal.find(instruction), journal.find(r#""allow""#));
    assert!(told_at.is_some() && told_at < agreed, "{journal}");
    let journal = changed(|| Verdict::deny("not yet")).await;
    assert!(!journal.contains(instruction), "{journal}");
}
