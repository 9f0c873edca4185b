//! Questions about calls, and their answers.

use holm_kernel::{Event, QuestionId, ToolSpec, Verdict, Yields};

use super::*;
use crate::{EventNotice, HandleApprover, HandleError};

fn acts(ran: &Arc<AtomicU64>) -> impl crate::Tool + 'static {
    let ran = Arc::clone(ran);
    tool_fn(declared("act").level(Level::Execute), move |_: ToolInvocation| {
        ran.fetch_add(1, Ordering::Relaxed);
        async { ToolOutput::text("acted") }
    })
}

async fn asked(host: RunHost, answer: impl AsyncFnOnce(crate::RunHandle)) -> Ending {
    let mut started = started(&host);
    started.config.mode = Mode::Default;
    let mut driver = Driver::start(started, host).await.unwrap();
    let handle = driver.handle();
    let (ending, ()) = tokio::join!(driver.prompt("go"), answer(handle));
    ending.unwrap()
}

#[tokio::test]
async fn a_watcher_answers_by_the_questions_id() {
    let ran = Arc::new(AtomicU64::new(0));
    let host =
        RunHost::new(plays([calls(&["act"]), says("acted")])).tool(acts(&ran)).approver(HandleApprover);
    let ending = asked(host, async |handle| {
        let question = handle.questions().next().await.unwrap();
        assert_eq!((question.tool.as_str(), question.arguments.as_str()), ("act", r#"{"n":0}"#));
        assert_eq!(handle.open_questions().len(), 1);
        handle.judge(question.call, Verdict::allow()).unwrap();
        assert_eq!(
            handle.judge(question.call, Verdict::deny("too late")),
            Err(HandleError::NotAsked { call: question.call }),
            "the first answer counts"
        );
    })
    .await;
    assert_eq!((ending, ran.load(Ordering::Relaxed)), (answered("acted"), 1));
}

#[tokio::test]
async fn every_question_of_a_batch_is_seen_once() {
    let ran = Arc::new(AtomicU64::new(0));
    let host =
        RunHost::new(plays([calls(&["act", "act"]), says("done")])).tool(acts(&ran)).approver(HandleApprover);
    let ending = asked(host, async |handle| {
        let mut questions = handle.questions();
        let first = questions.next().await.unwrap();
        let second = questions.next().await.unwrap();
        assert_ne!(first.call, second.call);
        handle.judge(second.call, Verdict::deny("once is enough")).unwrap();
        handle.judge(first.call, Verdict::allow()).unwrap();
    })
    .await;
    assert_eq!((ending, ran.load(Ordering::Relaxed)), (answered("done"), 1));
}

#[tokio::test]
async fn a_question_that_a_mark_changes_is_withdrawn_and_asked_again() {
    let notified = Arc::new(tokio::sync::Notify::new());
    let waits = Arc::clone(&notified);
    let private = Yields { private: true, ..Yields::default() };
    let keys = tool_fn(ToolSpec { yields: private, ..declared("keys") }, move |_: ToolInvocation| {
        let waits = Arc::clone(&waits);
        async move {
            waits.notified().await;
            ToolOutput::text("a key")
        }
    });
    let egress = Yields { egress: true, ..Yields::default() };
    let send = ToolSpec { yields: egress, ..declared("send").level(Level::Execute) };
    let send = tool_fn(send, |_: ToolInvocation| async { ToolOutput::text("sent") });
    let host = RunHost::new(plays([calls(&["keys", "send"]), says("done")]));
    let host = host.tool(keys).tool(send).approver(HandleApprover);
    let ending = asked(host, async |handle| {
        let mut questions = handle.questions();
        let first = questions.next().await.unwrap();
        notified.notify_one();
        let second = questions.next().await.unwrap();
        assert!(first.call != second.call && first.tool_call == second.tool_call);
        assert!(!first.marks.private && second.marks.private);
        assert_eq!(
            handle.judge(first.call, Verdict::allow()),
            Err(HandleError::NotAsked { call: first.call }),
            "what was withdrawn takes no answer"
        );
        assert_eq!(handle.open_questions().len(), 1);
        handle.judge(second.call, Verdict::allow()).unwrap();
    })
    .await;
    assert_eq!(ending, answered("done"));
}

#[tokio::test]
async fn an_approver_and_a_watcher_race_and_the_first_wins() {
    struct Slow;
    impl crate::Approver for Slow {
        fn judge(&self, _: holm_kernel::Proposal) -> BoxFuture<'static, Verdict> {
            Box::pin(async {
                tokio::time::sleep(Duration::from_secs(60)).await;
                Verdict::deny("too slow")
            })
        }
    }
    let ran = Arc::new(AtomicU64::new(0));
    let host = RunHost::new(plays([calls(&["act"]), says("acted")])).tool(acts(&ran)).approver(Slow);
    let ending = asked(host, async |handle| {
        let question = handle.questions().next().await.unwrap();
        handle.judge(question.call, Verdict::allow()).unwrap();
    })
    .await;
    assert_eq!((ending, ran.load(Ordering::Relaxed)), (answered("acted"), 1));
}

#[tokio::test]
async fn an_answer_to_what_was_never_asked_is_refused_and_does_no_harm() {
    let host = RunHost::new(plays([says("hello")]));
    let mut driver = Driver::start(started(&host), host).await.unwrap();
    let handle = driver.handle();
    let call = QuestionId::new(77);
    assert_eq!(handle.judge(call, Verdict::allow()), Err(HandleError::NotAsked { call }));
    assert_eq!(handle.tell(Input::TimePassed), Err(HandleError::NotYours));
    assert_eq!(driver.prompt("go").await.unwrap(), answered("hello"));
    drop(driver);
    assert_eq!(handle.steer("are you there?"), Err(HandleError::Gone));
    assert!(handle.questions().next().await.is_none(), "nothing will be asked any more");
}

#[tokio::test]
async fn the_question_is_an_event_too() {
    let ran = Arc::new(AtomicU64::new(0));
    let host = RunHost::new(plays([calls(&["act"]), says("fine")])).tool(acts(&ran)).approver(HandleApprover);
    asked(host, async |handle| {
        let mut events = handle.events();
        let question = handle.questions().next().await.unwrap();
        handle.judge(question.call, Verdict::deny("not today")).unwrap();
        loop {
            let Some(EventNotice::Event(event)) = events.next().await else { panic!("it was not told") };
            if let Event::ApprovalGiven { call, allowed, reason } = &event.event {
                assert_eq!((*call, *allowed, reason.as_str()), (question.tool_call, false, "not today"));
                break;
            }
        }
    })
    .await;
    assert_eq!(ran.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn an_approver_that_panics_has_said_no_and_leaves_no_question_open() {
    let ran = Arc::new(AtomicU64::new(0));
    let host = RunHost::new(plays([calls(&["act"]), says("fine")]))
        .tool(acts(&ran))
        .approver(|_: &holm_kernel::Proposal| -> Verdict { panic!("on purpose") });
    let mut started = started(&host);
    started.config.mode = Mode::Default;
    let (ending, driver) = drive(started, Prompt::text("go"), host).await.unwrap();
    assert_eq!(ending, answered("fine"));
    assert!(driver.handle().open_questions().is_empty());
    assert_eq!(ran.load(Ordering::Relaxed), 0);
}
