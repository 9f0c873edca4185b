use futures::FutureExt as _;

use super::RunAdmission;
use crate::{ServerLimits, auth::UserName};

#[test]
fn whoever_rests_lets_others_work_and_waits_like_them_afterwards() {
    let admission = RunAdmission::new(&ServerLimits { runs_per_user: 1, ..ServerLimits::default() });
    let ada: UserName = "ada".parse().unwrap();
    let take = || admission.queue(&ada).unwrap().turn().now_or_never().flatten();
    let first = take().unwrap();
    assert!(take().is_none(), "one at a time");
    let resting = first.rest();
    let second = take().unwrap();
    let mut again = Box::pin(resting.over().turn());
    assert!(again.as_mut().now_or_never().is_none(), "it takes no turn from whoever works");
    drop(second);
    assert!(again.now_or_never().flatten().is_some());
    assert!(take().is_some(), "and gives it back");
}
