//! Time and size have limits, and where they are reached the run is told.

use std::{
    io::{BufRead as _, Write as _},
    sync::Arc,
    time::Duration,
};

use holm_kernel::{Config, Ending, ModelSpec, Prompt, Started, Usage};
use holm_models::HttpTimeouts;
use holm_runtime::drive;
use holm_testkit::double::{Act, Double, Endless, Fault};
use holm_wire::Format;

use crate::stage::{TIMEOUTS, Watched, answered, client, client_with, play};

async fn message_of(acts: Vec<Act>, timeouts: HttpTimeouts) -> String {
    let double = Double::start(acts).unwrap();
    let watched = Watched::default();
    let host = watched.host(Arc::new(client_with(&double, Format::OpenaiChat, timeouts)));
    let mut config = Config::new(ModelSpec::named("double/one"));
    config.retry.attempts = 1;
    let (ending, _) = drive(Started::new("run-1", 7, config), Prompt::text("go"), host).await.unwrap();
    let Ending::Failed { message, .. } = ending else { panic!("{ending:?}") };
    message
}

/// What the run above has used when it has failed.
async fn used_by(act: Act) -> Usage {
    let double = Double::start(vec![act]).unwrap();
    let host = Watched::default().host(Arc::new(client_with(&double, Format::OpenaiChat, TIMEOUTS)));
    let mut config = Config::new(ModelSpec::named("double/one"));
    config.retry.attempts = 1;
    let (_, driver) = drive(Started::new("run-1", 7, config), Prompt::text("go"), host).await.unwrap();
    driver.run().usage()
}

/// A client of a provider that the test plays itself.
fn client_at(listener: &std::net::TcpListener, timeouts: HttpTimeouts) -> holm_models::ModelClient {
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    holm_models::ModelClient::builder()
        .endpoint("double", holm_models::ModelEndpoint::compatible(base))
        .keys(crate::stage::keys(Format::OpenaiChat))
        .timeouts(timeouts)
        .proxies(holm_models::ProxyPolicy::None)
        .build()
        .unwrap()
}

#[tokio::test]
async fn a_provider_that_falls_silent_is_not_waited_for_for_ever() {
    let idle = HttpTimeouts { idle: Duration::from_millis(150), ..TIMEOUTS };
    let message = message_of(vec![Act::says("begun").with(Fault::Stall(400))], idle).await;
    assert!(message.starts_with("no more data arrived within 150 ms"), "{message}");

    let silent = HttpTimeouts {
        first_byte: Duration::from_millis(150),
        connect: Duration::from_millis(50),
        ..TIMEOUTS
    };
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let client = client_at(&listener, silent);
    let error = client.list_models("double").await.unwrap_err();
    assert!(error.to_string().contains("no answer started within 200 ms"), "{error}");
}

#[tokio::test]
async fn a_provider_that_shows_signs_of_life_and_says_nothing_is_not_waited_for_for_ever() {
    let impatient = HttpTimeouts { silence: Duration::ZERO, ..TIMEOUTS };
    let signs = Endless::Body { status: 200, first: b": ping\n\n".to_vec(), again: b": ping\n\n".to_vec() };
    let message = message_of(vec![Act::fails(Fault::Endless(signs))], impatient).await;
    assert!(message.starts_with("no reply arrived within 0 ms"), "{message}");
}

#[tokio::test]
async fn a_redirect_is_not_followed_because_the_key_would_go_along() {
    let elsewhere = Double::start([Act::says("stolen")]).unwrap();
    let fault = Fault::Body { status: 302, content_type: "text/plain".into(), bytes: Vec::new() };
    let there = format!("{}/chat/completions", elsewhere.base(Format::OpenaiChat));
    let message = message_of(vec![Act::fails(fault).header("location", &there)], TIMEOUTS).await;
    assert!(message.contains("correct the base URL"), "{message}");
    assert!(elsewhere.requests().is_empty());
}

#[tokio::test]
async fn a_compressed_answer_is_refused_and_not_unpacked() {
    let act = Act::says("zip").header("content-encoding", "gzip");
    let message = message_of(vec![act], TIMEOUTS).await;
    assert!(message.contains("compressed (gzip)"), "{message}");
    let used = used_by(Act::says("zip").header("content-encoding", "gzip")).await;
    assert!(used.input > 0, "the provider has answered, so the request is paid by estimate: {used:?}");
}

#[tokio::test]
async fn an_endless_error_is_read_only_so_far() {
    let bytes = vec![b'x'; 4 << 20];
    let fault = Fault::Body { status: 400, content_type: "text/plain".into(), bytes };
    let message = message_of(vec![Act::fails(fault)], TIMEOUTS).await;
    assert!(message.len() < 1_000 && message.starts_with("status 400: xxx"), "{}", message.len());
}

#[tokio::test]
async fn a_list_of_models_that_would_fill_the_memory_is_not_parsed() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let client = client_at(&listener, TIMEOUTS);
    let provider = std::thread::spawn(move || {
        for values in [40_000, 1 << 20] {
            let (mut stream, _) = listener.accept().unwrap();
            let asked = std::io::BufReader::new(&stream).lines().map(Result::unwrap);
            asked.take_while(|line| !line.is_empty()).for_each(drop);
            let list = format!("{{\"data\":[{{\"id\":\"one\"}}{}]}}", ",{}".repeat(values));
            let head =
                "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length:";
            write!(stream, "{head} {}\r\n\r\n{list}", list.len()).unwrap();
        }
    });
    assert_eq!(client.list_models("double").await.unwrap(), ["one"]);
    let error = client.list_models("double").await.unwrap_err();
    assert!(error.to_string().contains("values in one piece"), "{error}");
    provider.join().unwrap();
}

#[tokio::test]
async fn nobody_listening_is_a_failure_of_the_network() {
    let double = Double::start([]).unwrap();
    let gone = client(&double, Format::OpenaiChat);
    drop(double);
    let error = gone.list_models("double").await.unwrap_err().to_string();
    assert!(error.contains("cannot connect to 127.0.0.1:"), "{error}");
    assert_eq!(error.matches("127.0.0.1").count(), 1, "the host is named once: {error}");
}

#[tokio::test]
async fn a_wait_of_a_year_is_not_waited_for() {
    let acts = vec![Act::rate_limited("retry-after", "31536000"), Act::says("from two")];
    let (ending, _, double) = play(Format::OpenaiChat, acts).await;
    assert_eq!((ending, double.requests()[1].model().to_owned()), (answered("from two"), "two".to_owned()));
}
