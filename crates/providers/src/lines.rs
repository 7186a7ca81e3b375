//! The connections to providers: free to those of the settings, guarded to those of the page.

use std::sync::Arc;

use addresses::{AddressGuard, Reach, Resolver};
use contract::ModelFault;
use models::{HttpClient, Limits};

/// One client for each kind of provider, with the same limits.
pub(crate) struct Lines {
    configured: HttpClient,
    public: HttpClient,
    near: HttpClient,
}

impl Lines {
    pub(crate) fn new(limits: Limits, resolver: &Arc<dyn Resolver>) -> Result<Self, ModelFault> {
        let guarded =
            |reach| HttpClient::guarded(limits, AddressGuard::with(Arc::clone(resolver), reach));
        Ok(Self {
            configured: HttpClient::new(limits)?,
            public: guarded(Reach::Public)?,
            near: guarded(Reach::Near)?,
        })
    }

    /// The client for a provider of the page with this reach; without one, of the settings.
    pub(crate) fn of(&self, reach: Option<Reach>) -> &HttpClient {
        match reach {
            None => &self.configured,
            Some(Reach::Public) => &self.public,
            Some(Reach::Near) => &self.near,
        }
    }
}
