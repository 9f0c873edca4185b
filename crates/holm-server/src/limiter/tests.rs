use std::time::{Duration, Instant};

use super::RateLimiter;

#[test]
fn a_bucket_is_emptied_and_filled_again() {
    let (limiter, start) = (RateLimiter::new(2), Instant::now());
    assert_eq!(limiter.take(&"a", start), Ok(()));
    assert_eq!(limiter.take(&"a", start), Ok(()));
    assert_eq!(limiter.take(&"a", start), Err(30));
    assert_eq!(limiter.take(&"b", start), Ok(()), "somebody else has a bucket of their own");
    let later = start + Duration::from_secs(30);
    assert_eq!(limiter.take(&"a", later), Ok(()));
    assert_eq!(limiter.take(&"a", later), Err(30));
}

#[test]
fn a_bucket_holds_no_more_than_a_minute() {
    let (limiter, start) = (RateLimiter::new(2), Instant::now());
    let later = start + Duration::from_secs(3_600);
    assert_eq!(limiter.take(&"a", start), Ok(()));
    assert_eq!(limiter.take(&"a", later), Ok(()));
    assert_eq!(limiter.take(&"a", later), Ok(()));
    assert!(limiter.take(&"a", later).is_err());
}
