//! One record line for every kind of input.

use std::collections::BTreeSet;
use std::error::Error;

use holm_grants::{GrantSet, Mode};
use holm_kernel::journal::{self, JournalWriter};
use holm_kernel::{
    Answer, Block, Budget, CheckId, CheckRuling, ChildResult, Config, ConsultationId, Custom, Failure,
    FailureClass, Input, Limits, MarkRule, Marks, Media, MessageId, ModelCallId, ModelResult, ModelSpec,
    NanoUsd, Narrowing, Outcome, PastMessage, Patch, Prompt, QuestionId, RecordReceipt, Reply, RetryPolicy,
    Role, Seq, Source, Spill, Started, StopReason, Thinking, Timestamp, ToolCall, ToolCallId, ToolOutput,
    ToolSpec, Usage, Verdict,
};

use crate::json;

/// The name that a kind of input has in a journal. A new kind needs a sample too.
fn kind(input: &Input) -> &'static str {
    match input {
        Input::Started(_) => "started",
        Input::Resumed { .. } => "resumed",
        Input::Prompted(_) => "prompted",
        Input::Steered(_) => "steered",
        Input::FollowedUp(_) => "followed_up",
        Input::ModelFinished { .. } => "model_finished",
        Input::Judged { .. } => "judged",
        Input::Consulted { .. } => "consulted",
        Input::Dispatched { .. } => "dispatched",
        Input::ToolFinished { .. } => "tool_finished",
        Input::Checked { .. } => "checked",
        Input::ChildStarted { .. } => "child_started",
        Input::ChildFinished { .. } => "child_finished",
        Input::Summarised { .. } => "summarised",
        Input::ToolsChanged(_) => "tools_changed",
        Input::ModeChanged(_) => "mode_changed",
        Input::GrantsChanged(_) => "grants_changed",
        Input::BudgetChanged(_) => "budget_changed",
        Input::Narrowed(_) => "narrowed",
        Input::Cancelled { .. } => "cancelled",
        Input::TimePassed => "time_passed",
    }
}

const KINDS: usize = 21;

fn started() -> Input {
    let config = Config { name: "echo".into(), ..Config::new(ModelSpec::named("scripted/echo")) };
    let first = Started { semantics: 1, ..Started::new("run-1", 7, config) };
    Input::Started(Box::new(Started { version: "0.0.0".into(), ..first }))
}

fn narrowed() -> Input {
    Input::Narrowed(Box::new(Narrowing {
        mark_rule: Some(MarkRule::AskAfterAny),
        marks: Marks { untrusted: true, private: false },
        limits: Some(Limits::default()),
        retry: Some(RetryPolicy::default()),
        aliases: Some(Vec::new()),
        prices: None,
        drops_workspace: true,
    }))
}

fn blocks() -> Vec<Block> {
    let png = Media {
        media_type: "image/png".into(),
        source: Source::Base64("iVBORw0=".into()),
        name: Some("a.png".into()),
    };
    let pdf = Media {
        media_type: "application/pdf".into(),
        source: Source::Reference("blob:1".into()),
        name: None,
    };
    vec![
        Block::Thinking(Thinking { text: "hm".into(), replay: Some(json(r#"{"signature":"s"}"#)) }),
        Block::Text("hé\n".into()),
        Block::ToolCall(ToolCall {
            id: "c1".into(),
            name: "read".into(),
            arguments: r#"{"path":"a.txt"}"#.into(),
            replay: None,
        }),
        Block::Image(png),
        Block::File(pdf),
        Block::Custom(Custom { kind: "note".into(), payload: json("[1.50]") }),
    ]
}

fn model_results() -> [Input; 3] {
    let usage = Usage { input: 10, output: 5, cached: 4, cache_write: 0, reasoning: 2, estimated: 0 };
    let whole =
        Reply { blocks: blocks(), usage, stop: StopReason::ToolUse, model: Some("scripted/echo-2".into()) };
    let failure = Failure {
        class: FailureClass::RateLimited,
        message: "slow down".into(),
        retry_after_ms: Some(900),
        usage: Usage::default(),
    };
    let call = ModelCallId::new(1);
    [
        Input::ModelFinished { call, result: ModelResult::Replied(whole) },
        Input::ModelFinished { call, result: ModelResult::Aborted(Reply::default()) },
        Input::Summarised { call, result: ModelResult::Failed(failure) },
    ]
}

fn verdicts(grants: GrantSet) -> [Input; 3] {
    let call = QuestionId::new(2);
    [
        Input::Judged { call, verdict: Verdict::Allow { grants, until: Some(Timestamp::new(9_000)) } },
        Input::Judged { call, verdict: Verdict::deny("no") },
        Input::Judged { call, verdict: Verdict::Rewrite { arguments: "{}".into() } },
    ]
}

fn answers() -> Vec<Input> {
    let patches = vec![
        Patch::Hide(MessageId::new(1)),
        Patch::Replace { id: MessageId::new(2), blocks: vec![Block::Text("short".into())] },
        Patch::Append(vec![]),
    ];
    let answers = [
        Answer::Nothing,
        Answer::Patch(patches),
        Answer::Tools(vec![BTreeSet::from(["read".into()])]),
        Answer::Model("scripted/other".into()),
        Answer::Output(ToolOutput::terminal("done")),
        Answer::Continue(Prompt::text("go on")),
        Answer::Failed { reason: "timeout".into() },
    ];
    answers.into_iter().map(|answer| Input::Consulted { call: ConsultationId::new(3), answer }).collect()
}

fn tool_results() -> [Input; 6] {
    let (call, check) = (ToolCallId::new(4), CheckId::new(4));
    let spill = Spill {
        head: "a".into(),
        tail: "z".into(),
        bytes: 70_000,
        sha256: "0".repeat(64),
        reference: "spill:4".into(),
    };
    let output = ToolOutput {
        outcome: Outcome::Unknown,
        parts: vec![Block::Text("part".into())],
        spill: Some(Box::new(spill)),
        metadata: Some(Box::new(json(r#"{"exit":0}"#))),
        marks: Marks { untrusted: true, private: false },
        ..ToolOutput::text("out")
    };
    let child =
        ChildResult { output: ToolOutput::failed("lost"), spent: NanoUsd::new(5), ..Default::default() };
    [
        Input::Dispatched { call },
        Input::ToolFinished { call, result: output },
        Input::Checked { call: check, ruling: CheckRuling::Passed },
        Input::Checked { call: check, ruling: CheckRuling::Broken { reason: "no shell".into() } },
        Input::ChildStarted { call, child: "run-2".into() },
        Input::ChildFinished { call, result: child },
    ]
}

fn past() -> Vec<PastMessage> {
    let text = |role, text: &str| PastMessage { role, blocks: vec![Block::Text(text.into())] };
    vec![text(Role::System, "Be brief."), text(Role::User, "hello"), text(Role::Assistant, "hi")]
}

fn samples() -> Result<Vec<Input>, Box<dyn Error>> {
    let grants: GrantSet = serde_json::from_str(r#"["read:src/**","fetch:https://api.example.com"]"#)?;
    let tool = ToolSpec::new("read", "Reads a file.", json(r#"{"type":"object"}"#));
    let mut inputs = vec![
        started(),
        Input::Resumed { host: "native".into() },
        Input::Prompted(Prompt {
            blocks: blocks(),
            marks: Marks { untrusted: false, private: true },
            past: Vec::new(),
        }),
        Input::Prompted(Prompt { past: past(), ..Prompt::text("and now?") }),
        Input::Steered(Prompt::text("faster")),
        Input::FollowedUp(Prompt::text("then this")),
        Input::ToolsChanged(vec![tool]),
        Input::ModeChanged(Mode::AcceptEdits),
        Input::GrantsChanged(grants.clone()),
        Input::BudgetChanged(Budget { usd: Some(NanoUsd::new(500_000_000)) }),
        Input::Cancelled { reason: "enough".into() },
        Input::TimePassed,
    ];
    inputs.extend(model_results());
    inputs.extend(verdicts(grants));
    inputs.extend(answers());
    inputs.extend(tool_results());
    inputs.push(narrowed());
    Ok(inputs)
}

/// The line of an input as the first record of a journal.
fn line(input: &Input) -> Result<String, Box<dyn Error>> {
    let receipt = RecordReceipt { seq: Seq::new(0), at: Timestamp::new(1_700), effects: 0xfeed };
    Ok(JournalWriter::new().append(receipt, &journal::payload(input)?)?)
}

#[test]
fn every_kind_of_input_has_a_sample_under_its_name() -> Result<(), Box<dyn Error>> {
    let samples = samples()?;
    let kinds: BTreeSet<_> = samples.iter().map(kind).collect();
    assert_eq!(kinds.len(), KINDS);
    for input in &samples {
        let text = serde_json::to_string(input)?;
        let name = text.trim_start_matches(['{', '"']);
        assert!(name.starts_with(&format!("{}\"", kind(input))), "{text}");
    }
    Ok(())
}

#[test]
fn record_lines_keep_their_form() -> Result<(), Box<dyn Error>> {
    let lines = samples()?.iter().map(line).collect::<Result<String, _>>()?;
    insta::assert_snapshot!(lines, @r#"
    {"v":1,"seq":0,"at":1700,"effects":"000000000000feed","payload":"84dd50f87b05923e49ea3b068a5877b3a618b5a9d58e90a8b88988b9ae00efb9","chain":"059ba5db8a329434cd7622c4b27a23bb1341783e3238128d009def8f98a9cd18","input":{"started":{"run":"run-1","semantics":1,"version":"0.0.0","seed":7,"config":{"name":"echo","system":"","models":[{"name":"scripted/echo","family":"other"}],"tools":[],"protocol":"native","policy":{"plain_answer":"ends","inconclusive":{"phrases":["i will","i'll","let me","let's","we can","we will","to do this","step 1","i need to","i am going to","i'm going to"],"shorter_than":300,"correction":"You described an action but took none. Either call a tool now, or give the final answer."}},"limits":{"turns":{"at_most":200},"grace_turns":3,"calls_per_turn":{"at_most":64},"tokens":"unbounded","wall_ms":"unbounded","budget":{},"max_tokens":{"attempts":3},"result_chars":32000,"tool_ms":600000,"depth":4},"retry":{"attempts":5,"base_ms":500,"cap_ms":30000,"patience_ms":120000,"jitter_milli":250},"context":{"default_window":128000,"trigger_milli":800,"target_milli":500,"keep_turns":4,"summary":{"ask":{}}},"grants":[],"denials":[],"mode":"default","approvals":"ask","marks":{"untrusted":false,"private":false},"mark_rule":"ask_after_any","batch":"parallel","depth":0}}}}
    {"v":1,"seq":0,"at":1700,"effects":"000000000000feed","payload":"ee5fd1d298d49bb39c11e65c24b78cfb64a7c0b531f6780a36d1371fee378ec3","chain":"4a5f918c11ca785dd1f385e1ccfcab69c453542ad6d75e97b09da95a88fdca9e","input":{"resumed":{"host":"native"}}}
    {"v":1,"seq":0,"at":1700,"effects":"000000000000feed","payload":"7dda451f5b338da01c577438000a251eec490d50f1e590ee8e29adc7a8fb49d2","chain":"9c0923781a9bc9d5a438bd43e42e9dd2e3d609919515b1336a196e41693b7864","input":{"prompted":{"blocks":[{"thinking":{"text":"hm","replay":{"signature":"s"}}},{"text":"hé\n"},{"tool_call":{"id":"c1","name":"read","arguments":"{\"path\":\"a.txt\"}"}},{"image":{"media_type":"image/png","source":{"base64":"iVBORw0="},"name":"a.png"}},{"file":{"media_type":"application/pdf","source":{"reference":"blob:1"}}},{"custom":{"kind":"note","payload":[1.50]}}],"marks":{"untrusted":false,"private":true}}}}
    {"v":1,"seq":0,"at":1700,"effects":"000000000000feed","payload":"c599119fb3f682dc0df9b71e3514f3bf095d69aa2f114370286e968eff06ea8c","chain":"9585fc39e4dbe9f37fdb972b3dab6f83dad19a8d8c19dd65a7c8b66f87b5cf8f","input":{"prompted":{"blocks":[{"text":"and now?"}],"marks":{"untrusted":false,"private":false},"past":[{"role":"system","blocks":[{"text":"Be brief."}]},{"role":"user","blocks":[{"text":"hello"}]},{"role":"assistant","blocks":[{"text":"hi"}]}]}}}
    {"v":1,"seq":0,"at":1700,"effects":"000000000000feed","payload":"41c8a08ac61490f529daafee4d021f9032c99ddf4fd076e33b934edec9945429","chain":"b4120fa1c833d7c99223d0f79e2066bc8fa25699deceab20ec24520b642bb178","input":{"steered":{"blocks":[{"text":"faster"}],"marks":{"untrusted":false,"private":false}}}}
    {"v":1,"seq":0,"at":1700,"effects":"000000000000feed","payload":"f70a4e9dd4bab05d9a436188fae0156213264be99124e38dd2b122b00fc95d12","chain":"0af47735fc260b401e1004af92b7d12f7c14e9cbfbdd253e9597d1b3f209a534","input":{"followed_up":{"blocks":[{"text":"then this"}],"marks":{"untrusted":false,"private":false}}}}
    {"v":1,"seq":0,"at":1700,"effects":"000000000000feed","payload":"bab84e73aca426866baa84c9ce481da0c53b2a7306dfbe875722a19c9dbb2fbf","chain":"61080193bd334d18626db6b8b300b2d0ac61f6a206184df285ca8077e857ec3b","input":{"tools_changed":[{"name":"read","description":"Reads a file.","schema":{"type":"object"},"level":"execute","kind":"host","repeat":"once","pace":"shared","vote":"counts","yields":{"untrusted":false,"private":false,"egress":false},"empty":"refused","error_text":"refused","severity":"reject","quota":{},"exemption":"none","aborts_siblings":false}]}}
    {"v":1,"seq":0,"at":1700,"effects":"000000000000feed","payload":"260466a66c8a70dd94dcbeb1e5ac31fcc9d63ce9e57feba800f820cf8f207a21","chain":"cf55ae0229d13d7ba2c73d8619fe5aeabaa30fca7727347e64493da822424802","input":{"mode_changed":"accept-edits"}}
    {"v":1,"seq":0,"at":1700,"effects":"000000000000feed","payload":"a1da3b588ec46fff41e1f4176d737c11a7577b972be67db8d680bbd3fd27b01a","chain":"dcd3cb7154dcfc200d30ed705967bbe7e6c581f1f2d54ef7a04379d71c9954fd","input":{"grants_changed":["read:src/**","fetch:https://api.example.com"]}}
    {"v":1,"seq":0,"at":1700,"effects":"000000000000feed","payload":"17a3faf5163b86c923277c8295a9d2a1080566679660864b92757e21a76024e6","chain":"45612a0bb5ad87884984ffbc90aea69e9dfc4e0311571a45c443383d20e073a6","input":{"budget_changed":{"usd":500000000}}}
    {"v":1,"seq":0,"at":1700,"effects":"000000000000feed","payload":"2b035ad63e167731fbe4d59ae10c51d616fbf2a8850e0cf03b326beab3618a8c","chain":"febdb87d55a788bc61a14aaf0f0bb1f7aa7f5b6b3043a4b5f5bec1507f3255c7","input":{"cancelled":{"reason":"enough"}}}
    {"v":1,"seq":0,"at":1700,"effects":"000000000000feed","payload":"cbc00684892b9bda8e6587b3e9c6fe0a07e9690cc4dbe5548572365323f69ae1","chain":"a704b43f50b85b21eae830072dbc334d2e75034d6307cd358ce2798a4126e416","input":"time_passed"}
    {"v":1,"seq":0,"at":1700,"effects":"000000000000feed","payload":"106761dc65d108f04ff0cf0b6a02336f1fa71d3ae6ceee9f0b5ba8afca479006","chain":"d1bc7423d1c0afff4e4c3ef3429bac662fcb02d4eb71585700fcb5dd69addbd3","input":{"model_finished":{"call":1,"result":{"replied":{"blocks":[{"thinking":{"text":"hm","replay":{"signature":"s"}}},{"text":"hé\n"},{"tool_call":{"id":"c1","name":"read","arguments":"{\"path\":\"a.txt\"}"}},{"image":{"media_type":"image/png","source":{"base64":"iVBORw0="},"name":"a.png"}},{"file":{"media_type":"application/pdf","source":{"reference":"blob:1"}}},{"custom":{"kind":"note","payload":[1.50]}}],"usage":{"input":10,"output":5,"cached":4,"reasoning":2},"stop":"tool_use","model":"scripted/echo-2"}}}}}
    {"v":1,"seq":0,"at":1700,"effects":"000000000000feed","payload":"a77b03251c8f12367ae2597d3382f76d7ef2cbb43605fef6cdc639031937c676","chain":"7a36e9d7e9bd853406b14c31a6d0e92a89baf5fe7c492ccde24ad9de13060d84","input":{"model_finished":{"call":1,"result":{"aborted":{"blocks":[],"usage":{"input":0,"output":0},"stop":"end_turn"}}}}}
    {"v":1,"seq":0,"at":1700,"effects":"000000000000feed","payload":"63dd7780548e12ab360da63847487070fe08c9ea9e46d7e50fe626de59f6c625","chain":"0294a0a7cf3505dc8f7622d7e9571e1b9e16bbe2faffd701fe8ca7a431b656b9","input":{"summarised":{"call":1,"result":{"failed":{"class":"rate_limited","message":"slow down","retry_after_ms":900,"usage":{"input":0,"output":0}}}}}}
    {"v":1,"seq":0,"at":1700,"effects":"000000000000feed","payload":"0377e87f9cd2ce204dd73f95dd482db274ccf6000c4d4d9df35f74267f11d750","chain":"7df3fb0b460a66b07bbd906cf21641b3b8a5df99539f75f5db532548082109c5","input":{"judged":{"call":2,"verdict":{"allow":{"grants":["read:src/**","fetch:https://api.example.com"],"until":9000}}}}}
    {"v":1,"seq":0,"at":1700,"effects":"000000000000feed","payload":"bd5d81aedfa9a85f74ce8cb1130c496f705bc3f122ffdbee3e7807ce2cfccf41","chain":"00877c261608e46fbecbc77c923e2b13e8302d6fc69ff036196253d6db9e8685","input":{"judged":{"call":2,"verdict":{"deny":{"reason":"no"}}}}}
    {"v":1,"seq":0,"at":1700,"effects":"000000000000feed","payload":"4c57e307ac6a321e0fdd463db54cbcef68eefa777b55450b3e559773fe8f802f","chain":"d59e858833238d84b43590d3d35f96f24c0ee19c8da05cba381df57c8f02b573","input":{"judged":{"call":2,"verdict":{"rewrite":{"arguments":"{}"}}}}}
    {"v":1,"seq":0,"at":1700,"effects":"000000000000feed","payload":"46d2dd6c0d5f77d61aef59f6cc42a626a20a194987382af234f0b95b2d004586","chain":"d20df78ab8dd51033ea5b354670556cda7e290f464ff35ff6fd04d1b064eecc8","input":{"consulted":{"call":3,"answer":"nothing"}}}
    {"v":1,"seq":0,"at":1700,"effects":"000000000000feed","payload":"7190d3192c1a3ccc8ea4a82713e9e73d24fee1ad716402d5daa25cdf6d1f153f","chain":"041c9381323401131c834d2e38398a1a539404ed7a101957823eba3c44403167","input":{"consulted":{"call":3,"answer":{"patch":[{"hide":1},{"replace":{"id":2,"blocks":[{"text":"short"}]}},{"append":[]}]}}}}
    {"v":1,"seq":0,"at":1700,"effects":"000000000000feed","payload":"00d3d536c36eea226bf54a28f8942b0972a6cc0666a363e85186326387e5b706","chain":"1b37f0740d9ad5153030f15836d8c9980db35933e5a823b396bfb3cea675e5c3","input":{"consulted":{"call":3,"answer":{"tools":[["read"]]}}}}
    {"v":1,"seq":0,"at":1700,"effects":"000000000000feed","payload":"03b22ccdc0b87ebe936959c92b652dc938f8ac62b73c1e962860db072a9a3301","chain":"4fb1a1de490df63b76a49a7bbc669bdcfb29460207473bf4c8ca01d3ca4e9513","input":{"consulted":{"call":3,"answer":{"model":"scripted/other"}}}}
    {"v":1,"seq":0,"at":1700,"effects":"000000000000feed","payload":"9772f848a66108963e446ab5f6c39c6311c5a360487e9d5aaf52c10f70bd8e45","chain":"a3281c1e2febe84dbb1fa1a35eec81935eda6485acdc6ff175f2963d18123a09","input":{"consulted":{"call":3,"answer":{"output":{"outcome":"succeeded","text":"done","terminate":true,"marks":{"untrusted":false,"private":false}}}}}}
    {"v":1,"seq":0,"at":1700,"effects":"000000000000feed","payload":"0391d62fd2d64a009f439d9b63a7779f4be365b2c7141534e9f6ac8cbcbb3175","chain":"c160a6821e7fbd21bdd4a49f8a39443ffdd5a754e05c2effd736595225c1ba19","input":{"consulted":{"call":3,"answer":{"continue":{"blocks":[{"text":"go on"}],"marks":{"untrusted":false,"private":false}}}}}}
    {"v":1,"seq":0,"at":1700,"effects":"000000000000feed","payload":"252b7d6027b3a788a32b98003804f5220da0948f6f42c5fd4397613cb4d416a2","chain":"d304bd373cad66c3f55c47b3ce1a400bdd39a569988c3519258563cd37fd527b","input":{"consulted":{"call":3,"answer":{"failed":{"reason":"timeout"}}}}}
    {"v":1,"seq":0,"at":1700,"effects":"000000000000feed","payload":"289199807024e9e95670c3fdae9cdd89df9ca611b952bebb502f22fbd3db36d0","chain":"1693a8bef000d606d952576e8e0def6cbcdaed568c21cbf192e9e0fad0c1ae2c","input":{"dispatched":{"call":4}}}
    {"v":1,"seq":0,"at":1700,"effects":"000000000000feed","payload":"56ee6f7549120ba8a75ac62d7365b8835b5b6e5ea4e4331d1353496286948f7f","chain":"03c152f390bf76b404174657e7d982f7e3246de7828eaa505e472081e4b3d2d9","input":{"tool_finished":{"call":4,"result":{"outcome":"unknown","text":"out","parts":[{"text":"part"}],"spill":{"head":"a","tail":"z","bytes":70000,"sha256":"0000000000000000000000000000000000000000000000000000000000000000","reference":"spill:4"},"terminate":false,"metadata":{"exit":0},"marks":{"untrusted":true,"private":false}}}}}
    {"v":1,"seq":0,"at":1700,"effects":"000000000000feed","payload":"646720611950066fbaed302269decb498f443e51a8af232bde9677e34b56f913","chain":"5fa5719df4a082b368a296934bc663ff4ffb77a47f383e4ca8a6cce198a333a2","input":{"checked":{"call":4,"ruling":"passed"}}}
    {"v":1,"seq":0,"at":1700,"effects":"000000000000feed","payload":"6aaebe20f926e03d635fb171e7584805d2edf53c58c467251b7f24a625bdf15e","chain":"4508331e1565d55aa210f0ccfb6c5cb97f802e1af541bccef4aaf1d62fc7057c","input":{"checked":{"call":4,"ruling":{"broken":{"reason":"no shell"}}}}}
    {"v":1,"seq":0,"at":1700,"effects":"000000000000feed","payload":"ecc5748be379e70ba097ec1f271957852f3f83b897d23a4ff7380f1044bf25bc","chain":"c950cd7355e73a4cb98ce90d72f704720debe53da274030d8fbe824a3c351eee","input":{"child_started":{"call":4,"child":"run-2"}}}
    {"v":1,"seq":0,"at":1700,"effects":"000000000000feed","payload":"fbb7bfa8852ae839bc34fd5c759cfc0116ee84ccaebf3dde9f463473c1c7e848","chain":"c987afd876e3eb4a01f152fd843ae7c901c53120475d49f7a788517bf84e237a","input":{"child_finished":{"call":4,"result":{"output":{"outcome":"failed","text":"lost","terminate":false,"marks":{"untrusted":false,"private":false}},"spent":5,"usage":{"input":0,"output":0},"marks":{"untrusted":false,"private":false}}}}}
    {"v":1,"seq":0,"at":1700,"effects":"000000000000feed","payload":"cf260ccaf4b5da214d41b769d3431bb1e980c527b8b1ec2e085cc9ad259d5ccc","chain":"f503527cb0bc435ff630f9f89147ab1c96d702c050bcd45fd903320c33efa948","input":{"narrowed":{"mark_rule":"ask_after_any","marks":{"untrusted":true,"private":false},"limits":{"turns":{"at_most":200},"grace_turns":3,"calls_per_turn":{"at_most":64},"tokens":"unbounded","wall_ms":"unbounded","budget":{},"max_tokens":{"attempts":3},"result_chars":32000,"tool_ms":600000,"depth":4},"retry":{"attempts":5,"base_ms":500,"cap_ms":30000,"patience_ms":120000,"jitter_milli":250},"aliases":[],"drops_workspace":true}}}
    "#);
    Ok(())
}

#[test]
fn record_lines_are_read_back_to_the_same_inputs() -> Result<(), Box<dyn Error>> {
    for input in samples()? {
        let records = journal::decode_strict(line(&input)?.as_bytes())?;
        let record = records.first().ok_or("the record is missing")?;
        assert_eq!(record.payload().input()?, input);
    }
    Ok(())
}
