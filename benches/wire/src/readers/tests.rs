use super::{Reader, Said};
use crate::streams::Stream;

#[test]
fn every_reader_finds_the_same() {
    for stream in Stream::ALL {
        let pieces = stream.pieces();
        let holm = Reader::Holm.read(stream, &pieces);
        assert!(holm.text.contains(" \"holm\" caf\u{e9}"), "{}", stream.name());
        for reader in Reader::ALL.into_iter().filter(|reader| reader.reads(stream)) {
            assert!(
                reader.read(stream, &pieces) == holm,
                "{} reads {} otherwise",
                reader.name(),
                stream.name()
            );
        }
    }
}

#[test]
fn a_varied_stream_has_text_reasoning_and_a_call() {
    let said = Reader::Holm.read(Stream::ChatVaried, &Stream::ChatVaried.pieces());
    assert!(said != Said::default() && !said.thinking.is_empty());
    assert!(said.arguments.starts_with("{\"text\": \"holm "), "{:.40}", said.arguments);
}
