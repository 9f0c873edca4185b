use super::judge;
use crate::{encode::Encoded, measure::Figure};

pub(crate) fn figure(reader: &'static str, speed: f64, instructions: Option<f64>) -> Figure {
    Figure {
        stream: "chat-repeating",
        reader,
        events: 10,
        bytes: 3_260,
        speed,
        quickest: speed * 1.2,
        instructions,
    }
}

pub(crate) fn encoded(turn: u64, new_instructions: Option<f64>) -> Encoded {
    Encoded {
        format: "openai_chat",
        turn,
        new_bytes: 300,
        new_micros: 0.5,
        new_instructions,
        body_bytes: 3_000,
        copy_micros: 0.2,
        copy_speed: 15.0,
        bare_speed: 16.0,
    }
}

#[test]
fn speed_is_compared_with_the_peer_on_the_same_stream() {
    let figures = [figure("holm", 3_000.0, Some(700.0)), figure("eventsource-stream", 250.0, Some(16_100.0))];
    let aims = judge(&figures, &[]);
    let seen: Vec<_> = aims.iter().map(|aim| (aim.measured.as_str(), aim.met)).collect();
    assert_eq!(seen, [("12× (23× fewer instructions)", Some(true))]);
}

#[test]
fn a_turn_may_not_cost_more_because_others_went_before() {
    let check = |counts: [Option<f64>; 2], met| {
        let [first, last] = counts;
        let aims = judge(&[], &[encoded(10, first), encoded(1_000, last)]);
        assert_eq!(aims.iter().map(|aim| aim.met).collect::<Vec<_>>(), [met]);
    };
    check([Some(100.0), Some(120.0)], Some(true));
    check([Some(100.0), Some(130.0)], Some(false));
    check([None, Some(120.0)], None);
}
