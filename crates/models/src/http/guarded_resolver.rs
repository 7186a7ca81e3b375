//! Resolves the names of servers: by the system, or by a guard that checks every address.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use addresses::{AddressGuard, Resolver, SystemResolver};
use hyper::Uri;
use hyper_util::client::legacy::connect::dns::Name;
use tower_service::Service;

/// What the connector asks before it connects. It connects only to what is answered.
#[derive(Clone)]
pub(super) struct GuardedResolver(pub(super) Option<AddressGuard>);

impl GuardedResolver {
    /// Checks a host that needs no resolver, because it is an address.
    pub(super) fn check_literal(&self, uri: &Uri) -> io::Result<()> {
        match (&self.0, uri.host()) {
            (Some(guard), Some(host)) => guard.check_literal(host),
            (None, _) | (_, None) => Ok(()),
        }
    }
}

impl Service<Name> for GuardedResolver {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Self::Response>> + Send>>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let guard = self.0.clone();
        Box::pin(async move {
            let found = match guard {
                Some(guard) => guard.resolve(name.as_str()).await?,
                None => SystemResolver.resolve(name.as_str()).await?,
            };
            // The connector puts the port of the address in.
            let places: Vec<_> = found.into_iter().map(|ip| SocketAddr::new(ip, 0)).collect();
            Ok(places.into_iter())
        })
    }
}
