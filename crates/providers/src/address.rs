//! The address of a server, as a person typed it: checked before anything is sent to it.
//!
//! Must hold: no link-local address and no metadata service of a cloud, which hands credentials
//! to whoever asks; no credentials in the address; a key goes over plain HTTP only to this
//! machine or a private network.

use std::net::IpAddr;

use addresses::{Reach, Resolver};
use url::{Host, Url};

const BYTES_MAX: usize = 300;

/// The base address of a provider, without a slash at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    text: String,
    host: Host,
    is_plain: bool,
}

/// Why an address is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadAddress {
    #[error("this is not a web address")]
    NotAnAddress,
    #[error("an address has no user, password, query or fragment")]
    MoreThanABase,
    #[error("`{0}` is link-local or hands out credentials")]
    Forbidden(String),
    #[error("a key would go to `{0}` unencrypted")]
    Unencrypted(String),
    #[error("`{0}` cannot be resolved")]
    Unresolved(String),
}

impl BadAddress {
    pub fn fix(&self) -> &'static str {
        match self {
            Self::NotAnAddress | Self::MoreThanABase => "as in `http://127.0.0.1:11434/v1`",
            Self::Forbidden(_) => "give the address of another server",
            Self::Unencrypted(_) => "give an address with `https://`",
            Self::Unresolved(_) => "check the spelling and the network",
        }
    }
}

impl Address {
    pub fn parse(text: &str) -> Result<Self, BadAddress> {
        let text = text.trim();
        if text.len() > BYTES_MAX {
            return Err(BadAddress::NotAnAddress);
        }
        let whole = match text.contains("://") {
            true => text.to_owned(),
            false => format!("http://{text}"),
        };
        let url = Url::parse(&whole).map_err(|_| BadAddress::NotAnAddress)?;
        let host = url.host().map(|host| host.to_owned()).ok_or(BadAddress::NotAnAddress)?;
        let is_plain = match url.scheme() {
            "http" => true,
            "https" => false,
            _ => return Err(BadAddress::NotAnAddress),
        };
        let has_more = !url.username().is_empty() || url.password().is_some();
        if has_more || url.query().is_some() || url.fragment().is_some() {
            return Err(BadAddress::MoreThanABase);
        }
        let text = url.as_str().trim_end_matches('/').to_owned();
        let address = Self { text, host, is_plain };
        match address.is_forbidden() {
            true => Err(BadAddress::Forbidden(address.host.to_string())),
            false => Ok(address),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The same server with another path, as in `/v1`.
    pub(crate) fn at(&self, path: &str) -> Self {
        Self { text: format!("{}{path}", self.text), ..self.clone() }
    }

    /// Whether it has no path of its own.
    pub(crate) fn is_bare(&self) -> bool {
        let rest = self.text.split_once("://").map_or("", |(_, rest)| rest);
        !rest.contains('/')
    }

    fn is_forbidden(&self) -> bool {
        match &self.host {
            Host::Ipv4(address) => !Reach::Near.allows(IpAddr::V4(*address)),
            Host::Ipv6(address) => !Reach::Near.allows(IpAddr::V6(*address)),
            Host::Domain(name) => {
                let name = name.trim_end_matches('.').to_ascii_lowercase();
                name == "metadata" || name.ends_with("metadata.google.internal")
            }
        }
    }

    /// Fails if a key would be readable on the way.
    pub fn check_key_is_safe(&self) -> Result<(), BadAddress> {
        let is_near = match &self.host {
            Host::Ipv4(address) => address.is_loopback() || address.is_private(),
            Host::Ipv6(address) => address.is_loopback() || address.is_unique_local(),
            // A name without a dot is one of this network.
            Host::Domain(name) => !name.contains('.') || name.ends_with(".local"),
        };
        match self.is_plain && !is_near {
            true => Err(BadAddress::Unencrypted(self.host.to_string())),
            false => Ok(()),
        }
    }

    /// Where the server is now; fails if it is at an address that is not accepted.
    pub async fn reach(&self, resolver: &dyn Resolver) -> Result<Reach, BadAddress> {
        let addresses = match &self.host {
            Host::Ipv4(address) => vec![IpAddr::V4(*address)],
            Host::Ipv6(address) => vec![IpAddr::V6(*address)],
            Host::Domain(name) => {
                let found = resolver.resolve(name).await;
                found.map_err(|_| BadAddress::Unresolved(name.clone()))?
            }
        };
        Reach::of(&addresses).ok_or_else(|| BadAddress::Forbidden(self.host.to_string()))
    }
}

#[cfg(test)]
mod tests;
