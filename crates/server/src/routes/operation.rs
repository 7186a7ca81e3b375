//! One operation of the API: its route, and what the OpenAPI document says about it.

mod erased_handler;

use axum::handler::Handler;
use axum::routing::{MethodRouter, delete, get, patch, post, put};
use schemars::generate::SchemaGenerator;
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

use self::erased_handler::ErasedHandler;

/// An operation whose handler needs the state `S`. The builder methods describe it.
pub struct Operation<S = ()> {
    pub(crate) spec: OperationSpec,
    pub(crate) route: MethodRouter<S>,
}

/// What the document says, and which body the router accepts.
#[derive(Clone)]
pub(crate) struct OperationSpec {
    pub method: &'static str,
    pub path: &'static str,
    pub summary: &'static str,
    pub status: u16,
    pub body: Option<BodySpec>,
    pub answer: Option<SchemaOf>,
    pub query: Vec<QueryParameter>,
    /// Media types of the answer besides JSON.
    pub media_types: &'static [&'static str],
    pub upload_bytes_max: Option<usize>,
    /// The body is the bytes of a file, which the handler reads as they arrive.
    pub streams_body: bool,
}

#[derive(Clone, Copy)]
pub(crate) struct BodySpec {
    pub schema: SchemaOf,
    /// A valid body, as JSON.
    pub example: &'static str,
}

/// Adds a type to the document and returns its schema or a reference to it.
pub(crate) type SchemaOf = fn(&mut SchemaGenerator) -> Value;

#[derive(Debug, Clone)]
pub(crate) struct QueryParameter {
    pub name: &'static str,
    pub required: bool,
    pub schema: Value,
}

impl<S: Clone + Send + Sync + 'static> Operation<S> {
    pub fn get<H: Handler<T, S>, T: 'static>(path: &'static str, handler: H) -> Self {
        Self::new("get", path, get(ErasedHandler::new(handler)))
    }

    pub fn post<H: Handler<T, S>, T: 'static>(path: &'static str, handler: H) -> Self {
        Self::new("post", path, post(ErasedHandler::new(handler)))
    }

    pub fn put<H: Handler<T, S>, T: 'static>(path: &'static str, handler: H) -> Self {
        Self::new("put", path, put(ErasedHandler::new(handler)))
    }

    pub fn patch<H: Handler<T, S>, T: 'static>(path: &'static str, handler: H) -> Self {
        Self::new("patch", path, patch(ErasedHandler::new(handler)))
    }

    pub fn delete<H: Handler<T, S>, T: 'static>(path: &'static str, handler: H) -> Self {
        Self::new("delete", path, delete(ErasedHandler::new(handler)))
    }

    fn new(method: &'static str, path: &'static str, route: MethodRouter<S>) -> Self {
        let spec = OperationSpec {
            method,
            path,
            summary: "",
            status: 200,
            body: None,
            answer: None,
            query: Vec::new(),
            media_types: &[],
            upload_bytes_max: None,
            streams_body: false,
        };
        Self { spec, route }
    }

    /// Gives the handler its state.
    pub fn with_state<S2>(self, state: S) -> Operation<S2> {
        Operation { spec: self.spec, route: self.route.with_state(state) }
    }
}

impl<S> Operation<S> {
    #[must_use]
    pub fn summary(mut self, summary: &'static str) -> Self {
        self.spec.summary = summary;
        self
    }

    /// The status of success; 200 if it is not set.
    #[must_use]
    pub fn status(mut self, status: u16) -> Self {
        self.spec.status = status;
        self
    }

    /// The type of the body, and a valid one as JSON.
    #[must_use]
    pub fn body<B: JsonSchema>(mut self, example: &'static str) -> Self {
        self.spec.body = Some(BodySpec { schema: schema_of::<B>, example });
        self
    }

    /// The type of the answer.
    #[must_use]
    pub fn answer<A: JsonSchema>(mut self) -> Self {
        self.spec.answer = Some(schema_of::<A>);
        self
    }

    /// An optional query parameter.
    #[must_use]
    pub fn query(mut self, name: &'static str, schema: Value) -> Self {
        self.spec.query.push(QueryParameter { name, required: false, schema });
        self
    }

    /// A query parameter that every request needs.
    #[must_use]
    pub fn required_query(mut self, name: &'static str, schema: Value) -> Self {
        self.spec.query.push(QueryParameter { name, required: true, schema });
        self
    }

    /// Media types of the answer besides JSON.
    #[must_use]
    pub fn media_types(mut self, media_types: &'static [&'static str]) -> Self {
        self.spec.media_types = media_types;
        self
    }

    /// The body is a file: it may be this large and take ten times the usual time.
    #[must_use]
    pub fn upload(mut self, bytes_max: usize) -> Self {
        self.spec.upload_bytes_max = Some(bytes_max);
        self
    }

    /// The body is a file of any kind (`application/octet-stream`), which the handler reads and
    /// limits itself. It may take ten times the usual time.
    #[must_use]
    pub fn file_body(mut self, bytes_max: usize) -> Self {
        self.spec.streams_body = true;
        self.upload(bytes_max)
    }
}

fn schema_of<T: JsonSchema>(schemas: &mut SchemaGenerator) -> Value {
    let schema: Schema = schemas.subschema_for::<T>();
    json!(schema)
}

/// Declares the types of answers that handlers build as JSON values: they are only described in
/// the document, and the tests validate answers against them.
#[macro_export]
macro_rules! described {
    ($($(#[$about:meta])* $name:ident { $($field:ident: $kind:ty,)* })+) => {$(
        #[derive(schemars::JsonSchema)]
        #[serde(rename_all = "camelCase")]
        #[expect(dead_code, reason = "it is only described")]
        $(#[$about])*
        pub(crate) struct $name { $($field: $kind,)* }
    )+};
}
