//! A manager that is a file: it can only delegate, and those below it share what it may spend.

use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::SeqCst},
    },
    thread,
    time::{Duration, Instant},
};

use holm_testkit::double::{Act, Seen};

use crate::stage::Stage;

const PARTS: [&str; 4] = ["part-a", "part-b", "part-c", "part-d"];

const MANAGER: &str = "---\nname: manager\ndescription: Looks into things.\nmanages: [executor]\nat_once: 2\n\
    limits:\n  spend: 0.50usd\n---\nYou are the manager.\n";

const EXECUTOR: &str = "---\nname: executor\ndescription: Looks into one part.\nlimits:\n  turns: 2\n  spend: 0.05usd\n\
    ---\nYou are the executor.\n";

/// Hands out four parts, hands out again what failed, and cites whatever findings it was shown.
fn manager(body: &str) -> Act {
    let task = |part: &str| format!(r#"{{"task":"{part}"}}"#);
    if !body.contains("finding of") {
        let tasks = PARTS.map(task);
        let calls: Vec<_> = tasks.iter().zip(PARTS).map(|(task, id)| (id, "executor", &**task)).collect();
        return Act::calls(&calls);
    }
    if !body.contains("once again") {
        assert!(body.contains("the helper `executor` failed"), "{body}");
        return Act::calls(&[("again", "executor", &task("part-c once again"))]);
    }
    let cited = PARTS.iter().filter(|part| body.contains(&format!("finding of {part}")));
    Act::says(&format!("From {}.", cited.copied().collect::<Vec<_>>().join(", ")))
}

/// Finds what it was asked for, except that part C calls a tool that is not there until it is asked once again.
fn executor(body: &str) -> Act {
    let part = PARTS.iter().find(|part| body.contains(**part)).unwrap();
    if *part == "part-c" && !body.contains("once again") {
        return Act::calls(&[("x", "shell", "{}")]);
    }
    Act::says(&format!("finding of {part}"))
}

#[test]
fn a_manager_delegates_hands_out_again_what_failed_and_cites_all() {
    let (now, peak) = (AtomicU64::new(0), Arc::new(AtomicU64::new(0)));
    let highest = Arc::clone(&peak);
    let stage = Stage::answering(move |seen: &Seen| {
        let (system, body) = (&seen.asked.as_ref().unwrap().system, seen.text());
        if system.contains("You are the manager.") {
            return manager(&body);
        }
        if !system.contains("You are the executor.") {
            if body.contains("From part-a") {
                return Act::says("All four were looked into.");
            }
            return Act::calls(&[("m", "manager", r#"{"task":"Look into all four parts."}"#)]);
        }
        highest.fetch_max(now.fetch_add(1, SeqCst) + 1, SeqCst);
        // The first one waits for a second beside it; then each takes a moment, in which a third could be seen.
        let began = Instant::now();
        while highest.load(SeqCst) < 2 && began.elapsed() < Duration::from_secs(30) {
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_millis(30));
        now.fetch_sub(1, SeqCst);
        executor(&body)
    });
    assert_eq!(stage.holm(["paths"]).code, Some(0), "which makes the folder");
    fs::write(stage.data().join("tools/manager.md"), MANAGER).unwrap();
    fs::write(stage.data().join("tools/executor.md"), EXECUTOR).unwrap();
    stage.run(&["-p", "Look into it.", "--budget", "1"]).says("All four were looked into.\n");
    assert_eq!(peak.load(SeqCst), 2, "two at once and no more");
    let requests = stage.double.requests();
    let asked: Vec<_> = requests.iter().filter_map(|request| request.asked.as_ref()).collect();
    let manages = asked.iter().find(|asked| asked.system.contains("You are the manager.")).unwrap();
    let tools: Vec<&str> = manages.tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(tools, ["executor"], "it can only delegate");
    let told = requests.last().unwrap().text();
    for part in PARTS {
        assert!(told.contains(part), "{part}: {told}");
    }
    let sessions = stage.holm(["session", "list", "--json"]).out;
    assert_eq!(sessions.lines().count(), 7, "the run, the manager, four executors and one again: {sessions}");
}

#[test]
fn a_manager_with_a_tool_that_acts_is_named_and_not_used() {
    let stage = Stage::new([]);
    assert_eq!(stage.holm(["paths"]).code, Some(0), "which makes the folder");
    let manager = MANAGER.replace("at_once: 2", "tools: [write]");
    fs::write(stage.data().join("tools/manager.md"), manager).unwrap();
    fs::write(stage.data().join("tools/executor.md"), EXECUTOR).unwrap();
    let ran = stage.holm(["tool", "list", "--tools", "native"]);
    let expect = "manager.md: the tool `write` acts, and a manager only delegates; give the tool to a helper";
    assert!(ran.err.contains(expect), "{ran:?}");
    assert!(!ran.out.lines().any(|line| line.starts_with("manager ")), "{ran:?}");
}
