//! An HTTP request as a provider by hand reads it: whoever has the connection brings the head, waiting for it or not.
//! This needs nothing of the kit, so benchmarks without peers take the file alone.

/// Whether a head is whole: a blank line ends it.
pub fn is_whole(head: &str) -> bool {
    head.ends_with("\r\n\r\n")
}

/// The first line of a whole head in small letters, and how long its body is; none if that is no number.
pub fn read(head: &str) -> Option<(String, usize)> {
    let head = head.to_ascii_lowercase();
    let (first, fields) = head.split_once("\r\n")?;
    let length = fields.lines().find_map(|line| line.strip_prefix("content-length:"));
    Some((first.to_owned(), length.map_or(Some(0), |length| length.trim().parse().ok())?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_says_what_is_asked_for_and_how_long_its_body_is() {
        let head = "POST /v1/Responses HTTP/1.1\r\nHost: here\r\nContent-Length: 12\r\n\r\n";
        assert!(is_whole(head) && !is_whole(head.trim_end()));
        assert_eq!(read(head), Some(("post /v1/responses http/1.1".into(), 12)));
        assert_eq!(read("GET / HTTP/1.1\r\n\r\n"), Some(("get / http/1.1".into(), 0)));
        assert_eq!(read("GET / HTTP/1.1\r\ncontent-length: much\r\n\r\n"), None);
    }
}
