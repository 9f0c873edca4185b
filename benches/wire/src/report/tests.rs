use super::Report;
use crate::{
    aims::tests::{encoded, figure},
    machine::Machine,
};

fn report(load: f64) -> Report {
    let machine = Machine { cores: 2, cpu: "a processor".into(), rustc: "rustc 1".into(), load: Some(load) };
    let figures = vec![figure("holm", 3_000.0, None), figure("eventsource-stream", 250.0, Some(16_100.0))];
    Report::new(machine, figures, vec![encoded(10, Some(2_000.0))])
}

#[test]
fn a_row_says_how_many_times_the_peers_speed_it_has() {
    let text = report(0.1).markdown();
    assert!(text.contains("| chat-repeating | holm | 326 | 3000 | 3600 | 12× | – |"), "{text}");
    assert!(text.contains("| openai_chat | 10 | 300 | 0.50 | 2000 | 3000 | 0.20 | 15 | 16 |"), "{text}");
    assert!(
        text.contains("| chat-repeating: holm faster than eventsource-stream ≥ 10× | 12× | met |"),
        "{text}"
    );
}

#[test]
fn a_busy_machine_is_mentioned() {
    assert!(report(9.0).markdown().contains("busy"));
    assert!(!report(0.1).markdown().contains("busy"));
}

#[test]
fn the_json_holds_the_same_figures() {
    let value: serde_json::Value = serde_json::from_str(&report(0.1).json()).expect("it is JSON");
    assert_eq!(value["figures"][1]["reader"], "eventsource-stream");
    // The unit is part of the name: the report of all benchmarks tells by it that more is better.
    assert_eq!(value["figures"][0]["median_mb_s"], 3_000.0);
    assert_eq!(value["encoded"][0]["turn"], 10);
    assert_eq!(value["aims"][0]["met"], true);
}
