use super::process;

#[test]
fn a_process_is_read_whatever_it_calls_itself() {
    for name in ["sh", "a b", ") S 1 1", "(((", ""] {
        let line = format!(
            "42 ({name}) S 7 42 42 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 5 1000 123 18446744073709551615 1"
        );
        let read = process(&line).unwrap();
        assert_eq!((read.parent, read.resident), (7, 123), "{name}");
    }
    assert!(process("").is_none());
    assert!(process("42 (sh) S").is_none());
}

#[test]
fn this_process_is_among_the_processes() {
    let own = i32::try_from(std::process::id()).unwrap();
    assert!(super::processes().get(&own).unwrap().resident > 0);
}
