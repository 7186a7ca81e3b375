//! An entry of `[net] allow`: what tools may reach besides the public internet.
//!
//! A host, an address or a network, optionally with a port:
//! `intranet.example`, `*.corp.example:8443`, `127.0.0.1:8099`, `[::1]:8099`, `10.0.0.0/8`.
//!
//! A name allows only private addresses, because DNS decides where it leads: loopback and
//! reserved addresses must be allowed as addresses. `localhost` is loopback by definition.
//! Cloud metadata addresses are allowed one by one, not by a network or a name.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use addresses::AddressClass;
use contract::HostPattern;

use super::target::Host;

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowEntry {
    scope: Scope,
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Scope {
    /// A name, or `*.` and a suffix.
    Name(HostPattern),
    Address(IpAddr),
    Network {
        first: IpAddr,
        bits: u8,
    },
}

/// Why a text is not a valid entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AllowEntryFault {
    #[error(
        "`{0}` is not a host, address or network; write `intranet.example`, `127.0.0.1:8099`, \
         `[::1]:8099` or `10.0.0.0/8`"
    )]
    Unreadable(String),
    #[error("`{0}` would allow every address; list the networks that tools need")]
    Everything(String),
    #[error("`{0}` has host bits set; write `{1}`")]
    NotANetwork(String, String),
}

impl FromStr for AllowEntry {
    type Err = AllowEntryFault;
    fn from_str(text: &str) -> Result<Self, AllowEntryFault> {
        let bad = || AllowEntryFault::Unreadable(text.to_owned());
        // An IPv6 address contains colons, so it is bracketed before a port.
        let (host, after) = match text.strip_prefix('[') {
            Some(rest) => rest.split_once(']').filter(|(inside, _)| inside.contains(':')),
            None => Some(match text.split_once(':') {
                Some((host, port)) if !port.contains(':') => (host, &text[host.len()..]),
                Some(_) | None => (text, ""),
            }),
        }
        .ok_or_else(bad)?;
        let port = match after.strip_prefix(':').map(str::parse) {
            Some(Ok(0) | Err(_)) => return Err(bad()),
            Some(Ok(port)) => Some(port),
            None if after.is_empty() => None,
            None => return Err(bad()),
        };
        let scope = match host.split_once('/') {
            Some((first, bits)) => network(text, first, bits)?,
            None => match host.parse() {
                Ok(address) => Scope::Address(plain(address)),
                // A malformed IPv4 address is not a host name.
                Err(_) if host.ends_with(|c: char| c.is_ascii_digit()) => return Err(bad()),
                Err(_) => Scope::Name(host.parse().map_err(|_| bad())?),
            },
        };
        Ok(AllowEntry { scope, port })
    }
}

fn network(text: &str, first: &str, bits: &str) -> Result<Scope, AllowEntryFault> {
    let bad = || AllowEntryFault::Unreadable(text.to_owned());
    let first: IpAddr = first.parse().map_err(|_| bad())?;
    let bits: u8 = bits.parse().map_err(|_| bad())?;
    let bits_max = if first.is_ipv4() { 32 } else { 128 };
    if bits > bits_max {
        return Err(bad());
    }
    if bits == 0 {
        return Err(AllowEntryFault::Everything(text.to_owned()));
    }
    let begin = masked(first, bits);
    match begin == first {
        true => Ok(Scope::Network { first, bits }),
        false => Err(AllowEntryFault::NotANetwork(text.to_owned(), format!("{begin}/{bits}"))),
    }
}

/// The first address of the network with this prefix length that contains the address.
fn masked(address: IpAddr, bits: u8) -> IpAddr {
    match address {
        IpAddr::V4(address) => {
            let mask = u32::MAX.checked_shl(32 - u32::from(bits)).unwrap_or(0);
            IpAddr::V4((address.to_bits() & mask).into())
        }
        IpAddr::V6(address) => {
            let mask = u128::MAX.checked_shl(128 - u32::from(bits)).unwrap_or(0);
            IpAddr::V6((address.to_bits() & mask).into())
        }
    }
}

/// IPv4-mapped IPv6 addresses are the same as their IPv4 addresses.
fn plain(address: IpAddr) -> IpAddr {
    address.to_canonical()
}

impl AllowEntry {
    /// Whether the entry allows this address, which the host resolves to.
    pub(super) fn allows(&self, host: &Host, address: IpAddr, port: u16) -> bool {
        let class = AddressClass::of(address);
        let is_meant = match &self.scope {
            Scope::Address(opened) => *opened == plain(address),
            Scope::Network { first, bits } => {
                let address = plain(address);
                class != AddressClass::Metadata
                    && address.is_ipv4() == first.is_ipv4()
                    && masked(address, *bits) == *first
            }
            Scope::Name(pattern) => {
                host.is(pattern.as_str())
                    && match class {
                        AddressClass::Private => true,
                        AddressClass::Loopback => host.is_this_machine(),
                        AddressClass::Public | AddressClass::Metadata | AddressClass::Reserved => {
                            false
                        }
                    }
            }
        };
        is_meant && self.port.is_none_or(|opened| opened == port)
    }

    /// Whether a declared name could lead to an address that this entry allows. This is unknown until
    /// the name is resolved.
    pub(super) fn may_allow_name(&self, host: &Host, port: u16) -> bool {
        let is_meant = match &self.scope {
            Scope::Name(pattern) => host.is(pattern.as_str()),
            Scope::Address(_) | Scope::Network { .. } => true,
        };
        is_meant && self.port.is_none_or(|opened| opened == port)
    }
}

impl fmt::Display for AllowEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.scope, self.port) {
            (Scope::Name(name), _) => write!(f, "{name}")?,
            (Scope::Address(IpAddr::V6(address)), Some(_)) => write!(f, "[{address}]")?,
            (Scope::Address(address), _) => write!(f, "{address}")?,
            (Scope::Network { first: IpAddr::V6(first), bits }, Some(_)) => {
                write!(f, "[{first}/{bits}]")?;
            }
            (Scope::Network { first, bits }, _) => write!(f, "{first}/{bits}")?,
        }
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

#[cfg(test)]
mod tests;
