use super::{check, same};

#[test]
fn an_endless_writer_ends_with_its_reader() {
    check("yes | head -3", 0, "y\ny\ny\n");
    check("yes long line | head -n 1000 | wc -l", 0, "1000\n");
    check("while true; do echo x; done | head -2", 0, "x\nx\n");
    check("seq 1000000000 | head -1", 0, "1\n");
    check("set -o pipefail; yes | head -1 >/dev/null; echo $?", 0, "141\n");
}

#[test]
fn much_goes_through_a_small_pipe() {
    same("seq 100000 | cat | tail -1; seq 50000 | sort -rn | head -2 | tr '\\n' ' '");
    same("seq 20000 | while read n; do echo $n; done | tail -1");
}

#[test]
fn functions_have_a_deepest_call() {
    // Unoptimised code takes far more stack than what is shipped, for which the sandbox's own tests ask the same.
    let deep = || crate::run_script("f() { f; }; f", "", "/");
    let ran = std::thread::Builder::new().stack_size(256 << 20).spawn(deep).unwrap().join();
    let (status, _, complaints) = ran.unwrap();
    assert_eq!(status, 1);
    assert!(complaints.contains("nested deeper than"), "{complaints}");
}

#[test]
fn scripts_read_their_input() {
    let (status, output, _) = crate::run_script("read a; echo \"<$a>\"; cat", "one\ntwo\nthree\n", "/");
    assert_eq!((status, output.as_str()), (0, "<one>\ntwo\nthree\n"));
}

#[test]
fn what_a_word_takes_from_a_command_is_bounded() {
    let (_, output, _) = crate::run_script("x=$(yes); echo ${#x}", "", "/");
    let length: usize = output.trim().parse().unwrap();
    assert!(length > 10 << 20 && length <= 16 << 20, "{length}");
}
