use super::*;

fn stops(turn: &PromptGate) -> bool {
    let mut stopped = false;
    turn.stop(|| stopped = true);
    stopped
}

#[test]
fn one_prompt_is_answered_at_a_time() {
    let turn = PromptGate::default();
    assert!(turn.begin());
    assert!(!turn.begin());
    turn.ends();
    assert!(!turn.begin(), "what is put away is not over");
    turn.over();
    assert!(turn.begin());
}

#[test]
fn a_stop_meets_the_work_that_is_under_way_and_no_later_one() {
    let turn = PromptGate::default();
    assert!(!stops(&turn));
    assert!(turn.begin() && stops(&turn));
    turn.ends();
    assert!(!stops(&turn));
    turn.over();
    turn.ends();
    assert!(turn.begin(), "an end that nothing began for changes nothing");
}

#[test]
fn work_that_was_left_over_is_not_the_end_of_the_prompt() {
    let turn = PromptGate::default();
    assert!(turn.begin());
    turn.ends();
    turn.goes_on();
    assert!(stops(&turn));
    turn.over();
    turn.goes_on();
    assert!(!stops(&turn), "nothing goes on that was not begun");
}
