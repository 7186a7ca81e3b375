//! Which addresses tools may connect to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use addresses::AddressClass;
use contract::HostPattern;

use super::allow_entry::AllowEntry;
use super::target::{Host, split};

/// The public internet, and the entries that the operator allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NetworkAccess {
    /// The public internet only.
    Public,
    /// Also the hosts, addresses and networks in `[net] allow`.
    PublicAnd(Vec<AllowEntry>),
}

/// Suffixes of names that do not exist on the public internet.
const PRIVATE_SUFFIXES: [&str; 6] =
    [".localhost", ".local", ".internal", ".home.arpa", ".lan", ".corp"];

impl NetworkAccess {
    /// Whether a tool may connect to this address, which the host resolves to.
    pub(super) fn allows(&self, host: &Host, address: IpAddr, port: u16) -> bool {
        match AddressClass::of(address) {
            AddressClass::Public => true,
            AddressClass::Loopback
            | AddressClass::Private
            | AddressClass::Metadata
            | AddressClass::Reserved => {
                self.entries().iter().any(|entry| entry.allows(host, address, port))
            }
        }
    }

    pub(super) fn allows_loopback(&self, host: &Host, port: u16) -> bool {
        match host {
            Host::Address(address) => self.allows(host, *address, port),
            Host::Name(_) => [Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]
                .into_iter()
                .any(|address| self.allows(host, address, port)),
        }
    }

    /// Whether a declared host is certain to be refused, as far as is known without a DNS query: a
    /// private or local address, or a name that can only have one.
    pub fn is_closed_to(&self, pattern: &HostPattern) -> bool {
        let (name, port) = split(pattern.as_str());
        let port = port.unwrap_or(443);
        let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        if let Ok(address) = bare.parse() {
            return !self.allows(&Host::Address(address), address, port);
        }
        let host = Host::Name(name.strip_prefix("*.").unwrap_or(name).to_owned());
        let here = name == "localhost" || name.ends_with(".localhost");
        let is_private =
            !name.contains('.') || PRIVATE_SUFFIXES.iter().any(|end| name.ends_with(end));
        match (here, is_private) {
            (true, _) => !self.allows_loopback(&host, port),
            (false, true) => {
                let mut entries = self.entries().iter();
                !entries.any(|entry| entry.may_allow_name(&host, port))
            }
            (false, false) => false,
        }
    }

    /// All loopback addresses, at these ports.
    #[cfg(test)]
    pub(super) fn this_machine(ports: &[u16]) -> Self {
        let entries =
            ports.iter().flat_map(|port| [format!("127.0.0.0/8:{port}"), format!("[::1]:{port}")]);
        NetworkAccess::PublicAnd(entries.map(|entry| entry.parse().unwrap()).collect())
    }

    fn entries(&self) -> &[AllowEntry] {
        match self {
            NetworkAccess::Public => &[],
            NetworkAccess::PublicAnd(entries) => entries,
        }
    }
}

#[cfg(test)]
mod tests;
