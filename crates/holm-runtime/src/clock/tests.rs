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
