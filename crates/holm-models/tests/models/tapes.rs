//! Traffic that was recorded is played again without a network.

use std::sync::Arc;

use holm_kernel::Ending;
use holm_models::{
    Cassette, HttpTransport, ModelClient, ModelEndpoint, ProxyPolicy, RecordingTransport, ReplayTransport,
};
use holm_testkit::double::{Act, Double, Fault};

use crate::{
    secrets::Paper,
    stage::{FORMATS, TIMEOUTS, answered, codec, keys, play_with},
};

#[tokio::test]
async fn a_recorded_run_is_played_again_to_the_letter() {
    for format in FORMATS {
        let text = "Ünd this is what came out ✓";
        let double = Double::start([
            Act::rate_limited("retry-after", "1"),
            Act::says("cut").with(Fault::Closed(500)),
            Act::calls(&[("call_a", "double", r#"{"n":3}"#)]).thinks("hm"),
            Act::says(text),
        ])
        .unwrap();
        let paper = Paper::default();
        let http = HttpTransport::new(TIMEOUTS, ProxyPolicy::None).unwrap();
        let recorder = RecordingTransport::new(Arc::new(http), keys(format).secrets(), paper.clone());
        let live = ModelClient::builder()
            .endpoint("double", ModelEndpoint::with_codec(double.base(format), codec(format)))
            .keys(keys(format))
            .transport(Arc::new(recorder))
            .build()
            .unwrap();
        let (ending, watched) = play_with(Arc::new(live)).await;
        assert_eq!(ending, answered(text), "{format:?}");
        drop(double);

        let cassette = Cassette::parse(&paper.text()).unwrap();
        assert_eq!(cassette.exchanges.len(), 4, "{format:?}");
        let player = ReplayTransport::new(cassette, keys(format).secrets());
        let played = ModelClient::builder()
            .endpoint(
                "double",
                ModelEndpoint::with_codec(
                    "https://elsewhere.example.com".to_owned() + base(format),
                    codec(format),
                ),
            )
            .keys(keys(format))
            .transport(Arc::new(player.clone()))
            .build()
            .unwrap();
        let (again, rewatched) = play_with(Arc::new(played.clone())).await;
        assert_eq!((again, rewatched.text()), (ending, watched.text()), "{format:?}");
        assert_eq!(player.left(), 0, "{format:?}");

        let (over, _) = play_with(Arc::new(played)).await;
        let Ending::Failed { message, .. } = over else { panic!("{over:?}") };
        assert!(message.contains("not that many times"), "{message}");
    }
}

fn base(format: holm_wire::Format) -> &'static str {
    match format {
        holm_wire::Format::OpenaiChat | holm_wire::Format::OpenaiResponses => "/v1",
        holm_wire::Format::Gemini => "/v1beta",
        _ => "",
    }
}

#[test]
fn a_damaged_recording_names_its_line() {
    let error = Cassette::parse("\n{}\n").unwrap_err();
    assert_eq!(error.line, 2);
}
