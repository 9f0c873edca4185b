//! Detects servers that fail because their entry does not grant them a network.

use std::time::Duration;

/// How long a server that reported a missing network may still take to start. Some servers only
/// look for an update.
pub(super) const GRACE: Duration = Duration::from_secs(3);

/// The hint that the error message adds.
pub(super) const HINT: &str = "it seems to need the network; to allow that, add \"network\": \"open\" to \
                               its entry";

/// Variables that tell package runners to use their cache and to fail at once without a network,
/// instead of retrying for minutes.
pub(super) const OFFLINE: [(&str, &str); 4] =
    [("npm_config_offline", "true"), ("UV_OFFLINE", "1"), ("PIP_RETRIES", "0"), ("PIP_TIMEOUT", "2")];

/// Texts with which programs report a missing network.
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
pub(super) fn is_missed(output: &str) -> bool {
    COMPLAINTS.iter().any(|complaint| output.contains(complaint))
}

#[cfg(test)]
mod tests {
    use super::is_missed;

    #[test]
    fn programs_that_miss_the_network_are_understood() {
        for output in [
            "npm error code ENOTCACHED\nnpm error request to https://registry.npmjs.org/x failed",
            "npm error request failed, reason: getaddrinfo EAI_AGAIN registry.npmjs.org",
            "urllib.error.URLError: <urlopen error [Errno -3] Temporary failure in name resolution>",
            "OSError: [Errno 101] Network is unreachable",
            "error: Network connectivity is disabled, but the requested data wasn't found in the cache",
            "curl: (6) Could not resolve host: example.com",
        ] {
            assert!(is_missed(output), "{output}");
        }
        for output in ["", "listening on stdio", "No module named 'mcp'", "connected to the network"] {
            assert!(!is_missed(output), "{output}");
        }
    }
}
