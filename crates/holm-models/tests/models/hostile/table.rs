//! What a provider does wrong, as data.

use std::time::Duration;

use holm_kernel::FailureClass;
use holm_testkit::double::{Act, Bend, Ending, Fault};

/// What goes wrong at a place, by its name.
type Places = (&'static str, fn(u16) -> Fault);
/// Something large, by its name.
type Large = (&'static str, fn() -> Vec<u8>);

/// One way to misbehave. A seed moves places and changes sizes.
pub(super) struct Kind {
    pub(super) name: String,
    wrong: Box<dyn Fn(Seed) -> Act + Send + Sync>,
}

/// Where the numbers of one run come from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seed(u64);

impl Kind {
    /// Something wrong, then something right, so that a run that tries again has something to find.
    pub(super) fn acts(&self, seed: u64) -> Vec<Act> {
        vec![(self.wrong)(Seed(seed)), call(), Act::says("well")]
    }
}

impl Seed {
    /// A place near this one; the first seed takes it as it is written.
    fn near(self, milli: u16) -> u16 {
        let step = u16::try_from(self.0.wrapping_mul(37) % 41).unwrap_or(0);
        milli.saturating_add(step).min(1_000)
    }
}

pub(super) fn all() -> Vec<Kind> {
    [ends(), refusals(), bodies(), bends(), headers(), replies()].into_iter().flatten().collect()
}

pub(super) fn kind(name: impl Into<String>, wrong: impl Fn(Seed) -> Act + Send + Sync + 'static) -> Kind {
    Kind { name: name.into(), wrong: Box::new(wrong) }
}

fn call() -> Act {
    Act::calls(&[("call_a", "double", r#"{"n":3}"#)])
}

/// Streams that end where they should not, in a text and in a call.
fn ends() -> Vec<Kind> {
    let mut kinds = vec![
        kind("hangs up", |_| Act::fails(Fault::HangUp)),
        kind("drips", |_| call().with(Fault::Drip(Duration::ZERO))),
        kind("says twice that a call has ended", |_| call().with(Fault::Ends(Ending::Twice))),
        kind("says twice that a text has ended", |_| Act::says("Well.").with(Fault::Ends(Ending::Twice))),
        kind("never says what a call has used", |_| call().with(Fault::Ends(Ending::WithoutUsage))),
        kind("never says what a text has used", |_| {
            Act::says("Well.").with(Fault::Ends(Ending::WithoutUsage))
        }),
        kind("falls silent at once", |_| call().with(Fault::Stall(0))),
        kind("falls silent within", |seed| call().with(Fault::Stall(seed.near(500)))),
    ];
    let faults: [Places; 3] =
        [("ends", Fault::Truncated), ("closes", Fault::Closed), ("resets", Fault::Reset)];
    for (word, fault) in faults {
        for milli in [0, 30, 200, 500, 800, 960] {
            kinds.push(kind(format!("{word} a call at {milli}"), move |seed| {
                call().with(fault(seed.near(milli)))
            }));
        }
        kinds.push(kind(format!("{word} a text within"), move |seed| {
            Act::says("A sentence of some length.").with(fault(seed.near(400)))
        }));
    }
    kinds
}

/// Statuses with and without reason.
fn refusals() -> Vec<Kind> {
    use FailureClass as Class;
    let refused = |status: u16, class: Class| {
        kind(format!("status {status}, {class:?}"), move |_| {
            Act::fails(Fault::Refused { status: Some(status), class, message: "no".into() })
        })
    };
    let mut kinds: Vec<Kind> = [
        (400, Class::BadRequest),
        (400, Class::ContextOverflow),
        (400, Class::ContentFilter),
        (401, Class::Auth),
        (402, Class::Quota),
        (403, Class::Auth),
        (404, Class::BadRequest),
        (408, Class::Network),
        (409, Class::Server),
        (413, Class::ContextOverflow),
        (418, Class::BadRequest),
        (422, Class::BadRequest),
        (429, Class::RateLimited),
        (429, Class::Quota),
        (500, Class::Server),
        (502, Class::Server),
        (503, Class::Overloaded),
        (504, Class::Network),
        (529, Class::Overloaded),
        (599, Class::Server),
    ]
    .map(|(status, class)| refused(status, class))
    .into();
    for class in [Class::Overloaded, Class::RateLimited, Class::Server, Class::ContentFilter] {
        kinds.push(kind(format!("{class:?} in a stream that began well"), move |_| {
            call().with(Fault::ErrorInStream { class, message: "no".into() })
        }));
    }
    for status in [201, 204, 206, 301, 302, 307, 304] {
        kinds.push(kind(format!("status {status} with nothing"), move |_| {
            body(status, "text/plain", Vec::new())
        }));
    }
    kinds
}

/// Bodies that are no answer.
fn bodies() -> Vec<Kind> {
    let texts: [(&str, &[u8]); 22] = [
        ("nothing", b""),
        ("blanks", b"   \n\n  \n"),
        ("null", b"null"),
        ("a list", b"[]"),
        ("an empty object", b"{}"),
        ("a number", b"1e999999"),
        ("half an object", b"{\"choices\":[{"),
        ("a page", b"<!DOCTYPE html><html></html>"),
        ("data alone", b"data:"),
        ("data without an end", b"data: {\"type\""),
        ("only the end", b"data: [DONE]\n\n"),
        ("comments", b": ping\n\n: ping\n\n"),
        ("an event that nobody knows", b"event: surprise\ndata: {\"type\":\"surprise\"}\n\n"),
        ("an error that is no object", b"data: {\"error\":7}\n\n"),
        ("null in an event", b"data: null\n\n"),
        ("a retry of nothing", b"retry: 0\nid: \n\n"),
        ("a retry without end", b"retry: 99999999999999999999\n\n"),
        ("zeroes", b"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
        ("a frame of a size that lies", b"\x7f\xff\xff\xff\0\0\0\0\0\0\0\0\0\0\0\0"),
        ("a frame of no size", b"\0\0\0\x10\0\0\0\0\0\0\0\0\0\0\0\0"),
        ("letters that are none", b"data: \"\xff\xfe\xed\xa0\x80\"\n\n"),
        ("another alphabet", b"\xff\xfed\0a\0t\0a\0:\0"),
    ];
    let mut kinds: Vec<Kind> = texts
        .into_iter()
        .map(|(name, bytes)| kind(format!("the body is {name}"), move |_| stream(bytes.to_vec())))
        .collect();
    let large: [Large; 7] = [
        ("a line of two mebibytes", || vec![b'x'; 2 << 20]),
        ("a quarter of a million empty choices", || {
            [b"data: {\"choices\":[".to_vec(), b"{},".repeat(1 << 18), b"{}]}\n\n".to_vec()].concat()
        }),
        ("ten thousand empty events", || b"data: {}\n\n".repeat(10_000)),
        ("a hundred thousand ends of lines", || vec![b'\n'; 100_000]),
        ("brackets without end", || [b"data: ".to_vec(), vec![b'['; 200_000]].concat()),
        ("a number of many digits", || [b"data: ".to_vec(), vec![b'9'; 200_000], b"\n\n".to_vec()].concat()),
        ("an object with many names", || {
            let names: Vec<String> = (0..20_000).map(|number| format!("\"{number}\":0")).collect();
            format!("data: {{{}}}\n\n", names.join(",")).into_bytes()
        }),
    ];
    kinds.extend(large.map(|(name, bytes)| kind(format!("the body is {name}"), move |_| stream(bytes()))));
    kinds
}

/// A call whose stream is wrong in one place.
fn bends() -> Vec<Kind> {
    let bent = |name: &str, bend: fn(Seed) -> Vec<Bend>| {
        kind(format!("a call {name}"), move |seed| call().with(Fault::Bent(bend(seed))))
    };
    vec![
        bent("twice over", |_| vec![Bend::Repeat(0, 1_000, 1)]),
        bent("a hundred times over", |_| vec![Bend::Repeat(0, 1_000, 100)]),
        bent("whose beginning comes twice", |seed| vec![Bend::Repeat(0, seed.near(200), 1)]),
        bent("whose middle comes twice", |seed| vec![Bend::Repeat(seed.near(300), 600, 1)]),
        bent("whose end comes twice", |seed| vec![Bend::Repeat(seed.near(800), 1_000, 1)]),
        bent("without its beginning", |seed| vec![Bend::Drop(0, seed.near(200))]),
        bent("without its middle", |seed| vec![Bend::Drop(seed.near(300), 600)]),
        bent("with its end before its beginning", |seed| vec![Bend::Turn(seed.near(500))]),
        bent("without its first line", |seed| vec![Bend::DropLine(u16::try_from(seed.0).unwrap_or(0))]),
        bent("without a line within", |seed| vec![Bend::DropLine(seed.near(7))]),
        bent("with its first line twice", |seed| vec![Bend::RepeatLine(u16::try_from(seed.0).unwrap_or(0))]),
        bent("with a line within twice", |seed| vec![Bend::RepeatLine(seed.near(7))]),
        bent("with two lines in another order", |seed| vec![Bend::SwapLines(seed.near(3))]),
        bent("with other lines in another order", |seed| vec![Bend::SwapLines(seed.near(8))]),
        bent("with ends of lines of other systems", |_| vec![Bend::LineEnds(b"\r\n".to_vec())]),
        bent("with ends of lines of old systems", |_| vec![Bend::LineEnds(b"\r".to_vec())]),
        bent("without ends of lines", |_| vec![Bend::LineEnds(Vec::new())]),
        bent("with a mark before it", |_| vec![Bend::Insert(0, b"\xef\xbb\xbf".to_vec())]),
        bent("with zeroes within", |seed| vec![Bend::Insert(seed.near(400), vec![0; 16])]),
        bent("with letters that are none within", |seed| {
            vec![Bend::Insert(seed.near(400), vec![0xff, 0xc0])]
        }),
        bent("with empty events within", |seed| vec![Bend::Insert(seed.near(400), b"\n\n\n\n".to_vec())]),
        bent("with an error within", |seed| {
            vec![Bend::Insert(seed.near(500), b"\n\ndata: {\"error\":{\"message\":\"no\"}}\n\n".to_vec())]
        }),
        bent("with its end said early", |seed| {
            vec![Bend::Insert(seed.near(500), b"\n\ndata: [DONE]\n\n".to_vec())]
        }),
        bent("with something after its end", |_| {
            vec![Bend::Insert(1_000, b"data: {\"more\":1}\n\n".to_vec())]
        }),
        bent("with brackets in the place of letters", |seed| {
            vec![Bend::Overwrite(seed.near(450), vec![b'{'; 9])]
        }),
        bent("with one bit wrong early", |seed| vec![Bend::Flip(seed.near(100), 1)]),
        bent("with one bit wrong within", |seed| vec![Bend::Flip(seed.near(500), 5)]),
        bent("with one bit wrong late", |seed| vec![Bend::Flip(seed.near(900), 0)]),
        bent("with other quotes", |_| vec![Bend::Exchange(b'"', b'\'')]),
        bent("with other brackets", |_| vec![Bend::Exchange(b'{', b'[')]),
        bent("with other digits", |_| vec![Bend::Exchange(b'0', b'9')]),
        bent("with other colons", |_| vec![Bend::Exchange(b':', b';')]),
    ]
}

/// Answers that are right, under heads that are not.
fn headers() -> Vec<Kind> {
    let mut kinds = Vec::new();
    for (name, value) in [
        ("content-encoding", "gzip"),
        ("content-encoding", "br, gzip, surprise"),
        ("content-type", "image/png"),
        ("location", "http://169.254.169.254/"),
        ("set-cookie", "a=b; Domain=.com"),
        ("x-should-retry", "perhaps"),
    ] {
        kinds.push(kind(format!("{name}: {value}"), move |_| call().header(name, value)));
    }
    for value in
        ["-1", "0", "1e18", "99999999999999999999", "tomorrow", "NaN", "Wed, 21 Oct 1970 07:28:00 GMT"]
    {
        kinds.push(kind(format!("to be waited for: {value}"), move |_| {
            Act::rate_limited("retry-after", value)
        }));
    }
    kinds.push(kind("a head with many lines", |_| {
        (0..60).fold(call(), |act, number| act.header(&format!("x-line-{number}"), "x"))
    }));
    kinds.push(kind("a name of the request that nobody could print", |_| {
        call().header("x-request-id", &"y".repeat(4_000))
    }));
    kinds
}

/// Replies that are well sent and make no sense.
fn replies() -> Vec<Kind> {
    const GOOD: &str = r#"{"n":3}"#;
    let calls = |name: &str, calls: fn() -> Act| kind(format!("a model that makes {name}"), move |_| calls());
    vec![
        calls("two calls of one name", || Act::calls(&[("same", "double", GOOD), ("same", "double", GOOD)])),
        calls("a call without a name", || Act::calls(&[("call_a", "", GOOD)])),
        calls("a call without an id", || Act::calls(&[("", "double", GOOD)])),
        calls("a call of what is not there", || Act::calls(&[("call_a", "nothing", GOOD)])),
        calls("a call without arguments", || Act::calls(&[("call_a", "double", "")])),
        calls("a call with a list", || Act::calls(&[("call_a", "double", "[1,2]")])),
        calls("a call with the wrong type", || Act::calls(&[("call_a", "double", r#"{"n":"three"}"#)])),
        calls("a call with a number of many digits", || {
            Act::calls(&[("call_a", "double", format!("{{\"n\":{}}}", "9".repeat(400)).as_str())])
        }),
        calls("a call with names that stand twice", || {
            Act::calls(&[("call_a", "double", r#"{"n":1,"n":2}"#)])
        }),
        calls("a call with deep arguments", || {
            Act::calls(&[(
                "call_a",
                "double",
                format!("{{\"n\":{}1{}}}", "[".repeat(500), "]".repeat(500)).as_str(),
            )])
        }),
        calls("a call with a long id", || Act::calls(&[("i".repeat(20_000).as_str(), "double", GOOD)])),
        calls("a call with signs in its name", || Act::calls(&[("call_a", "dou\u{202e}ble\u{1b}[2J", GOOD)])),
        calls("a hundred calls", || Act::calls(&[("call", "double", GOOD); 100])),
        calls("nothing", || Act::says("")),
        calls("a text that moves a terminal", || Act::says("\u{1b}[2J\u{7}\u{9b}31m")),
        calls("a long text", || Act::says(&"word ".repeat(20_000))),
    ]
}

fn body(status: u16, content_type: &str, bytes: Vec<u8>) -> Act {
    Act::fails(Fault::Body { status, content_type: content_type.into(), bytes })
}

fn stream(bytes: Vec<u8>) -> Act {
    body(200, "text/event-stream", bytes)
}
