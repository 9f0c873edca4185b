use super::{CacheEviction, CacheSequences, PromptPlacement};

fn tokens(range: std::ops::Range<i32>) -> Vec<i32> {
    range.collect()
}

/// Places a prompt and works it off.
fn answer(seats: &mut CacheSequences, session: u64, prompt: &[i32]) -> PromptPlacement {
    let placed = seats.place(session, prompt).unwrap();
    seats.grow(placed.seat, &prompt[placed.kept..]);
    seats.release(placed.seat);
    placed
}

#[test]
fn a_second_turn_computes_only_what_is_new() {
    let mut seats = CacheSequences::new(2, 1000);
    assert_eq!(answer(&mut seats, 1, &tokens(0..100)).kept, 0);
    let second = answer(&mut seats, 1, &tokens(0..130));
    assert_eq!((second.kept, second.copied_from), (100, None));
}

#[test]
fn the_last_token_of_a_prompt_is_always_computed() {
    let mut seats = CacheSequences::new(1, 1000);
    answer(&mut seats, 1, &tokens(0..50));
    assert_eq!(answer(&mut seats, 1, &tokens(0..50)).kept, 49);
}

#[test]
fn after_compaction_the_common_beginning_stays() {
    let mut seats = CacheSequences::new(1, 1000);
    answer(&mut seats, 1, &tokens(0..50));
    let mut shorter = tokens(0..20);
    shorter.extend(tokens(90..95));
    assert_eq!(answer(&mut seats, 1, &shorter).kept, 20);
    assert_eq!(seats.get(0), shorter);
}

#[test]
fn a_text_after_another_behind_one_prompt_computes_the_prompts_last_token_and_itself() {
    let mut seats = CacheSequences::new(1, 1000);
    let placed = seats.place(1, &tokens(0..50)).unwrap();
    seats.grow(placed.seat, &tokens(0..55));
    assert_eq!(seats.turn(placed.seat, &tokens(0..50)), 49);
    assert_eq!(seats.get(placed.seat), tokens(0..49));
    assert_eq!(seats.turn(placed.seat, &tokens(0..60)), 49, "what is not there cannot stay");
    assert_eq!(seats.place(2, &tokens(0..10)), None, "it still works");
}

#[test]
fn another_session_copies_the_beginning_that_it_shares() {
    let mut seats = CacheSequences::new(2, 1000);
    answer(&mut seats, 1, &tokens(0..100));
    let mut other = tokens(0..60);
    other.push(-1);
    let placed = answer(&mut seats, 2, &other);
    assert_eq!((placed.seat, placed.kept, placed.copied_from), (1, 60, Some(0)));
    let short = answer(&mut seats, 2, &[0, 1, 2, 3]);
    assert_eq!(short.copied_from, None, "too little to be worth a copy");
}

#[test]
fn the_session_that_was_idle_longest_loses_its_seat() {
    let mut seats = CacheSequences::new(2, 1000);
    answer(&mut seats, 1, &tokens(0..10));
    answer(&mut seats, 2, &tokens(100..110));
    answer(&mut seats, 1, &tokens(0..12));
    assert_eq!(answer(&mut seats, 3, &tokens(200..210)).seat, 1);
    assert_eq!(answer(&mut seats, 1, &tokens(0..13)).kept, 12, "who was used last stays");
}

#[test]
fn while_all_work_a_prompt_waits() {
    let mut seats = CacheSequences::new(1, 1000);
    let first = seats.place(1, &tokens(0..10)).unwrap();
    assert_eq!(seats.place(2, &tokens(0..10)), None);
    assert_eq!(seats.place(1, &tokens(0..10)), None, "one session can ask twice");
    seats.release(first.seat);
    assert!(seats.place(2, &tokens(0..10)).is_some());
}

#[test]
fn room_is_made_by_the_idle_first_and_never_by_the_last_at_work() {
    let mut seats = CacheSequences::new(3, 100);
    answer(&mut seats, 1, &tokens(0..40));
    let second = seats.place(2, &tokens(200..240)).unwrap();
    seats.grow(second.seat, &tokens(200..240));
    let third = seats.place(3, &tokens(300..340)).unwrap();
    assert_eq!(seats.make_room(20), None);
    assert_eq!(seats.make_room(40), Some(CacheEviction::Idle(0)));
    seats.empty(0);
    seats.grow(third.seat, &tokens(300..340));
    assert_eq!(seats.make_room(40), Some(CacheEviction::Working(third.seat)), "the youngest");
    seats.empty(third.seat);
    assert_eq!(seats.make_room(61), None, "nobody is left to leave");
}

#[test]
fn a_session_that_is_over_leaves_nothing() {
    let mut seats = CacheSequences::new(1, 100);
    answer(&mut seats, 1, &tokens(0..40));
    assert_eq!(seats.forget(2), None);
    assert_eq!(seats.forget(1), Some(0));
    assert_eq!(seats.get(0), [0; 0]);
}
