//! A gate at which a reply waits until a test opens it.

use std::{
    sync::{Arc, Condvar, Mutex},
    time::Duration,
};

/// A gate at which a reply waits until the test opens it.
#[derive(Clone, Default)]
pub(crate) struct Door(Arc<(Mutex<bool>, Condvar)>);

impl Door {
    pub(crate) fn open(&self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }

    pub(crate) fn pass(&self) {
        let shut = |open: &mut bool| !*open;
        let wait = Duration::from_secs(120);
        drop(self.0.1.wait_timeout_while(self.0.0.lock().unwrap(), wait, shut).unwrap());
    }
}
