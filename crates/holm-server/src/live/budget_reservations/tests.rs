use std::sync::{Arc, Mutex};

use holm_kernel::NanoUsd;
use holm_runtime::EventSink as _;

use super::{BudgetReservation, BudgetReservations, ReservationRequest, UserBudget};
use crate::{
    SessionId,
    auth::{TokenRegistry, UserName},
    live::event_meter::EventMeter,
    metrics::RunMeter,
};

/// The ceiling that was reported last to a run, if any.
type Told = Arc<Mutex<Option<u64>>>;

fn usd(value: u64) -> NanoUsd {
    NanoUsd::new(value)
}

fn id(session: &str) -> SessionId {
    session.parse().unwrap()
}

fn begins(session: &str, own: Option<u64>, spent: u64) -> (ReservationRequest, Told) {
    let reported = Told::default();
    let recorded = Arc::clone(&reported);
    let tell = Box::new(move |ceiling: NanoUsd| {
        *recorded.lock().unwrap() = Some(ceiling.value());
        true
    });
    (ReservationRequest { session: id(session), own: own.map(usd), spent: usd(spent), tell }, reported)
}

/// A run begins while so much is left of the budget.
fn begin(purse: &Arc<UserBudget>, left: u64, begins: ReservationRequest) -> Result<BudgetReservation, u16> {
    let before = purse.lock().left();
    purse.share(usd(left), &before, begins).map_err(|refusal| refusal.status.as_u16())
}

fn ceiling(hold: &BudgetReservation) -> u64 {
    hold.ceiling.unwrap().value()
}

#[test]
fn one_run_has_all_that_is_left_and_a_second_an_equal_share() {
    let purse = Arc::new(UserBudget::default());
    let (first, reported) = begins("one", None, 5);
    let first = begin(&purse, 100, first).unwrap();
    assert_eq!(ceiling(&first), 105, "what was spent before, and all that is left");
    let (second, _) = begins("two", None, 0);
    let second = begin(&purse, 100, second).unwrap();
    assert_eq!((ceiling(&second), *reported.lock().unwrap()), (50, Some(55)));
    drop(second);
    let (third, _) = begins("three", None, 0);
    assert_eq!(ceiling(&begin(&purse, 100, third).unwrap()), 50);
    drop(first);
}

#[test]
fn what_a_run_cannot_use_by_its_own_bound_is_for_the_others() {
    let purse = Arc::new(UserBudget::default());
    let (small, _) = begins("small", Some(10), 0);
    let small = begin(&purse, 100, small).unwrap();
    assert_eq!(ceiling(&small), 10);
    let (large, _) = begins("large", None, 0);
    assert_eq!(ceiling(&begin(&purse, 100, large).unwrap()), 90);
}

#[test]
fn all_shares_together_are_never_more_than_what_is_left() {
    let purse = Arc::new(UserBudget::default());
    let (mut holds, mut left) = (Vec::new(), 1_000_u64);
    for round in 0_u64..40 {
        let (run, _) = begins(&format!("s-{round}"), (round % 3 == 0).then_some(40), 0);
        if let Ok(hold) = begin(&purse, left, run) {
            holds.push(hold);
        }
        // Every second run spends a part of its share; a run that gets low may receive more.
        let names: Vec<_> = purse.lock().open.keys().cloned().collect();
        for name in names.iter().step_by(2) {
            let (spent, cost) = {
                let shares = purse.lock();
                let share = &shares.open[name];
                (share.spent.value(), share.left().value().min(7))
            };
            purse.lock().spent(name, usd(spent + cost));
            left -= cost;
        }
        if round % 5 == 0 {
            holds.pop();
        }
        let shares = purse.lock();
        let sum: u64 = shares.open.values().map(|share| share.left().value()).sum();
        assert!(sum <= left, "round {round}: {sum} of {left}");
    }
}

#[test]
fn a_share_that_runs_low_gets_of_what_others_do_not_use() {
    let purse = Arc::new(UserBudget::default());
    let (first, reported) = begins("one", None, 0);
    let _first = begin(&purse, 100, first).unwrap();
    let (second, other) = begins("two", None, 0);
    let _second = begin(&purse, 100, second).unwrap();
    assert_eq!(*reported.lock().unwrap(), Some(50));
    purse.lock().spent(&id("one"), usd(40));
    assert_eq!(*reported.lock().unwrap(), Some(70), "60 are left for two, and 40 were spent");
    assert_eq!(*other.lock().unwrap(), Some(30));
}

#[test]
fn what_a_reply_cost_beyond_a_share_is_not_given_to_anybody() {
    let purse = Arc::new(UserBudget::default());
    let (first, reported) = begins("one", None, 0);
    let first = begin(&purse, 100, first).unwrap();
    let (second, other) = begins("two", None, 0);
    let _second = begin(&purse, 100, second).unwrap();
    purse.lock().spent(&id("one"), usd(60));
    assert_eq!((*reported.lock().unwrap(), *other.lock().unwrap()), (Some(80), Some(20)), "40 are left");
    purse.lock().spent(&id("one"), usd(95));
    drop(first);
    assert_eq!(purse.lock().aside(), usd(5), "what the second has, and no more");
}

#[test]
fn whoever_finds_nothing_left_is_refused() {
    let purse = Arc::new(UserBudget::default());
    let (run, _) = begins("one", None, 7);
    assert_eq!(begin(&purse, 0, run).err(), Some(402));
    assert!(purse.lock().open.is_empty());
    let (run, _) = begins("one", None, 7);
    let _one = begin(&purse, 1, run).unwrap();
    purse.lock().spent(&id("one"), usd(8));
    let (run, _) = begins("two", None, 0);
    assert_eq!(begin(&purse, 0, run).err(), Some(402));
}

#[test]
fn what_was_passed_on_to_helpers_is_not_taken_back_for_another_run() {
    let purse = Arc::new(UserBudget::default());
    let (first, reported) = begins("one", None, 0);
    let _first = begin(&purse, 100, first).unwrap();
    purse.lock().open.get_mut(&id("one")).unwrap().pinning = super::SharePinning::Fast;
    let (second, _) = begins("two", None, 0);
    assert_eq!(begin(&purse, 100, second).err(), Some(402));
    assert_eq!(*reported.lock().unwrap(), None);
    // A budget that was lowered is lowered, helpers or not.
    let before = purse.lock().left();
    purse.lock().shrink(usd(30), &before);
    assert_eq!(*reported.lock().unwrap(), Some(30));
}

#[test]
fn a_run_that_does_not_hear_that_it_has_less_keeps_what_it_has() {
    let purse = Arc::new(UserBudget::default());
    let (mut deaf, _) = begins("one", None, 0);
    deaf.tell = Box::new(|_| false);
    let _deaf = begin(&purse, 100, deaf).unwrap();
    let (second, _) = begins("two", None, 0);
    assert_eq!(begin(&purse, 100, second).err(), Some(402), "nothing is given twice");
}

#[test]
fn what_goes_while_it_is_counted_is_not_given_to_another() {
    let purse = Arc::new(UserBudget::default());
    let (first, _) = begins("one", None, 0);
    let _first = begin(&purse, 100, first).unwrap();
    let before = purse.lock().left();
    // The count was made before this, so it says that 100 are left.
    purse.lock().spent(&id("one"), usd(40));
    let (second, _) = begins("two", None, 0);
    assert_eq!(ceiling(&purse.share(usd(100), &before, second).unwrap()), 30);
}

#[test]
fn what_failed_calls_cost_is_not_given_to_another_run() {
    let folder = tempfile::tempdir().unwrap();
    let keyring = Arc::new(TokenRegistry::open(&folder.path().join("server")).unwrap());
    let purses = Arc::new(BudgetReservations::new(keyring));
    let user: UserName = "ada".parse().unwrap();
    let purse = purses.of(&user);
    let (first, told) = begins("one", None, 0);
    let _first = begin(&purse, 100, first).unwrap();
    let (second, raised) = begins("two", None, 0);
    let _second = begin(&purse, 100, second).unwrap();
    let meter = |session: &str| EventMeter {
        user: user.clone(),
        id: id(session),
        feed: Arc::default(),
        metrics: Arc::default(),
        purses: Arc::clone(&purses),
        told: Mutex::default(),
        runs: RunMeter::default(),
    };
    // No reply arrived in the first run: its calls broke off, and were billed.
    meter("one").spent(usd(24));
    meter("two").spent(usd(40));
    assert_eq!(*raised.lock().unwrap(), Some(58), "36 are left for two");
    assert_eq!(*told.lock().unwrap(), Some(42));
}
