//! Finds out whether an error means that the server refused our credentials, and what it asks
//! for.

use std::error::Error;

use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::auth::AuthError;
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, InsufficientScopeError, StreamableHttpError,
};

use crate::client::connection::fault::ConnectionFault;
use crate::client::server_config::{Endpoint, ServerConfig};

/// A refusal of our credentials, not of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Unauthenticated, with the server's challenge if it sent one.
    Login(Option<String>),
    /// Authenticated, but another scope is required.
    Scope(Option<String>),
}

impl Refusal {
    /// The fault for the person who configured the server.
    pub(crate) fn fault(self, config: &ServerConfig) -> ConnectionFault {
        let server = config.name.to_string();
        let may_log_in = matches!(config.endpoint, Endpoint::Http { oauth: Some(_), .. });
        match (self, may_log_in) {
            (Self::Login(challenge), true) => {
                ConnectionFault::NeedsLogin { server, was_renewed: challenge.is_some() }
            }
            (Self::Scope(scope), true) => ConnectionFault::NeedsScope { server, scope },
            (Self::Login(challenge), false) => ConnectionFault::NoLogin { server, challenge },
            (Self::Scope(_), false) => {
                ConnectionFault::Refused("the token in its headers does not allow this".to_owned())
            }
        }
    }
}

/// The refusal in an error of the handshake.
pub(crate) fn refusal_at_start(fault: &ClientInitializeError) -> Option<Refusal> {
    if let ClientInitializeError::TransportError { error, .. } = fault {
        return refusal_in(error.error.as_ref());
    }
    if let ClientInitializeError::LegacyFallbackFailed { fallback, .. } = fault {
        return refusal_at_start(fallback);
    }
    None
}

/// The refusal in an error of a request.
pub(crate) fn refusal_of(fault: &ServiceError) -> Option<Refusal> {
    let ServiceError::TransportSend(error) = fault else { return None };
    refusal_in(error.error.as_ref())
}

fn refusal_in(error: &(dyn Error + 'static)) -> Option<Refusal> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(login) = error.downcast_ref::<AuthRequiredError>() {
            return Some(Refusal::Login(Some(login.www_authenticate_header.clone())));
        }
        if let Some(scope) = error.downcast_ref::<InsufficientScopeError>() {
            return Some(Refusal::Scope(scope.required_scope.clone()));
        }
        if let Some(AuthError::AuthorizationRequired) = error.downcast_ref() {
            return Some(Refusal::Login(None));
        }
        if let Some(StreamableHttpError::<reqwest::Error>::UnexpectedServerResponse(message)) =
            error.downcast_ref()
            && message.starts_with("HTTP 401")
        {
            return Some(Refusal::Login(None));
        }
        cause = error.source();
    }
    None
}
