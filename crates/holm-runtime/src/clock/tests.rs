use super::*;

#[tokio::test]
async fn a_fast_clock_makes_a_minute_short() {
    let clock = FastClock::new(6_000);
    let (began, from) = (Instant::now(), clock.now());
    clock.sleep_until(from.plus(60_000)).await;
    assert!(clock.now().since(from) >= 60_000, "the time has come");
    assert!(began.elapsed() < Duration::from_secs(30));
}

#[test]
fn the_clock_of_the_machine_shows_its_time() {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    assert!(SystemClock::new().now().since(Timestamp::new(millis(now))) < 60_000);
}

#[test]
fn the_clock_of_the_machine_follows_its_time_forward_and_never_back() {
    let real = machine_time();
    let made = |epoch_ms| SystemClock(FastClock { began: Instant::now(), epoch_ms, factor: 1 });
    // As after a suspend: the machine's time has gone on by an hour that the timer did not see.
    let slept = made(real.value().saturating_sub(3_600_000));
    assert!(slept.now() >= real);
    // As after the machine's time was set back by an hour.
    let ahead = made(real.value() + 3_600_000);
    assert!(ahead.now() >= real.plus(3_600_000));
}

#[tokio::test(start_paused = true)]
async fn a_long_sleep_ends_when_its_time_has_come_by_the_timer() {
    let clock = SystemClock::new();
    let began = tokio::time::Instant::now();
    clock.sleep_until(clock.now().plus(60_000)).await;
    assert!(began.elapsed() >= Duration::from_secs(59), "{:?}", began.elapsed());
    clock.sleep_until(clock.now()).await;
}
