use holm::kernel::{
    Config, Effect, ModelSpec, Started, Timestamp,
    journal::{begin, step},
};

use super::*;

fn records(prompts: Vec<Input>) -> Vec<JournalRecord> {
    let started = Started::new("s", 7, Config::new(ModelSpec::named("example/model")));
    let (mut run, mut writer, mut text) = begin(started, Timestamp::new(0)).unwrap();
    for input in prompts {
        text += &step(&mut run, &mut writer, Timestamp::new(1), input).unwrap();
        while !matches!(run.poll(), Effect::Wait(_)) {}
    }
    journal::decode_strict(text.as_bytes()).unwrap()
}

#[test]
fn the_last_prompt_is_meant_unless_another_is_named() {
    let records =
        records(vec![Input::Prompted("First.".into()), Input::TimePassed, Input::Steered("Second.".into())]);
    let check = |at: Option<u64>, expect: Result<(u64, &str), &str>| match (
        RecordedPrompt::find("s", &records, at),
        expect,
    ) {
        (Ok(said), Ok((record, text))) => assert_eq!((said.record, said.text.as_str()), (record, text)),
        (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
        (found, expect) => panic!("{at:?}: {found:?}, {expect:?}"),
    };
    check(None, Ok((3, "Second.")));
    check(Some(1), Ok((1, "First.")));
    check(Some(2), Err("records with prompts: 1, 3"));
    check(Some(9), Err("record 9 of session `s` is not a prompt"));
}

#[test]
fn a_session_without_a_prompt_says_so() {
    let error = RecordedPrompt::find("s", &records(Vec::new()), None).unwrap_err();
    assert!(error.to_string().contains("has no prompt"), "{error}");
}
