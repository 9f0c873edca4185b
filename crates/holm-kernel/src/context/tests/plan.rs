use alloc::{format, sync::Arc, vec, vec::Vec};

use super::teller::{Teller, never};
use crate::context::{PlanDecision, token_thresholds::TokenThresholds};
use crate::{Block, ContextPolicy, Custom, Family, MessageId, PlanStep, Role};

fn steps(teller: &mut Teller, policy: &ContextPolicy, window: u64) -> Vec<PlanStep> {
    teller.plan(policy, window).steps.iter().map(|planned| planned.step).collect()
}

#[test]
fn a_short_transcript_is_shown_as_it_is() {
    let mut teller = Teller::default();
    teller.prompt("hello");
    teller.work(&[1_000, 2_000]);
    teller.answer("done");
    assert_eq!(steps(&mut teller, &never(), 128_000), []);
    assert_eq!(teller.view.epoch(), 0);
    assert_eq!(teller.view.messages(), teller.history);
    assert!(Arc::ptr_eq(&teller.view.messages()[2], &teller.history[2]), "shared, not copied");
}

#[test]
fn an_applications_own_records_are_not_shown() {
    let mut teller = Teller::default();
    teller.prompt("hello");
    let payload = Default::default();
    teller.say(Role::Custom, vec![Block::Custom(Custom { kind: "mark".into(), payload })]);
    teller.answer("hi");
    let ids: Vec<u64> = teller.view.messages().iter().map(|message| message.id.value()).collect();
    assert_eq!(ids, [0, 2]);
}

#[test]
fn results_stay_whole_until_the_trigger_is_reached() {
    let mut teller = Teller::default();
    teller.prompt("go");
    while teller.view.tokens() < 750_000 {
        teller.work(&[11_000]);
        assert_eq!(steps(&mut teller, &never(), 1_000_000), []);
    }
    assert_eq!(teller.view.messages(), teller.history);
}

#[test]
fn at_the_trigger_the_oldest_results_become_lines_down_to_the_target_in_one_step() {
    let mut teller = Teller::default();
    teller.prompt("go");
    for _ in 0..100 {
        teller.work(&[4_000]);
    }
    let before = teller.view.tokens();
    let window = before * 1_000 / 810;
    let plan = teller.plan(&never(), window);
    assert_eq!(plan.next, PlanDecision::Send);
    assert_eq!(plan.steps.iter().map(|planned| planned.step).collect::<Vec<_>>(), [PlanStep::Elided]);
    let target = window / 2;
    assert!(
        teller.view.tokens() <= target && teller.view.tokens() > target - 2_000,
        "{}",
        teller.view.tokens()
    );
    assert_eq!(teller.view.messages().len(), teller.history.len(), "no turn left");
    assert_eq!(teller.view.epoch(), 1, "one change, however many results");
    let gone = |text: &alloc::string::String| text.contains("[left out: result of read, 4000 characters");
    let results: Vec<bool> =
        teller.shown().iter().filter(|text| text.starts_with("<tool_output")).map(gone).collect();
    assert!(results.is_sorted_by(|older, newer| older >= newer), "the oldest go first");
}

#[test]
fn the_prefix_is_stable_between_two_plans() {
    let mut teller = Teller::default();
    let mut changes = 0;
    teller.prompt("go");
    for _ in 0..200 {
        teller.work(&[5_000]);
        changes += steps(&mut teller, &never(), 100_000).len();
    }
    // A million characters, 250,000 tokens by estimate, pass; each change makes room for 30,000 more.
    assert!((4..=10).contains(&changes), "{changes}");
}

/// How often the prefix changes in `turns` turns of results of `size` characters.
fn breaks(policy: &ContextPolicy, window: u64, turns: usize, size: usize) -> usize {
    let mut teller = Teller::default();
    let mut changes = 0;
    teller.prompt("go");
    for turn in 0..turns {
        teller.work(&[size]);
        let epoch = teller.view.epoch();
        if let PlanDecision::Summarise { upto } = teller.plan(policy, window).next {
            let id = MessageId::new(1_000_000 + turn as u64);
            let _ = teller.view.apply_summary(upto, "a summary", id);
            let _ = teller.plan(policy, window);
        }
        changes += usize::from(teller.view.epoch() != epoch);
    }
    changes
}

#[test]
fn in_a_small_window_the_prefix_breaks_in_at_most_every_third_request() {
    for policy in [never(), ContextPolicy::default()] {
        for window in [30_000, 40_000, 64_000] {
            let broken = breaks(&policy, window, 90, 11_000);
            assert!(broken <= 30, "{broken} of 90 requests, window {window}, {policy:?}");
        }
    }
}

#[test]
fn if_the_kept_turns_exceed_the_target_fewer_are_kept_but_always_the_last() {
    let mut teller = Teller::default();
    teller.prompt("go");
    for _ in 0..4 {
        teller.work(&[11_000]);
    }
    let window = teller.view.tokens() * 1_000 / 810;
    assert_eq!(steps(&mut teller, &never(), window), [PlanStep::Elided]);
    assert!(teller.view.tokens() <= window / 2, "{}", teller.view.tokens());
    assert_eq!(teller.view.messages().last(), teller.history.last(), "the last result is whole");
    assert_eq!(teller.view.epoch(), 1, "one change");
}

#[test]
fn what_the_provider_counts_moves_the_trigger() {
    let planned = |counted: fn(u64) -> u64| {
        let mut teller = Teller::default();
        teller.prompt("go");
        for _ in 0..20 {
            teller.work(&[11_000]);
        }
        let tokens = teller.view.tokens();
        teller.view.learn_count(tokens, counted(tokens));
        steps(&mut teller, &never(), tokens).len()
    };
    assert_eq!(planned(|tokens| tokens), 1, "the estimate was right");
    assert_eq!(planned(|tokens| tokens * 7 / 10), 0, "a third more fits");
    assert_eq!(planned(|tokens| tokens * 13 / 10), 1);
    assert_eq!(planned(|_| 0), 1, "nothing was counted");
    assert_eq!(planned(|tokens| tokens / 10), 1, "no count of this request");
    let mut small = Teller::default();
    small.prompt("go");
    small.view.learn_count(500, 400);
    assert_eq!(small.view.counted_milli, 0, "too little to learn from");
}

#[test]
fn at_the_trigger_old_results_go_before_any_turn_does() {
    let mut teller = Teller::default();
    teller.prompt("go");
    for _ in 0..10 {
        teller.work(&[4_000]);
    }
    let window = teller.view.tokens() * 1_000 / 810;
    assert_eq!(steps(&mut teller, &never(), window), [PlanStep::Elided]);
    assert_eq!(teller.view.messages().len(), teller.history.len());
}

#[test]
fn the_oldest_turns_leave_when_there_is_no_summary() {
    let mut teller = Teller::default();
    teller.prompt("the task");
    for turn in 0..50 {
        teller.answer(&format!("thought {turn}: {}", "word ".repeat(100)));
    }
    let window = teller.view.tokens() * 1_000 / 810;
    assert_eq!(steps(&mut teller, &never(), window), [PlanStep::Dropped]);
    assert!(teller.view.tokens() <= window / 2, "down to the target");
    assert!(teller.view.tokens() > window * 4 / 10, "and not much below it");
    let shown = teller.shown();
    assert_eq!(shown[0], "the task");
    let gone = teller.history.len() - (teller.view.messages().len() - 1);
    assert_eq!(shown[1], format!("[{gone} earlier messages are no longer shown here.]"));
    assert!(shown[2].starts_with("thought"));
    assert!(shown.last().unwrap().starts_with("thought 49"));
}

#[test]
fn the_note_counts_everything_that_has_left_so_far() {
    let mut teller = Teller::default();
    teller.prompt("the task");
    for turn in 0..400 {
        teller.answer(&format!("thought {turn}: {}", "word ".repeat(100)));
        let _ = teller.plan(&never(), 8_000);
    }
    let gone = teller.history.len() - (teller.view.messages().len() - 1);
    assert_eq!(teller.shown()[1], format!("[{gone} earlier messages are no longer shown here.]"));
}

#[test]
fn a_long_tool_loop_never_loses_the_prompt_it_works_for() {
    let mut teller = Teller::default();
    teller.prompt("the first task");
    teller.answer("done");
    teller.prompt("the second task");
    teller.work(&[500]);
    teller.say(Role::User, vec![Block::Text("a mere correction".into())]);
    let policy = ContextPolicy { max_messages: Some(40), ..never() };
    for _ in 0..300 {
        teller.work_apart(&[300, 300]);
        let _ = teller.plan(&policy, 1_000_000);
        assert!(teller.shows("the first task") && teller.shows("the second task"));
        assert!(teller.view.messages().len() <= 40);
    }
    assert!(!teller.shows("a mere correction"));
}

#[test]
fn without_marks_the_last_words_of_a_person_stay() {
    let mut teller = Teller::default();
    teller.say(Role::User, vec![Block::Text("first".into())]);
    teller.answer("ok");
    teller.say(Role::User, vec![Block::Text("second".into())]);
    teller.answer("ok");
    teller.say(Role::User, vec![Block::Text("third".into())]);
    for _ in 0..100 {
        teller.answer(&"word ".repeat(100));
    }
    let _ = teller.plan(&never(), 10_000);
    assert!(teller.shows("first") && teller.shows("third") && !teller.shows("second"));
}

#[test]
fn standing_orders_stay_in_view() {
    let mut teller = Teller::default();
    teller.prompt("go");
    teller.answer("ok");
    teller.say(Role::System, vec![Block::Text("never touch prod".into())]);
    for _ in 0..100 {
        teller.answer(&"word ".repeat(100));
    }
    let _ = teller.plan(&never(), 10_000);
    assert_eq!(teller.shown()[..2], ["go", "never touch prod"]);
}

#[test]
fn a_sliding_window_gives_way_in_blocks_and_keeps_pairs() {
    let mut teller = Teller::default();
    let policy = ContextPolicy { max_messages: Some(40), ..never() };
    let mut changes = 0;
    teller.prompt("go");
    for _ in 0..400 {
        teller.work(&[50]);
        changes += steps(&mut teller, &policy, 1_000_000).len();
        assert!(teller.view.messages().len() <= 40);
    }
    // 800 messages pass in blocks of about 18.
    assert!((40..=55).contains(&changes), "{changes}");
}

#[test]
fn too_many_messages_are_no_reason_to_elide_results() {
    let mut teller = Teller::default();
    let policy = ContextPolicy { max_messages: Some(20), ..never() };
    teller.prompt("go");
    for _ in 0..10 {
        teller.work(&[4_000]);
    }
    assert_eq!(steps(&mut teller, &policy, 40_000), [PlanStep::Dropped]);
    assert!(!teller.shows("[left out:"));
}

#[test]
fn a_last_turn_that_alone_exceeds_the_window_loses_the_middle_of_its_results() {
    let mut teller = Teller::default();
    teller.prompt("go");
    teller.work(&[100_000]);
    teller.work(&[100_000, 50]);
    assert_eq!(steps(&mut teller, &never(), 20_000), [PlanStep::Elided, PlanStep::Clipped]);
    assert!(teller.view.tokens() <= 16_000);
    assert!(teller.shows("characters left out to fit the window"));
    assert_eq!(teller.view.messages().len(), teller.history.len());
}

#[test]
fn the_newest_results_are_shortened_last() {
    let mut teller = Teller::default();
    teller.prompt("go");
    teller.work(&[40_000]);
    teller.work(&[40_000]);
    assert_eq!(steps(&mut teller, &never(), 18_000), [PlanStep::Elided]);
    assert_eq!(teller.view.messages().last(), teller.history.last());
}

#[test]
fn what_cannot_fit_is_said_to_be_too_long_and_left_whole() {
    let mut teller = Teller::default();
    teller.prompt(&"word ".repeat(10_000));
    let plan = teller.plan(&never(), 5_000);
    assert_eq!((plan.next, plan.steps.len()), (PlanDecision::TooLong, 0));
    assert_eq!(teller.view.messages(), teller.history);
}

#[test]
fn little_is_not_taken_away_for_little_gain() {
    let mut teller = Teller::default();
    teller.prompt("go");
    for _ in 0..6 {
        teller.answer("short");
    }
    teller.answer(&"word ".repeat(1_600));
    let window = teller.view.tokens() * 1_000 / 850;
    assert_eq!(steps(&mut teller, &never(), window), [], "the last turn alone is past the trigger");
    let tight = teller.view.tokens() - 1;
    assert_eq!(steps(&mut teller, &never(), tight), [PlanStep::Dropped], "now it must be");
}

#[test]
fn a_change_of_family_weighs_everything_anew() {
    let mut teller = Teller::default();
    teller.prompt("go");
    for _ in 0..8 {
        teller.work(&[3_000]);
    }
    let before = teller.view.tokens();
    teller.view.retarget(Family::Anthropic);
    assert!(teller.view.tokens() > before);
    teller.view.retarget(Family::OpenAi);
    assert_eq!(teller.view.tokens(), before);
    assert_eq!(teller.view.epoch(), 0, "what is shown did not change");
}

#[test]
fn a_view_read_from_a_snapshot_shares_its_messages_again() {
    let mut teller = Teller::default();
    teller.prompt("go");
    for _ in 0..10 {
        teller.work(&[10_000]);
    }
    let window = teller.view.tokens() * 1_000 / 810;
    let _ = teller.plan(&never(), window);
    let json = serde_json::to_string(&teller.view).unwrap();
    teller.view = serde_json::from_str(&json).unwrap();
    teller.view.relink(&teller.history);
    let shared = |at: usize| Arc::ptr_eq(&teller.view.messages()[at], &teller.history[at]);
    assert!(shared(0) && shared(1) && shared(20));
    assert!(!shared(2), "an elided result keeps its form");
    assert_eq!(serde_json::to_string(&teller.view).unwrap(), json);
}

#[test]
fn room_is_left_whatever_the_figures() {
    let policy = ContextPolicy::default();
    let check = |window, fixed, ceiling, hard, trigger, target| {
        assert_eq!(
            TokenThresholds::new(&policy, window, fixed, ceiling),
            TokenThresholds { hard, trigger, target }
        );
    };
    check(128_000, 0, None, 128_000, 102_400, 64_000);
    check(128_000, 10_000, None, 118_000, 92_400, 54_000);
    check(100_000, 60_000, None, 40_000, 20_000, 10_000);
    check(8_000, 9_000, None, 2_000, 1_000, 500);
    check(0, 0, None, 128_000, 102_400, 64_000);
    check(128_000, 0, Some(50_000), 50_000, 40_000, 35_000);
    check(u64::MAX, 0, None, u64::MAX, u64::MAX / 1_000 * 800 + 492, u64::MAX / 2);
    let odd = ContextPolicy { trigger_milli: 0, target_milli: 5_000, ..policy };
    let room = TokenThresholds::new(&odd, 1_000, 0, None);
    assert!(room.target < room.trigger && room.trigger >= 500);
}
