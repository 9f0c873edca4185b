use std::{sync::Arc, vec};

use holm_kernel::{Messages, Offer, ToolSpec};

use super::{MessageBuffer, RequestEncoder};
use crate::{
    WireOptions,
    anthropic::AnthropicCodec,
    testing::{body, encode, request, user, weather},
};

fn encoder() -> RequestEncoder {
    RequestEncoder::new(Arc::new(AnthropicCodec::default()))
}

#[test]
fn messages_made_for_one_request_leave_the_kept_view_alone() {
    let view = [user(0, "first"), user(1, "second")];
    let mut kept = encoder();
    let before = encode(&mut kept, &request("p/m", 2, vec![]), &view, &WireOptions::default());
    let mut own = request("p/m", 2, vec![]);
    own.messages = Messages::Own(vec![user(7, "sum it up")]);
    let summary = encode(&mut kept, &own, &view, &WireOptions::default());
    assert!(body(&summary).contains("sum it up") && !body(&summary).contains("first"));
    let after = encode(&mut kept, &request("p/m", 2, vec![]), &view, &WireOptions::default());
    assert_eq!(before, after);
}

#[test]
fn a_view_that_shrank_under_its_epoch_is_written_anew() {
    let view = [user(0, "first"), user(1, "second")];
    let mut kept = encoder();
    let _ = encode(&mut kept, &request("p/m", 2, vec![]), &view, &WireOptions::default());
    let shrunk = encode(&mut kept, &request("p/m", 1, vec![]), &view, &WireOptions::default());
    assert!(!body(&shrunk).contains("second"));
}

#[test]
fn a_view_shorter_than_its_count_is_taken_as_it_is() {
    let view = [user(0, "first")];
    let sent = encode(&mut encoder(), &request("p/m", 9, vec![]), &view, &WireOptions::default());
    assert!(body(&sent).contains("first"));
}

#[test]
fn tools_are_written_again_when_they_change() {
    let view = [user(0, "hi")];
    let mut kept = encoder();
    let mut ask = request("p/m", 1, vec![weather()]);
    assert!(body(&encode(&mut kept, &ask, &view, &WireOptions::default())).contains("weather"));
    // The same epoch from another run: only the declarations themselves count.
    let other = ToolSpec { name: "other".into(), ..weather() };
    ask.tools = Arc::new(Offer { epoch: 1, tools: vec![Arc::new(other)] });
    let sent = encode(&mut kept, &ask, &view, &WireOptions::default());
    assert!(body(&sent).contains("other") && !body(&sent).contains("\"weather\""));
    ask.tools = Arc::new(Offer::default());
    assert!(!body(&encode(&mut kept, &ask, &view, &WireOptions::default())).contains("tools"));
}

#[test]
fn the_tail_is_sent_but_not_final() {
    let mut transcript = MessageBuffer::default();
    assert!(transcript.is_empty());
    transcript.settle("a");
    transcript.out().extend_from_slice(b"{[1}");
    transcript.mark();
    transcript.tail_mut().extend_from_slice(b"]");
    let mut sent = vec![];
    transcript.copy_into(&mut sent);
    assert_eq!((sent.as_slice(), transcript.bytes(), transcript.len()), (&b"{[1}]"[..], &b"{[1}"[..], 5));
    transcript.settle("");
    assert_eq!((transcript.bytes(), transcript.tail(), transcript.group()), (&b"{[1}]"[..], &b""[..], ""));
    assert_eq!(transcript.marks().first().map(|mark| (mark.at, mark.group)), Some((3, "a")));
}
