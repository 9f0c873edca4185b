//! Replays the corpora and what once was a finding, on a stable compiler and without a fuzzer.

use std::{collections::BTreeSet, fs, path::Path};

use crate::TARGETS;

fn files(folder: &str) -> Vec<(String, Vec<u8>)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let Ok(entries) = fs::read_dir(path) else { return Vec::new() };
    entries
        .map(|entry| entry.expect("a readable folder"))
        .map(|entry| {
            (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).expect("a file"))
        })
        .collect()
}

#[test]
fn every_corpus_passes() {
    for (name, body) in TARGETS {
        let corpus = files(&format!("corpus/{name}"));
        assert!(!corpus.is_empty(), "{name} has no corpus; fuzz/make-corpora makes it");
        for (file, data) in corpus {
            println!("{name}/{file}");
            body(&data);
        }
    }
}

#[test]
fn every_cut_and_every_flipped_byte_of_a_corpus_passes() {
    for (name, body) in TARGETS {
        for (file, data) in files(&format!("corpus/{name}")) {
            println!("{name}/{file}");
            // A few dozen of each file: all of them are the fuzzer's work.
            let step = (data.len() / 24).max(1);
            for at in (0..data.len()).step_by(step) {
                body(&data[..at]);
                let mut changed = data.clone();
                changed[at] ^= 0x15;
                body(&changed);
            }
        }
    }
}

#[test]
fn every_target_has_a_binary_and_every_binary_a_target() {
    let names: BTreeSet<String> = TARGETS.iter().map(|(name, _)| format!("{name}.rs")).collect();
    let binaries: BTreeSet<String> = files("fuzz_targets").into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, binaries);
}

#[test]
fn corpora_stay_small() {
    for (name, _) in TARGETS {
        let bytes: usize = files(&format!("corpus/{name}")).iter().map(|(_, data)| data.len()).sum();
        assert!(bytes <= 24 << 10, "the corpus of {name} takes {bytes} bytes");
    }
}
