use std::{format, string::String, vec, vec::Vec};

use super::super::{
    sign::{canonical_path, hex, hmac},
    *,
};
use crate::{AuthScheme, HttpMethod, ProviderRequest};

/// The moment of AWS's published test suite.
const NOW_MS: u64 = 1_440_938_160_000;

fn keys(session: Option<&str>) -> AwsCredentials {
    AwsCredentials {
        access: "AKIDEXAMPLE".into(),
        secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".into(),
        session: session.map(String::from),
    }
}

const SCOPE: SigningScope<'_> = SigningScope { region: "us-east-1", service: "service" };

struct Vector {
    name: &'static str,
    method: HttpMethod,
    path: &'static str,
    headers: &'static [(&'static str, &'static str)],
    body: &'static str,
    session: Option<&'static str>,
    signed: &'static str,
    signature: &'static str,
}

const PLAIN: Vector = Vector {
    name: "get-vanilla",
    method: HttpMethod::Get,
    path: "/",
    headers: &[],
    body: "",
    session: None,
    signed: "host;x-amz-date",
    signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
};

/// Requests and signatures of AWS's signing test suite, version 4, headers signed.
const VECTORS: &[Vector] = &[
    PLAIN,
    Vector {
        name: "get-vanilla-query-order-key-case",
        path: "/?Param2=value2&Param1=value1",
        signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
        ..PLAIN
    },
    Vector {
        name: "get-vanilla-empty-query-key",
        path: "/?Param1=value1",
        signature: "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb",
        ..PLAIN
    },
    Vector {
        name: "get-vanilla-utf8-query",
        path: "/?ሴ=bar",
        signature: "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04",
        ..PLAIN
    },
    Vector {
        name: "get-utf8",
        path: "/ሴ",
        signature: "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85",
        ..PLAIN
    },
    Vector {
        name: "get-space-normalized",
        path: "/example space/",
        signature: "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741",
        ..PLAIN
    },
    Vector {
        name: "get-unreserved",
        path: "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
        signature: "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f",
        ..PLAIN
    },
    Vector { name: "get-relative-normalized", path: "/example/..", ..PLAIN },
    Vector {
        name: "get-slashes-normalized",
        path: "//example//",
        signature: "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84",
        ..PLAIN
    },
    Vector {
        name: "get-header-value-trim",
        headers: &[("My-Header1", " value1"), ("My-Header2", " \"a   b   c\"")],
        signed: "host;my-header1;my-header2;x-amz-date",
        signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
        ..PLAIN
    },
    Vector {
        name: "get-header-key-duplicate",
        headers: &[("My-Header1", "value2"), ("My-Header1", "value2"), ("My-Header1", "value1")],
        signed: "host;my-header1;x-amz-date",
        signature: "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea",
        ..PLAIN
    },
    Vector {
        name: "get-header-value-order",
        headers: &[
            ("My-Header1", "value4"),
            ("My-Header1", "value1"),
            ("My-Header1", "value3"),
            ("My-Header1", "value2"),
        ],
        signed: "host;my-header1;x-amz-date",
        signature: "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01",
        ..PLAIN
    },
    Vector {
        name: "get-vanilla-with-session-token",
        session: Some("6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267"),
        signed: "host;x-amz-date;x-amz-security-token",
        signature: "07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8",
        ..PLAIN
    },
    Vector {
        name: "post-vanilla",
        method: HttpMethod::Post,
        signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
        ..PLAIN
    },
    Vector {
        name: "post-x-www-form-urlencoded",
        method: HttpMethod::Post,
        headers: &[
            ("Content-Type", "application/x-www-form-urlencoded"),
            ("Content-Length", "13"),
            ("x-amz-content-sha256", "9095672bbd1f56dfc5b65f3e153adc8731a4a654192329106275f4c7b24d0b6e"),
        ],
        body: "Param1=value1",
        signed: "content-length;content-type;host;x-amz-content-sha256;x-amz-date",
        signature: "d3875051da38690788ef43de4db0d8f280229d82040bfac253562e56c3f20e0b",
        ..PLAIN
    },
];

#[test]
fn the_published_vectors_give_the_published_signatures() {
    for vector in VECTORS {
        let url = format!("https://example.amazonaws.com{}", vector.path);
        let headers: Vec<(String, String)> =
            vector.headers.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        let request = UnsignedRequest {
            method: vector.method,
            url: &url,
            headers: &headers,
            body: vector.body.as_bytes(),
        };
        let added = sign(&request, &keys(vector.session), SCOPE, NOW_MS);
        let expect = format!(
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders={}, Signature={}",
            vector.signed, vector.signature
        );
        assert_eq!(added.last().unwrap(), &("authorization".into(), expect), "{}", vector.name);
        assert_eq!(added[0], ("x-amz-date".into(), "20150830T123600Z".into()), "{}", vector.name);
        assert_eq!(added.len(), 2 + usize::from(vector.session.is_some()), "{}", vector.name);
    }
}

#[test]
fn message_codes_are_those_of_the_standard() {
    let check = |key: &[u8], message: &[u8], expect: &str| assert_eq!(hex(&hmac(key, message)), expect);
    // RFC 4231, cases 1, 2 and 6 (a key longer than a block).
    check(&[0x0b; 20], b"Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    check(
        b"Jefe",
        b"what do ya want for nothing?",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    );
    check(
        &[0xaa; 131],
        b"Test Using Larger Than Block-Size Key - Hash Key First",
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
    );
}

#[test]
fn a_path_is_signed_as_the_service_rebuilds_it() {
    let check = |path: &str, expect: &str| assert_eq!(canonical_path(path), expect);
    check("", "/");
    check("/", "/");
    check("/./", "/");
    check("/./example", "/example");
    check("/example1/example2/../..", "/");
    check("/a/..//b/.", "/b/");
    // What is escaped on the wire is escaped again under the signature.
    check(
        "/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse",
        "/model/anthropic.claude-sonnet-4-5-20250929-v1%253A0/converse",
    );
}

#[test]
fn headers_that_others_change_are_not_signed() {
    let sign_with = |headers: Vec<(String, String)>| {
        let request = UnsignedRequest {
            method: HttpMethod::Post,
            url: "https://user@example.amazonaws.com/x?y=1#z",
            headers: &headers,
            body: b"{}",
        };
        sign(&request, &keys(None), SCOPE, NOW_MS)
    };
    let extra = ["User-Agent", "authorization", "Connection", "X-Amzn-Trace-Id", "HOST"];
    let extra = extra.iter().map(|name| (String::from(*name), String::from("v"))).collect();
    assert_eq!(sign_with(extra), sign_with(vec![]));
}

#[test]
fn every_part_of_a_request_changes_the_signature() {
    let sign_it = |body: &str, base: &str, region: &str, now_ms: u64| {
        let request =
            ProviderRequest::post("/model/m/converse", AuthScheme::SigV4("bedrock".into()), body.into());
        let scope = SigningScope { region, service: "bedrock" };
        sign_request(&request, base, &keys(None), scope, now_ms).pop().unwrap().1
    };
    let first = sign_it("{}", "https://a.test", "us-east-1", NOW_MS);
    assert_eq!(first, sign_it("{}", "https://a.test", "us-east-1", NOW_MS + 999));
    for other in [
        sign_it("{ }", "https://a.test", "us-east-1", NOW_MS),
        sign_it("{}", "https://b.test", "us-east-1", NOW_MS),
        sign_it("{}", "https://a.test/x", "us-east-1", NOW_MS),
        sign_it("{}", "https://a.test", "us-west-2", NOW_MS),
        sign_it("{}", "https://a.test", "us-east-1", NOW_MS + 1_000),
    ] {
        assert_ne!(first, other);
    }
}

#[test]
fn secrets_are_not_shown() {
    let shown = format!("{:?}", keys(Some("token")));
    assert!(shown.contains("AKIDEXAMPLE") && !shown.contains("wJalr") && !shown.contains("token"), "{shown}");
}
