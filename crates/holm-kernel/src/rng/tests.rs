use proptest::prelude::*;

use super::{GAMMA, mix, scramble};

#[test]
fn the_output_step_is_that_of_splitmix64() {
    // The first outputs for seed 1234567, as published with the algorithm.
    let outputs: [u64; 5] = core::array::from_fn(|at| {
        let steps = at as u64 + 1;
        scramble(GAMMA.wrapping_mul(steps).wrapping_add(1_234_567))
    });
    assert_eq!(
        outputs,
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
    assert_eq!(
        [mix(0, 0, 0), mix(7, 1, 0), mix(7, 0, 1)],
        [0x2382_75bc_38fc_be91, 0xc3df_ac2b_24ac_86ae, 0xfbca_6623_87d9_c66d]
    );
}

#[test]
fn jitter_is_spread_evenly() {
    let mut counts = [0_u32; 10];
    for call in 0..10_000 {
        counts[usize::try_from(mix(42, call, 1) % 10).unwrap()] += 1;
    }
    assert!(counts.iter().all(|count| (900..1100).contains(count)), "{counts:?}");
}

proptest! {
    #[test]
    fn neighbouring_coordinates_give_different_numbers(seed: u64, a: u64, b: u64) {
        let here = mix(seed, a, b);
        prop_assert_ne!(here, mix(seed, a.wrapping_add(1), b));
        prop_assert_ne!(here, mix(seed, a, b.wrapping_add(1)));
        prop_assert_ne!(here, mix(seed.wrapping_add(1), a, b));
    }
}
