use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::{HANDOVER_WAIT, NOTICED, answers, watched_by_server};

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

#[test]
fn the_server_frees_the_lease_of_a_machine_that_vanished_before_a_run_is_handed_over() {
    let statement = watched_by_server();
    let setting = |name: &str| -> u64 {
        let (_, rest) = statement.split_once(&format!("SET {name} = ")).unwrap();
        rest.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
    };
    let silent =
        setting("tcp_keepalives_idle") + setting("tcp_keepalives_interval") * setting("tcp_keepalives_count");
    assert!(silent < HANDOVER_WAIT.as_secs(), "{silent}");
    assert!(u128::from(setting("tcp_user_timeout")) < HANDOVER_WAIT.as_millis());
}
