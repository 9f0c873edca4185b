//! Tests exit codes and error messages.

use std::net::TcpListener;

use holm::kernel::{FailureClass, StopReason};
use holm_testkit::double::{Act, Fault};

use crate::stage::{MODEL, Ran, Stage};

fn refused(status: u16, class: FailureClass, message: &str) -> Act {
    Act::fails(Fault::Refused { status: Some(status), class, message: message.into() })
}

#[test]
fn a_provider_that_refuses_is_5() {
    let stage = Stage::new([refused(400, FailureClass::BadRequest, "no such model")]);
    stage.run(&["-p", "hi"]).fails(5, "no such model");
}

#[test]
fn a_missing_key_is_5_and_says_which_variable_to_set() {
    let stage = Stage::new([]);
    let output =
        stage.command(["run", "-p", "hi", "--model", "anthropic/claude-sonnet-4-5"]).output().unwrap();
    let ran = crate::stage::Ran::of(&output);
    ran.fails(
        5,
        "hint: set ANTHROPIC_API_KEY in the environment, or store a key with `holm keys add anthropic`",
    );
}

#[test]
fn a_limit_is_4_and_says_its_figures() {
    let call = |n: u32| Act::calls(&[("c", "list", &format!(r#"{{"path":"{n}"}}"#))]);
    let stage = Stage::new([call(1), call(2), call(3)]);
    stage.run(&["-p", "hi", "--turns", "2"]).fails(4, "2 of 2");
    let stage = Stage::new([call(1), call(2)]);
    stage.run(&["-p", "hi", "--budget", "0.000001"]).fails(4, "were spent");
}

#[test]
fn an_answer_that_is_none_is_3() {
    let stage = Stage::new([Act::says("I would rather not.").stop(StopReason::ContentFilter)]);
    stage.run(&["-p", "hi"]).fails(3, "declined");
}

#[test]
fn what_is_not_there_is_6() {
    let stage = Stage::new([]);
    stage.run(&["-p", "hi", "--session", "nobody", "--resume"]).fails(6, "there is no session `nobody`");
    stage.holm(["session", "show", "nobody"]).fails(6, "there is no session `nobody`");
    stage.holm(["session", "replay", "nobody"]).fails(6, "there is no session `nobody`");
    stage.holm(["tool", "execute", "nothing"]).fails(6, "no tool or file is named `nothing`");
    stage.holm(["run", "-p", "hi", "--script", "missing.json"]).fails(6, "there is no file missing.json");
}

#[test]
fn what_is_not_understood_is_2_with_one_message() {
    let stage = Stage::new([])
        .file("broken.json", "{")
        .file("list.json", "[]")
        .file("empty.json", r#"{"results":[]}"#)
        .file("typo.json", r#"{"results":[{"replied":{"blocks":[{"text":"hi"}]}}],"than":"repeat"}"#);
    let check = |args: &[&str], expect: &str| stage.holm(args).fails(2, expect);
    check(&["run", "-p", ""], "the prompt is empty");
    check(&["run", "-p", "hi", "--model", "nobody-knows/this"], "[providers.nobody-knows] base_url");
    check(&["run", "-p", "hi", "--model", "/etc/passwd"], "hint: write it as provider/model");
    check(&["run", "-p", "hi", "--grant", "fly:moon"], "fly:moon");
    check(&["run", "-p", "hi", "--mode", "sideways"], "sideways");
    for amount in ["much", "-1"] {
        check(&["run", "-p", "hi", "--budget", amount], "is not an amount in US dollars");
    }
    check(&["run", "-p", "hi", "--session", "../up"], "../up");
    check(&["run", "-p", "hi", "--script", "broken.json"], "broken.json cannot be used");
    check(&["run", "-p", "hi", "--script", "list.json"], "it is not an object");
    check(&["run", "-p", "hi", "--script", "empty.json"], "it has no results");
    check(
        &["run", "-p", "hi", "--script", "typo.json"],
        "unknown field `than`, expected `results` or `then`",
    );
    check(&["run", "--resume", "-p", "hi"], "--session");
    check(&["run", "-p", "hi", "--turns", "0"], "at least one turn");
    check(&["run", "-p", "hi", "--turns", "many"], "`many` is not a whole number");
    check(&["mcp-server", "--", "--session", "s", "--resume"], "are not supported");
    check(&["mcp-server", "--", "-p", "x"], "--prompt and --edit are not supported");
    check(&["run", "-p", "hi", "--kind", " "], "--kind");
    check(&["rum"], "unrecognized subcommand 'rum'");
}

#[test]
fn common_mistakes_are_told_with_what_to_do() {
    let stage = Stage::new([]);
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let (port, address) = (taken.local_addr().unwrap().port().to_string(), taken.local_addr().unwrap());
    let check = |code: i32, args: &[&str], lines: [&str; 2]| {
        let ran = Ran::of(&stage.command(args).env("HOLM_MCP_TOKEN", "t".repeat(40)).output().unwrap());
        ran.fails_after_notes(code, lines[0]);
        assert!(ran.err.contains(lines[1]), "{ran:?}");
        assert!(!ran.err.contains("No such file or directory"), "{ran:?}");
    };
    check(6, &["session", "show", "last"], ["no sessions yet", "hint: a session begins with `holm chat`"]);
    check(6, &["job", "show", "x"], ["there is no job `x`", "hint: `holm job list`"]);
    check(6, &["eval", "run"], ["there is no file or folder evals", "hint: name folders with cases"]);
    check(
        6,
        &["skill", "validate", "x"],
        ["there is no file x/SKILL.md", "hint: name the folder of a skill"],
    );
    check(6, &["hooks", "trust"], ["there is no file ", "hint: docs/hooks.md"]);
    check(
        2,
        &["mcp", "add", "x"],
        ["URL or the program of the server is missing", "hint: holm mcp add NAME"],
    );
    check(2, &["agent", "new", "a/b"], ["`a/b` is not a valid agent name\n", "hint: use letters"]);
    check(
        2,
        &["serve", "--listen", "x"],
        ["'--listen <ADDRESS:PORT>': write an IP address", "127.0.0.1:7417"],
    );
    check(2, &["serve", "--listen", "0.0.0.0:1"], ["can reach 0.0.0.0:1\n", "hint: pass --certificate"]);
    let busy = format!("cannot listen on {address}: Address already in use");
    check(1, &["serve", "--listen", &address.to_string()], [&busy, "hint: choose another address"]);
    check(1, &["mcp-server", "--http", &port], [&busy, "hint: choose another port"]);
}

#[cfg(feature = "local")]
#[test]
fn what_cannot_be_copied_out_of_a_text_is_2_and_names_what_can() {
    let stage = Stage::new([]);
    let ran = stage.holm(["extract", "--text", "x", "--target", "frob"]);
    ran.fails(2, "hint: the targets are date, email, entity, name, url");
    let ran = stage.holm(["extract", "--text", " ", "--target", "email"]);
    ran.fails(2, "the text is empty");
    assert!(ran.err.contains("--text -") && !ran.err.contains("holm run"), "{ran:?}");
    let ran = stage.holm(["extract", "--text", "a@b.example", "--target", "email"]);
    ran.fails(
        6,
        "no model was chosen, and the small one is not on this machine\n  hint: choose one with --model",
    );
}

#[cfg(feature = "local")]
#[test]
fn a_model_file_that_is_not_there_is_6_and_named_once() {
    let ran = Stage::new([]).holm(["run", "-p", "hi", "--model", "local//nowhere/x.gguf"]);
    ran.fails(6, "/nowhere/x.gguf cannot be read");
    assert_eq!(ran.err.matches("/nowhere/x.gguf").count(), 1, "{ran:?}");
}

#[test]
fn a_data_folder_that_cannot_be_made_is_1_and_says_where() {
    let stage = Stage::new([Act::says("hi")]).file("file", "");
    let ran = stage.run(&["-p", "hi", "--data", "file/below"]);
    ran.fails(1, "file/below");
}

#[cfg(feature = "local")]
#[test]
fn help_names_every_exit_code_and_goes_to_standard_output() {
    let stage = Stage::new([]);
    let ran = stage.holm(["--help"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    insta::assert_snapshot!(ran.out, @r#"
    Run agents that can do only what you grant them, and keep a journal of everything

    Usage: holm [OPTIONS] [COMMAND]

    Commands:
      init         Create a settings file
      chat         Chat with agents in the terminal; `holm` alone does the same
      run          Run an agent on a prompt
      tool         List, check, run and create tools
      agent        List, show and create agents
      skill        List, show, check and run skills
      mcp          Manage MCP servers
      mcp-server   Serve agents and tools to MCP clients
      acp          Serve editors over the Agent Client Protocol (ACP)
      serve        Start a server for browsers, API clients and OpenAI-compatible clients
      job          Manage scheduled jobs
      backup       Back up all data to a new folder, even while a server runs
      restore      Restore a backup into a new data folder
      session      List, search, replay, fork and edit sessions
      log          Print a session's events as a log, or write them to --log-json-file or --log-http
      hooks        List and trust hooks
      keys         Manage API keys of providers
      trust        Show and change what agents may do in a folder without asking
      config       Show settings and trust this project's files
      check        Check all settings, agents, skills, hooks and servers without running them
      doctor       Diagnose this machine's setup
      paths        Show where Holm stores its files
      model        Show how models have performed, and manage local models
      usage        Show tokens, cost and cache hit rates by model, session, tool, day or agent
      extract      Extract email addresses, URLs, dates or names from text
      tour         Take a one-minute tour: a lookup, an extraction, a hostile tool and a replay
      undo         Undo the file changes of a turn
      eval         Run evaluation cases, make them from sessions, and compare the results
      import       Import agents, servers, skills, rules and hooks from other programs
      describe     Describe Holm as a tool, in the format of agents-exe
      completions  Generate shell completions
      man          Print a manual page
      help         Print this message or the help of the given subcommand(s)

    Options:
      -h, --help     Print help
      -V, --version  Print version

    Global options:
          --data <FOLDER>         Data folder [default: $HOLM_DATA, else $XDG_DATA_HOME/holm, else
                                  ~/.local/share/holm]
          --log-json-file <FILE>  Also append events to this file, one JSON object per line
          --log-http <URL>        Also send events to this URL, as JSON lines; for another machine, add
                                  --grant fetch:… to the command's options

    Exit codes:
      0    success
      1    something failed on this machine
      2    the command line is invalid, or a file that it reads contains an error
      3    the run ended without an answer, all its calls were denied, or `holm tool execute` failed
      4    a limit or the budget ended the run
      5    the model could not be used: no key, no connection, no known price, or its provider refused
      6    something named on the command line was not found
      130  cancelled with Ctrl-C or by a signal
    "#);
}

#[test]
fn an_answer_that_a_full_disk_has_cut_is_no_success() {
    let stage = Stage::new([Act::says("Hello.")]);
    let into = |target: &str, args: &[&str]| {
        let full = std::fs::OpenOptions::new().write(true).open(target).unwrap();
        Ran::of(&stage.command(args).stdout(full).output().unwrap())
    };
    for args in [["paths"].as_slice(), &["--help"], &["run", "--model", MODEL, "-p", "Hi."]] {
        into("/dev/full", args).fails(1, "could not write everything to standard output");
    }
    assert_eq!(into("/dev/null", &["paths"]).code, Some(0));
}
