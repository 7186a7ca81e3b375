//! Connects to hosts: allowed addresses, name resolution, TLS.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use addresses::{Resolver, SystemResolver};
use policy::ServiceFault;
use rustls::crypto::ring;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use super::access::NetworkAccess;
use super::exchange::Reply;
use super::request::FetchRequest;
use super::stub::StubReplies;
use super::target::{Host, Scheme, Target};
use crate::fault::FaultCode;

/// Only the first addresses of a name are tried.
const ADDRESSES_TRIED_MAX: usize = 4;

/// Made once for the program; cheap to clone.
#[derive(Clone)]
pub struct Network {
    reach: NetworkAccess,
    resolver: Arc<dyn Resolver>,
    tls: TlsConnector,
    /// Replies instead of the network; with a stub, no connection is made.
    stub: Option<Arc<StubReplies>>,
}

/// TLS could not be set up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot set up TLS: {0}")]
pub struct TlsFault(String);

impl Network {
    /// With the system's resolver and the certificate authorities that browsers trust.
    pub fn new(reach: NetworkAccess) -> Result<Self, TlsFault> {
        let roots = webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect();
        Self::with(reach, Arc::new(SystemResolver), roots)
    }

    /// As [`Network::new`], with another resolver.
    pub fn with_resolver(self, resolver: Arc<dyn Resolver>) -> Self {
        Network { resolver, ..self }
    }

    /// As [`Network::new`], but without connections: only the stub replies.
    pub fn with_stub(self, replies: Arc<StubReplies>) -> Self {
        Network { stub: Some(replies), ..self }
    }

    /// The stub's reply, if this network has a stub.
    pub(super) fn stub_reply(
        &self,
        outgoing: &FetchRequest,
    ) -> Option<Result<Reply, ServiceFault>> {
        self.stub.as_ref().map(|stub| stub.reply(outgoing))
    }

    pub(super) fn with(
        reach: NetworkAccess,
        resolver: Arc<dyn Resolver>,
        roots: RootCertStore,
    ) -> Result<Self, TlsFault> {
        let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| TlsFault(error.to_string()))?
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let tls = TlsConnector::from(Arc::new(config));
        Ok(Network { reach, resolver, tls, stub: None })
    }

    /// Whether plain `http` may go to this host without a declared port.
    pub(super) fn allows_plain(&self, host: &Host, port: u16) -> bool {
        host.is_this_machine() && self.reach.allows_loopback(host, port)
    }

    /// Connects to a checked address of the target. The name is resolved once, so that the
    /// checked address is the one connected to.
    pub(super) async fn connect(
        &self,
        target: &Target,
        time_max: Duration,
    ) -> Result<Stream, ConnectFault> {
        let host = &target.host;
        let addresses = self.checked_addresses(target).await?;
        let mut last = FaultCode::Unreachable.fault(format!("`{host}` has no address"));
        for address in addresses.into_iter().take(ADDRESSES_TRIED_MAX) {
            match tokio::time::timeout(time_max, self.open(address, target)).await {
                Ok(Ok(stream)) => return Ok(stream),
                Ok(Err(error)) => last = unreachable_host(host, &error),
                Err(_) => {
                    let ms = time_max.as_millis();
                    last = FaultCode::TimedOut
                        .fault(format!("`{host}` did not answer within {ms} ms"));
                }
            }
        }
        Err(ConnectFault::Failed(last))
    }

    /// All addresses of the target, if every one of them is allowed.
    async fn checked_addresses(&self, target: &Target) -> Result<Vec<SocketAddr>, ConnectFault> {
        let Target { host, port, .. } = target;
        let mut addresses = match host {
            Host::Address(address) => vec![*address],
            Host::Name(name) => {
                let resolved = self.resolver.resolve(name).await;
                resolved.map_err(|error| ConnectFault::Failed(unreachable_host(host, &error)))?
            }
        };
        let allows = |address: &IpAddr| self.reach.allows(host, *address, *port);
        // Every address must be allowed, which prevents DNS rebinding; `localhost` has two
        // addresses, and one of them is enough.
        if host.is_this_machine() && addresses.iter().any(allows) {
            addresses.retain(allows);
        }
        match addresses.iter().all(allows) {
            true => Ok(addresses.into_iter().map(|ip| SocketAddr::new(ip, *port)).collect()),
            // The message omits the address: a handler must not learn about private networks.
            false => Err(ConnectFault::NotAllowed(FaultCode::NotAllowed.fault(format!(
                "`{host}` leads to a private, local or reserved address, which tools may not reach"
            )))),
        }
    }

    async fn open(&self, address: SocketAddr, target: &Target) -> io::Result<Stream> {
        let tcp = TcpStream::connect(address).await?;
        tcp.set_nodelay(true)?;
        match target.scheme {
            Scheme::Http => Ok(Box::new(tcp)),
            Scheme::Https => {
                let name = match &target.host {
                    Host::Address(address) => ServerName::from(*address),
                    Host::Name(name) => {
                        ServerName::try_from(name.clone()).map_err(io::Error::other)?
                    }
                };
                Ok(Box::new(self.tls.connect(name, tcp).await?))
            }
        }
    }
}

/// Why connecting failed.
pub(super) enum ConnectFault {
    /// The address is not allowed.
    NotAllowed(ServiceFault),
    Failed(ServiceFault),
}

/// A connection, with TLS or without.
pub(super) type Stream = Box<dyn Duplex>;

pub(super) trait Duplex: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> Duplex for T {}

fn unreachable_host(host: &Host, error: &io::Error) -> ServiceFault {
    FaultCode::Unreachable.fault(format!("`{host}` cannot be reached: {error}"))
}
