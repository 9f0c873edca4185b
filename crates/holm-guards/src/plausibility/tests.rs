use alloc::format;
use alloc::string::String;

use proptest::prelude::*;

use super::disguised_errors::MAX_ERROR_OBJECT;
use super::{CallOutcome, EmptyOutput, ErrorText, Expectation, ObservedOutput, PlausibilityResult, judge};
use crate::ruling::{Reason, Rules, Ruling, Severity};

const HOLM: Expectation = Expectation {
    empty: EmptyOutput::Refused,
    error_text: ErrorText::Refused,
    severity: Severity::Reject,
    rules: Rules::Holm,
};
const SILENT: Expectation = Expectation { empty: EmptyOutput::Allowed, ..HOLM };
const READER: Expectation = Expectation { error_text: ErrorText::Allowed, ..HOLM };
const AGENT_RS: Expectation = Expectation { rules: Rules::AgentRs, ..HOLM };

fn rule(text: &str, expectation: Expectation) -> Ruling {
    match judge(CallOutcome::Succeeded, &ObservedOutput::whole(text), expectation) {
        PlausibilityResult::Ruled(ruling) => ruling,
        PlausibilityResult::NeedsWhole => panic!("a whole text is enough: {text:?}"),
    }
}

fn accepts(expectation: Expectation, texts: &[&str]) {
    for text in texts {
        assert_eq!(rule(text, expectation), Ruling::Accept, "{text:?}");
    }
}

/// Every text is rejected, with a reason that contains `says`.
fn rejects(expectation: Expectation, says: &str, texts: &[&str]) {
    for text in texts {
        match rule(text, expectation) {
            Ruling::Reject(reason) => assert!(reason.message.contains(says), "{text:?}: {reason}"),
            ruling => panic!("{text:?} was not rejected but {ruling:?}"),
        }
    }
}

#[test]
fn short_true_answers_are_fine() {
    accepts(HOLM, &["7", "OK", "0", "y", "é", "東京", "٣", "false", "ok\n"]);
}

#[test]
fn errors_are_known_in_any_case_and_spelling() {
    rejects(
        HOLM,
        "error message",
        &[
            "CAT: X: NO SUCH FILE OR DIRECTORY.",
            "Zsh: Command Not Found: foo",
            "SH: 1: foo: Not Found",
            "SEGMENTATION FAULT (core dumped)",
            "ssh: host: networ\u{212a} is unreachable",
            "überprüfung: datei.txt: Permission denied",
            "HTTP Status 503 – Service Temporarily Unavailable!",
            "Error 404: NOT FOUND.",
            "<HTML><head><TITLE>\n502 Bad Gateway </TITLE>",
            r#"{"\u0065rror":"it broke"}"#,
            r#"{"message":"a \"quoted\" text","success":false}"#,
        ],
    );
    accepts(
        HOLM,
        &[
            "\u{130}x: datei: permission denied",
            r#"{"message":"error","note":"\"error\" is a word"}"#,
            r#"{"errors ":["x"],"data":1}"#,
            "42 errors",
            "httpd: running",
        ],
    );
}

#[test]
fn listings_are_fine() {
    accepts(
        HOLM,
        &[
            "file1.txt\nfile2.txt\n",
            "total 8\n-rw-r--r-- 1 user group 1234 file.txt",
            "total 3 files changed",
            "Total 12 USD",
            "  PID TTY          TIME CMD\n    1 ?        00:00:01 init",
        ],
    );
}

#[test]
fn nothing_is_no_answer_where_data_was_promised() {
    rejects(HOLM, "empty", &["", "  \n\t", "[]", "{}", "null", "\"\"", "total 0"]);
}

#[test]
fn nothing_is_fine_where_the_tool_says_so() {
    accepts(SILENT, &["", "\n", "[]", "total 0"]);
    rejects(SILENT, "metadata", &["total 12"]);
}

#[test]
fn metadata_without_data_is_rejected() {
    rejects(
        HOLM,
        "metadata",
        &[
            "total 7079928",
            "TOTAL 12\n",
            "total 4.0K",
            "total 8\n\ntotal 16\n",
            "Filesystem      Size  Used Avail Use% Mounted on",
            "Mode   LastWriteTime   Length Name\n----   -------------   ------ ----",
        ],
    );
}

#[test]
fn an_output_without_a_letter_or_a_digit_says_nothing() {
    rejects(HOLM, "no letter", &["---", "====\n----", "\u{200b}\u{200b}", "…", "| |\n| |"]);
}

#[test]
fn an_error_message_is_not_a_result() {
    rejects(
        HOLM,
        "error message",
        &[
            "bash: frobnicate: command not found",
            "zsh: command not found: frobnicate",
            "sh: 1: frobnicate: not found",
            "frobnicate: command not found\n",
            "cat: notes.txt: No such file or directory",
            "ls: cannot access 'x': No such file or directory\nls: cannot access 'y': Permission denied",
            "curl: (6) Could not resolve host: nowhere.invalid",
            "ssh: connect to host x port 22: Connection refused.",
            "fatal: not a git repository (or any of the parent directories): .git",
            "Error: ENOENT: no such file or directory, open 'x'",
            "'foo' is not recognized as an internal or external command,\r\noperable program or batch file.",
            "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\nKeyError: 'a'",
            "[object Object]",
            "404: Not Found",
            "HTTP Status 500 – Internal Server Error",
            r#"{"error":"no such table"}"#,
            r#"{"error":{"code":404,"message":"gone"},"status":404}"#,
            r#"{"is_error":true,"content":"x"}"#,
            r#"{"success":false,"message":"no"}"#,
            r#"{"data":null,"errors":[{"message":"no"}]}"#,
            "<!DOCTYPE html>\n<html><head><title>404 Not Found</title></head><body>nginx</body></html>",
            "<html>\r\n<head><title>502 Bad Gateway</title></head></html>",
        ],
    );
}

#[test]
fn the_benign_twin_of_an_error_message_is_fine() {
    accepts(
        HOLM,
        &[
            "The word error stands in this file.\nSo does command not found.",
            "src/lib.rs:12: // No such file or directory",
            "log.txt: line 3: cat: x: No such file or directory\nlog.txt: line 4: done",
            "bash: frobnicate: command not found\nbut then it worked",
            "status: not found",
            "database: connection refused",
            "errors: 0",
            "fn not_found() {}",
            "404",
            "404 Not Found is what the server answers when a page is missing",
            r#"{"error":null,"rows":[1]}"#,
            r#"{"error":"","ok":true}"#,
            r#"{"error":"partial","rows":[1]}"#,
            r#"{"errors":[],"data":{"a":1}}"#,
            r#"{"data":{"a":1},"errors":[{"message":"one field"}]}"#,
            r#"{"errors":0,"warnings":2}"#,
            r#"{"is_error":false,"content":"x"}"#,
            r#"{"error": not json"#,
            "<html><head><title>How to fix 404 Not Found</title></head></html>",
            "<html><title>404 Not Found Café</title></html>",
            "Traceback (most recent call last):\n  File \"a.py\"\nKeyError: 'a'\nretrying\nok: done",
        ],
    );
}

#[test]
fn an_object_that_is_too_long_for_an_error_is_data() {
    let reporting =
        |length: usize| format!(r#"{{"error":"{}"}}"#, "x".repeat(length - r#"{"error":""}"#.len()));
    let longest = reporting(MAX_ERROR_OBJECT);
    assert_eq!(longest.len(), MAX_ERROR_OBJECT);
    rejects(HOLM, "error message", &[&longest]);
    accepts(HOLM, &[&reporting(MAX_ERROR_OBJECT + 1), &reporting(2 * MAX_ERROR_OBJECT)]);
}

#[test]
fn a_tool_that_shows_foreign_content_may_show_errors() {
    accepts(READER, &["cat: x: No such file or directory", r#"{"error":"x"}"#]);
    rejects(READER, "empty", &[""]);
}

#[test]
fn failures_pass_through_as_failures() {
    for text in ["", "total 1", "bash: x: command not found"] {
        for expectation in [HOLM, AGENT_RS] {
            let judged = judge(CallOutcome::Failed, &ObservedOutput::whole(text), expectation);
            assert_eq!(judged, PlausibilityResult::Ruled(Ruling::Accept));
        }
    }
}

#[test]
fn a_tool_can_ask_for_a_warning_instead() {
    let warn = Expectation { severity: Severity::Warn, ..HOLM };
    assert!(matches!(rule("", warn), Ruling::Warn(Reason { guard, .. }) if guard == "plausibility"));
}

#[test]
fn the_rules_of_agent_rs_are_kept_to_the_letter() {
    accepts(
        AGENT_RS,
        &[
            "file1.txt\nfile2.txt\n",
            "total 8\n-rw-r--r-- 1 user group 1234 file.txt",
            "total 8\ntotal 9",
            "total 4.0K",
            "bash: x: command not found",
            "東",
        ],
    );
    let reasons = [
        ("", "Tool output is empty - no data returned"),
        (" \n", "Tool output is empty - no data returned"),
        ("total 7079928", "Tool output contains only metadata (e.g. 'total' line), not actual data"),
        (" TOTAL 1 ", "Tool output contains only metadata (e.g. 'total' line), not actual data"),
        ("7", "Tool output lacks substantive content"),
        ("OK", "Tool output lacks substantive content"),
        ("-----", "Tool output lacks substantive content"),
    ];
    for (text, message) in reasons {
        assert_eq!(rule(text, AGENT_RS), Ruling::Reject(Reason::new("plausibility_guard", message)));
    }
}

#[test]
fn the_ends_of_a_spilled_output_are_enough_when_they_show_data() {
    let head = "a line of data\n".repeat(10);
    let judged = judge(CallOutcome::Succeeded, &ObservedOutput::spilled(&head, "end", 1 << 20), HOLM);
    assert_eq!(judged, PlausibilityResult::Ruled(Ruling::Accept));
}

#[test]
fn the_head_of_an_error_page_is_enough() {
    let head = format!("<html><title>503 Service Unavailable</title>{}", "x".repeat(100));
    let judged = judge(CallOutcome::Succeeded, &ObservedOutput::spilled(&head, "", 1 << 20), HOLM);
    assert!(matches!(judged, PlausibilityResult::Ruled(Ruling::Reject(_))));
}

#[test]
fn the_whole_is_asked_for_when_the_ends_do_not_decide() {
    let blank = " ".repeat(100);
    let complaints = "find: x: Permission denied\n".repeat(10);
    let totals = "total 8\n".repeat(20);
    let ruled = "-".repeat(100);
    for (head, tail) in
        [(&blank, "data"), (&complaints, "data"), (&totals, "data"), (&ruled, ""), (&ruled, "--")]
    {
        let judged = judge(CallOutcome::Succeeded, &ObservedOutput::spilled(head, tail, 1 << 20), HOLM);
        assert_eq!(judged, PlausibilityResult::NeedsWhole, "{head:?}");
    }
    let judged = judge(CallOutcome::Succeeded, &ObservedOutput::spilled("total 1", "", 1 << 20), AGENT_RS);
    assert_eq!(judged, PlausibilityResult::NeedsWhole);
}

#[test]
fn an_expectation_has_a_stable_serde_form() {
    let text = serde_json::to_string(&SILENT).unwrap();
    assert_eq!(text, r#"{"empty":"allowed","error_text":"refused","severity":"reject","rules":"holm"}"#);
    assert_eq!(serde_json::from_str::<Expectation>(&text).unwrap(), SILENT);
    assert_eq!(serde_json::from_str::<Expectation>(r#"{"later":1}"#).unwrap(), HOLM);
}

proptest! {
    #[test]
    fn no_text_makes_the_guard_panic(text in any::<String>(), tail in any::<String>(), length in any::<u64>()) {
        for expectation in [HOLM, SILENT, READER, AGENT_RS] {
            let _ = judge(CallOutcome::Succeeded, &ObservedOutput::whole(&text), expectation);
            let _ = judge(CallOutcome::Succeeded, &ObservedOutput::spilled(&text, &tail, length), expectation);
        }
    }

    #[test]
    fn one_line_of_prose_makes_any_output_data(
        before in "(bash: x: command not found\n|total 1\n|---\n){0,4}",
        prose in "[a-z]{2,8} [a-z]{2,8}",
    ) {
        let text = format!("{before}{prose}\n");
        prop_assert_eq!(rule(&text, HOLM), Ruling::Accept);
    }

    #[test]
    fn ends_that_decide_agree_with_the_whole(lines in proptest::collection::vec("(total 1|-+|[a-z ]{1,40}|sh: x: not found)", 1..40)) {
        let text = lines.join("\n");
        let cut = text.len() / 2;
        let (head, tail) = (&text[..cut], &text[text.len() - cut / 2..]);
        let judged = judge(CallOutcome::Succeeded, &ObservedOutput::spilled(head, tail, text.len() as u64), HOLM);
        if let PlausibilityResult::Ruled(ruling) = judged {
            prop_assert_eq!(ruling, rule(&text, HOLM));
        }
    }
}
