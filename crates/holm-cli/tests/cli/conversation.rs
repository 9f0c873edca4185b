//! Tests the conversation tools in a run: questions, notes, and the limits of a plan.

use std::fs;

use holm_testkit::double::Act;

use crate::{
    stage::{MODEL, Stage},
    terminal,
};

fn asks() -> Stage {
    let question = r#"{"question":"Which colour?","choices":["red","blue"]}"#;
    Stage::new([Act::calls(&[("c1", "ask_user", question)]), Act::says("Thank you.")])
}

#[test]
fn without_a_terminal_nothing_is_offered_that_needs_a_person() {
    let stage = asks();
    stage.run(&["-p", "Paint."]).says("Thank you.\n");
    let offered: Vec<String> = offered(&stage).remove(0);
    for name in ["ask_user", "brief", "enter_plan", "exit_plan"] {
        assert!(!offered.iter().any(|tool| tool == name), "{offered:?}");
    }
    let told = stage.double.requests()[1].text();
    assert!(told.contains("No user can answer during this run. Decide yourself"), "{told}");
}

/// The names of the tools of each request.
fn offered(stage: &Stage) -> Vec<Vec<String>> {
    let requests = stage.double.requests().into_iter();
    requests.map(|request| request.asked.unwrap().tools.into_iter().map(|tool| tool.name).collect()).collect()
}

#[test]
fn a_question_at_a_terminal_is_answered_by_number_or_in_words() {
    let check = |types: &str, expect: &str| {
        let stage = asks();
        let arguments = format!("run --model {MODEL} -p Paint");
        let (code, screen) = terminal::holm(&stage, &arguments, "(empty for none): ", types);
        assert_eq!(code, Some(0), "{screen}");
        assert!(screen.contains("the agent asks: Which colour?") && screen.contains("[2] blue"), "{screen}");
        let told = stage.double.requests()[1].text();
        assert!(told.contains(expect), "{types}: {told}");
    };
    check("2", "The user answers: blue");
    check("green", "The user answers: green");
    check("", "the user did not answer; decide yourself");
}

#[test]
fn news_is_told_as_it_comes_and_the_terminal_does_not_obey_it() {
    let news = r#"{"text":"Half way.\u001b[2J"}"#;
    let stage = Stage::new([Act::calls(&[("c1", "brief", news)]), Act::says("Done.")]);
    let (code, screen) = terminal::holm(&stage, &format!("run --model {MODEL} -p Go"), "no question", "");
    assert_eq!(code, Some(0), "{screen}");
    assert!(screen.contains("· Half way.\\u{1b}[2J"), "{screen}");
}

#[test]
fn a_list_is_kept_and_drawn_at_a_terminal() {
    let list =
        r#"{"items":[{"text":"look","progress":"completed"},{"text":"paint","progress":"in_progress"}]}"#;
    let stage = Stage::new([Act::calls(&[("c1", "todo", list)]), Act::says("Done.")]);
    let (code, screen) = terminal::holm(&stage, &format!("run --model {MODEL} -p Go"), "no question", "");
    assert_eq!(code, Some(0), "{screen}");
    assert!(screen.contains("todo: 1 of 2 done; now: paint"), "{screen}");
    assert!(stage.double.requests()[1].text().contains("[~] paint"));
}

#[test]
fn what_a_model_without_a_known_price_has_cost_is_not_said_to_be_nothing() {
    let stage = Stage::new([Act::says("Done.")]);
    let arguments = "run --model openai/nobody-has-priced-it -p Go";
    let (code, screen) = terminal::holm(&stage, arguments, "no question", "");
    assert!(code == Some(0) && screen.contains("out, price not known"), "{screen}");
    assert!(!screen.contains("$0.00"), "{screen}");
}

#[test]
fn a_plan_that_the_model_entered_is_left_by_nobody_but_a_person() {
    let write = || Act::calls(&[("w", "write", r#"{"path":"out.txt","content":"x"}"#)]);
    let acts = || {
        let enter = Act::calls(&[("e", "enter_plan", "{}")]);
        let exit = Act::calls(&[("x", "exit_plan", r#"{"plan":"Write out.txt."}"#)]);
        [enter, write(), exit, write(), Act::says("As you say.")]
    };
    let run = ["-p", "Go.", "--grant", "write:**", "--mode", "accept-edits"];
    let stage = Stage::new(acts());
    stage.run(&run).says("As you say.\n");
    assert!(stage.work().join("out.txt").exists(), "without a person there is no plan mode to be caught in");
    assert!(stage.double.requests()[1].text().contains("There is no plan mode in this run"));

    let stage = Stage::new(acts());
    let arguments = format!("run --model {MODEL} -p Go --grant write:** --mode accept-edits");
    let (code, screen) = terminal::holm(&stage, &arguments, "[n]o: ", "y");
    assert_eq!(code, Some(0), "{screen}");
    assert!(screen.contains("Write out.txt."), "{screen}");
    assert!(stage.work().join("out.txt").exists(), "{screen}");
}

#[test]
fn ten_tools_are_offered_and_the_others_are_looked_up() {
    let search = || Act::calls(&[("s", "tool_search", r#"{"query":"select:list"}"#)]);
    let stage = Stage::new([search(), Act::says("Found.")]);
    stage.run_by_default(&["-p", "Find it.", "--trust", "jail"]).says("Found.\n");
    let shown = ["edit", "glob", "grep", "patch", "read", "shell", "todo", "tool_search", "write"];
    let mut offered = offered(&stage);
    offered.iter_mut().for_each(|names| names.sort());
    assert_eq!(offered[0], shown);
    assert_eq!(offered[1], shown, "the list stays, so that the provider's cache holds");
    let told = stage.double.requests()[1].text();
    assert!(told.contains("\\n- list: "), "{told}");

    let stage = Stage::new([Act::says("Found.")]);
    let line = format!("env -u HOLM_TOOLS {} run --model {MODEL} -p Go", env!("CARGO_BIN_EXE_holm"));
    let (code, screen) = terminal::pressing(&stage, &line, &[], &[]);
    assert_eq!(code, Some(0), "{screen}");
    let asked = stage.double.requests().remove(0).asked.unwrap();
    assert_eq!(asked.tools.len(), 10, "{:?}", asked.tools.iter().map(|tool| &tool.name).collect::<Vec<_>>());
    let search = asked.tools.iter().find(|tool| tool.name == "tool_search").unwrap();
    assert!(search.description.contains("\n- enter_plan: "), "{}", search.description);
}

#[test]
fn tools_of_the_user_are_looked_up_once_there_are_many() {
    let stage = Stage::new([Act::says("Found.")]);
    assert_eq!(stage.holm(["paths"]).code, Some(0), "which makes the folder");
    for number in 0..40 {
        let text = format!("---\nname: helper{number}\ndescription: Helps.\n---\nHelp.\n");
        fs::write(stage.data().join(format!("tools/helper{number}.md")), text).unwrap();
    }
    stage.run(&["-p", "Find it."]).says("Found.\n");
    let offered = offered(&stage).remove(0);
    let has = |name: &str| offered.iter().any(|tool| tool == name);
    assert!(has("tool_search") && has("helper7") && has("grep") && !has("list"), "{offered:?}");
}
