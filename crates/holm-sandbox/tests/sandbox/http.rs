//! Guests of `wasi:http`, written as text.

/// The types of `wasi:io` and `wasi:http` that the guest below needs, written as
/// the standard names them.
const TYPES: &str = r#"
    (import "wasi:io/poll@0.2.0" (instance $poll
        (export "pollable" (type $pollable (sub resource)))
        (export "[method]pollable.block" (func (param "self" (borrow $pollable))))))
    (alias export $poll "pollable" (type $pollable))
    (import "wasi:io/error@0.2.0" (instance $error (export "error" (type (sub resource)))))
    (alias export $error "error" (type $io-error))
    (import "wasi:io/streams@0.2.0" (instance $streams
        (alias outer 1 $io-error (type $e0))
        (export "error" (type $e (eq $e0)))
        (export "input-stream" (type $input (sub resource)))
        (type $stream-error0 (variant (case "last-operation-failed" (own $e)) (case "closed")))
        (export "stream-error" (type $stream-error (eq $stream-error0)))
        (export "[method]input-stream.blocking-read" (func (param "self" (borrow $input)) (param "len" u64)
            (result (result (list u8) (error $stream-error)))))))
    (alias export $streams "input-stream" (type $input-stream))
    (import "wasi:http/types@0.2.0" (instance $types
        (alias outer 1 $pollable (type $p0)) (export "pollable" (type $p (eq $p0)))
        (alias outer 1 $input-stream (type $i0)) (export "input-stream" (type $i (eq $i0)))
        (export "fields" (type $fields (sub resource)))
        (export "headers" (type $headers (eq $fields)))
        (type $header-error0 (variant (case "invalid-syntax") (case "forbidden") (case "immutable")))
        (export "header-error" (type $header-error (eq $header-error0)))
        (export "outgoing-request" (type $request (sub resource)))
        (export "future-incoming-response" (type $future (sub resource)))
        (export "incoming-response" (type $response (sub resource)))
        (export "incoming-body" (type $body (sub resource)))
        (type $scheme0 (variant (case "HTTP") (case "HTTPS") (case "other" string)))
        (export "scheme" (type $scheme (eq $scheme0)))
        (type $dns0 (record (field "rcode" (option string)) (field "info-code" (option u16))))
        (export "DNS-error-payload" (type $dns (eq $dns0)))
        (type $tls0 (record (field "alert-id" (option u8)) (field "alert-message" (option string))))
        (export "TLS-alert-received-payload" (type $tls (eq $tls0)))
        (type $size0 (record (field "field-name" (option string)) (field "field-size" (option u32))))
        (export "field-size-payload" (type $size (eq $size0)))
        (type $code0 (variant
            (case "DNS-timeout") (case "DNS-error" $dns) (case "destination-not-found")
            (case "destination-unavailable") (case "destination-IP-prohibited") (case "destination-IP-unroutable")
            (case "connection-refused") (case "connection-terminated") (case "connection-timeout")
            (case "connection-read-timeout") (case "connection-write-timeout") (case "connection-limit-reached")
            (case "TLS-protocol-error") (case "TLS-certificate-error") (case "TLS-alert-received" $tls)
            (case "HTTP-request-denied") (case "HTTP-request-length-required")
            (case "HTTP-request-body-size" (option u64)) (case "HTTP-request-method-invalid")
            (case "HTTP-request-URI-invalid") (case "HTTP-request-URI-too-long")
            (case "HTTP-request-header-section-size" (option u32)) (case "HTTP-request-header-size" (option $size))
            (case "HTTP-request-trailer-section-size" (option u32)) (case "HTTP-request-trailer-size" $size)
            (case "HTTP-response-incomplete") (case "HTTP-response-header-section-size" (option u32))
            (case "HTTP-response-header-size" $size) (case "HTTP-response-body-size" (option u64))
            (case "HTTP-response-trailer-section-size" (option u32)) (case "HTTP-response-trailer-size" $size)
            (case "HTTP-response-transfer-coding" (option string)) (case "HTTP-response-content-coding" (option string))
            (case "HTTP-response-timeout") (case "HTTP-upgrade-failed") (case "HTTP-protocol-error")
            (case "loop-detected") (case "configuration-error") (case "internal-error" (option string))))
        (export "error-code" (type $code (eq $code0)))
        (export "[constructor]fields" (func (result (own $fields))))
        (export "[method]fields.append" (func (param "self" (borrow $fields)) (param "name" string)
            (param "value" (list u8)) (result (result (error $header-error)))))
        (export "[constructor]outgoing-request" (func (param "headers" (own $headers)) (result (own $request))))
        (export "[method]outgoing-request.set-authority" (func (param "self" (borrow $request))
            (param "authority" (option string)) (result (result))))
        (export "[method]outgoing-request.set-path-with-query" (func (param "self" (borrow $request))
            (param "path-with-query" (option string)) (result (result))))
        (export "[method]outgoing-request.set-scheme" (func (param "self" (borrow $request))
            (param "scheme" (option $scheme)) (result (result))))
        (export "[method]future-incoming-response.subscribe" (func (param "self" (borrow $future)) (result (own $p))))
        (export "[method]future-incoming-response.get" (func (param "self" (borrow $future))
            (result (option (result (result (own $response) (error $code)))))))
        (export "[method]incoming-response.consume" (func (param "self" (borrow $response))
            (result (result (own $body)))))
        (export "[method]incoming-body.stream" (func (param "self" (borrow $body)) (result (result (own $i)))))))
    (alias export $types "outgoing-request" (type $request))
    (alias export $types "future-incoming-response" (type $future))
    (alias export $types "error-code" (type $error-code))
    (import "wasi:http/outgoing-handler@0.2.0" (instance $handler
        (alias outer 1 $request (type $r0)) (export "outgoing-request" (type $r (eq $r0)))
        (alias outer 1 $future (type $f0)) (export "future-incoming-response" (type $f (eq $f0)))
        (alias outer 1 $error-code (type $c0)) (export "error-code" (type $c (eq $c0)))
        (export "request-options" (type $options (sub resource)))
        (export "handle" (func (param "request" (own $r)) (param "options" (option (own $options)))
            (result (result (own $f) (error $c)))))))"#;

/// A guest of the text world around a core module that imports from `"http"`.
pub(crate) fn with_http(module: &str) -> String {
    let types = TYPES.replace(r#"(export "request-options" (type $options (sub resource)))"#, "");
    // `handle` borrows the type of the options from `types`, as the standard has it.
    let types = types
        .replace(
            r#"(export "outgoing-request" (type $request (sub resource)))"#,
            r#"(export "outgoing-request" (type $request (sub resource)))
               (export "request-options" (type $options (sub resource)))"#,
        )
        .replace(
            r#"(alias export $types "error-code" (type $error-code))"#,
            r#"(alias export $types "error-code" (type $error-code))
               (alias export $types "request-options" (type $request-options))"#,
        )
        .replace(
            r#"(export "handle" (func"#,
            r#"(alias outer 1 $request-options (type $o0)) (export "request-options" (type $options (eq $o0)))
               (export "handle" (func"#,
        );
    let lower = |name: &str, instance: &str, method: &str, options: &str| {
        format!(r#"(core func ${name} (canon lower (func ${instance} "{method}") {options}))"#)
    };
    let memory = r#"(memory (core memory $l "memory")) (realloc (core func $l "cabi_realloc"))"#;
    let functions = [
        ("block", "poll", "[method]pollable.block"),
        ("blocking-read", "streams", "[method]input-stream.blocking-read"),
        ("fields", "types", "[constructor]fields"),
        ("append", "types", "[method]fields.append"),
        ("request", "types", "[constructor]outgoing-request"),
        ("set-authority", "types", "[method]outgoing-request.set-authority"),
        ("set-path", "types", "[method]outgoing-request.set-path-with-query"),
        ("set-scheme", "types", "[method]outgoing-request.set-scheme"),
        ("subscribe", "types", "[method]future-incoming-response.subscribe"),
        ("get", "types", "[method]future-incoming-response.get"),
        ("consume", "types", "[method]incoming-response.consume"),
        ("stream", "types", "[method]incoming-body.stream"),
        ("handle", "handler", "handle"),
    ];
    let lowers: String =
        functions.iter().map(|(name, from, method)| lower(name, from, method, memory)).collect();
    let exports: String =
        functions.iter().map(|(name, _, _)| format!(r#"(export "{name}" (func ${name}))"#)).collect();
    format!(
        r#"(component {types}
            (core module $libc
                (memory (export "memory") 16)
                (global $next (mut i32) (i32.const 65536))
                (func (export "cabi_realloc") (param i32 i32 i32) (param $size i32) (result i32)
                    (global.get $next)
                    (global.set $next (i32.and (i32.const -8)
                        (i32.add (i32.const 7) (i32.add (global.get $next) (local.get $size)))))))
            (core instance $l (instantiate $libc))
            {lowers}
            (core instance $http {exports})
            (core module $m
                (import "libc" "memory" (memory 1))
                (import "http" "block" (func $block (param i32)))
                (import "http" "blocking-read" (func $blocking-read (param i32 i64 i32)))
                (import "http" "fields" (func $fields (result i32)))
                (import "http" "append" (func $append (param i32 i32 i32 i32 i32 i32)))
                (import "http" "request" (func $request (param i32) (result i32)))
                (import "http" "set-authority" (func $set-authority (param i32 i32 i32 i32) (result i32)))
                (import "http" "set-path" (func $set-path (param i32 i32 i32 i32) (result i32)))
                (import "http" "set-scheme" (func $set-scheme (param i32 i32 i32 i32 i32) (result i32)))
                (import "http" "subscribe" (func $subscribe (param i32) (result i32)))
                (import "http" "get" (func $get (param i32 i32)))
                (import "http" "consume" (func $consume (param i32 i32)))
                (import "http" "stream" (func $stream (param i32 i32)))
                (import "http" "handle" (func $handle (param i32 i32 i32 i32)))
                (func $answer (param $tag i32) (param $ptr i32) (param $len i32) (result i32)
                    (i32.store8 (i32.const 0) (local.get $tag))
                    (i32.store (i32.const 4) (local.get $ptr))
                    (i32.store (i32.const 8) (local.get $len))
                    (i32.const 0))
                {module})
            (core instance $i (instantiate $m (with "libc" (instance $l)) (with "http" (instance $http))))
            (func $run (param "input" string) (result (result string (error string)))
                (canon lift (core func $i "run") {memory}))
            (instance $call (export "run" (func $run)))
            (export "holm:tool/call@0.1.0" (instance $call)))"#
    )
}

/// A guest that fetches `http://INPUT/` and answers with the body, or fails with one letter: `A`
/// for the first error of the standard's list, and so on.
pub(crate) fn client() -> String {
    with_http(
        r#"(data (i32.const 90) "/")
           (func (export "run") (param $ptr i32) (param $len i32) (result i32)
            (local $request i32) (local $future i32)
            (local.set $request (call $request (call $fields)))
            (drop (call $set-authority (local.get $request) (i32.const 1) (local.get $ptr) (local.get $len)))
            (drop (call $set-path (local.get $request) (i32.const 1) (i32.const 90) (i32.const 1)))
            (drop (call $set-scheme (local.get $request) (i32.const 1) (i32.const 0) (i32.const 0) (i32.const 0)))
            (call $handle (local.get $request) (i32.const 0) (i32.const 0) (i32.const 1024))
            (if (i32.load8_u (i32.const 1024)) (then
                (i32.store8 (i32.const 100) (i32.add (i32.const 65) (i32.load8_u (i32.const 1032))))
                (return (call $answer (i32.const 1) (i32.const 100) (i32.const 1)))))
            (local.set $future (i32.load (i32.const 1032)))
            (call $block (call $subscribe (local.get $future)))
            ;; option, result, result: tags at 2048, 2056 and 2064, then the response or the code
            (call $get (local.get $future) (i32.const 2048))
            (if (i32.load8_u (i32.const 2064)) (then
                (i32.store8 (i32.const 100) (i32.add (i32.const 65) (i32.load8_u (i32.const 2072))))
                (return (call $answer (i32.const 1) (i32.const 100) (i32.const 1)))))
            (call $consume (i32.load (i32.const 2072)) (i32.const 3072))
            (call $stream (i32.load (i32.const 3076)) (i32.const 3072))
            (call $blocking-read (i32.load (i32.const 3076)) (i64.const 1000) (i32.const 3072))
            (call $answer (i32.load8_u (i32.const 3072)) (i32.load (i32.const 3076)) (i32.load (i32.const 3080))))"#,
    )
}
