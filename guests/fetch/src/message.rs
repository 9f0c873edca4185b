//! Requests and responses, and the parts of URLs that this guest needs.

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuestFetchRequest {
    /// An HTTP method such as GET.
    pub method: String,
    /// Either `http` or `https`.
    pub scheme: String,
    /// The host and, if given, its port.
    pub authority: String,
    /// The path and, if given, the query.
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuestFetchResponse {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    /// The body, up to the requested size.
    pub body: Vec<u8>,
    /// Whether the body was cut.
    pub cut: bool,
}

/// Something that sends one request.
pub trait HttpExchange {
    /// Sends it and reads at most so many bytes of the answer.
    ///
    /// # Errors
    ///
    /// If no response arrives, the reason.
    fn send(&mut self, request: &GuestFetchRequest, most: usize) -> Result<GuestFetchResponse, String>;
}

impl GuestFetchRequest {
    /// A request without headers to an address.
    ///
    /// # Errors
    ///
    /// If the address is not an `http` or `https` URL.
    pub fn to(url: &str) -> Result<Self, String> {
        let (scheme, rest) =
            url.split_once("://").ok_or_else(|| format!("'{url}' does not begin with https://"))?;
        let scheme = scheme.to_ascii_lowercase();
        if !matches!(scheme.as_str(), "http" | "https") {
            return Err(format!("{scheme} is not fetched, only http and https"));
        }
        let rest = rest.split('#').next().unwrap_or(rest);
        let at = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(at);
        if authority.is_empty() || authority.contains(['@', ' ']) {
            return Err(format!("'{url}' names no host that can be asked"));
        }
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        let (method, headers, body) = ("GET".to_owned(), Vec::new(), Vec::new());
        Ok(Self { method, scheme, authority: authority.to_owned(), path, headers, body })
    }

    /// The request that a redirection asks for. A different host gets none of the headers,
    /// which may hold secrets.
    ///
    /// # Errors
    ///
    /// If the new address is not valid.
    pub fn redirected(&self, status: u16, location: &str) -> Result<Self, String> {
        let url = if location.contains("://") {
            location.to_owned()
        } else if let Some(rest) = location.strip_prefix("//") {
            format!("{}://{rest}", self.scheme)
        } else if location.starts_with('/') {
            format!("{}://{}{location}", self.scheme, self.authority)
        } else {
            let folder = self
                .path
                .split('?')
                .next()
                .and_then(|path| path.rsplit_once('/'))
                .map_or("", |(folder, _)| folder);
            format!("{}://{}{folder}/{location}", self.scheme, self.authority)
        };
        let mut next = Self::to(&url)?;
        if next.authority == self.authority && next.scheme == self.scheme {
            next.headers.clone_from(&self.headers);
        }
        if matches!(status, 307 | 308) {
            if next.authority != self.authority && !self.body.is_empty() {
                return Err(format!("it wants the body sent to another host, {}", next.authority));
            }
            next.method.clone_from(&self.method);
            next.body.clone_from(&self.body);
        }
        Ok(next)
    }
}

impl GuestFetchResponse {
    /// A header by its name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(found, _)| found.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }
}
