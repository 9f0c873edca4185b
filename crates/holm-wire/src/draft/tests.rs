use std::{format, string::String, vec::Vec};

use holm_guards::json::Json;
use holm_kernel::{Block, Media, Source, StopReason, Usage};

use super::{ReplyDraft, ToolCallChunk};

fn piece<'a>(id: &'a str, name: &'a str, arguments: &'a str) -> ToolCallChunk<'a> {
    ToolCallChunk { id, name, arguments }
}

#[test]
fn text_and_thinking_alternate_in_blocks_of_their_own() {
    let mut seen: Vec<String> = Vec::new();
    let mut draft = ReplyDraft::default();
    let mut sink = |delta: crate::WireDelta<'_>| seen.push(format!("{delta:?}"));
    draft.thinking("a", &mut sink);
    draft.thinking("b", &mut sink);
    draft.text("c", &mut sink);
    draft.text("", &mut sink);
    draft.thinking("d", &mut sink);
    draft.text("e", &mut sink);
    draft.close();
    draft.text("f", &mut sink);
    let reply = draft.into_reply();
    let shown: Vec<&str> = reply
        .blocks
        .iter()
        .map(|block| match block {
            Block::Thinking(thinking) => thinking.text.as_str(),
            other => other.as_text().unwrap(),
        })
        .collect();
    assert_eq!(shown, ["ab", "c", "d", "e", "f"]);
    assert_eq!(seen.last().unwrap(), "Text { offset: 2, text: \"f\" }");
}

#[test]
fn a_signature_closes_its_thinking() {
    let mut draft = ReplyDraft::default();
    draft.thinking("a", &mut |_| {});
    draft.thinking_replay(Json::from("s1"));
    draft.thinking("b", &mut |_| {});
    draft.close();
    draft.thinking_replay(Json::from("s2"));
    let reply = draft.into_reply();
    let shown: Vec<(String, Option<Json>)> = reply
        .blocks
        .into_iter()
        .map(|block| match block {
            Block::Thinking(thinking) => (thinking.text, thinking.replay),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        shown,
        [("a".into(), Some("s1".into())), ("b".into(), None), (String::new(), Some("s2".into()))]
    );
}

#[test]
fn the_stop_fits_what_was_said() {
    let check = |stop: Option<StopReason>, calls: bool, expect| {
        let mut draft = ReplyDraft::default();
        if let Some(stop) = stop {
            draft.set_stop(stop);
            draft.set_stop(StopReason::Other);
        }
        if calls {
            draft.call(Some(0), &piece("", "f", "{}"), &mut |_| {});
        }
        assert_eq!(draft.into_reply().stop, expect);
    };
    check(None, false, StopReason::EndTurn);
    check(None, true, StopReason::ToolUse);
    check(Some(StopReason::EndTurn), true, StopReason::ToolUse);
    check(Some(StopReason::ToolUse), false, StopReason::EndTurn);
    check(Some(StopReason::MaxTokens), true, StopReason::MaxTokens);
}

#[test]
fn everything_that_is_kept_is_counted() {
    let grows = |label: &str, least: u64, add: &dyn Fn(&mut ReplyDraft)| {
        let mut draft = ReplyDraft::default();
        draft.text("begun", &mut |_| {});
        let before = draft.kept();
        add(&mut draft);
        let more = draft.kept() - before;
        assert!((least..=least + 2_100).contains(&more), "{label}: {more} for {least}");
    };
    let long = "x".repeat(10_000);
    let media = Media { media_type: "image/png".into(), source: Source::Base64(long.clone()), name: None };
    grows("text", 10_000, &|draft| draft.text(&long, &mut |_| {}));
    grows("thinking", 10_000, &|draft| draft.thinking(&long, &mut |_| {}));
    grows("arguments", 10_000, &|draft| draft.call(Some(0), &piece("a", "f", &long), &mut |_| {}));
    grows("a name", 10_000, &|draft| draft.call(Some(0), &piece("a", &long, "{}"), &mut |_| {}));
    grows("an id, three times", 30_000, &|draft| draft.call(Some(0), &piece(&long, "f", "{}"), &mut |_| {}));
    grows("a picture", 10_000, &|draft| draft.block(Block::Image(media.clone())));
    grows("a signature", 10_000, &|draft| draft.charge(long.len()));
    grows("a call that says nothing", 500, &|draft| draft.call(None, &piece("", "f", "{}"), &mut |_| {}));
}

#[test]
fn usage_is_reported_when_it_changes() {
    let mut count = 0;
    let mut draft = ReplyDraft::default();
    let usage = Usage { input: 1, ..Usage::default() };
    for usage in [Usage::default(), usage, usage] {
        draft.set_usage(usage, &mut |_| count += 1);
    }
    assert_eq!((count, draft.usage()), (1, usage));
}

#[test]
fn made_up_ids_do_not_meet_real_ones() {
    let mut draft = ReplyDraft::default();
    draft.call(Some(0), &piece("call_1", "f", "{}"), &mut |_| {});
    draft.call(Some(1), &piece("", "g", "{}"), &mut |_| {});
    draft.call_replay(Json::from("sig"));
    let reply = draft.into_reply();
    let ids: Vec<&str> = reply.blocks.iter().map(|block| block.as_tool_call().unwrap().id.as_str()).collect();
    assert_eq!(ids, ["call_1", "call_1_1"]);
    assert_eq!(reply.blocks[1].as_tool_call().unwrap().replay, Some("sig".into()));
}
