//! The far side of a login: an MCP server over HTTP and the server that gives tokens for it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};

use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

/// Tokens begin with this; no output may ever have it in it.
pub(crate) const CANARY: &str = "canary-5e1d";

/// Both servers, at one address.
pub(crate) struct FarLogin {
    pub(crate) base: String,
    shared: Arc<Shared>,
    _runtime: Runtime,
}

struct Shared {
    base: String,
    far: Mutex<Far>,
}

/// What the servers know, what they do, and what they saw.
#[derive(Default)]
pub(crate) struct Far {
    pub(crate) lasts: u64,
    /// What a call of a tool needs.
    pub(crate) call_scope: Option<&'static str>,
    /// Where requests for tools are sent on to.
    pub(crate) moved_to: Option<String>,
    /// How often the next to ask for a token is left without an answer.
    pub(crate) hang_ups: u32,
    /// Nobody is told how to log in.
    pub(crate) curt: bool,
    /// Where tokens are said to be given.
    pub(crate) token_endpoint: Option<&'static str>,
    /// Clients are made by hand.
    pub(crate) registers_none: bool,
    /// What it says of PKCE, if not what it should; null is nothing.
    pub(crate) pkce: Option<Value>,
    /// Whoever wants to log in is refused.
    pub(crate) refuses: bool,
    /// Keys that are as good as a token.
    pub(crate) keys: BTreeSet<String>,
    /// What the tool says of itself, if not the usual.
    pub(crate) description: Option<&'static str>,
    /// Which token came with each call of the tool, and with which text.
    pub(crate) calls: Vec<(String, String)>,
    access: BTreeMap<String, String>,
    refresh: BTreeMap<String, String>,
    used: BTreeSet<String>,
    next: u32,
    pub(crate) asked_scopes: Vec<String>,
    pub(crate) refreshed: u32,
    pub(crate) grants: Vec<String>,
    pub(crate) bearers: Vec<String>,
}

impl FarLogin {
    pub(crate) fn start() -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.unwrap();
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let far = Mutex::new(Far { lasts: 3_600, ..Far::default() });
        let shared = Arc::new(Shared { base: base.clone(), far });
        let app = Router::new()
            .route("/.well-known/oauth-protected-resource/mcp", get(resource))
            .route("/.well-known/oauth-authorization-server", get(metadata))
            .route("/register", post(register))
            .route("/authorize", get(authorize))
            .route("/token", post(token))
            .route("/mcp", post(mcp))
            .with_state(Arc::clone(&shared));
        runtime.spawn(axum::serve(listener, app).into_future());
        Self { base, shared, _runtime: runtime }
    }

    pub(crate) fn far(&self) -> MutexGuard<'_, Far> {
        self.shared.far.lock().unwrap()
    }

    /// Every access token is worth nothing from now on.
    pub(crate) fn revoke_access(&self) {
        self.far().access.clear();
    }

    pub(crate) fn revoke_refresh(&self) {
        self.far().refresh.clear();
    }
}

impl Far {
    fn give(&mut self, scope: &str) -> Value {
        self.next += 1;
        let (access, refresh) =
            (format!("at-{CANARY}-{}", self.next), format!("rt-{CANARY}-{}", self.next));
        self.access.insert(access.clone(), scope.to_owned());
        self.refresh.insert(refresh.clone(), scope.to_owned());
        json!({
            "access_token": access, "token_type": "Bearer", "expires_in": self.lasts,
            "refresh_token": refresh, "scope": scope, "id_token": format!("id-{CANARY}"),
        })
    }
}

type Here = State<Arc<Shared>>;

async fn resource(State(shared): Here) -> Json<Value> {
    let base = &shared.base;
    Json(json!({ "resource": format!("{base}/mcp"), "authorization_servers": [base] }))
}

async fn metadata(State(shared): Here) -> Json<Value> {
    let base = &shared.base;
    let mut metadata = json!({
        "issuer": base, "authorization_endpoint": format!("{base}/authorize"),
        "token_endpoint": format!("{base}/token"),
        "registration_endpoint": format!("{base}/register"),
        "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": true,
        "token_endpoint_auth_methods_supported": ["client_secret_post"],
    });
    let far = shared.far.lock().unwrap();
    if far.registers_none {
        metadata["registration_endpoint"] = Value::Null;
    }
    if let Some(pkce) = &far.pkce {
        metadata["code_challenge_methods_supported"] = pkce.clone();
        metadata.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    }
    if let Some(place) = far.token_endpoint {
        metadata["token_endpoint"] = place.into();
    }
    Json(metadata)
}

async fn register(State(shared): Here, Json(asked): Json<Value>) -> (StatusCode, Json<Value>) {
    let mut far = shared.far.lock().unwrap();
    far.next += 1;
    let client = json!({
        "client_id": format!("registered-{}", far.next),
        "client_secret": format!("cs-{CANARY}"),
        "redirect_uris": asked["redirect_uris"],
    });
    (StatusCode::CREATED, Json(client))
}

async fn authorize(State(shared): Here, RawQuery(query): RawQuery) -> Response {
    let asked = pairs(&query.unwrap_or_default());
    let mut far = shared.far.lock().unwrap();
    let scope = asked.get("scope").cloned().unwrap_or_default();
    far.asked_scopes.push(scope.clone());
    let (back, state) = (&asked["redirect_uri"], &asked["state"]);
    let answer = match far.refuses {
        true => "error=access_denied&error_description=not+today".to_owned(),
        false => format!("code={}", scope.replace(' ', "+")),
    };
    let to = format!("{back}?{answer}&state={state}&iss={}", shared.base);
    (StatusCode::FOUND, [(header::LOCATION, to)]).into_response()
}

async fn token(State(shared): Here, body: String) -> (StatusCode, Json<Value>) {
    let asked = pairs(&body);
    let mut far = shared.far.lock().unwrap();
    if far.hang_ups > 0 {
        far.hang_ups -= 1;
        drop(far);
        panic!("this ends the connection");
    }
    let grant = asked["grant_type"].clone();
    far.grants.push(grant.clone());
    let refused = (StatusCode::BAD_REQUEST, Json(json!({ "error": "invalid_grant" })));
    let known = asked.get("client_secret").is_some_and(|secret| secret.contains(CANARY));
    if !known || asked.get("resource") != Some(&format!("{}/mcp", shared.base)) {
        return refused;
    }
    let scope = match grant.as_str() {
        "authorization_code" => asked["code"].clone(),
        "client_credentials" => asked.get("scope").cloned().unwrap_or_default(),
        "refresh_token" => {
            far.refreshed += 1;
            let token = &asked["refresh_token"];
            // One that comes twice was stolen, or lost by a careless client: all is over.
            if !far.used.insert(token.clone()) {
                far.access.clear();
                far.refresh.clear();
            }
            match far.refresh.remove(token) {
                Some(scope) => scope,
                None => return refused,
            }
        }
        other => panic!("{other}"),
    };
    (StatusCode::OK, Json(far.give(&scope)))
}

async fn mcp(State(shared): Here, headers: HeaderMap, Json(message): Json<Value>) -> Response {
    let mut far = shared.far.lock().unwrap();
    if let Some(place) = &far.moved_to {
        return (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, place)]).into_response();
    }
    let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let bearer = bearer.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
    far.bearers.push(bearer.to_owned());
    let metadata = format!("{}/.well-known/oauth-protected-resource/mcp", shared.base);
    let challenge = |status, more: &str| {
        let said = format!("Bearer resource_metadata=\"{metadata}\", {more}");
        (status, [(header::WWW_AUTHENTICATE, said)]).into_response()
    };
    let key_scope = String::new();
    let with_key = far.keys.contains(bearer).then_some(&key_scope);
    let Some(scope) = far.access.get(bearer).or(with_key) else {
        if far.curt {
            return StatusCode::UNAUTHORIZED.into_response();
        }
        return challenge(StatusCode::UNAUTHORIZED, "scope=\"read\"");
    };
    let (method, id) = (message["method"].as_str().unwrap(), &message["id"]);
    let needed = far.call_scope.filter(|_| method == "tools/call");
    if let Some(needed) = needed.filter(|needed| scope.split(' ').all(|given| given != *needed)) {
        let more = format!("error=\"insufficient_scope\", scope=\"{needed}\"");
        return challenge(StatusCode::FORBIDDEN, &more);
    }
    let result = match method {
        "initialize" => json!({
            "protocolVersion": "2025-11-25", "capabilities": { "tools": {} },
            "serverInfo": { "name": "far", "version": "1" },
        }),
        "tools/list" => json!({ "tools": [{
            "name": "echo", "description": far.description.unwrap_or("Says it back."),
            "inputSchema": { "type": "object", "properties": { "text": { "type": "string" } } },
            "annotations": { "readOnlyHint": true },
        }] }),
        "tools/call" => {
            let text = message["params"]["arguments"]["text"].clone();
            let said = text.as_str().unwrap_or_default().to_owned();
            far.calls.push((bearer.to_owned(), said));
            json!({ "content": [{ "type": "text", "text": text }] })
        }
        _ if id.is_null() => return StatusCode::ACCEPTED.into_response(),
        _ => {
            let error = json!({ "code": -32601, "message": "no such method" });
            return Json(json!({ "jsonrpc": "2.0", "id": id, "error": error })).into_response();
        }
    };
    Json(json!({ "jsonrpc": "2.0", "id": id, "result": result })).into_response()
}

fn pairs(query: &str) -> BTreeMap<String, String> {
    let pair =
        |pair: &str| pair.split_once('=').map(|(name, value)| (decoded(name), decoded(value)));
    query.split('&').filter_map(pair).collect()
}

fn decoded(text: &str) -> String {
    let spaced = text.replace('+', " ");
    let mut parts = spaced.split('%');
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |whole, part| {
        let byte = u8::from_str_radix(&part[..2], 16).unwrap();
        format!("{whole}{}{}", char::from(byte), &part[2..])
    })
}

/// What a browser does with a link: goes there, and on to wherever it is sent. Gives the
/// last status.
pub(crate) fn follow(link: &str) -> u16 {
    let (status, location) = visit(link);
    location.map_or(status, |next| follow(&next))
}

/// The status at a link, and where it sends a browser.
pub(crate) fn visit(link: &str) -> (u16, Option<String>) {
    let (place, path) = link.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = TcpStream::connect(place.parse::<SocketAddr>().unwrap()).unwrap();
    write!(stream, "GET /{path} HTTP/1.1\r\nHost: {place}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let answer = String::from_utf8_lossy(&answer);
    let location = answer.lines().find_map(|line| line.strip_prefix("location: "));
    (answer.split(' ').nth(1).unwrap().parse().unwrap(), location.map(str::to_owned))
}
