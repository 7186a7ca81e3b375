//! The routes of the server.

use std::io;
use std::sync::Arc;

use contract::Wire;
use http_body_util::{BodyExt as _, Limited};
use hyper::Request;
use hyper::body::Incoming;
use hyper::http::request::Parts;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use super::answer::{ProviderResponse, refuse};
use super::model_request::{Url, ask};
use super::recorded::RecordedRequest;
use super::state::State;
use super::wire_error::Trouble;
use super::{batches, embeddings, files, model_list};

/// The request limit of Anthropic; the others accept no more.
const BODY_BYTES_MAX: usize = 32 << 20;

/// Serves until it is dropped, with all its connections.
pub(super) async fn accept(listener: TcpListener, state: Arc<State>) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        while connections.try_join_next().is_some() {}
        let _ = stream.set_nodelay(true); // only affects speed
        let state = Arc::clone(&state);
        connections.spawn(async move {
            let service = service_fn(|request| answer(&state, request));
            // A client that disconnects is not a fault of the server.
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

async fn answer(state: &Arc<State>, request: Request<Incoming>) -> io::Result<ProviderResponse> {
    let (head, body) = request.into_parts();
    let path = head.uri.path().to_owned();
    let route = Route::of(&path);
    let wire = match &route {
        Route::Model(wire) => Some(*wire),
        Route::Gemini { .. } => Some(Wire::Gemini),
        Route::AnthropicBatches(_) | Route::OpenAiBatches(_) | Route::Files(_) => None,
        Route::Embeddings => Some(Wire::Chat),
        Route::GeminiEmbeddings(_) => Some(Wire::Gemini),
        Route::Models(_) | Route::GeminiModels | Route::Nowhere => None,
    };
    let spoken = wire.unwrap_or_else(|| house_of(&head, &path));
    let Ok(body) = Limited::new(body, BODY_BYTES_MAX).collect().await else {
        return refuse(spoken, &Trouble::TooLarge.into());
    };
    let body = body.to_bytes();
    // The bodies of embedding requests are no model requests of a wire.
    let asks_model = matches!(route, Route::Model(_) | Route::Gemini { .. });
    let recorded = RecordedRequest::new(&head, &body, wire.filter(|_| asks_model));
    let allowed = state.accepts(recorded.key(spoken));
    let number = state.record(recorded);
    if !allowed {
        return refuse(spoken, &Trouble::WrongKey.into());
    }
    let outcome = match route {
        Route::Model(wire) => return ask(state, wire, &head, &body, number, Url::default()).await,
        Route::Gemini { model, method } => {
            let url = Url { model: Some(model), method: Some(method) };
            return ask(state, Wire::Gemini, &head, &body, number, url).await;
        }
        Route::AnthropicBatches(rest) => batches::anthropic(state, &head, &body, &rest),
        Route::OpenAiBatches(rest) => batches::openai(state, &head, &body, &rest),
        Route::Files(rest) => files::answer(state, &head, &body, &rest),
        Route::Embeddings => embeddings::openai(state, &body),
        Route::GeminiEmbeddings(model) => embeddings::gemini(state, &model, &body),
        Route::Models(name) => model_list::answer(spoken, name.as_deref()),
        Route::GeminiModels => model_list::answer(Wire::Gemini, None),
        Route::Nowhere => Err(Trouble::NotFound(path)),
    };
    match outcome {
        Ok(page) => Ok(page.into_answer()),
        Err(trouble) => {
            if let Trouble::BadRequest(lines) = &trouble {
                state.refuse(number, lines);
            }
            refuse(spoken, &trouble.into())
        }
    }
}

/// The route of a path.
enum Route {
    Model(Wire),
    Gemini { model: String, method: String },
    AnthropicBatches(Vec<String>),
    OpenAiBatches(Vec<String>),
    Files(Vec<String>),
    Embeddings,
    GeminiEmbeddings(String),
    Models(Option<String>),
    GeminiModels,
    Nowhere,
}

impl Route {
    fn of(path: &str) -> Self {
        let segments: Vec<&str> = path.trim_matches('/').split('/').collect();
        let owned = |rest: &[&str]| rest.iter().map(|&segment| segment.to_owned()).collect();
        match segments.as_slice() {
            ["v1", "messages"] => Route::Model(Wire::Anthropic),
            ["v1", "messages", "batches", rest @ ..] => Route::AnthropicBatches(owned(rest)),
            ["v1", "chat", "completions"] => Route::Model(Wire::Chat),
            ["v1", "responses"] => Route::Model(Wire::Responses),
            ["v1", "batches", rest @ ..] => Route::OpenAiBatches(owned(rest)),
            ["v1", "files", rest @ ..] => Route::Files(owned(rest)),
            ["v1", "embeddings"] => Route::Embeddings,
            ["v1", "models"] => Route::Models(None),
            ["v1beta", "models"] => Route::GeminiModels,
            // The newest SDK of Gemini uses `v1`, everything else `v1beta`.
            ["v1" | "v1beta", "models", last] => match (last.split_once(':'), segments.first()) {
                (Some((model, "batchEmbedContents")), _) => {
                    Route::GeminiEmbeddings(model.to_owned())
                }
                (Some((model, method)), _) if method.ends_with("Content") => {
                    Route::Gemini { model: model.to_owned(), method: method.to_owned() }
                }
                (_, Some(&"v1")) => Route::Models(Some((*last).to_owned())),
                (_, _) => Route::Nowhere,
            },
            _ => Route::Nowhere,
        }
    }
}

/// The wire of an error, if the path does not determine it.
fn house_of(head: &Parts, path: &str) -> Wire {
    match () {
        () if head.headers.contains_key("anthropic-version") => Wire::Anthropic,
        () if path.starts_with("/v1/messages") => Wire::Anthropic,
        () if path.starts_with("/v1beta") => Wire::Gemini,
        () => Wire::Chat,
    }
}
