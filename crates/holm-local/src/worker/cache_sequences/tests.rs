use super::{CacheEviction, CacheSequences, PromptPlacement};

fn tokens(range: std::ops::Range<i32>) -> Vec<i32> {
    range.collect()
}

/// Places a prompt and works it off.
fn answer(sequences: &mut CacheSequences, session: u64, prompt: &[i32]) -> PromptPlacement {
    let placed = sequences.place(session, prompt).unwrap();
    sequences.grow(placed.sequence, &prompt[placed.kept..]);
    sequences.release(placed.sequence);
    placed
}

#[test]
fn a_second_turn_computes_only_what_is_new() {
    let mut sequences = CacheSequences::new(2, 1000);
    assert_eq!(answer(&mut sequences, 1, &tokens(0..100)).kept, 0);
    let second = answer(&mut sequences, 1, &tokens(0..130));
    assert_eq!((second.kept, second.copied_from), (100, None));
}

#[test]
fn the_last_token_of_a_prompt_is_always_computed() {
    let mut sequences = CacheSequences::new(1, 1000);
    answer(&mut sequences, 1, &tokens(0..50));
    assert_eq!(answer(&mut sequences, 1, &tokens(0..50)).kept, 49);
}

#[test]
fn after_compaction_the_common_beginning_stays() {
    let mut sequences = CacheSequences::new(1, 1000);
    answer(&mut sequences, 1, &tokens(0..50));
    let mut shorter = tokens(0..20);
    shorter.extend(tokens(90..95));
    assert_eq!(answer(&mut sequences, 1, &shorter).kept, 20);
    assert_eq!(sequences.get(0), shorter);
}

#[test]
fn a_text_after_another_behind_one_prompt_computes_the_prompts_last_token_and_itself() {
    let mut sequences = CacheSequences::new(1, 1000);
    let placed = sequences.place(1, &tokens(0..50)).unwrap();
    sequences.grow(placed.sequence, &tokens(0..55));
    assert_eq!(sequences.turn(placed.sequence, &tokens(0..50)), 49);
    assert_eq!(sequences.get(placed.sequence), tokens(0..49));
    assert_eq!(sequences.turn(placed.sequence, &tokens(0..60)), 49, "what is not there cannot stay");
    assert_eq!(sequences.place(2, &tokens(0..10)), None, "it still works");
}

#[test]
fn another_session_copies_the_beginning_that_it_shares() {
    let mut sequences = CacheSequences::new(2, 1000);
    answer(&mut sequences, 1, &tokens(0..100));
    let mut other = tokens(0..60);
    other.push(-1);
    let placed = answer(&mut sequences, 2, &other);
    assert_eq!((placed.sequence, placed.kept, placed.copied_from), (1, 60, Some(0)));
    let short = answer(&mut sequences, 2, &[0, 1, 2, 3]);
    assert_eq!(short.copied_from, None, "too little to be worth a copy");
}

#[test]
fn the_session_that_was_idle_longest_loses_its_seat() {
    let mut sequences = CacheSequences::new(2, 1000);
    answer(&mut sequences, 1, &tokens(0..10));
    answer(&mut sequences, 2, &tokens(100..110));
    answer(&mut sequences, 1, &tokens(0..12));
    assert_eq!(answer(&mut sequences, 3, &tokens(200..210)).sequence, 1);
    assert_eq!(answer(&mut sequences, 1, &tokens(0..13)).kept, 12, "who was used last stays");
}

#[test]
fn while_all_work_a_prompt_waits() {
    let mut sequences = CacheSequences::new(1, 1000);
    let first = sequences.place(1, &tokens(0..10)).unwrap();
    assert_eq!(sequences.place(2, &tokens(0..10)), None);
    assert_eq!(sequences.place(1, &tokens(0..10)), None, "one session can ask twice");
    sequences.release(first.sequence);
    assert!(sequences.place(2, &tokens(0..10)).is_some());
}

#[test]
fn room_is_made_by_the_idle_first_and_never_by_the_last_at_work() {
    let mut sequences = CacheSequences::new(3, 100);
    answer(&mut sequences, 1, &tokens(0..40));
    let second = sequences.place(2, &tokens(200..240)).unwrap();
    sequences.grow(second.sequence, &tokens(200..240));
    let third = sequences.place(3, &tokens(300..340)).unwrap();
    assert_eq!(sequences.make_room(20), None);
    assert_eq!(sequences.make_room(40), Some(CacheEviction::Idle(0)));
    sequences.empty(0);
    sequences.grow(third.sequence, &tokens(300..340));
    assert_eq!(sequences.make_room(40), Some(CacheEviction::Working(third.sequence)), "the youngest");
    sequences.empty(third.sequence);
    assert_eq!(sequences.make_room(61), None, "no sequence is left to evict");
}

#[test]
fn a_session_that_is_over_leaves_nothing() {
    let mut sequences = CacheSequences::new(1, 100);
    answer(&mut sequences, 1, &tokens(0..40));
    assert_eq!(sequences.forget(2), None);
    assert_eq!(sequences.forget(1), Some(0));
    assert_eq!(sequences.get(0), [0; 0]);
}
