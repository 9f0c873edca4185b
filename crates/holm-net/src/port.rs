//! Blocks ports of line-based protocols. An HTTP request to one of them could send mail or control
//! a printer.

use holm_grants::{Url, UrlScheme};

use crate::error::NetError;

/// The ports that browsers block too, from the Fetch standard's list of bad ports.
const BAD: &[u16] = &[
    1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
    109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
    526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
    3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
];

/// Whether HTTP may be used on the URL's port. Raw connections may use any port that is granted.
pub(crate) fn check(url: &Url) -> Result<(), NetError> {
    match url.scheme() {
        UrlScheme::Http | UrlScheme::Https | UrlScheme::Ws | UrlScheme::Wss if BAD.contains(&url.port()) => {
            Err(NetError::Port(url.port()))
        }
        UrlScheme::Http | UrlScheme::Https | UrlScheme::Ws | UrlScheme::Wss | UrlScheme::Tcp => Ok(()),
    }
}
