use proptest::prelude::*;

use super::{Rng, mix, scale};

#[test]
fn the_stream_is_pinned_for_ever() {
    // The first outputs of SplitMix64 for seed 1234567, as published with the algorithm.
    let mut rng = Rng::new(1_234_567);
    let first: [u64; 5] = core::array::from_fn(|_| rng.next());
    assert_eq!(
        first,
        [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ]
    );
}

#[test]
fn the_derivation_is_pinned_for_ever() {
    assert_eq!(mix(0, 0, 0), PINNED_MIX[0]);
    assert_eq!(mix(7, 1, 0), PINNED_MIX[1]);
    assert_eq!(mix(7, 0, 1), PINNED_MIX[2]);
}

const PINNED_MIX: [u64; 3] = [0x2382_75bc_38fc_be91, 0xc3df_ac2b_24ac_86ae, 0xfbca_6623_87d9_c66d];

#[test]
fn a_bound_of_zero_or_one_leaves_only_zero() {
    let mut rng = Rng::new(9);
    assert_eq!((rng.below(0), rng.below(1)), (0, 0));
}

#[test]
fn the_ends_of_the_range_are_reached() {
    assert_eq!(scale(u64::MAX, 10), 9);
    assert_eq!(scale(0, 10), 0);
    assert_eq!(scale(u64::MAX, u64::MAX), u64::MAX - 1);
}

#[test]
fn a_stored_stream_goes_on_where_it_stopped() {
    let mut rng = Rng::new(3);
    rng.next();
    let json = serde_json::to_string(&rng).unwrap();
    let mut restored: Rng = serde_json::from_str(&json).unwrap();
    assert_eq!(restored.next(), rng.next());
}

#[test]
fn numbers_below_a_bound_are_spread_evenly() {
    let mut rng = Rng::new(42);
    let mut counts = [0_u32; 10];
    for _ in 0..10_000 {
        counts[usize::try_from(rng.below(10)).unwrap()] += 1;
    }
    assert!(counts.iter().all(|count| (900..1100).contains(count)), "{counts:?}");
}

proptest! {
    #[test]
    fn every_number_is_below_its_bound(seed: u64, bound in 1..=u64::MAX) {
        prop_assert!(Rng::new(seed).below(bound) < bound);
    }

    #[test]
    fn neighbouring_coordinates_give_different_numbers(seed: u64, a: u64, b: u64) {
        let here = mix(seed, a, b);
        prop_assert_ne!(here, mix(seed, a.wrapping_add(1), b));
        prop_assert_ne!(here, mix(seed, a, b.wrapping_add(1)));
        prop_assert_ne!(here, mix(seed.wrapping_add(1), a, b));
    }
}
