//! The target of one hop: scheme, host and port of a URL, and whether they are declared.

use std::fmt;
use std::net::IpAddr;

use addresses::AddressClass;
use contract::HostPattern;
use policy::ServiceFault;
use url::Url;

use super::network::Network;
use crate::fault::FaultCode;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) scheme: Scheme,
    pub(super) host: Host,
    pub(super) port: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scheme {
    Http,
    Https,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Host {
    /// In lower case, without a trailing dot.
    Name(String),
    Address(IpAddr),
}

impl Scheme {
    fn default_port(self) -> u16 {
        match self {
            Scheme::Http => 80,
            Scheme::Https => 443,
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Host::Name(name) => f.write_str(name),
            Host::Address(IpAddr::V4(address)) => write!(f, "{address}"),
            Host::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
        }
    }
}

impl Host {
    /// Whether it matches the pattern.
    pub(super) fn is(&self, pattern: &str) -> bool {
        match (self, pattern.strip_prefix("*.")) {
            (Host::Name(name), None) => name == pattern,
            (Host::Name(name), Some(suffix)) => name
                .strip_suffix(suffix)
                .is_some_and(|front| front.len() > 1 && front.ends_with('.')),
            (Host::Address(address), _) => {
                let bare = pattern.trim_start_matches('[').trim_end_matches(']');
                bare.parse().is_ok_and(|pattern: IpAddr| pattern == *address)
            }
        }
    }

    /// Whether it is loopback, regardless of DNS.
    pub(super) fn is_this_machine(&self) -> bool {
        match self {
            Host::Name(name) => name == "localhost" || name.ends_with(".localhost"),
            Host::Address(address) => AddressClass::of(*address) == AddressClass::Loopback,
        }
    }
}

impl Target {
    pub(super) fn of(url: &Url) -> Result<Self, ServiceFault> {
        let scheme = match url.scheme() {
            "http" => Scheme::Http,
            "https" => Scheme::Https,
            other => {
                return Err(FaultCode::NotAllowed
                    .fault(format!("`fetch` supports `https` and `http`, not `{other}`")));
            }
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err(FaultCode::BadRequest.fault(
                "the URL contains a user name or password; send them in the header `authorization`",
            ));
        }
        let host = match url.host() {
            Some(url::Host::Ipv4(address)) => Host::Address(address.into()),
            Some(url::Host::Ipv6(address)) => Host::Address(address.into()),
            Some(url::Host::Domain(name)) => {
                Host::Name(name.strip_suffix('.').unwrap_or(name).to_owned())
            }
            None => return Err(FaultCode::BadRequest.fault("the URL has no host")),
        };
        let port = url.port().unwrap_or(scheme.default_port());
        Ok(Target { scheme, host, port })
    }

    /// Checks that the contract declares this host at this port.
    pub(super) fn check_declared(
        &self,
        declared: &[HostPattern],
        network: &Network,
    ) -> Result<(), ServiceFault> {
        let Target { scheme, host, port } = self;
        let mut of_host = declared.iter().map(|p| split(p.as_str())).filter(|(p, _)| host.is(p));
        let is_declared = of_host.clone().any(|(_, declared)| match (declared, scheme) {
            (Some(declared), _) => declared == *port,
            (None, Scheme::Https) => *port == scheme.default_port(),
            (None, Scheme::Http) => {
                *port == scheme.default_port() && network.allows_plain(host, *port)
            }
        });
        if is_declared {
            return Ok(());
        }
        Err(FaultCode::NotAllowed.fault(match (of_host.next(), scheme) {
            (None, _) => format!(
                "the host `{host}` is not declared; add it to `net` in the tool's `capabilities`"
            ),
            (Some(_), Scheme::Https) => format!(
                "`{host}` is not declared with port {port}; \
                 add `{host}:{port}` to `net` in the tool's `capabilities`"
            ),
            (Some(_), Scheme::Http) => format!(
                "`http` without TLS needs its port declared: use `https`, or add \
                 `{host}:{port}` to `net` in the tool's `capabilities`"
            ),
        }))
    }

    /// The value of the `host` header.
    pub(super) fn authority(&self) -> String {
        match self.port == self.scheme.default_port() {
            true => self.host.to_string(),
            false => format!("{}:{}", self.host, self.port),
        }
    }
}

/// The host and port of a pattern.
pub(super) fn split(pattern: &str) -> (&str, Option<u16>) {
    match pattern.rsplit_once(':') {
        // The last colon of `[::1]` does not precede a port.
        Some((host, port)) if !port.ends_with(']') => (host, port.parse().ok()),
        _ => (pattern, None),
    }
}

#[cfg(test)]
mod tests;
