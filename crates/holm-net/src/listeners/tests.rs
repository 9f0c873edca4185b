use std::net::{IpAddr, UdpSocket};

use super::ListenerRegistry;

fn check(bound: &str, target: &str, own: bool) {
    let listeners = ListenerRegistry::default();
    let _door = listeners.register(bound.parse().unwrap());
    assert_eq!(listeners.own(target.parse().unwrap()), own, "{bound} reached as {target}");
}

#[test]
fn a_listener_is_found_under_every_address_that_leads_to_it() {
    check("127.0.0.1:80", "127.0.0.1:80", true);
    check("127.0.0.1:80", "127.9.9.9:80", true);
    check("127.0.0.1:80", "[::1]:80", true);
    check("127.0.0.1:80", "[::ffff:127.0.0.1]:80", true);
    check("[::ffff:127.0.0.1]:80", "127.0.0.1:80", true);
    check("0.0.0.0:80", "127.0.0.1:80", true);
    check("[::]:80", "127.0.0.1:80", true);
    check("[::]:80", "[::1]:80", true);
    check("10.1.2.3:80", "10.1.2.3:80", true);
}

#[test]
fn other_ports_and_other_machines_are_not_ours() {
    check("127.0.0.1:80", "127.0.0.1:81", false);
    check("0.0.0.0:80", "93.184.216.34:80", false);
    check("10.1.2.3:80", "10.1.2.4:80", false);
    check("10.1.2.3:80", "127.0.0.1:80", false);
}

#[test]
fn a_listener_on_every_interface_is_found_under_the_address_of_each() {
    let socket = UdpSocket::bind("0.0.0.0:0").unwrap();
    // Where there is no way out there is no second address to be found under.
    if socket.connect("93.184.216.34:9").is_err() {
        return check("0.0.0.0:80", "127.0.0.1:80", true);
    }
    let own: IpAddr = socket.local_addr().unwrap().ip();
    check("0.0.0.0:80", &format!("{own}:80"), true);
    check("0.0.0.0:80", &format!("{own}:81"), false);
}

#[test]
fn a_listener_that_was_registered_twice_is_forgotten_after_the_second_drop() {
    let listeners = ListenerRegistry::default();
    let address = "127.0.0.1:80".parse().unwrap();
    let (first, second) = (listeners.register(address), listeners.register(address));
    drop(first);
    assert!(listeners.own(address));
    drop(second);
    assert!(!listeners.own(address));
}
