use base64::{
    Engine,
    engine::general_purpose::{STANDARD, URL_SAFE},
};

use super::*;

const KEY: &str = "pa/ss+0123456789ABCDEF=&x";

fn secrets() -> Secrets {
    Secrets::new().salted([7; 32]).know("provider", KEY.into())
}

#[test]
fn a_known_secret_is_found_in_every_form_that_traffic_gives_it() {
    let forms = [
        KEY.to_owned(),
        "pa%2Fss%2B0123456789ABCDEF%3D%26x".into(),
        "pa%2fss%2b0123456789ABCDEF%3d%26x".into(),
        "pa/ss%2B0123456789ABCDEF%3D%26x".into(),
        STANDARD.encode(KEY),
        URL_SAFE.encode(KEY),
        STANDARD.encode(format!("user:{KEY}")),
        STANDARD.encode(format!("a:{KEY}")),
        STANDARD.encode(format!("ab:{KEY}, and more")),
        serde_json::to_string(KEY).unwrap(),
        KEY.replace('/', "\\/"),
        KEY.replace('&', "&amp;"),
        KEY.bytes().map(|byte| format!("{byte:02X}")).collect(),
    ];
    for form in forms {
        let text = format!("before {form} after");
        let clean = secrets().text(&text).into_owned();
        assert!(clean.contains("‹secret:provider›"), "{text} -> {clean}");
        assert!(!clean.contains("0123456789") && !clean.contains("MDEyMzQ1Njc4"), "{clean}");
        assert_eq!(secrets().bytes(text.as_bytes()), clean.as_bytes());
    }
}
