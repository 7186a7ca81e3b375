//! A handler without its type.
//!
//! axum builds a stack of services around each type of handler. Erased first, all handlers of a
//! state share one stack, which is compiled once and not once for each handler.

use std::pin::Pin;
use std::sync::Arc;

use axum::extract::Request;
use axum::handler::Handler;
use axum::response::Response;

type ResponseFuture = Pin<Box<dyn Future<Output = Response> + Send>>;

/// A handler that needs the state `S`.
pub(crate) struct ErasedHandler<S>(Arc<dyn Fn(Request, S) -> ResponseFuture + Send + Sync>);

impl<S> ErasedHandler<S> {
    pub(crate) fn new<H: Handler<T, S>, T>(handler: H) -> Self {
        Self(Arc::new(move |request, state| Box::pin(handler.clone().call(request, state))))
    }
}

impl<S> Clone for ErasedHandler<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// The kind of handler that [`ErasedHandler`] is to axum.
pub(crate) enum Erased {}

impl<S: 'static> Handler<Erased, S> for ErasedHandler<S> {
    type Future = ResponseFuture;

    fn call(self, request: Request, state: S) -> ResponseFuture {
        (self.0)(request, state)
    }
}
