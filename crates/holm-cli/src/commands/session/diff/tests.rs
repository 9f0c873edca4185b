use holm::kernel::{
    Config, ModelCallId, ModelResult, ModelSpec, Prompt, Reply, Seq, Timestamp,
    journal::{begin, step},
};
use holm::runtime::{PendingWork, fork_journal};

use super::*;

/// The journal of a session in which each prompt is answered by one reply.
fn journal_of(name: &str, talk: &[(&str, &str)]) -> String {
    let started = Started::new(name, 7, Config::new(ModelSpec::named("example/model")));
    let (mut run, mut writer, mut text) = begin(started, Timestamp::new(0)).unwrap();
    for (at, (prompt, reply)) in talk.iter().enumerate() {
        let now = Timestamp::new(at as u64);
        let mut call = ModelCallId::default();
        for input in [None, Some(*reply)] {
            let input = match input {
                None => Input::Prompted(Prompt::text(*prompt)),
                Some(reply) => {
                    let blocks = vec![Block::Text(reply.to_owned())];
                    let reply = Reply { blocks, ..Reply::default() };
                    Input::ModelFinished { call, result: ModelResult::Replied(reply) }
                }
            };
            text += &step(&mut run, &mut writer, now, input).unwrap();
            loop {
                match run.poll() {
                    Effect::CallModel { call: called, .. } => call = called,
                    Effect::Wait(_) => break,
                    _ => {}
                }
            }
        }
    }
    text
}

fn side(name: &str, text: &str) -> ComparedSession {
    ComparedSession::of(name, journal::decode_strict(text.as_bytes()).unwrap()).unwrap()
}

#[test]
fn a_fork_parts_where_it_was_forked() {
    let trunk = journal_of("trunk", &[("Hello.", "Good day."), ("Left.", "As you like.")]);
    let branch = fork_journal(trunk.as_bytes(), Seq::new(2), "branch", PendingWork::Kept).unwrap();
    let (trunk, branch) = (side("trunk", &trunk), side("branch", &branch));
    let found = SessionDifference::between(&trunk, &branch);
    assert_eq!((found.parting(&trunk, &branch), found.is_none()), (Some(3), false));
    insta::assert_snapshot!(found.for_people(&trunk, &branch).join("\n"), @r"
    --- trunk: 5 records, 29 tokens in, 9 out, $0.00
    +++ branch: 3 records, 7 tokens in, 4 out, $0.00
    identical up to record 3, then different
      model      example/model
      mode       default
      user       Hello.
      assistant  Good day.
      end        answered
    - user       Left.
    - assistant  As you like.
    - end        answered
    ");
}

#[test]
fn a_session_does_not_differ_from_one_of_another_name() {
    let talk = [("Hello.", "Good day.\nIt is late.")];
    let (one, two) = (side("one", &journal_of("one", &talk)), side("two", &journal_of("two", &talk)));
    let found = SessionDifference::between(&one, &two);
    assert_eq!((found.parting(&one, &two), found.is_none()), (None, true));
    let told = found.for_people(&one, &two);
    assert!(
        told.ends_with(&["identical, record by record".into(), "identical messages and calls".into()]),
        "{told:?}"
    );
}

#[test]
fn programs_are_told_on_which_side_something_is() {
    let one = side("one", &journal_of("one", &[("Hello.", "Good day.")]));
    let two = side("two", &journal_of("two", &[("Hello.", "Good night.")]));
    let found = SessionDifference::between(&one, &two).for_programs(&one, &two);
    assert_eq!((&found["same"], &found["parts_at"]), (&false.into(), &2.into()));
    let sided: Vec<(&str, &str)> = found["deeds"]
        .as_array()
        .unwrap()
        .iter()
        .map(|deed| (deed["in"].as_str().unwrap(), deed["text"].as_str().unwrap()))
        .collect();
    let expect = [
        ("both", "example/model"),
        ("both", "default"),
        ("both", "Hello."),
        ("first", "Good day."),
        ("second", "Good night."),
        ("both", "answered"),
    ];
    assert_eq!(sided, expect);
}
