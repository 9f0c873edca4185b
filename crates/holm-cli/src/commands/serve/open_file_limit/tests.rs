use rustix::process::{Resource, getrlimit};

use super::{MOST, raise};

#[test]
fn as_many_files_may_be_open_as_the_system_allows() {
    raise();
    let now = getrlimit(Resource::Nofile);
    let allowed = now.maximum.map_or(MOST, |maximum| maximum.min(MOST));
    assert!(now.current.is_none_or(|current| current >= allowed), "{now:?}");
}
