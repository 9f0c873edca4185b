use alloc::{string::String, vec};

use holm_guards::json::Json;

use crate::context::{estimate, tests::teller};
use crate::{Block, Custom, Family, Media, Message, MessageId, Role, Source, Thinking};

const FAMILIES: [Family; 5] =
    [Family::OpenAi, Family::Anthropic, Family::Gemini, Family::Open, Family::Other];

const RUST: &str = "fn parse(text: &str) -> Result<u64, ParseError> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Err(ParseError::Empty);
    }
    trimmed.parse().map_err(|_| ParseError::NotANumber)
}";

/// Texts with their counts in the o200k and cl100k vocabularies.
const COUNTED: [(&str, u64, u64); 12] = [
    (
        "Please read the three configuration files in the project, tell me which settings differ between \
         development and production, and suggest which of them should be the same.",
        30,
        30,
    ),
    (RUST, 56, 56),
    (
        r#"{"id":17,"name":"item 17","price":289.50,"tags":["a","b"],"ok":true,"path":"src/lib_17.rs"}"#,
        36,
        35,
    ),
    ("2025-11-15T03:02:59.114Z INFO request 9f1c2b7a-4e0d-4a1b-9c2d-7f3e51a0c9d2 took 128 ms", 57, 57),
    (
        "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5E\
         rkJggg==",
        66,
        67,
    ),
    (
        "人工智能正在改变我们的生活方式。许多公司已经开始使用自动化工具来处理日常任务，例如回复邮件、整理文件和分析数据。",
        32,
        47,
    ),
    (
        "この関数は、与えられたファイルを読み込んで、その内容を行ごとに処理します。エラーが発生した場合は、詳しい理由を返します。",
        44,
        57,
    ),
    (
        "이 프로그램은 사용자가 입력한 내용을 분석하고 결과를 화면에 출력합니다. 오류가 발생하면 이유를 알려 줍니다.",
        28,
        48,
    ),
    (
        "Эта программа читает файл и обрабатывает его построчно. Если возникает ошибка, она возвращает подробную \
         причину.",
        27,
        41,
    ),
    (
        "Dieses Programm liest eine Datei und verarbeitet sie zeilenweise. Wenn ein Fehler auftritt, nennt es die \
         Gründe ausführlich.",
        25,
        34,
    ),
    ("يقرأ هذا البرنامج ملفا ويعالجه سطرا بسطر. إذا حدث خطأ فإنه يعيد السبب بالتفصيل.", 27, 59),
    ("यह प्रोग्राम एक फ़ाइल पढ़ता है और उसे पंक्ति दर पंक्ति संसाधित करता है।", 25, 70),
];

#[test]
fn the_estimate_lies_near_what_known_vocabularies_count() {
    for (text, o200k, cl100k) in COUNTED {
        let estimate = estimate::text(Family::OpenAi, text);
        let (low, high) = (o200k.min(cl100k), o200k.max(cl100k));
        assert!(
            estimate * 100 >= low * 80 && estimate * 100 <= high * 145,
            "{estimate} for {low}..={high}: {text}"
        );
    }
}

#[test]
fn no_family_is_estimated_lower_than_the_one_that_was_measured() {
    for (text, ..) in COUNTED {
        let measured = estimate::text(Family::OpenAi, text);
        for family in FAMILIES {
            assert!(estimate::text(family, text) * 100 >= measured * 93, "{family:?}: {text}");
        }
        assert!(estimate::text(Family::Other, text) >= estimate::text(Family::Anthropic, text), "{text}");
    }
}

#[test]
fn an_estimate_never_falls_when_text_is_added() {
    for family in FAMILIES {
        let mut text = String::new();
        let mut before = 0;
        for char in "a Zß中🎉 0\n{}".chars().cycle().take(200) {
            text.push(char);
            let now = estimate::text(family, &text);
            assert!(now >= before);
            before = now;
        }
    }
}

#[test]
fn every_kind_of_block_has_a_sensible_weight() {
    let media = |media_type: &str, source| Media { media_type: media_type.into(), source, name: None };
    let base64 = |length: usize| Source::Base64("A".repeat(length));
    let check = |block: Block, least: u64, most: u64| {
        for family in FAMILIES {
            let message = Message::new(MessageId::new(0), Role::User, vec![block.clone()]);
            let tokens = estimate::tokens(family, &message);
            assert!((least..=most).contains(&tokens), "{tokens} not in {least}..={most}: {block:?}");
        }
    };
    check(Block::Text(String::new()), 1, 10);
    check(Block::Image(media("image/png", base64(1_000_000))), 1_000, 2_000);
    check(Block::Image(media("image/png", Source::Url("https://example.com/a.png".into()))), 1_000, 2_000);
    check(Block::File(media("application/pdf", base64(400_000))), 10_000, 15_000);
    check(Block::File(media("text/plain", base64(4_000))), 900, 1_100);
    check(Block::File(media("application/pdf", Source::Reference("blob:1".into()))), 2_000, 4_000);
    check(Block::Custom(Custom { kind: "note".into(), payload: Json::from("x") }), 1, 10);
    check(Block::Thinking(Thinking { text: "a thought".into(), replay: None }), 5, 20);
    let opaque = Json::object([("data", Json::from("x".repeat(4_000)))]);
    check(Block::Thinking(Thinking { text: String::new(), replay: Some(opaque) }), 900, 1_100);
    check(teller::call("call_1"), 10, 40);
    check(teller::result("call_1", 1_000), 250, 450);
}

#[test]
fn short_results_do_not_count_as_something_that_could_go() {
    let measure = |block: Block| {
        let message = Message::new(MessageId::new(0), Role::Tool, vec![block]);
        estimate::measure(Family::OpenAi, &message).elidable
    };
    assert_eq!(measure(teller::result("c", 200)), 0);
    assert_eq!(measure(teller::result("c", 201)), 201);
    assert_eq!(measure(Block::Text("x".repeat(5_000))), 0);
}
