//! A turn late in a run asks for no more than an early one.

use holm_kernel::{Bound, Event, Input, Purpose};
use holm_testkit::{Line, Script, Sim, Step};

use crate::setting::Setting;
use crate::violations;

/// Records and effects from one model call to the next.
fn turns(steps: &[Step]) -> Vec<(usize, usize)> {
    let is_reply = |step: &&Step| matches!(step.input, Input::ModelFinished { .. });
    let starts: Vec<usize> = (0..steps.len()).filter(|at| is_reply(&&steps[*at])).collect();
    starts
        .windows(2)
        .map(|pair| {
            let turn = &steps[pair[0]..pair[1]];
            (turn.len(), turn.iter().map(|step| step.effects.len()).sum())
        })
        .collect()
}

#[test]
fn turn_one_thousand_costs_what_turn_ten_costs() {
    const TURNS: u64 = 1_010;
    let mut config = Setting { window: 100_000_000, ..Setting::default() }.config();
    config.limits.turns = Bound::Unbounded;
    let call = |n: u64| Line::calls("look", format!(r#"{{"path":"src/{n}.rs","n":{n}}}"#));
    let script = Script { model: (0..TURNS).map(call).collect(), ..Script::prompted("look at everything") };
    let outcome = Sim::new(config, script, 3).run();
    let turns = turns(&outcome.steps);
    assert_eq!(turns[10], turns[1_000]);
    assert!(turns.iter().skip(1).all(|turn| *turn == turns[1]), "{turns:?}");
    let asked = outcome.sent.iter().filter(|sent| sent.request.purpose == Purpose::Turn).count();
    assert_eq!(asked as u64, TURNS + 1);
    assert!(!outcome.has(|event| matches!(event, Event::ContextPlanned { .. })));
    assert_eq!(violations(&outcome), []);
}
