//! Finds out of an error whether a server refused us, and what it asks for.

use std::error::Error;

use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::auth::AuthError;
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, InsufficientScopeError, StreamableHttpError,
};

use crate::import::line_fault::LineFault;
use crate::import::neighbour::{Neighbour, Reach};

/// A refusal of ours as a caller, not of the call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::import) enum Refusal {
    /// It does not know who we are. What it says about that, if it does.
    Login(Option<String>),
    /// It knows, and wants more to be agreed to.
    Scope(Option<String>),
}

impl Refusal {
    /// What it means for whoever configured the server.
    pub(in crate::import) fn fault(self, neighbour: &Neighbour) -> LineFault {
        let server = neighbour.name.to_string();
        let may_log_in = matches!(neighbour.reach, Reach::Address { oauth: Some(_), .. });
        match (self, may_log_in) {
            (Self::Login(challenge), true) => {
                LineFault::NeedsLogin { server, was_renewed: challenge.is_some() }
            }
            (Self::Scope(scope), true) => LineFault::NeedsScope { server, scope },
            (Self::Login(challenge), false) => LineFault::NoLogin { server, challenge },
            (Self::Scope(_), false) => {
                LineFault::Refused("the token in its headers does not allow this".to_owned())
            }
        }
    }
}

/// What a server said when the connection was opened.
pub(in crate::import) fn refusal_at_start(fault: &ClientInitializeError) -> Option<Refusal> {
    if let ClientInitializeError::TransportError { error, .. } = fault {
        return refusal_in(error.error.as_ref());
    }
    if let ClientInitializeError::LegacyFallbackFailed { fallback, .. } = fault {
        return refusal_at_start(fallback);
    }
    None
}

/// What a server said to a request.
pub(in crate::import) fn refusal_of(fault: &ServiceError) -> Option<Refusal> {
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
        if let Some(StreamableHttpError::<reqwest::Error>::UnexpectedServerResponse(said)) =
            error.downcast_ref()
            && said.starts_with("HTTP 401")
        {
            return Some(Refusal::Login(None));
        }
        cause = error.source();
    }
    None
}
