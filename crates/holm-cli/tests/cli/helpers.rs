//! Tests agent files as helpers of a run.

use std::{fs, process::Command};

use holm_testkit::double::{Act, Seen};

use crate::{
    stage::{MODEL, Stage},
    terminal,
};

fn agent(name: &str, rest: &str) -> String {
    format!(
        "---\nname: {name}\ndescription: Counts what is there.\n{rest}\n---\nYou are {name}, and you count.\n"
    )
}

const COUNTS: &str = "tools: [read]\ngrants: [\"read:notes.txt\"]";

fn hands_on(helper: &str, arguments: &str) -> Act {
    Act::calls(&[("p1", helper, arguments)])
}

fn counts() -> Act {
    Act::calls(&[("c1", "read", r#"{"path":"notes.txt"}"#)])
}

/// A folder with notes, and this agent among the user's tools.
fn stage(acts: impl IntoIterator<Item = Act>, file: &str) -> Stage {
    let stage = Stage::new(acts).file("notes.txt", "one two three\n");
    assert_eq!(stage.holm(["paths"]).code, Some(0), "which makes the folder");
    fs::write(stage.data().join("tools/counter.md"), file).unwrap();
    stage
}

fn whole_task() -> [Act; 4] {
    let task = hands_on("counter", r#"{"task":"Count the notes."}"#);
    [task, counts(), Act::says("I found three words."), Act::says("There are three.")]
}

#[test]
fn a_helper_is_named_to_the_model_and_its_result_arrives() {
    let stage = stage(whole_task(), &agent("counter", COUNTS));
    stage.run(&["-p", "How many?", "--system", "Be short.", "--grant", "read:**"]).says("There are three.\n");
    let asked: Vec<_> = stage.double.requests().into_iter().map(|request| request.asked.unwrap()).collect();
    assert!(
        asked[0].system.contains("Be short.") && asked[0].system.contains("- counter: Counts what is there.")
    );
    assert!(asked[0].tools.iter().any(|tool| tool.name == "counter"));
    assert!(asked[1].system.contains("You are counter"), "{}", asked[1].system);
    let names: Vec<&str> = asked[1].tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(names, ["read"], "it has the tools that its file names");
    let work = stage.work().canonicalize().unwrap();
    for line in [
        format!(
            "You are counter, and you count.\n\n# Environment at the start of this session\nWorkspace: {}\n",
            work.display()
        ),
        format!("\nSystem: {} ", std::env::consts::OS),
        "\nDate: 2".into(),
        "\nNo user can answer questions during this run.".into(),
        "\nMode: default.".into(),
        "\nAllowed: read notes.txt (`read:notes.txt`).\n".into(),
    ] {
        assert!(asked[1].system.contains(&line), "{line}: {}", asked[1].system);
    }
    assert!(!asked[1].system.contains("`read:**`"), "the run holds it, the helper does not");
    let texts: Vec<String> = stage.double.requests().iter().map(Seen::text).collect();
    assert!(texts[2].contains("one two three"), "{}", texts[2]);
    assert!(texts[3].contains("I found three words."), "{}", texts[3]);
}

#[test]
fn a_helper_has_no_more_than_the_run_that_calls_it() {
    let stage = stage(whole_task(), &agent("counter", COUNTS));
    stage.run(&["-p", "How many?", "--grant", "read:other/**"]).says_without("read", 0, "There are three.\n");
    let told = stage.double.requests()[2].text();
    assert!(told.contains("read:notes.txt") && !told.contains("one two three"), "{told}");

    // And no more than its file asks for, even if the run holds more.
    let modest = self::stage(whole_task(), &agent("counter", "tools: [read]"));
    let ran = modest.run(&["-p", "How many?", "--grant", "read:**"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "There are three.\n"), "{ran:?}");
    assert!(ran.err.contains("its file does not grant read:notes.txt"), "{ran:?}");
    assert!(!modest.double.requests()[2].text().contains("one two three"));
}

#[test]
fn whoever_is_asked_is_told_which_helper_wants_it() {
    let stage = stage(whole_task(), &agent("counter", COUNTS));
    let line = format!("run --model {MODEL} -p Count");
    let (code, screen) = terminal::holm(&stage, &line, "[n]o: ", "y");
    assert_eq!(code, Some(0), "{screen}");
    assert!(screen.contains("  for        the helper counter"), "{screen}");
    assert!(screen.contains("There are three."), "{screen}");
}

#[test]
fn a_helper_asks_and_tells_in_its_own_name() {
    let acts = [
        hands_on("counter", r#"{"task":"Count the notes."}"#),
        Act::calls(&[("b1", "brief", r#"{"text":"I begin."}"#)]),
        Act::calls(&[("q1", "ask_user", r#"{"question":"Which notes?"}"#)]),
        Act::says("I found three words."),
        Act::says("There are three."),
    ];
    let stage = stage(acts, &agent("counter", "tools: [brief, ask_user]"));
    let line = format!("run --model {MODEL} -p Count");
    let (code, screen) = terminal::holm(&stage, &line, "(empty for none): ", "all");
    assert_eq!(code, Some(0), "{screen}");
    assert!(screen.contains("· the helper counter: I begin."), "{screen}");
    assert!(screen.contains("the agent asks: the helper counter: Which notes?"), "{screen}");
    assert!(stage.double.requests()[3].text().contains("The user answers: all"), "{screen}");
}

#[test]
fn a_helper_works_with_the_model_that_its_file_names() {
    let stage = stage(whole_task(), &agent("counter", &format!("{COUNTS}\nmodel: openai/gpt-5")));
    stage.run(&["-p", "How many?", "--grant", "read:**"]).says("There are three.\n");
    let models: Vec<String> =
        stage.double.requests().iter().map(|request| request.model().to_owned()).collect();
    assert_eq!(models, ["gpt-5-mini", "gpt-5", "gpt-5", "gpt-5-mini"]);
}

#[test]
fn a_projects_helper_is_there_once_a_person_trusts_its_file() {
    let stage = Stage::new([Act::says("Alone.")].into_iter().chain(whole_task()))
        .file("notes.txt", "one two three\n");
    let tools = stage.work().join(".holm/tools");
    fs::create_dir_all(&tools).unwrap();
    fs::write(tools.join("counter.md"), agent("counter", COUNTS)).unwrap();
    let ran = stage.run(&["-p", "How many?", "--grant", "read:**"]);
    assert!(ran.out == "Alone.\n" && ran.err.contains("counter.md: you have not trusted it"), "{ran:?}");
    assert!(!stage.double.requests()[0].text().contains("Counts what is there."));
    stage.agrees(["tool", "trust"]);
    stage.run(&["-p", "How many?", "--grant", "read:**"]).says("There are three.\n");
}

#[test]
fn a_helper_in_the_background_is_heard_before_the_run_ends() {
    let task = hands_on("counter", r#"{"task":"Count the notes.","background":true}"#);
    // Who is asked next is up to them: the run goes on while its helper works.
    let acts = [task].into_iter().chain((0..3).map(|_| Act::says("Ready.")));
    let stage = stage(acts, &agent("counter", "background: true"));
    stage.run(&["-p", "How many?", "--session", "s"]).says("Ready.\n");
    let shown = stage.holm(["session", "show", "s"]).out;
    assert!(
        shown.contains("### Call of `counter` answered\n") && shown.contains("### Result of a child\n"),
        "{shown}"
    );
    let requests = stage.double.requests();
    let offered = requests[0].asked.as_ref().unwrap();
    assert!(offered.tools.iter().any(|tool| tool.name == "children"));
    let texts: Vec<String> = requests.iter().map(Seen::text).collect();
    let heard = texts
        .iter()
        .filter(|text| text.contains("The background helper") && text.contains("(child 1) has ended"))
        .count();
    assert_eq!(heard, 1, "{texts:#?}");
    assert!(texts.last().unwrap().contains(">Ready.<"), "{texts:#?}");
}

#[test]
fn a_helper_with_a_worktree_leaves_the_project_as_it_is_and_brings_its_changes() {
    let acts = [
        hands_on("counter", r#"{"task":"Write it down."}"#),
        Act::calls(&[("c1", "write", r#"{"path":"count.txt","content":"three\n"}"#)]),
        Act::says("Written."),
        Act::says("It is done."),
    ];
    let stage = stage(acts, &agent("counter", "tools: [write]\ngrants: [\"write:**\"]\nisolation: worktree"));
    for args in [&["init", "-q"][..], &["add", "."], &["commit", "-q", "-m", "notes"]] {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=Test", "-c", "user.email=test@example.com"]).args(args);
        let done = git
            .current_dir(stage.work())
            .status()
            .unwrap_or_else(|error| panic!("git: {error}; install git"));
        assert!(done.success(), "{args:?}");
    }
    let run = ["-p", "Count.", "--grant", "write:**", "--mode", "accept-edits"];
    stage.run(&run).says("It is done.\n");
    let told = stage.double.requests()[3].text();
    assert!(told.contains("Written.") && told.contains("+three"), "{told}");
    assert!(!stage.work().join("count.txt").exists());
}

#[test]
fn a_file_that_cannot_be_used_is_told_and_the_run_goes_on() {
    let stage = stage([Act::says("Hello.")], &agent("counter", "mode: yolo"));
    let ran = stage.run(&["-p", "Hi."]);
    assert!(ran.out == "Hello.\n" && ran.err.contains("counter.md: line 4: `mode`"), "{ran:?}");
}

#[test]
fn agents_are_listed_and_shown_beside_the_other_tools() {
    let stage = stage([], &agent("counter", "tools: [read]\ngrants: [\"read:notes.txt\"]"));
    let ran = stage.holm(["tool", "list", "--tools", "native"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{ran:?}");
    let listed = |line: &str| line.starts_with("counter ") && line.contains("Counts what is there.");
    assert!(ran.out.lines().any(listed), "{ran:?}");
    let ran = stage.holm(["tool", "show", "counter"]);
    assert!(ran.out.contains("counter.md") && ran.out.contains("Counts what is there."), "{ran:?}");
    stage.holm(["tool", "execute", "counter", r#"{"task":"Count."}"#]).fails(2, "is an agent");
}

#[test]
fn a_helpers_session_is_marked_and_never_resumed_by_itself() {
    let stage = stage(whole_task(), &agent("counter", COUNTS));
    let args = ["-p", "How many?", "--session", "top", "--grant", "read:**"];
    stage.run(&args).says("There are three.\n");
    let ran = stage.holm(["session", "list"]);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines.len(), 2, "{ran:?}");
    let helper = lines.iter().find(|line| line.starts_with("child-")).unwrap();
    assert!(helper.contains("  (helper) ") && !ran.out.contains("(helper) How many?"), "{ran:?}");
    let name = helper.split(' ').next().unwrap();
    let listed = stage.holm(["session", "list", "--json"]).out;
    for line in listed.lines() {
        let session: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(session["helper"], serde_json::json!(session["run"] == name), "{line}");
    }
    let asked = stage.double.requests().len();
    let ran = stage.run(&["-p", "And now?", "--session", name, "--resume"]);
    ran.fails(2, "cannot be resumed by itself");
    assert!(ran.err.contains("hint: resume its parent session: holm run --session top --resume"), "{ran:?}");
    assert_eq!(stage.double.requests().len(), asked, "nobody was asked");
}

#[test]
fn a_helper_whose_name_a_tool_has_is_called_by_the_name_that_it_gets() {
    let acts = [hands_on("read_2", r#"{"task":"Say it."}"#), Act::says("I said it."), Act::says("Done.")];
    let stage = stage(acts, &agent("read", ""));
    let ran = stage.run(&["-p", "Go."]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Done.\n"), "{ran:?}");
    assert!(
        ran.err.contains("asked for the name `read` and got `read_2`: one of Holm's own tools"),
        "{ran:?}"
    );
    let requests = stage.double.requests();
    let system = &requests[0].asked.as_ref().unwrap().system;
    assert!(system.contains("- read_2: Counts what is there."), "{system}");
    assert!(requests[2].text().contains("I said it."), "{}", requests[2].text());
    let shown = stage.holm(["tool", "show", "read_2"]).out;
    assert!(shown.contains("spawn:read_2") && !shown.contains("\"spawn:read\""), "{shown}");
}

#[test]
fn of_two_helpers_with_one_name_the_projects_gets_another_and_both_can_be_called() {
    let acts = [
        hands_on("counter", r#"{"task":"Mine."}"#),
        Act::says("I am the user's."),
        hands_on("counter_2", r#"{"task":"Yours."}"#),
        Act::says("I am the project's."),
        Act::says("Done."),
    ];
    let stage = stage(acts, &agent("counter", ""));
    let tools = stage.work().join(".holm/tools");
    fs::create_dir_all(&tools).unwrap();
    fs::write(tools.join("counter.md"), agent("counter", "").replace("and you count", "of the project"))
        .unwrap();
    stage.agrees(["tool", "trust"]);
    let told = "asked for the name `counter` and got `counter_2`: the tool of ";
    let ran = stage.run(&["-p", "Go."]);
    assert_eq!(
        (ran.code, ran.out.as_str(), ran.err.matches(told).count()),
        (Some(0), "Done.\n", 1),
        "{ran:?}"
    );
    let systems: Vec<String> =
        stage.double.requests().into_iter().map(|request| request.asked.unwrap().system).collect();
    assert!(systems[1].contains("and you count") && systems[3].contains("of the project"), "{systems:#?}");
    let ran = stage.holm(["tool", "list"]);
    assert_eq!(ran.err.matches(told).count(), 1, "{ran:?}");
}

#[test]
fn a_worktree_below_the_top_of_a_repository_is_refused_with_where_the_top_is() {
    let stage = stage([], &agent("counter", "isolation: worktree"));
    fs::create_dir(stage.work().join(".git")).unwrap();
    fs::create_dir(stage.work().join("below")).unwrap();
    let mut command = stage.command(["tool", "list"]);
    let ran = crate::stage::Ran::of(&command.current_dir(stage.work().join("below")).output().unwrap());
    let expect = "this folder is not the top of its git repository; start `holm` in ";
    assert!(ran.err.contains(expect), "{ran:?}");
}

#[test]
fn keys_of_a_helpers_file_that_mean_nothing_are_named() {
    let stage = stage([], &agent("counter", "tool: [read]"));
    let ran = stage.holm(["tool", "list"]);
    assert!(ran.err.contains("counter.md: line 4: unknown key `tool`; did you mean `tools`?"), "{ran:?}");
}

#[test]
fn a_helper_that_names_a_tool_that_nobody_has_is_told_once_all_files_are_loaded() {
    let stage = Stage::new([Act::says("Done.")]);
    assert_eq!(stage.holm(["paths"]).code, Some(0), "which makes the folder");
    let agent = |name: &str, tools: &str| {
        format!("---\nname: {name}\ndescription: Helps.\ntools: [{tools}]\n---\nHelp.\n")
    };
    let tools = stage.data().join("tools");
    std::fs::create_dir_all(&tools).unwrap();
    // The first names one that comes later, the third a tool of the conversation.
    for (name, names) in [("alone", "later"), ("later", "read"), ("talks", "todo"), ("wants", "frobnicate")] {
        std::fs::write(tools.join(format!("{name}.md")), agent(name, names)).unwrap();
    }
    for ran in [stage.holm(["tool", "list"]), stage.run(&["-p", "Say something."])] {
        let said: Vec<&str> = ran.err.lines().filter(|line| line.contains("the agent `")).collect();
        assert_eq!(said.len(), 1, "{ran:?}");
        assert!(said[0].contains("`wants`") && said[0].contains("`frobnicate`"), "{ran:?}");
    }
    let listed = stage.holm(["tool", "list"]).out;
    let row = |name: &str| listed.lines().find(|line| line.starts_with(&format!("{name} "))).unwrap();
    assert!(row("wants").contains("cannot be called now") && !row("later").contains("cannot"), "{listed}");
    let ran = stage.holm(["tool", "validate", "wants"]);
    assert!(
        ran.code == Some(3) && ran.out.contains("wants: no tool or agent is named `frobnicate`"),
        "{ran:?}"
    );
}
