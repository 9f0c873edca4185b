//! Guests with raw sockets, as text: for the tests here, and for those of the way out that tools
//! really have.

const TYPES: &str = r#"
    (import "wasi:io/poll@0.2.0" (instance $poll
        (export "pollable" (type $pollable (sub resource)))
        (export "[method]pollable.block" (func (param "self" (borrow $pollable))))))
    (alias export $poll "pollable" (type $pollable))
    (import "wasi:io/streams@0.2.0" (instance $streams
        (export "input-stream" (type (sub resource))) (export "output-stream" (type (sub resource)))))
    (alias export $streams "input-stream" (type $input))
    (alias export $streams "output-stream" (type $output))
    (import "wasi:sockets/network@0.2.0" (instance $network
        (export "network" (type (sub resource)))
        (type $code0 (enum "unknown" "access-denied" "not-supported" "invalid-argument" "out-of-memory" "timeout"
            "concurrency-conflict" "not-in-progress" "would-block" "invalid-state" "new-socket-limit"
            "address-not-bindable" "address-in-use" "remote-unreachable" "connection-refused" "connection-reset"
            "connection-aborted" "datagram-too-large" "name-unresolvable" "temporary-resolver-failure"
            "permanent-resolver-failure"))
        (export "error-code" (type (eq $code0)))
        (type $family0 (enum "ipv4" "ipv6"))
        (export "ip-address-family" (type (eq $family0)))
        (type $v4a (tuple u8 u8 u8 u8)) (export "ipv4-address" (type $v4 (eq $v4a)))
        (type $v6a (tuple u16 u16 u16 u16 u16 u16 u16 u16)) (export "ipv6-address" (type $v6 (eq $v6a)))
        (type $ip0 (variant (case "ipv4" $v4) (case "ipv6" $v6)))
        (export "ip-address" (type (eq $ip0)))
        (type $s4a (record (field "port" u16) (field "address" $v4)))
        (export "ipv4-socket-address" (type $s4 (eq $s4a)))
        (type $s6a (record (field "port" u16) (field "flow-info" u32) (field "address" $v6) (field "scope-id" u32)))
        (export "ipv6-socket-address" (type $s6 (eq $s6a)))
        (type $socket0 (variant (case "ipv4" $s4) (case "ipv6" $s6)))
        (export "ip-socket-address" (type (eq $socket0)))))
    (alias export $network "network" (type $network-type))
    (alias export $network "error-code" (type $error-code))
    (alias export $network "ip-address" (type $ip-address))
    (alias export $network "ip-address-family" (type $family))
    (alias export $network "ip-socket-address" (type $socket-address))
    (import "wasi:sockets/instance-network@0.2.0" (instance $instance-network
        (alias outer 1 $network-type (type $n0)) (export "network" (type $n (eq $n0)))
        (export "instance-network" (func (result (own $n))))))
    (import "wasi:sockets/ip-name-lookup@0.2.0" (instance $lookup
        (alias outer 1 $network-type (type $n0)) (export "network" (type $n (eq $n0)))
        (alias outer 1 $pollable (type $p0)) (export "pollable" (type $p (eq $p0)))
        (alias outer 1 $error-code (type $c0)) (export "error-code" (type $c (eq $c0)))
        (alias outer 1 $ip-address (type $i0)) (export "ip-address" (type $i (eq $i0)))
        (export "resolve-address-stream" (type $stream (sub resource)))
        (export "resolve-addresses" (func (param "network" (borrow $n)) (param "name" string)
            (result (result (own $stream) (error $c)))))
        (export "[method]resolve-address-stream.resolve-next-address" (func (param "self" (borrow $stream))
            (result (result (option $i) (error $c)))))
        (export "[method]resolve-address-stream.subscribe" (func (param "self" (borrow $stream)) (result (own $p))))))
    (import "wasi:sockets/tcp@0.2.0" (instance $tcp
        (alias outer 1 $network-type (type $n0)) (export "network" (type $n (eq $n0)))
        (alias outer 1 $pollable (type $p0)) (export "pollable" (type $p (eq $p0)))
        (alias outer 1 $error-code (type $c0)) (export "error-code" (type $c (eq $c0)))
        (alias outer 1 $socket-address (type $a0)) (export "ip-socket-address" (type $a (eq $a0)))
        (alias outer 1 $input (type $i0)) (export "input-stream" (type $i (eq $i0)))
        (alias outer 1 $output (type $o0)) (export "output-stream" (type $o (eq $o0)))
        (export "tcp-socket" (type $socket (sub resource)))
        (export "[method]tcp-socket.start-bind" (func (param "self" (borrow $socket)) (param "network" (borrow $n))
            (param "local-address" $a) (result (result (error $c)))))
        (export "[method]tcp-socket.finish-bind" (func (param "self" (borrow $socket)) (result (result (error $c)))))
        (export "[method]tcp-socket.start-listen" (func (param "self" (borrow $socket)) (result (result (error $c)))))
        (export "[method]tcp-socket.start-connect" (func (param "self" (borrow $socket)) (param "network" (borrow $n))
            (param "remote-address" $a) (result (result (error $c)))))
        (export "[method]tcp-socket.finish-connect" (func (param "self" (borrow $socket))
            (result (result (tuple (own $i) (own $o)) (error $c)))))
        (export "[method]tcp-socket.subscribe" (func (param "self" (borrow $socket)) (result (own $p))))))
    (alias export $tcp "tcp-socket" (type $tcp-socket))
    (import "wasi:sockets/tcp-create-socket@0.2.0" (instance $create
        (alias outer 1 $error-code (type $c0)) (export "error-code" (type $c (eq $c0)))
        (alias outer 1 $family (type $f0)) (export "ip-address-family" (type $f (eq $f0)))
        (alias outer 1 $tcp-socket (type $t0)) (export "tcp-socket" (type $t (eq $t0)))
        (export "create-tcp-socket" (func (param "address-family" $f) (result (result (own $t) (error $c)))))))
    (import "wasi:sockets/udp@0.2.0" (instance $udp (export "udp-socket" (type (sub resource)))))
    (alias export $udp "udp-socket" (type $udp-socket))
    (import "wasi:sockets/udp-create-socket@0.2.0" (instance $create-udp
        (alias outer 1 $error-code (type $c0)) (export "error-code" (type $c (eq $c0)))
        (alias outer 1 $family (type $f0)) (export "ip-address-family" (type $f (eq $f0)))
        (alias outer 1 $udp-socket (type $u0)) (export "udp-socket" (type $u (eq $u0)))
        (export "create-udp-socket" (func (param "address-family" $f) (result (result (own $u) (error $c)))))))"#;

/// A guest of the text world around the body of `run`, with sockets. An error is answered as one
/// letter, `A` for the first.
pub(crate) fn with_sockets(body: &str) -> String {
    let functions = [
        ("block", "poll", "[method]pollable.block", "i32", ""),
        ("network", "instance-network", "instance-network", "", "i32"),
        ("resolve", "lookup", "resolve-addresses", "i32 i32 i32 i32", ""),
        ("next", "lookup", "[method]resolve-address-stream.resolve-next-address", "i32 i32", ""),
        ("wait-name", "lookup", "[method]resolve-address-stream.subscribe", "i32", "i32"),
        ("create", "create", "create-tcp-socket", "i32 i32", ""),
        ("datagrams", "create-udp", "create-udp-socket", "i32 i32", ""),
        ("bind", "tcp", "[method]tcp-socket.start-bind", &"i32 ".repeat(15), ""),
        ("bound", "tcp", "[method]tcp-socket.finish-bind", "i32 i32", ""),
        ("listen", "tcp", "[method]tcp-socket.start-listen", "i32 i32", ""),
        ("connect", "tcp", "[method]tcp-socket.start-connect", &"i32 ".repeat(15), ""),
        ("connected", "tcp", "[method]tcp-socket.finish-connect", "i32 i32", ""),
        ("wait", "tcp", "[method]tcp-socket.subscribe", "i32", "i32"),
    ];
    let memory = r#"(memory (core memory $l "memory")) (realloc (core func $l "cabi_realloc"))"#;
    let mut lowers = String::new();
    let mut exports = String::new();
    let mut imports = String::new();
    for (name, from, method, params, result) in functions {
        lowers += &format!(r#"(core func ${name} (canon lower (func ${from} "{method}") {memory}))"#);
        exports += &format!(r#"(export "{name}" (func ${name}))"#);
        let result = if result.is_empty() { String::new() } else { format!("(result {result})") };
        imports += &format!(r#"(import "net" "{name}" (func ${name} (param {params}) {result}))"#);
    }
    format!(
        r#"(component {TYPES}
            (core module $libc (memory (export "memory") 2) (global $next (mut i32) (i32.const 65536))
                (func (export "cabi_realloc") (param i32 i32 i32) (param $size i32) (result i32)
                    (global.get $next) (global.set $next (i32.add (global.get $next) (local.get $size)))))
            (core instance $l (instantiate $libc))
            {lowers} (core instance $net {exports})
            (core module $m (import "libc" "memory" (memory 1)) {imports}
                (func $answer (param $tag i32) (param $ptr i32) (param $len i32) (result i32)
                    (i32.store8 (i32.const 0) (local.get $tag)) (i32.store (i32.const 4) (local.get $ptr))
                    (i32.store (i32.const 8) (local.get $len)) (i32.const 0))
                (func $fail (param $code i32) (result i32)
                    (i32.store8 (i32.const 100) (i32.add (i32.const 65) (local.get $code)))
                    (call $answer (i32.const 1) (i32.const 100) (i32.const 1)))
                (func (export "run") (param $ptr i32) (param $len i32) (result i32) (local $net i32) (local $it i32)
                    (local.set $net (call $network)) {body}))
            (core instance $i (instantiate $m (with "libc" (instance $l)) (with "net" (instance $net))))
            (func $run (param "input" string) (result (result string (error string)))
                (canon lift (core func $i "run") {memory}))
            (instance $call (export "run" (func $run)))
            (export "holm:tool/call@0.1.0" (instance $call)))"#
    )
}

/// Looks up its input and answers with the four bytes of the first address.
pub(crate) fn looks_up() -> String {
    with_sockets(
        r"(call $resolve (local.get $net) (local.get $ptr) (local.get $len) (i32.const 1024))
          (if (i32.load8_u (i32.const 1024)) (then (return (call $fail (i32.load8_u (i32.const 1028))))))
          (local.set $it (i32.load (i32.const 1028)))
          (call $block (call $wait-name (local.get $it)))
          (call $next (local.get $it) (i32.const 2048))
          (if (i32.load8_u (i32.const 2048)) (then (return (call $fail (i32.load8_u (i32.const 2050))))))
          (call $answer (i32.const 0) (i32.const 2054) (i32.const 4))",
    )
}

/// An IPv4 address and port as the arguments that they become.
pub(crate) fn address([a, b, c, d]: [u8; 4], port: u16) -> String {
    let zeros = "(i32.const 0) ".repeat(6);
    format!(
        "(i32.const 0) (i32.const {port}) (i32.const {a}) (i32.const {b}) (i32.const {c}) (i32.const {d}) {zeros}"
    )
}

/// Makes a socket, does something with it, and answers `ok`.
pub(crate) fn with_socket(then: &str) -> String {
    with_sockets(&format!(
        r"(call $create (i32.const 0) (i32.const 1024))
          (if (i32.load8_u (i32.const 1024)) (then (return (call $fail (i32.load8_u (i32.const 1028))))))
          (local.set $it (i32.load (i32.const 1028)))
          {then}
          (i32.store16 (i32.const 100) (i32.const 0x6b6f))
          (call $answer (i32.const 0) (i32.const 100) (i32.const 2))"
    ))
}

/// Connects the socket in `$it`.
fn connect(to: [u8; 4], port: u16) -> String {
    format!(
        r"(call $connect (local.get $it) (local.get $net) {} (i32.const 1024))
          (if (i32.load8_u (i32.const 1024)) (then (return (call $fail (i32.load8_u (i32.const 1025))))))
          (call $block (call $wait (local.get $it)))
          (call $connected (local.get $it) (i32.const 1024))
          (if (i32.load8_u (i32.const 1024)) (then (return (call $fail (i32.load8_u (i32.const 1028))))))",
        address(to, port)
    )
}

pub(crate) fn connects(to: [u8; 4], port: u16) -> String {
    with_socket(&connect(to, port))
}

/// Looks up its input, ignores the result, and connects to an address.
pub(crate) fn looks_up_and_connects(to: [u8; 4], port: u16) -> String {
    with_socket(&format!(
        r"(call $resolve (local.get $net) (local.get $ptr) (local.get $len) (i32.const 1024))
          (if (i32.load8_u (i32.const 1024)) (then (return (call $fail (i32.load8_u (i32.const 1028))))))
          (call $block (call $wait-name (i32.load (i32.const 1028))))
          {}",
        connect(to, port)
    ))
}
