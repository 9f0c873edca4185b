use std::io::Cursor;

use proptest::prelude::*;

use super::{GgufError, GgufHead, GgufKind};

/// Writes heads, right and wrong ones.
#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn head(version: u32, tensors: u64, pairs: u64) -> Self {
        let mut out = Self(b"GGUF".to_vec());
        out.0.extend(version.to_le_bytes());
        out.0.extend(tensors.to_le_bytes());
        out.0.extend(pairs.to_le_bytes());
        out
    }

    fn text(mut self, text: &str) -> Self {
        self.0.extend((text.len() as u64).to_le_bytes());
        self.0.extend(text.as_bytes());
        self
    }

    fn string(self, key: &str, value: &str) -> Self {
        self.text(key).u32(8).text(value)
    }

    fn number(self, key: &str, value: u32) -> Self {
        self.text(key).u32(4).u32(value)
    }

    fn u32(mut self, number: u32) -> Self {
        self.0.extend(number.to_le_bytes());
        self
    }

    fn u64(mut self, number: u64) -> Self {
        self.0.extend(number.to_le_bytes());
        self
    }

    fn tensor(self, kind: u32, numbers: u64, offset: u64) -> Self {
        self.text("blk.0").u32(1).u64(numbers).u32(kind).u64(offset)
    }

    /// Fills up to where the tensors begin, and adds this many bytes of them.
    fn data(mut self, bytes: usize) -> Vec<u8> {
        let begin = self.0.len().next_multiple_of(32);
        self.0.resize(begin + bytes, 0);
        self.0
    }
}

fn read(bytes: &[u8]) -> Result<GgufHead, GgufError> {
    GgufHead::read(Cursor::new(bytes), bytes.len() as u64)
}

fn small() -> Vec<u8> {
    Writer::head(3, 1, 6)
        .string("general.architecture", "llama")
        .string("general.name", "Small")
        .number("llama.context_length", 2048)
        .text("tokenizer.ggml.tokens")
        .u32(9)
        .u32(8)
        .u64(2)
        .text("a")
        .text("b")
        .string("tokenizer.chat_template", "{{ messages }}")
        .text("llama.rope.freq_base")
        .u32(6)
        .u32(0)
        .tensor(8, 64, 0)
        .data(68)
}

#[test]
fn a_whole_file_tells_what_it_is() {
    let head = read(&small()).unwrap();
    assert_eq!(
        (head.name.as_str(), head.architecture.as_str(), head.context),
        ("Small", "llama", Some(2048))
    );
    assert_eq!((head.kind, head.template, head.parameters), (GgufKind::Model, true, 64));
    assert_eq!(head.clone().expect(GgufKind::Model), Ok(head.clone()));
    assert_eq!(
        head.expect(GgufKind::Adapter).unwrap_err().to_string(),
        "this is a model, but an adapter is required"
    );
}

#[test]
fn a_file_cut_anywhere_is_truncated_and_nothing_else() {
    let file = small();
    for length in 4..file.len() {
        let cut = read(&file[..length]);
        assert!(matches!(cut, Err(GgufError::Truncated { .. })), "{length}: {cut:?}");
    }
}

#[test]
fn files_that_are_none_are_refused_with_their_reason() {
    let check = |bytes: Vec<u8>, expect: &str| assert_eq!(read(&bytes).unwrap_err().to_string(), expect);
    check(b"PK".to_vec(), "not a GGUF file: it starts with other bytes");
    check(vec![0; 64], "not a GGUF file: it starts with other bytes");
    check(Writer::head(1, 0, 0).0, "GGUF version 1 is not supported; versions 2 and 3 are");
    let many = "the file is damaged: it declares more parts than any model has; fetch it again";
    check(Writer::head(3, u64::MAX, 0).0, many);
    check(Writer::head(3, 0, u64::MAX).0, many);
    let nameless = "the file is damaged: it does not name its architecture; fetch it again";
    check(Writer::head(3, 0, 0).0, nameless);
    let llama = |tensors| Writer::head(3, tensors, 1).string("general.architecture", "llama");
    check(
        llama(1).tensor(4, 32, 0).data(64),
        "tensors of type 4 are not supported; choose another quantisation of the model",
    );
    let beyond = "the file is damaged: a tensor is larger than any file; fetch it again";
    check(llama(1).tensor(0, u64::MAX, 0).data(64), beyond);
    check(llama(1).tensor(0, 4, u64::MAX).data(64), beyond);
    check(
        llama(1).tensor(8, 33, 0).data(64),
        "the file is damaged: a tensor is not a whole number of blocks; fetch it again",
    );
    let odd = Writer::head(3, 0, 1).text("x").u32(99).0;
    check(odd, "the file is damaged: a value has an unknown type; fetch it again");
}

#[test]
fn lengths_are_not_believed() {
    let huge = Writer::head(3, 0, 1).text("x").u32(8).u64(u64::MAX).0;
    assert!(matches!(read(&huge), Err(GgufError::Truncated { .. })));
    let list = Writer::head(3, 0, 1).text("x").u32(9).u32(4).u64(u64::MAX).0;
    assert_eq!(read(&list), Err(GgufError::Damaged("a list is too long")));
    let mut nested = Writer::head(3, 0, 1).text("x").u32(9);
    for _ in 0..8 {
        nested = nested.u32(9).u64(1);
    }
    assert_eq!(read(&nested.0), Err(GgufError::Damaged("a list is too long")));
}

#[test]
fn a_model_that_does_not_fit_says_so() {
    let head = GgufHead { size: 4 << 30, cache_per_token: 1 << 20, ..GgufHead::default() };
    assert_eq!(head.fits(1024, 1 << 30), Err(GgufError::TooBig { needs: 5504, has: 1024 }));
    assert_eq!(head.fits(1024, 8 << 30), Ok(()));
}

#[test]
fn a_missing_file_is_named() {
    let message = GgufHead::open("/nowhere/model.gguf".as_ref()).unwrap_err().to_string();
    assert!(message.starts_with("/nowhere/model.gguf cannot be read: "), "{message}");
    let message = GgufHead::open("/".as_ref()).unwrap_err().to_string();
    assert_eq!(message, "/ cannot be read: it is not a file");
}

proptest! {
    #[test]
    fn no_change_of_a_byte_makes_the_reader_fail_otherwise_than_with_an_error(
        at in 0_usize..400, byte: u8, cut in 0_usize..400,
    ) {
        let mut bytes = small();
        let length = bytes.len();
        bytes[at % length] = byte;
        bytes.truncate(length - cut % length);
        let _ = read(&bytes);
    }

    #[test]
    fn noise_behind_a_head_is_survived(noise in proptest::collection::vec(any::<u8>(), 0..300), pairs in 0_u64..8, tensors in 0_u64..8) {
        let mut bytes = Writer::head(3, tensors, pairs).0;
        bytes.extend(noise);
        let _ = read(&bytes);
    }
}
