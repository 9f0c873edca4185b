//! Servers that wait for a network which their entry does not open.

use std::time::Duration;

/// How long a server that complained has until it must have started all the same: some only look for a newer version.
pub(super) const GRACE: Duration = Duration::from_secs(3);

/// What to do about it.
pub(super) const HINT: &str = "it seems to need the network, which its entry does not open; add \"network\": \"open\" to the entry if it may have it";

/// What programs are told that bring packages, where there is no network: to use what is there, and to fail at once instead of
/// trying again for minutes.
pub(super) const OFFLINE: [(&str, &str); 4] =
    [("npm_config_offline", "true"), ("UV_OFFLINE", "1"), ("PIP_RETRIES", "0"), ("PIP_TIMEOUT", "2")];

/// What programs say that miss the network.
const COMPLAINTS: &[&str] = &[
    "ENOTFOUND",
    "EAI_AGAIN",
    "ENETUNREACH",
    "ENOTCACHED",
    "getaddrinfo",
    "Temporary failure in name resolution",
    "Name or service not known",
    "Could not resolve host",
    "Network is unreachable",
    "network connectivity is disabled",
    "Network connectivity is disabled",
    "dns error",
];

/// Whether a message says that there is no network.
pub(super) fn is_missed(said: &str) -> bool {
    COMPLAINTS.iter().any(|complaint| said.contains(complaint))
}

#[cfg(test)]
mod tests {
    use super::is_missed;

    #[test]
    fn programs_that_miss_the_network_are_understood() {
        for said in [
            "npm error code ENOTCACHED\nnpm error request to https://registry.npmjs.org/x failed",
            "npm error request failed, reason: getaddrinfo EAI_AGAIN registry.npmjs.org",
            "urllib.error.URLError: <urlopen error [Errno -3] Temporary failure in name resolution>",
            "OSError: [Errno 101] Network is unreachable",
            "error: Network connectivity is disabled, but the requested data wasn't found in the cache",
            "curl: (6) Could not resolve host: example.com",
        ] {
            assert!(is_missed(said), "{said}");
        }
        for said in ["", "listening on stdio", "No module named 'mcp'", "connected to the network"] {
            assert!(!is_missed(said), "{said}");
        }
    }
}
