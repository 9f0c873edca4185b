use holm_grants::{AccessRequest, DenialSet, GrantSet, Mode};
use holm_guards::{
    json::Json,
    postcondition::{Must, Postcondition, Rule},
};
use holm_kernel::{
    Answer, Block, CheckId, CheckRuling, ChildResult, Config, ConsultationId, Custom, Failure, FailureClass,
    HiddenToolNote, Input, Media, ModelCallId, ModelResult, ModelSpec, PastMessage, Patch, PlainAnswer,
    Prompt, QuestionId, Reply, Role, Source, Spill, Started, Thinking, ToolCall, ToolCallId, ToolKind,
    ToolOutput, ToolResult, ToolSpec, Usage, Verdict,
};

use super::*;

const LOOKS: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

/// A text with a known secret and one that only looks like it.
fn dirty() -> String {
    format!("a {KEY} b {LOOKS} c")
}

fn blocks() -> Vec<Block> {
    let media = |source| Media { media_type: "image/png".into(), source, name: Some(dirty()) };
    vec![
        Block::Text(dirty()),
        Block::Thinking(Thinking { text: dirty(), replay: Some(Json::from(KEY)) }),
        Block::ToolCall(ToolCall {
            id: KEY.into(),
            name: dirty(),
            arguments: dirty(),
            replay: Some(Json::from(KEY)),
        }),
        Block::ToolResult(ToolResult {
            text: dirty(),
            parts: vec![Block::Text(dirty())],
            ..ToolResult::default()
        }),
        Block::Image(media(Source::Url(dirty()))),
        Block::File(media(Source::Base64(STANDARD.encode(KEY)))),
        Block::Custom(Custom {
            kind: "x".into(),
            payload: Json::object([(dirty(), Json::from(vec![Json::from(dirty())]))]),
        }),
    ]
}

fn output() -> ToolOutput {
    let spill = Spill { head: dirty(), tail: dirty(), bytes: 9, sha256: "00".into(), reference: dirty() };
    ToolOutput {
        text: dirty(),
        parts: blocks(),
        spill: Some(spill.into()),
        metadata: Some(Json::object([("shown", Json::from(dirty()))]).into()),
        ..ToolOutput::default()
    }
}

#[test]
fn every_text_of_every_fact_is_cleaned() {
    let past = || vec![PastMessage { role: Role::Assistant, blocks: blocks() }];
    let prompt = || Prompt { blocks: blocks(), past: past(), ..Prompt::text("") };
    let reply = || Reply { blocks: blocks(), model: Some(dirty()), ..Reply::default() };
    let failure = Failure {
        class: FailureClass::Auth,
        message: dirty(),
        retry_after_ms: None,
        usage: Usage::default(),
    };
    let tool = || ToolSpec::new("t", dirty(), Json::object([("description", Json::from(dirty()))]));
    let mut config = Config::new(ModelSpec::named("m"));
    (config.name, config.system, config.tools) = (dirty(), dirty(), vec![tool()]);
    let answer = |answer| Input::Consulted { call: ConsultationId::new(1), answer };
    let facts = [
        Input::Started(Started::new("run", 1, config).into()),
        Input::Resumed { host: dirty() },
        Input::Prompted(prompt()),
        Input::Steered(prompt()),
        Input::FollowedUp(prompt()),
        Input::ModelFinished { call: ModelCallId::new(1), result: ModelResult::Replied(reply()) },
        Input::ModelFinished { call: ModelCallId::new(1), result: ModelResult::Aborted(reply()) },
        Input::Summarised { call: ModelCallId::new(1), result: ModelResult::Failed(failure) },
        Input::Judged { call: QuestionId::new(1), verdict: Verdict::deny(dirty()) },
        Input::Judged { call: QuestionId::new(1), verdict: Verdict::Rewrite { arguments: dirty() } },
        answer(Answer::Patch(vec![Patch::Append(blocks())])),
        answer(Answer::Model(dirty())),
        answer(Answer::Output(output())),
        answer(Answer::Continue(prompt())),
        answer(Answer::Failed { reason: dirty() }),
        Input::ToolFinished { call: ToolCallId::new(1), result: output() },
        Input::Checked { call: CheckId::new(1), ruling: CheckRuling::Failed { reason: dirty() } },
        Input::Checked { call: CheckId::new(1), ruling: CheckRuling::Broken { reason: dirty() } },
        Input::ChildStarted { call: ToolCallId::new(1), child: dirty() },
        Input::ChildFinished {
            call: ToolCallId::new(1),
            result: ChildResult { output: output(), ..ChildResult::default() },
        },
        Input::ToolsChanged(vec![tool()]),
        Input::Cancelled { reason: dirty() },
    ];
    for mut fact in facts {
        secrets().input(&mut fact);
        let written = serde_json::to_string(&fact).unwrap();
        assert!(!written.contains("0123456789"), "{written}");
        assert!(!written.contains(&STANDARD.encode(KEY)[..20]), "{written}");
        assert!(written.contains("‹secret:provider›"), "{written}");
    }
}

/// A grant for a webhook, whose path is its secret.
fn webhook() -> GrantSet {
    let url = format!("fetch:https://hooks.example.com/services/{LOOKS}");
    GrantSet::parse(["read:notes/**", &url]).unwrap()
}

#[test]
fn the_address_of_a_webhook_is_taken_out_of_grants_and_its_calls_are_still_admitted() {
    let mut config = Config::new(ModelSpec::named("m"));
    config.grants = webhook();
    let (reserve, tokens) = (holm_kernel::NanoUsd::ZERO, 0);
    let mut helper = ToolSpec::new("helper", "", Json::object([("type", "object".into())]));
    helper.kind = ToolKind::Agent { grants: webhook(), reserve, tokens };
    config.tools.push(helper);
    let facts = [
        Input::Started(Started::new("run", 1, config).into()),
        Input::GrantsChanged(webhook()),
        Input::Judged {
            call: QuestionId::new(1),
            verdict: Verdict::Allow { grants: webhook(), until: None },
        },
    ];
    for mut fact in facts {
        secrets().input(&mut fact);
        let written = serde_json::to_string(&fact).unwrap();
        assert!(!written.contains("0123456789"), "{written}");
        assert!(written.contains("hooks.example.com") && written.contains("read:notes/**"), "{written}");
    }
    let mut grants = webhook();
    let asked = format!("https://hooks.example.com/services/{LOOKS}");
    secrets().grants(&mut grants);
    let asked = AccessRequest::Fetch(secrets().text(&asked).parse().unwrap());
    assert!(grants.admits(&asked), "{grants:?} {asked:?}");
}

#[test]
fn a_grant_that_cannot_be_written_without_its_secret_is_left_out_and_a_denial_stays() {
    let host = "abcdefgh12345678";
    let secrets = SecretRedactor::only_known().know("host", host.into());
    let url = format!("fetch:https://{host}.example.com");
    let mut grants = GrantSet::parse([&*url, "read:notes/**"]).unwrap();
    let mut denials = DenialSet::parse([&*url, &*format!("path:**/{host}")]).unwrap();
    secrets.grants(&mut grants);
    secrets.denials(&mut denials);
    assert_eq!(grants, GrantSet::parse(["read:notes/**"]).unwrap());
    assert_eq!(denials, DenialSet::parse([&*url, "path:**/‹secret:host›"]).unwrap());
}

#[test]
fn the_texts_of_a_policy_and_of_postconditions_are_cleaned() {
    let mut config = Config::new(ModelSpec::named("m"));
    config.policy.wrap_up = Some(dirty());
    config.policy.resume = Some(dirty());
    config.policy.plain_answer = PlainAnswer::RemindOnce(dirty());
    config.policy.inconclusive.correction = dirty();
    config.policy.hidden.insert("t".into(), HiddenToolNote { message: dirty() });
    let mut tool = ToolSpec::new("t", "", Json::object([("type", "object".into())]));
    let rules = [
        Rule::Schema(Json::object([("const", Json::from(dirty()))])),
        Rule::Pattern { regex: dirty(), must: Must::Match },
        Rule::Lines { min: None, max: None, each: Some(dirty()), none: Some(dirty()) },
        Rule::Executable { command: dirty(), arguments: vec![dirty()] },
    ];
    for rule in rules {
        let message = Some(dirty());
        tool.postconditions.push(Postcondition { message, ..Postcondition::new(dirty(), rule) });
    }
    config.tools.push(tool);
    let mut fact = Input::Started(Started::new("run", 1, config).into());
    secrets().input(&mut fact);
    let written = serde_json::to_string(&fact).unwrap();
    assert!(!written.contains("0123456789"), "{written}");
    assert_eq!(written.matches("‹secret:provider›").count(), 5 + 4 * 2 + 6, "{written}");
}

#[test]
fn a_fact_without_secrets_stays_as_it_was() {
    let facts = [
        Input::Prompted(Prompt::text("hello")),
        Input::ToolFinished { call: ToolCallId::new(2), result: ToolOutput::text("7 rows") },
        Input::ModeChanged(Mode::Full),
        Input::TimePassed,
    ];
    for fact in facts {
        let mut cleaned = fact.clone();
        secrets().input(&mut cleaned);
        assert_eq!(cleaned, fact);
    }
}

#[test]
fn sealed_items_of_a_provider_are_kept_to_the_letter_whatever_they_look_like() {
    let replay = Json::object([("signature", Json::from(LOOKS))]);
    let thinking = Thinking { text: String::new(), replay: Some(replay) };
    let reply = Reply { blocks: vec![Block::Thinking(thinking)], ..Reply::default() };
    let fact = Input::ModelFinished { call: ModelCallId::new(1), result: ModelResult::Replied(reply) };
    let mut cleaned = fact.clone();
    secrets().input(&mut cleaned);
    assert_eq!(cleaned, fact);
}
