use super::scanner::HeadScanner;

/// Scans a connection in one piece and byte by byte; both must find the same.
#[track_caller]
fn check(connection: &str, is_accepted: bool) {
    let at_once = HeadScanner::default().scan(connection.as_bytes());
    let mut scanner = HeadScanner::default();
    let single =
        connection.bytes().enumerate().find_map(|(at, byte)| scanner.scan(&[byte]).err().map(|_| at));
    assert_eq!(at_once.err(), single, "{connection:?}");
    assert_eq!(at_once.is_ok(), is_accepted, "{connection:?}");
}

#[test]
fn ordinary_requests_are_accepted_one_after_the_other() {
    check("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n", true);
    check("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", true);
    // A body may hold any bytes, and the next head is checked again.
    let with_body = "POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\na\nb\n";
    check(&format!("{with_body}GET / HTTP/1.1\r\n\r\n"), true);
    check(&format!("{with_body}GET / HTTP/1.1\n\r\n"), false);
    let chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x=1\r\n\n\n\n\r\n0\r\nA: b\r\n\r\n";
    check(&format!("{chunked}GET / HTTP/1.1\r\n\r\n"), true);
    check(&format!("{chunked}GET / HTTP/1.1\r\nA: b\n\r\n"), false);
}

#[test]
fn a_line_that_ends_with_a_bare_line_feed_is_refused() {
    check("GET / HTTP/1.1\nHost: a\n\n", false);
    check("GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n", false);
    check("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\nabc", false);
    check("GET / HTTP/1.1\r\nHost: a\r\r\n\r\n", true);
}

#[test]
fn a_request_with_both_length_headers_is_refused() {
    let (length, encoding) = ("Content-Length: 3\r\n", "Transfer-Encoding: chunked\r\n");
    check(&format!("POST / HTTP/1.1\r\n{length}{encoding}\r\n"), false);
    check(&format!("POST / HTTP/1.1\r\n{encoding}{length}\r\n"), false);
    check("POST / HTTP/1.1\r\nCONTENT-LENGTH:3\r\ntransfer-encoding:\tChunked\r\n\r\n", false);
}

#[test]
fn a_request_whose_end_cannot_be_found_is_refused() {
    let (blanks, zeros) = (" ".repeat(130), "0".repeat(130));
    for header in [
        format!("Content-Length:{blanks}3"),
        format!("Content-Length: {zeros}3"),
        "Content-Length: three".into(),
        "Content-Length: 3, 4".into(),
        "Transfer-Encoding: gzip".into(),
        format!("Transfer-Encoding:{blanks}chunked"),
    ] {
        check(&format!("POST / HTTP/1.1\r\n{header}\r\n\r\n"), false);
    }
    let chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
    check(&format!("{chunked}{zeros}3\r\nabc\r\n0\r\n\r\n"), false);
    check(&format!("{chunked}three\r\n"), false);
    // A long line that says nothing about the end is no reason, and neither is a long extension.
    check(&format!("{chunked}3;x={zeros}\r\nabc\r\n0\r\n\r\nGET / HTTP/1.1\r\nX: {blanks}a\r\n\r\n"), true);
}

#[test]
fn http2_is_not_looked_into() {
    check("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\n\n\n", true);
}
