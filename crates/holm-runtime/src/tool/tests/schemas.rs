//! That a derived schema and its type accept the same.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    net::{IpAddr, Ipv4Addr},
    num::NonZeroU8,
    path::PathBuf,
};

use holm_guards::{repair, schema::CompiledSchema};
use proptest::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, de::DeserializeOwned};

use super::*;

/// The schema of a type compiles in full, and of these texts the schema and the type accept the same ones.
fn check<T: DeserializeOwned + JsonSchema>(accepted: &[&str], refused: &[&str]) {
    let name = std::any::type_name::<T>();
    let schema = schema_of::<T>();
    let compiled = CompiledSchema::compile(&schema)
        .unwrap_or_else(|error| panic!("{name}: {error} {}", schema.canonical()));
    assert!(compiled.unsupported().is_empty(), "{name}: {:?} {}", compiled.unsupported(), schema.canonical());
    for (texts, expected) in [(accepted, true), (refused, false)] {
        for text in texts {
            let value = Json::parse(text).unwrap();
            let (by_schema, by_type) =
                (compiled.is_valid(&value), ToolInvocation::alone(*text).parse::<T>().is_ok());
            assert_eq!((by_schema, by_type), (expected, expected), "{name}: {text} {}", schema.canonical());
        }
    }
}

#[test]
fn numbers_keep_their_bounds() {
    check::<u8>(&["0", "255", "7.0"], &["-1", "256", "1.5", "\"1\"", "null"]);
    check::<i8>(&["-128", "127"], &["-129", "128"]);
    check::<u16>(&["65535"], &["65536", "-1"]);
    check::<i16>(&["-32768"], &["32768"]);
    check::<u32>(&["4294967295"], &["4294967296", "-1"]);
    check::<i32>(&["-2147483648"], &["2147483648", "0.5"]);
    check::<u64>(&["0", "18446744073709551615"], &["-1", "true"]);
    check::<i64>(&["-9223372036854775808", "9223372036854775807"], &["0.1"]);
    check::<usize>(&["0"], &["-1"]);
    check::<NonZeroU8>(&["1", "255"], &["0", "256"]);
    check::<f64>(&["1", "-1.5", "1e300"], &["\"1\"", "null"]);
    check::<f32>(&["1"], &["[]"]);
}

#[test]
fn plain_values_and_containers() {
    check::<bool>(&["true"], &["1", "\"true\""]);
    check::<String>(&["\"\""], &["1", "null"]);
    check::<char>(&["\"a\"", "\"é\""], &["\"\"", "\"ab\""]);
    check::<PathBuf>(&["\"a/b\""], &["1"]);
    check::<Ipv4Addr>(&["\"127.0.0.1\""], &["1"]);
    check::<IpAddr>(&["\"::1\""], &["1"]);
    check::<Option<u8>>(&["1", "null"], &["-1", "\"\""]);
    check::<Vec<Option<u8>>>(&["[]", "[1,null]"], &["null", "[-1]", "{}"]);
    check::<[u8; 2]>(&["[1,2]"], &["[1]", "[1,2,3]"]);
    check::<(u8, String)>(&["[1,\"a\"]"], &["[1]", "[\"a\",1]"]);
    check::<BTreeSet<u8>>(&["[1,2]"], &["[\"a\"]"]);
    check::<HashSet<String>>(&["[\"a\"]"], &["[1]"]);
    check::<BTreeMap<String, u8>>(&["{}", "{\"a\":1}"], &["{\"a\":-1}", "[]"]);
    check::<HashMap<String, Vec<bool>>>(&["{\"a\":[true]}"], &["{\"a\":true}"]);
    check::<BTreeMap<u8, bool>>(&["{\"1\":true}"], &["{\"x\":true}"]);
    check::<serde_json::Value>(&["null", "{\"a\":[1]}"], &[]);
    check::<Box<str>>(&["\"a\""], &["1"]);
}

/// A shape.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema matters")]
enum Shape {
    /// Nothing at all.
    Empty,
    /// A circle.
    Circle(f64),
    /// A box.
    Rectangle {
        width: u16,
        height: u16,
    },
    Pair(u8, u8),
}

#[derive(Deserialize, JsonSchema)]
enum Colour {
    Red,
    Green,
}

/// How loud.
#[derive(Deserialize, JsonSchema)]
enum Volume {
    /// Hardly to be heard.
    Quiet,
    /// Across the street.
    Loud,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[expect(dead_code, reason = "only its schema matters")]
enum Tagged {
    Move { x: i32 },
    Stop,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", content = "value")]
#[expect(dead_code, reason = "only its schema matters")]
enum Adjacent {
    Number(u8),
    Text(String),
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema matters")]
enum Either {
    Number(u8),
    Many(Vec<String>),
}

#[test]
fn enums_of_every_kind() {
    check::<Colour>(&["\"Red\"", "\"Green\""], &["\"red\"", "null", "1"]);
    check::<Volume>(&["\"Quiet\"", "\"Loud\""], &["\"Silent\""]);
    check::<Shape>(
        &["\"empty\"", "{\"circle\":1}", "{\"rectangle\":{\"width\":1,\"height\":2}}", "{\"pair\":[1,2]}"],
        &["\"circle\"", "{\"circle\":\"x\"}", "{\"rectangle\":{\"width\":1}}", "{\"pair\":[1]}", "{}"],
    );
    check::<Tagged>(
        &["{\"kind\":\"move\",\"x\":1}", "{\"kind\":\"stop\"}"],
        &["{\"kind\":\"move\"}", "{\"kind\":\"go\"}", "{\"x\":1}"],
    );
    check::<Adjacent>(
        &["{\"kind\":\"Number\",\"value\":1}", "{\"kind\":\"Text\",\"value\":\"a\"}"],
        &["{\"kind\":\"Number\",\"value\":\"a\"}", "{\"kind\":\"Number\"}"],
    );
    check::<Either>(&["1", "[\"a\"]"], &["\"a\"", "[1]", "{}"]);
    let loud = schema_of::<Volume>().canonical();
    assert!(loud.contains("Hardly to be heard.") && loud.contains("How loud."), "{loud}");
    assert!(schema_of::<Colour>().canonical().contains(r#""enum":["Red","Green"]"#));
}

/// Names hold each other.
#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema matters")]
struct Tree {
    name: String,
    children: Vec<Tree>,
    parent: Option<Box<Tree>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(dead_code, reason = "only its schema matters")]
struct Everything {
    /// What it is about.
    the_text: String,
    /// How often.
    how_often: Option<u8>,
    colour: Option<Colour>,
    volume: Option<Volume>,
    shape: Option<Shape>,
    nested: Option<Vec<Tagged>>,
    #[serde(default)]
    counted: u32,
    #[serde(default = "seven")]
    seven: u8,
    maybe: Option<Option<bool>>,
    any: Option<serde_json::Value>,
    #[schemars(range(min = 1, max = 5))]
    #[serde(default)]
    stars: u8,
    #[serde(skip)]
    hidden: u8,
}

fn seven() -> u8 {
    7
}

#[derive(Deserialize, JsonSchema)]
struct Unit;

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema matters")]
struct Wrapped(u8);

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema matters")]
struct Flat {
    own: u8,
    #[serde(flatten)]
    inner: Inner,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema matters")]
struct Inner {
    theirs: Option<String>,
    required: bool,
}

#[test]
fn structs_of_every_kind() {
    check::<Tree>(
        &[
            "{\"name\":\"a\",\"children\":[]}",
            "{\"name\":\"a\",\"children\":[{\"name\":\"b\",\"children\":[]}],\"parent\":{\"name\":\"c\",\"children\":[]}}",
        ],
        &["{\"name\":\"a\"}", "{\"name\":\"a\",\"children\":[{}]}"],
    );
    check::<Everything>(
        &[
            "{\"theText\":\"a\"}",
            "{\"theText\":\"a\",\"howOften\":3,\"colour\":\"Red\",\"volume\":\"Loud\",\"shape\":\"empty\",\"counted\":1}",
            "{\"theText\":\"a\",\"nested\":[{\"kind\":\"stop\"}],\"maybe\":true,\"any\":[1],\"stars\":5,\"seven\":1}",
        ],
        &[
            "{}",
            "{\"theText\":1}",
            "{\"theText\":\"a\",\"unknown\":1}",
            "{\"theText\":\"a\",\"colour\":\"Blue\"}",
        ],
    );
    check::<Unit>(&["null"], &["1"]);
    check::<Wrapped>(&["1"], &["\"1\"", "[1]"]);
    check::<Flat>(
        &["{\"own\":1,\"required\":true}"],
        &["{\"own\":1}", "{\"own\":1,\"required\":true,\"theirs\":1}"],
    );
}

#[test]
fn an_option_is_left_out_and_a_null_for_it_is_mended() {
    let schema = schema_of::<Everything>();
    assert_eq!(schema.pointer("/required").unwrap().canonical(), r#"["theText"]"#);
    for property in ["howOften", "colour", "volume", "shape", "nested"] {
        let shown = schema.pointer(&format!("/properties/{property}")).unwrap().canonical();
        assert!(!shown.contains("null"), "{property}: {shown}");
    }
    let often = schema.pointer("/properties/howOften").unwrap().canonical();
    assert_eq!(often, r#"{"description":"How often.","maximum":255,"minimum":0,"type":"integer"}"#);

    let compiled = CompiledSchema::compile(&schema).unwrap();
    let sent = "{\"theText\":\"a\",\"howOften\":null,\"colour\":null,\"shape\":null}";
    let repair::ArgumentRepair::Valid { value, .. } = repair::repair(&compiled, sent) else {
        panic!("not mended")
    };
    assert_eq!(value.canonical(), r#"{"theText":"a"}"#);
    assert!(ToolInvocation::alone(value.canonical()).parse::<Everything>().is_ok());
}

#[test]
fn doc_comments_are_descriptions_and_type_names_are_not_told() {
    let schema = schema_of::<Everything>();
    assert_eq!(
        schema.pointer("/properties/theText/description").unwrap().as_str(),
        Some("What it is about.")
    );
    let text = schema.canonical();
    assert!(!text.contains("\"title\":\"Everything\"") && !text.contains("$schema"), "{text}");
    assert!(!text.contains("$ref"), "written in place: {text}");
    assert!(schema_of::<Tree>().canonical().contains("$ref"), "what holds itself is referred to");
}

proptest! {
    /// What the schema lets through, the type reads.
    #[test]
    fn a_valid_value_can_always_be_read(
        text in "[a-z]{0,3}",
        often in prop::option::of(-3_i64..300),
        colour in prop::option::of(prop_oneof!["Red", "Green", "Blue"]),
        counted in prop::option::of(prop_oneof![Just("1"), Just("1.0"), Just("1.5"), Just("-1"), Just("4e9"), Just("5e9")]),
        maybe in prop::option::of(prop_oneof![Just("true"), Just("null"), Just("0")]),
    ) {
        let mut members = vec![format!("\"theText\":\"{text}\"")];
        members.extend(often.map(|often| format!("\"howOften\":{often}")));
        members.extend(colour.map(|colour| format!("\"colour\":\"{colour}\"")));
        members.extend(counted.map(|counted| format!("\"counted\":{counted}")));
        members.extend(maybe.map(|maybe| format!("\"maybe\":{maybe}")));
        let text = format!("{{{}}}", members.join(","));
        let valid = CompiledSchema::compile(&schema_of::<Everything>()).unwrap().is_valid(&Json::parse(&text).unwrap());
        let read = ToolInvocation::alone(text.as_str()).parse::<Everything>();
        if valid {
            prop_assert!(read.is_ok(), "{} {:?}", text, read.err());
        } else if maybe != Some("null") {
            prop_assert!(read.is_err(), "{}", text);
        }
    }
}
