//! Events are enough: a watcher that sees nothing else knows the transcript, every call, and how it ended.

use alloc::{
    collections::BTreeMap,
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};

use super::journal::{plays, written};
use super::play::Play;
use crate::journal;
use crate::*;

/// What a window would draw, from events alone.
#[derive(Debug, Default)]
struct Drawing {
    transcript: Vec<Arc<Message>>,
    calls: BTreeMap<CallId, Drawn>,
    endings: Vec<Ending>,
    marks: Marks,
    usage: Usage,
    spent: NanoUsd,
    groups: u64,
    /// A model call whose text is being streamed.
    thinking: Option<CallId>,
}

/// What a window would draw of one call.
#[derive(Debug, Default, Clone, PartialEq)]
struct Drawn {
    tool: String,
    arguments: String,
    stage: Stage,
    id: String,
}

#[derive(Debug, Default, Clone, Copy, PartialEq)]
enum Stage {
    #[default]
    Proposed,
    Asked,
    Answered,
    Running,
    Ended(Outcome),
}

impl Drawing {
    fn draw(&mut self, event: &Event) {
        match event {
            Event::MessageAdded { message } => self.transcript.push(message.clone()),
            Event::GroupStarted { group } => self.groups = *group,
            Event::GroupEnded { ending, usage, spent, .. } => {
                self.endings.push((**ending).clone());
                (self.usage, self.spent, self.thinking) = (*usage, *spent, None);
            }
            Event::ModelCalled { call, .. } => self.thinking = Some((*call).into()),
            Event::ModelReplied { .. } | Event::Withdrawn { .. } => self.thinking = None,
            Event::Marked { marks } => self.marks = *marks,
            Event::CallProposed { call, tool, arguments, .. } => {
                let drawn = self.calls.entry((*call).into()).or_default();
                drawn.tool = tool.to_string();
                drawn.arguments = arguments.to_string();
                drawn.stage = Stage::Proposed;
            }
            Event::ApprovalAsked { call } => self.step((*call).into(), Stage::Asked),
            Event::ApprovalGiven { call, .. } => self.step((*call).into(), Stage::Answered),
            Event::CallStarted { call } => self.step((*call).into(), Stage::Running),
            Event::CallFinished { call, id, outcome, .. } => {
                let drawn = self.calls.entry((*call).into()).or_default();
                drawn.id = id.to_string();
                drawn.stage = Stage::Ended(*outcome);
            }
            _ => {}
        }
    }

    fn step(&mut self, call: CallId, stage: Stage) {
        self.calls.get_mut(&call).expect("a call is proposed before it goes on").stage = stage;
    }
}

fn numbered(play: &Play) -> Vec<Numbered> {
    let records = journal::decode_strict(written(play).as_bytes()).expect("a sound journal");
    let mut events = Vec::new();
    journal::replay_with(&records, |_, effect| {
        if let Effect::Emit(event) = effect {
            events.push(event.clone());
        }
    })
    .expect("the same run");
    events
}

#[test]
fn a_run_can_be_redrawn_from_its_events_alone() {
    for (name, play) in plays() {
        let mut drawing = Drawing::default();
        for event in numbered(&play) {
            drawing.draw(&event.event);
        }
        assert_eq!(drawing.transcript, play.run.transcript(), "{name}");
        assert_eq!(drawing.endings, play.endings, "{name}");
        assert_eq!(
            (drawing.marks, drawing.usage, drawing.spent),
            (play.run.marks(), play.run.usage(), play.run.spent())
        );
        assert_eq!(drawing.thinking, None, "{name}");
        assert!(drawing.groups > 0, "{name}");
        // Every call has ended, and as the transcript says.
        let mut drawn: Vec<(String, Outcome)> = Vec::new();
        for call in drawing.calls.values() {
            let Stage::Ended(outcome) = call.stage else { panic!("{name}: {call:?}") };
            drawn.push((call.id.clone(), outcome));
        }
        let blocks = play.run.transcript().iter().flat_map(|message| message.blocks.iter());
        let told: Vec<(String, Outcome)> = blocks
            .filter_map(|block| match block {
                Block::ToolResult(result) => Some((result.call.clone(), result.outcome)),
                _ => None,
            })
            .collect();
        if play.run.config().protocol == Protocol::Native {
            assert_eq!(drawn, told, "{name}");
        }
        let ran = drawing.calls.values().filter(|call| !call.tool.is_empty()).count();
        assert!(ran > 0 || name == "long" || name == "failures", "{name}");
    }
}

#[test]
fn a_live_run_and_its_journal_tell_the_same_events() {
    for (name, play) in plays() {
        let told: Vec<Event> = numbered(&play).into_iter().map(|event| event.event).collect();
        // The first event came before the play began to listen; what `Resumed` clears is told by the journal alone.
        let missing = told.iter().filter(|event| !play.events.contains(event)).count();
        assert_eq!(missing, 0, "{name}");
    }
}

#[test]
fn events_are_numbered_without_gaps() {
    for (name, play) in plays() {
        let mut next = EventId::default();
        for event in numbered(&play) {
            if event.id.record != next.record {
                assert!(event.id.record > next.record, "{name}: {:?}", event.id);
                next = EventId { record: event.id.record, index: 0 };
            }
            assert_eq!(event.id, next, "{name}");
            next.index += 1;
        }
        assert!(next.record.value() > 0, "{name}");
    }
}

#[test]
fn every_event_can_be_written_and_read_back() {
    for (name, play) in plays() {
        for event in numbered(&play) {
            let text = serde_json::to_string(&event).expect("it writes");
            let read: Numbered = serde_json::from_str(&text).expect("it reads");
            assert_eq!(read, event, "{name}");
            assert_eq!(serde_json::to_string(&read).expect("it writes"), text, "{name}");
        }
    }
}

#[test]
fn every_group_has_one_terminal_event_and_it_comes_last() {
    for (name, play) in plays() {
        let mut open = false;
        for event in numbered(&play) {
            match event.event {
                Event::GroupStarted { .. } => {
                    assert!(!open, "{name}");
                    open = true;
                }
                Event::GroupEnded { last, .. } => {
                    assert!(open && last.is_some(), "{name}");
                    open = false;
                }
                Event::MessageAdded { .. } | Event::CallStarted { .. } | Event::ModelCalled { .. } => {
                    assert!(open, "{name}: {:?}", event.event);
                }
                _ => {}
            }
        }
        assert!(!open, "{name}");
    }
}

#[test]
fn dropping_events_changes_nothing() {
    for (name, play) in plays() {
        // `written` drains without looking, and still stands where the play stands.
        let run = super::journal::refold(&play);
        assert_eq!(run.freeze().expect("state"), play.run.freeze().expect("state"), "{name}");
    }
}
