use std::sync::Arc;

use super::{MOST, PriorCache, PriorKey, mean, most_gained};

fn catalogue(system: &str, names: &[&str]) -> PriorKey {
    PriorKey { system: system.into(), names: names.iter().copied().map(String::from).collect() }
}

fn close(found: &[f64], expect: &[f64]) -> bool {
    found.len() == expect.len() && found.iter().zip(expect).all(|(one, other)| (one - other).abs() < 1e-9)
}

#[test]
fn the_name_that_gains_most_is_taken_and_not_the_likeliest() {
    for (likely, priors, written, expect) in [
        // The first is likelier, but it would be without a request too.
        (&[-0.1, -2.0][..], &[-0.2, -5.0][..], 0, 1),
        (&[-0.1, -9.0], &[-3.0, -5.0], 1, 0),
        (&[-0.1, -9.0], &[-3.0, -5.0], 0, 0),
        (&[-1.0, -2.0, -3.0], &[-3.0, -3.0, -9.0], 0, 2),
    ] {
        assert_eq!(most_gained(likely, priors, written), expect, "{likely:?} over {priors:?}");
    }
}

#[test]
fn what_is_written_stays_where_nothing_gains_more() {
    assert_eq!(most_gained(&[-1.0, -1.0], &[-2.0, -2.0], 1), 1);
    assert_eq!(most_gained(&[], &[], 4), 4);
    assert_eq!(most_gained(&[-1.0, -0.5], &[-2.0], 0), 0, "a name without a prior cannot be judged");
    assert_eq!(most_gained(&[f64::NAN, -1.0], &[-1.0, -1.0], 1), 1);
}

#[test]
fn measurements_are_averaged_name_by_name() {
    assert!(close(&mean(&[vec![-1.0, -8.0], vec![-2.0, -2.0], vec![-3.0, -2.0]]), &[-2.0, -4.0]));
    assert!(close(&mean(&[vec![-1.0]]), &[-1.0]));
    assert!(mean(&[]).is_empty());
}

#[test]
fn priors_belong_to_their_catalogue() {
    let mut priors = PriorCache::default();
    let known = catalogue("Two tools.", &["read", "list"]);
    assert_eq!(priors.get(&known), None);
    priors.keep(known.clone(), Arc::from([-1.0, -2.0]));
    assert!(close(&priors.get(&known).unwrap(), &[-1.0, -2.0]));
    assert_eq!(priors.get(&catalogue("Two tools.", &["list", "read"])), None, "another order");
    assert_eq!(priors.get(&catalogue("Two other tools.", &["read", "list"])), None, "other descriptions");
    priors.keep(known.clone(), Arc::from([-3.0, -4.0]));
    assert!(close(&priors.get(&known).unwrap(), &[-3.0, -4.0]), "the later measurement counts");
}

#[test]
fn only_so_many_catalogues_are_kept() {
    let mut priors = PriorCache::default();
    let number = |number: usize| catalogue(&number.to_string(), &["a", "b"]);
    for at in 0..=MOST {
        priors.keep(number(at), Arc::from([-1.0, -2.0]));
    }
    assert_eq!(priors.get(&number(0)), None, "the oldest went");
    assert!(priors.get(&number(1)).is_some() && priors.get(&number(MOST)).is_some());
}
