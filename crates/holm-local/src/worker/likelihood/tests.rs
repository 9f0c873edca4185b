use super::{LEAST, TextLikelihood, log_share};

/// Three tokens, of which the first is half of all and the others a quarter each.
fn logits() -> [f32; 3] {
    [2.0_f32.ln(), 0.0, 0.0]
}

fn check(found: f64, expect: f64) {
    assert!((found - expect).abs() < 1e-6, "{found} is not {expect}");
}

#[test]
fn shares_add_up_to_one() {
    check(log_share(&logits(), &[0]), 0.5_f64.ln());
    check(log_share(&logits(), &[1]), 0.25_f64.ln());
    check(log_share(&logits(), &[0, 2]), 0.75_f64.ln());
    check(log_share(&logits(), &[0, 1, 2]), 0.0);
    check(log_share(&[1000.0, 1000.0], &[1]), 0.5_f64.ln());
}

#[test]
fn a_text_weighs_what_its_tokens_and_the_closing_one_weigh_together() {
    let mut scale = TextLikelihood::new(vec![0, 1], vec![1, 2]);
    for after in 0..3 {
        assert!(!scale.is_done());
        scale.look(after, &logits());
    }
    assert!(scale.is_done());
    check(scale.likely(), (0.5_f64 * 0.25 * 0.5).ln());
}

#[test]
fn a_place_that_is_computed_again_counts_once() {
    let mut scale = TextLikelihood::new(vec![0], vec![1]);
    for after in [0, 0, 1, 0, 1] {
        scale.look(after, &logits());
    }
    assert!(scale.is_done());
    check(scale.likely(), (0.5_f64 * 0.25).ln());
}

#[test]
fn what_cannot_be_weighs_next_to_nothing_and_is_a_number() {
    for (logits, closing) in [
        (&[0.0, f32::NEG_INFINITY][..], &[1][..]),
        (&[0.0], &[9]),
        (&[0.0], &[]),
        (&[f32::NAN], &[0]),
        (&[], &[0]),
    ] {
        let mut scale = TextLikelihood::new(Vec::new(), closing.to_vec());
        scale.look(0, logits);
        assert!(scale.is_done());
        check(scale.likely(), LEAST);
    }
}
