use super::{StopScan, StopSequences};

/// What a client gets of a text that arrives in these pieces.
fn answer(stops: &[&str], pieces: &[&str]) -> (String, bool) {
    let stops: Vec<String> = stops.iter().map(|stop| (*stop).to_owned()).collect();
    let (mut stops, mut sent) = (StopSequences::new(&stops), String::new());
    for chunk in pieces {
        match stops.push(chunk) {
            StopScan::Open(text) => sent.push_str(&text),
            StopScan::Found(text) => return (sent + &text, true),
        }
    }
    (sent + &stops.rest(), false)
}

#[test]
fn an_answer_ends_before_the_first_stop_sequence_however_it_arrives() {
    let check = |stops: &[&str], text: &str, expect: &str| {
        let found = expect != text;
        assert_eq!(answer(stops, &[text]), (expect.to_owned(), found), "{stops:?} {text}");
        let letters: Vec<String> = text.chars().map(String::from).collect();
        let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
        assert_eq!(answer(stops, &letters), (expect.to_owned(), found), "{stops:?} {text}");
    };
    check(&[], "one two", "one two");
    check(&["two"], "one two three", "one ");
    check(&["three", "two"], "one two three", "one ");
    check(&["two"], "one tw", "one tw");
    check(&["aab"], "aaab", "a");
    check(&["🚀"], "go ✓🚀 now", "go ✓");
    check(&["one"], "one", "");
}

#[test]
fn only_what_may_be_a_stop_sequence_is_held_back() {
    let mut stops = StopSequences::new(&["END".into()]);
    assert_eq!(stops.push("the EN"), StopScan::Open("the ".into()));
    assert_eq!(stops.push("TRY"), StopScan::Open("ENTRY".into()));
}
