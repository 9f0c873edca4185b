use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::{NOTICED, answers};

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_answer_costs_the_lease_in_time() {
    let begun = Instant::now();
    assert!(!answers(std::future::pending()).await);
    assert!(begun.elapsed() < NOTICED);
    let late = async {
        sleep(Duration::from_secs(5)).await;
        Ok(())
    };
    assert!(answers(late).await, "a server that is slow keeps it");
}
