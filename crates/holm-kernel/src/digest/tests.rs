use alloc::{string::String, vec::Vec};
use core::fmt::Write as _;

use proptest::prelude::*;

use super::{START, STEP, StreamHasher, hex, sha256_hex};

/// The definition read off its documentation, without streaming.
fn by_the_book(bytes: &[u8]) -> u64 {
    let mut padded = bytes.to_vec();
    let full = bytes.len() / 8 * 8;
    padded.resize(full + 8, 0);
    let step = |acc: u64, lane: u64| {
        let product = u128::from(acc ^ lane) * u128::from(STEP);
        let fold =
            u64::try_from(product >> 64).unwrap() ^ u64::try_from(product & u128::from(u64::MAX)).unwrap();
        fold.wrapping_add(acc.rotate_left(29))
    };
    let lanes = padded.chunks(8).map(|lane| u64::from_le_bytes(lane.try_into().unwrap()));
    crate::rng::scramble(step(lanes.fold(START, step), bytes.len() as u64))
}

fn of(bytes: &[u8]) -> u64 {
    StreamHasher::new().bytes(bytes).finish()
}

#[test]
fn the_hash_is_pinned_for_ever() {
    let actual = [of(b""), of(b"a"), of(b"holm holm"), StreamHasher::new().u64(1).str("x").finish()];
    assert_eq!(actual, PINNED, "{actual:#x?}");
}

const PINNED: [u64; 4] =
    [0x99fb_28c7_ef40_e91c, 0x1282_1227_999f_1f47, 0x5d9d_e18b_c3a6_2fa8, 0xc504_29eb_b51d_c198];

#[test]
fn the_length_of_a_text_is_part_of_it() {
    let two = |a: &str, b: &str| StreamHasher::new().str(a).str(b).finish();
    assert_ne!(two("ab", "c"), two("a", "bc"));
    assert_ne!(two("", "a"), two("a", ""));
}

#[test]
fn zeros_at_the_end_count() {
    assert_ne!(of(b"a"), of(b"a\0"));
    assert_ne!(of(b""), of(&[0; 8]));
}

#[test]
fn a_lane_that_equals_the_accumulator_keeps_what_came_before() {
    let meet = |first: u64| {
        let mut digest = StreamHasher::new();
        digest.u64(first);
        let acc = digest.acc;
        digest.u64(acc).u64(5).finish()
    };
    assert_ne!(meet(1), meet(2));
}

#[test]
fn a_writer_may_write_into_the_hash() {
    let mut digest = StreamHasher::new();
    write!(digest, "{}-ab", 12).unwrap();
    assert_eq!(digest.finish(), of(b"12-ab"));
}

#[test]
fn short_keys_do_not_collide() {
    let mut seen: Vec<u64> = (0_u64..50_000).map(|n| StreamHasher::new().u64(n).finish()).collect();
    seen.extend((0_u64..50_000).map(|n| {
        let mut text = String::new();
        write!(text, "key {n}").unwrap();
        StreamHasher::new().str(&text).finish()
    }));
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 100_000);
}

#[test]
fn every_input_bit_changes_about_half_of_the_output() {
    for bit in 0..128 {
        let mut bytes = *b"sixteen bytes ok";
        let before = of(&bytes);
        bytes[bit / 8] ^= 1 << (bit % 8);
        let changed = (before ^ of(&bytes)).count_ones();
        assert!((10..=54).contains(&changed), "bit {bit} changed {changed}");
    }
}

#[test]
fn sha256_separates_its_parts() {
    assert_ne!(sha256_hex(&[b"ab", b"c"]), sha256_hex(&[b"a", b"bc"]));
    // No part at all is the hash of nothing, which everybody can look up.
    assert_eq!(sha256_hex(&[]), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

#[test]
fn hex_is_lower_case_and_two_digits_a_byte() {
    assert_eq!(hex(&[0, 9, 10, 255]), "00090aff");
}

proptest! {
    #[test]
    fn splitting_does_not_matter(bytes: Vec<u8>, cuts in prop::collection::vec(0_usize..9, 0..40)) {
        let mut digest = StreamHasher::new();
        let mut rest = bytes.as_slice();
        for cut in cuts {
            let (now, later) = rest.split_at(cut.min(rest.len()));
            if let Ok(lane) = <[u8; 8]>::try_from(now) {
                digest.u64(u64::from_le_bytes(lane));
            } else {
                digest.bytes(now);
            }
            rest = later;
        }
        prop_assert_eq!(digest.bytes(rest).finish(), by_the_book(&bytes));
    }
}
