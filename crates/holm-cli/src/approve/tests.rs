use holm::kernel::{Marks, QuestionId, ToolCallId};

use super::*;

fn proposal(needs: &[&str]) -> Proposal {
    let needs: Vec<String> = needs.iter().map(ToString::to_string).collect();
    Proposal {
        call: QuestionId::new(2),
        tool_call: ToolCallId::new(1),
        tool: "read_file".into(),
        arguments: "{}".into(),
        level: Level::ReadOnly,
        missing: needs.clone(),
        needs,
        hands_on: Vec::new(),
        reasons: Vec::new(),
        marks: Marks::default(),
        digest: String::new(),
    }
}

#[test]
fn yes_covers_what_it_names_and_nothing_else() {
    let check = |yes: &[&str], needs: &[&str], expect: bool| {
        let yes = GrantSet::parse(yes.iter().copied()).unwrap();
        assert_eq!(is_named(&yes, &proposal(needs)), expect, "{yes:?} {needs:?}");
    };
    check(&["read:src/**"], &["read:src/main.rs"], true);
    check(&["read:src/**"], &["read:src/main.rs", "read:secret.txt"], false);
    check(&["read:src/**"], &["write:src/main.rs"], false);
    check(&[], &["read:src/main.rs"], false);
    check(&["read:**"], &[], false);
    check(&["tool:read_file"], &[], true);
    check(&["tool:read"], &[], false);
    check(&["fetch:https://h.example"], &["fetch:https://h.example/out?q=notes"], true);
    check(&["fetch:https://h.example/out"], &["fetch:https://h.example/out?q=notes"], true);
    check(&["fetch:https://h.example/in"], &["fetch:https://h.example/out?q=notes"], false);
    check(&["fetch:https://other.example"], &["fetch:https://h.example/out?q=notes"], false);
    check(&["read:src/*"], &["read:src/**"], false);
    check(&["tool:read_file"], &["read:src/main.rs"], false);
    check(&["read:**"], &["read:a […9 characters not shown…] b"], false);
    check(&["read:**"], &["read:a\\u{1b}b"], false);
}

#[test]
fn what_is_advised_can_be_typed() {
    let check = |need: &str, expect: &str| {
        let asked =
            Proposal { reasons: vec![AskReason::EgressAfterMark], missing: Vec::new(), ..proposal(&[need]) };
        let said = flags(&asked, TrustLevel::Jail);
        assert!(said.ends_with(&format!("allow it with --yes {expect}")), "{said}");
    };
    check("fetch:https://h.example/out?q=notes", "fetch:https://h.example/out");
    check("read:a*.txt", "'read:a[*].txt'");
    check("read:src/**", "'read:src/**'");
}

#[test]
fn always_is_offered_where_it_would_be_kept() {
    let lasts = |reasons: &[AskReason], missing: &[&str]| {
        let missing = missing.iter().map(ToString::to_string).collect();
        shell::lasts(&Proposal {
            reasons: reasons.to_vec(),
            missing,
            ..proposal(&["fetch:https://h.example"])
        })
    };
    assert!(lasts(&[AskReason::Level], &[]));
    assert!(lasts(&[AskReason::EgressAfterMark, AskReason::MissingGrant], &["fetch:https://h.example"]));
    assert!(!lasts(&[AskReason::Level, AskReason::EgressAfterMark], &[]));
    assert!(!lasts(&[AskReason::HookWants], &[]));
    assert!(!lasts(&[AskReason::LeavesPlan], &["fetch:https://h.example"]));
}

#[test]
fn no_flag_is_advised_for_a_file_that_is_named_like_a_pattern() {
    let asked =
        Proposal { level: Level::Write, reasons: vec![AskReason::Level], ..proposal(&["write:src/**"]) };
    assert_eq!(
        flags(&asked, TrustLevel::Ask),
        "because there is no terminal to ask at; run it at a terminal: no flag covers write:src/**, because the \
         name of the file looks like a pattern"
    );
}

#[test]
fn yes_to_a_tool_hands_nothing_on() {
    let yes = GrantSet::parse(["tool:read_file"]).unwrap();
    let asked = Proposal { hands_on: vec!["read:secret.txt".into()], ..proposal(&[]) };
    assert!(is_named(&yes, &proposal(&[])) && !is_named(&yes, &asked));
}

#[test]
fn yes_never_covers_a_plan() {
    let yes = GrantSet::parse(["read:**"]).unwrap();
    let asked = Proposal { reasons: vec![AskReason::LeavesPlan], ..proposal(&["read:src/main.rs"]) };
    assert!(is_named(&yes, &proposal(&["read:src/main.rs"])) && !is_named(&yes, &asked));
}

#[test]
fn only_a_clear_answer_is_one() {
    let offer = |prefix: Option<&str>| ApprovalOffer {
        change: None,
        family: None,
        prefix: prefix.map(|rule| rule.parse().unwrap()),
        command: None,
        helper: None,
    };
    let check = |line: &str, prefix: Option<&str>, expect: Option<ApprovalAnswer>| {
        assert_eq!(answer(line, &offer(prefix)), expect, "{line:?}");
    };
    for yes in ["y\n", " YES "] {
        check(yes, None, Some(ApprovalAnswer::Once));
    }
    check("a", None, Some(ApprovalAnswer::Session));
    check("always\n", None, Some(ApprovalAnswer::Session));
    check("p", Some("git status"), Some(ApprovalAnswer::Prefix));
    check("v", None, Some(ApprovalAnswer::Never));
    for no in ["n", " No\n"] {
        check(no, None, Some(ApprovalAnswer::No { reason: "the user said no".into() }));
    }
    for unclear in ["", "\n", "yep", "nope", "\u{1b}[A", "p"] {
        check(unclear, None, None);
    }
}

#[test]
fn a_plan_that_was_put_otherwise_is_the_same_call_with_another_text() {
    let said = with_plan(r#"{"plan":"Write\nout.txt."}"#, "Write \"in.txt\".".into());
    assert_eq!(said, r#"{"plan":"Write \"in.txt\"."}"#);
}

#[test]
fn a_question_says_why_it_is_asked_and_what_is_handed_on() {
    let none = ApprovalOffer { change: None, prefix: None, family: None, command: None, helper: None };
    let asked = |reason: AskReason| {
        let hands_on = vec!["read:src/**".to_owned()];
        question(&Proposal { reasons: vec![AskReason::Level, reason], hands_on, ..proposal(&[]) }, &none)
            .join("\n")
    };
    for (reason, words) in [
        (AskReason::EgressAfterMark, "because    it sends data out"),
        (AskReason::WriteAfterMark, "because    it writes outside its grants"),
        (AskReason::HookWants, "because    a hook"),
        (AskReason::LeavesPlan, "because    it ends plan mode"),
    ] {
        let text = asked(reason);
        assert!(text.contains(words) && text.contains("delegates  read:src/**"), "{text}");
    }
    assert!(!asked(AskReason::MissingGrant).contains("because"));
}

#[test]
fn a_question_folds_its_grants_and_names_what_is_missing_in_words() {
    let none = ApprovalOffer { change: None, prefix: None, family: None, command: None, helper: None };
    let needs = ["exec:*", "exec:./**", "read:**", "write:**", "write:/srv/out"];
    let asked = Proposal { level: Level::Execute, tool: "shell".into(), ..proposal(&needs) };
    let text = question(&asked, &none).join("\n");
    assert!(
        needs.iter().all(|need| !text.lines().any(|line| line.contains("needs ") && line.contains(need)))
    );
    let why = "why        you have not allowed commands in this folder, nor it to write /srv/out";
    assert!(text.contains(why), "{text}");
    assert_eq!(details(&asked).len(), needs.len());
    assert_eq!(details(&asked)[4], "  needs      write:/srv/out (not granted)");
}

#[test]
fn a_question_says_whose_call_it_is() {
    let offer = |helper: Option<&str>| ApprovalOffer {
        change: None,
        prefix: None,
        family: None,
        command: None,
        helper: helper.map(Into::into),
    };
    let asked = |helper| question(&proposal(&[]), &offer(helper)).join("\n");
    assert!(asked(Some("lead › scout")).contains("  for        the helper lead › scout"));
    assert!(!asked(None).contains("helper"));
}

#[test]
fn a_plan_is_shown_as_it_is_read() {
    let none = ApprovalOffer { change: None, prefix: None, family: None, command: None, helper: None };
    let arguments = r#"{"plan":"1. Look.\n2. Write it down."}"#;
    let asked = |reasons: Vec<AskReason>| {
        question(&Proposal { reasons, arguments: arguments.into(), ..proposal(&[]) }, &none).join("\n")
    };
    let plan = asked(vec![AskReason::LeavesPlan]);
    assert!(plan.contains("  plan       1. Look.\n  plan       2. Write it down."), "{plan}");
    assert!(!plan.contains("arguments") && asked(vec![AskReason::Level]).contains(arguments));
}

#[test]
fn a_question_says_what_always_covers() {
    let check = |missing: &[&str], arguments: &str, expect: &str| {
        let asked = Proposal {
            reasons: vec![AskReason::MissingGrant],
            arguments: arguments.into(),
            ..proposal(missing)
        };
        let none = ApprovalOffer { change: None, prefix: None, family: None, command: None, helper: None };
        let lines = question(&asked, &none);
        let mut covers = lines.iter().filter_map(|line| line.strip_prefix("  always     this exact call"));
        assert_eq!(covers.next(), Some(expect), "{missing:?}");
    };
    check(&["read:a.txt"], "{}", "; for every later call read:a.txt");
    check(&["read:src/**"], "{}", "; for every later call read:src/** (everything in there)");
    check(&["fetch:http://b/"], "{}", "; for every later call fetch:http://b and everything on it");
    check(
        &["fetch:https://b.example/docs"],
        "{}",
        "; for every later call fetch:https://b.example/docs and everything below it",
    );
    check(&["fetch:https://b.example/docs?q=1"], "{}", "");
    check(&["read:a […9 characters not shown…] b"], "{}", "");
    let none = ApprovalOffer { change: None, prefix: None, family: None, command: None, helper: None };
    let mails =
        Proposal { reasons: vec![AskReason::HookWants], missing: Vec::new(), ..proposal(&["read:a"]) };
    assert!(!question(&mails, &none).join("\n").contains("  always "), "it would not be kept");
}

#[test]
fn a_program_that_may_run_the_workspace_is_named_where_always_is_offered() {
    let asked = |command: &str| {
        let offer = ApprovalOffer {
            change: None,
            prefix: None,
            family: None,
            command: Some(command.into()),
            helper: None,
        };
        question(&Proposal { reasons: vec![AskReason::Level], ..proposal(&[]) }, &offer).join("\n")
    };
    let npm = asked("npm test");
    assert!(npm.contains("  always     this exact call, even if code that `npm` runs has changed"), "{npm}");
    assert!(!asked("git status").contains("has changed"));
}

#[test]
fn no_grant_is_advised_that_can_never_be_given() {
    for need in ["fetch:http://169.254.169.254/", "fetch:http://metadata.google.internal/x"] {
        let asked = Proposal { reasons: vec![AskReason::MissingGrant], ..proposal(&[need]) };
        assert!(
            !flags(&asked, TrustLevel::Jail).contains("--grant")
                && flags(&asked, TrustLevel::Jail).contains("can never be granted"),
            "{need}"
        );
        assert!(nobody(&asked).contains("can never be granted"), "{need}");
        let none = ApprovalOffer { change: None, prefix: None, family: None, command: None, helper: None };
        let text = question(&asked, &none).join("\n");
        assert!(text.contains("(can never be granted)"), "{text}");
    }
    assert!(
        flags(&proposal(&["fetch:https://h.example/"]), TrustLevel::Jail)
            .contains("--grant fetch:https://h.example")
    );
    // What was shortened for the screen is not known to be one.
    assert!(!nobody(&proposal(&["fetch:http://h […9 characters not shown…] b"])).contains("never"));
}

#[test]
fn a_question_warns_of_names_that_look_like_others() {
    let offer = ApprovalOffer {
        change: None,
        prefix: None,
        family: None,
        command: Some("g\u{456}t push".into()),
        helper: None,
    };
    let text = question(&proposal(&[]), &offer).join("\n");
    assert!(text.contains("  beware     `g\u{456}t` mixes Latin with Cyrillic letters (U+0456)"), "{text}");
    let offer = ApprovalOffer {
        change: None,
        prefix: None,
        family: None,
        command: Some(format!("rm{} x", "\u{338}".repeat(400))),
        helper: None,
    };
    let text = question(&proposal(&[]), &offer).join("\n");
    assert!(text.contains("[400 marks]") && text.chars().count() < 400, "{text}");
}

#[test]
fn nothing_hides_behind_emptiness() {
    let check = |text: &str, expect: &[&str]| assert_eq!(close_up(text), expect, "{text:?}");
    check("a\n\nb", &["a", "", "b"]);
    check(&format!("a{}b", "\n".repeat(7)), &["a", "[6 empty lines]", "b"]);
    check(&format!("a\n{}", " \n".repeat(7)), &["a", "[7 empty lines]"]);
    check(&format!("a{}b  c", " ".repeat(500)), &["a [500 blanks] b  c"]);
    check(&format!("{{\"a\":\"{}rm\"}}", "\\n".repeat(500)), &["{\"a\":\" [500 blanks] rm\"}"]);
    let thin = "ä ".repeat(50);
    check(&thin, &[thin.as_str()]);
    check("", &[]);
    let mut long = proposal(&[]);
    long.arguments = format!("{}rm", " ".repeat(9_000));
    let offer = ApprovalOffer {
        change: None,
        prefix: None,
        family: None,
        command: Some(format!("{}rm", "\n".repeat(9_000))),
        helper: None,
    };
    assert!(question(&long, &offer).join("\n").len() < 300);
}

#[tokio::test]
async fn what_is_named_beforehand_passes_and_gives_nothing_away() {
    let yes = GrantSet::parse(["read:**"]).unwrap();
    let approver = TerminalApprover::new(yes, UserPresence::Away, Arc::default());
    assert_eq!(approver.judge(proposal(&["read:a.txt"])).await, Verdict::allow());
}

#[tokio::test]
async fn where_nobody_is_the_answer_is_no_and_says_which_grant_would_do() {
    let approver = TerminalApprover::new(GrantSet::new(), UserPresence::Away, Arc::default());
    let Verdict::Deny { reason } = approver.judge(proposal(&["read:a.txt"])).await else { panic!("allowed") };
    assert!(reason.contains("read:a.txt"), "{reason}");
}

#[test]
fn what_is_said_of_a_denial_is_true_of_what_was_granted() {
    let check = |level: Level, missing: &[&str], reasons: &[AskReason], reason: &str, hint: &str| {
        let missing = missing.iter().map(ToString::to_string).collect();
        let asked = Proposal { level, missing, reasons: reasons.to_vec(), ..proposal(&["write:n.txt"]) };
        assert_eq!(nobody(&asked), reason, "{reasons:?}");
        assert!(for_user(reason).ends_with(", and no user can be asked"), "{reason}");
        assert_eq!(flags(&asked, TrustLevel::Jail), hint, "{reasons:?}");
    };
    check(
        Level::Write,
        &[],
        &[AskReason::Level],
        "denied for this run: what it needs is granted, but this mode asks about every write, and no user can be asked. Do not try \
         again.",
        "because there is no terminal to ask at; what it needs is granted, but this mode asks about every write: allow it \
         with --trust edit, or this call alone with --yes write:n.txt",
    );
    check(
        Level::Execute,
        &[],
        &[AskReason::Level],
        "denied for this run: what it needs is granted, but this mode asks about every call that can run programs, and no user can \
         be asked. Do not try again.",
        "because there is no terminal to ask at; what it needs is granted, but this mode asks about every call that can run \
         programs: allow it with --yes write:n.txt",
    );
    check(
        Level::Write,
        &["write:n.txt"],
        &[AskReason::MissingGrant, AskReason::Level],
        "denied for this run: write:n.txt was not granted, and no user can be asked. Do not try again.",
        "because there is no terminal to ask at; allow it with --trust edit, or this call alone with --yes write:n.txt",
    );
    check(
        Level::ReadOnly,
        &["write:n.txt"],
        &[AskReason::MissingGrant],
        "denied for this run: write:n.txt was not granted, and no user can be asked. Do not try again.",
        "because there is no terminal to ask at; allow it with --trust edit, or this call alone with --grant write:n.txt",
    );
    let egress =
        "what it needs is granted, but it sends data out, and the session has read private or untrusted data";
    check(
        Level::ReadOnly,
        &[],
        &[AskReason::EgressAfterMark],
        &format!("denied for this run: {egress}, and no user can be asked. Do not try again."),
        &format!("because there is no terminal to ask at; {egress}: allow it with --yes write:n.txt"),
    );
}

#[test]
fn a_call_that_says_nothing_of_its_needs_is_allowed_by_the_name_of_its_tool() {
    let check = |reasons: &[AskReason], expect: &str| {
        let said = flags(&Proposal { reasons: reasons.to_vec(), ..proposal(&[]) }, TrustLevel::Jail);
        assert!(said.ends_with(expect), "{reasons:?}: {said}");
    };
    check(&[AskReason::Level], "allow it with --grant tool:read_file");
    check(&[AskReason::Level, AskReason::EgressAfterMark], "allow it with --yes tool:read_file");
    check(&[AskReason::LeavesPlan], "run it at a terminal");
}

#[test]
fn without_a_jail_no_hint_names_its_level() {
    let needs = ["exec:*", "exec:./**", "write:**"];
    let missing = needs.iter().map(ToString::to_string).collect();
    let reasons = vec![AskReason::MissingGrant, AskReason::Level];
    let asked =
        Proposal { level: Level::Execute, missing, reasons, tool: "shell".into(), ..proposal(&needs) };
    assert!(flags(&asked, TrustLevel::Jail).contains("--trust jail, or every command with --yes "));
    for highest in [TrustLevel::Ask, TrustLevel::Edit] {
        let said = flags(&asked, highest);
        assert!(!said.contains("--trust") && said.contains("--yes 'exec:*'"), "{said}");
    }
}

#[test]
fn the_hint_of_a_command_says_what_its_flags_cover() {
    let check = |script: &str, hint: &str| {
        let arguments = serde_json::json!({ "script": script }).to_string();
        let (missing, reasons) = (vec!["exec:*".to_owned()], vec![AskReason::MissingGrant, AskReason::Level]);
        let asked = Proposal { level: Level::Execute, missing, reasons, arguments, ..proposal(&["exec:*"]) };
        let said = flags(&Proposal { tool: "shell".into(), ..asked }, TrustLevel::Jail);
        assert!(said.ends_with(&format!("--trust jail, or {hint}")), "{script}: {said}");
    };
    check("npm test", "this command alone with --trust edit --allow-command 'npm test'");
    check("ls -l", "commands like this one with --trust edit --allow-command 'ls -l'");
    check("npm test | tail", "every command with --yes 'exec:*'");
}
