//! The provider double is itself checked: what the SDKs accept is what providers send.

use holm_testkit::double::{Double, rehearsed};

use crate::python::script;

#[test]
fn official_sdks_accept_what_the_double_sends() {
    let double = Double::answering(rehearsed).expect("a port");
    let output = script("test_double.py")
        .env("HOLM_DOUBLE", format!("http://{}", double.address()))
        // What the machine's environment says about proxies does not concern the loopback interface.
        .env("NO_PROXY", "127.0.0.1")
        .output()
        .expect("Python starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(double.requests().len() > 40, "the SDKs did call");
}
