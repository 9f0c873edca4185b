use super::{
    GenerationStats, MAX_FRAME, ReplyEnd, ScoreTask, WorkerMessage, WorkerPrompt, WorkerRequest, WorkerTask,
    frame, length, parse,
};

#[test]
fn a_frame_is_read_as_it_was_written() {
    let ended = WorkerMessage::Ended {
        id: 3,
        end: ReplyEnd::Full,
        tally: GenerationStats { input: 9, ..GenerationStats::default() },
    };
    for message in [ended, WorkerMessage::Weighed { id: 4, likely: vec![-2.0625, 0.0] }] {
        let bytes = frame(&message).unwrap();
        let (head, body) = bytes.split_first_chunk::<4>().unwrap();
        assert_eq!(length(*head), Some(body.len()));
        assert_eq!(parse::<WorkerMessage>(body), Some(message));
    }
}

#[test]
fn what_is_to_be_weighed_is_read_as_it_was_written() {
    let task = WorkerTask::Weigh(ScoreTask {
        opening: "{\"tool\": \"".into(),
        texts: vec!["read".into(), "write".into()],
    });
    let order = WorkerRequest::Begin(Box::new(WorkerPrompt { id: 1, session: 2, said: Vec::new(), task }));
    let bytes = frame(&order).unwrap();
    assert_eq!(parse::<WorkerRequest>(&bytes[4..]), Some(order));
}

#[test]
fn a_reply_that_was_written_twice_has_one_prompt() {
    let first = GenerationStats { input: 90, cached: 60, output: 20, prompt_us: 5, reply_us: 7 };
    let again = GenerationStats { input: 90, cached: 89, output: 12, prompt_us: 1, reply_us: 4 };
    assert_eq!(
        first.and(again),
        GenerationStats { input: 90, cached: 60, output: 32, prompt_us: 6, reply_us: 11 }
    );
}

#[test]
fn a_length_beyond_the_bound_is_none() {
    let over = u32::try_from(MAX_FRAME).unwrap() + 1;
    assert_eq!(length(over.to_le_bytes()), None);
    assert_eq!(length(u32::MAX.to_le_bytes()), None);
    let long = WorkerMessage::Text { id: 0, text: "x".repeat(MAX_FRAME) };
    assert_eq!(frame(&long), None);
}

#[test]
fn what_is_no_message_is_none() {
    assert_eq!(parse::<WorkerRequest>(b"{}"), None);
    assert_eq!(parse::<WorkerRequest>(b"\xff"), None);
    assert_eq!(parse::<WorkerRequest>(br#"{"cancel":{"id":"7"}}"#), None);
    assert_eq!(parse::<WorkerMessage>(br#"{"weighed":{"id":7,"likely":[-1.5,null]}}"#), None);
    assert_eq!(parse::<WorkerRequest>(br#"{"cancel":{"id":7}}"#), Some(WorkerRequest::Cancel { id: 7 }));
}
