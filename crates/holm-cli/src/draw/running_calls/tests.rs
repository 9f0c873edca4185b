use holm::kernel::{FailureClass, ModelCallId, NextTry, Outcome, ToolCallId};

use super::*;

fn called(call: u64) -> Event {
    Event::ModelCalled { call: ModelCallId::new(call), turn: 1, model: "m".into(), messages: 1, tokens: 1 }
}

fn finished(call: u64) -> Event {
    Event::CallFinished {
        call: ToolCallId::new(call),
        id: "c".into(),
        outcome: Outcome::Succeeded,
        bytes: 0,
        millis: 0,
        metadata: None,
    }
}

fn failed(call: u64) -> Event {
    Event::ModelFailed {
        call: ModelCallId::new(call),
        class: FailureClass::Server,
        message: "500".into(),
        next: NextTry::GiveUp,
    }
}

#[test]
fn a_call_is_under_way_from_its_start_to_its_end() {
    let (under_way, shell) = (RunningCalls::default(), Arc::<str>::from("shell"));
    let says = |expect: Option<&str>| {
        let said = line(&under_way.calls(), "*", Instant::now());
        assert_eq!(said.as_deref(), expect);
    };
    says(None);
    under_way.hear(&called(1), None);
    says(Some("* the model 0 s"));
    under_way.hear(&failed(1), None);
    says(None);
    under_way.hear(&Event::CallStarted { call: ToolCallId::new(2) }, Some(&shell));
    under_way.hear(&Event::CallStarted { call: ToolCallId::new(3) }, Some(&"read".into()));
    says(Some("* shell 0 s, read 0 s"));
    under_way.hear(&finished(2), Some(&shell));
    says(Some("* read 0 s"));
    under_way.hear(&finished(3), None);
    says(None);
}

#[test]
fn what_takes_long_says_how_long() {
    let now = Instant::now();
    let at = now.checked_sub(Duration::from_millis(61_900)).unwrap();
    let calls = BTreeMap::from([(CallId::new(1), RunningCall { name: "shell".into(), at })]);
    assert_eq!(line(&calls, "*", now).as_deref(), Some("* shell 61 s"));
}
