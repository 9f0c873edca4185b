//! A planted key is looked for wherever something can be read.

use std::{
    io::Write,
    sync::{Arc, Mutex},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use holm_kernel::{Ending, FailureClass};
use holm_models::{HttpTransport, ModelClient, ModelEndpoint, ProxyPolicy, RecordingTransport};
use holm_testkit::double::{Act, Double, Fault};

use crate::stage::{FORMATS, KEY, TIMEOUTS, client, codec, keys, play, play_with};

/// Forms in which a provider may send a key back.
fn echoes() -> Vec<String> {
    let mut url = String::new();
    holm_wire::escape(KEY, &mut url);
    vec![KEY.into(), url, STANDARD.encode(KEY), STANDARD.encode(format!("user:{KEY}"))]
}

fn assert_clean(text: &str, place: &str) {
    // Every echo and every cut of one holds this part, or its base64 form.
    for trace in ["0123456789+", "0123456789%2B", "MDEyMzQ1Njc4", "AxMjM0NTY3OD", "wMTIzNDU2Nzg"] {
        assert!(!text.contains(trace), "{place} holds the key: {text}");
    }
}

#[tokio::test]
async fn a_key_that_the_provider_echoes_in_an_error_reaches_nobody() {
    for format in FORMATS {
        for echo in echoes() {
            let message = format!("Incorrect key: {echo}. Check it.");
            let fault = Fault::Refused { status: Some(401), class: FailureClass::Auth, message };
            let (ending, watched, _double) =
                play(format, vec![Act::fails(fault.clone()), Act::fails(fault)]).await;
            let Ending::Failed { message, class: FailureClass::Auth, .. } = ending else {
                panic!("{ending:?}")
            };
            assert!(message.contains("‹secret:double›"), "{format:?}: {message}");
            assert_clean(&message, "the ending");
            assert_clean(&watched.journal.text(), "the journal");
            assert_clean(&format!("{:?}", watched.events()), "the events");
        }
    }
}

#[tokio::test]
async fn a_key_that_the_model_repeats_is_not_journaled() {
    for format in FORMATS {
        let (ending, watched, _double) = play(format, vec![Act::says(&format!("your key is {KEY}"))]).await;
        assert_eq!(ending, crate::stage::answered("your key is ‹secret:double›"), "{format:?}");
        assert_clean(&watched.journal.text(), "the journal");
    }
}

#[tokio::test]
async fn nothing_that_can_be_printed_shows_a_key() {
    for format in FORMATS {
        let double = Double::start([]).unwrap();
        let client = client(&double, format);
        let printed = format!("{client:?} {:?} {:?}", keys(format), keys(format).secrets());
        assert_clean(&printed, "a debug form");
        let bad = ModelClient::builder()
            .endpoint("double", ModelEndpoint::with_codec("not a url", codec(format)))
            .keys(keys(format))
            .proxies(ProxyPolicy::None)
            .build()
            .unwrap();
        let (ending, watched) = play_with(Arc::new(bad)).await;
        assert_clean(&format!("{ending:?}"), "an error");
        assert_clean(&watched.journal.text(), "the journal");
    }
}

#[derive(Clone, Default)]
pub(crate) struct Paper(pub(crate) Arc<Mutex<Vec<u8>>>);

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Paper {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

#[tokio::test]
async fn a_recording_holds_no_key_in_any_form() {
    for format in FORMATS {
        let acts: Vec<Act> = echoes()
            .iter()
            .map(|echo| {
                let bytes = format!("{{\"error\":{{\"message\":\"{echo}\"}}}}").into_bytes();
                let fault = Fault::Body { status: 500, content_type: "application/json".into(), bytes };
                Act::fails(fault).header("x-echo", echo).header("set-cookie", "session=whatever")
            })
            .chain([Act::says(KEY)])
            .collect();
        let double = Double::start(acts).unwrap();
        let paper = Paper::default();
        let http = HttpTransport::new(TIMEOUTS, ProxyPolicy::None).unwrap();
        let recorder = RecordingTransport::new(Arc::new(http), keys(format).secrets(), paper.clone());
        let client = ModelClient::builder()
            .endpoint("double", ModelEndpoint::with_codec(double.base(format), codec(format)))
            .keys(keys(format))
            .transport(Arc::new(recorder))
            .build()
            .unwrap();
        let (_, watched) = play_with(Arc::new(client)).await;
        assert_eq!(double.requests().len(), 5, "{format:?}");
        let sent =
            double.requests().iter().any(|seen| seen.headers.iter().any(|(_, value)| value.contains(KEY)));
        let signs = format == holm_wire::Format::Bedrock || format == holm_wire::Format::Ollama;
        assert_eq!(sent, !signs, "{format:?}: the double did get the key");
        assert_clean(&paper.text(), "the recording");
        assert!(!paper.text().contains("session=whatever"), "cookies are removed");
        assert_clean(&watched.journal.text(), "the journal");
    }
}
