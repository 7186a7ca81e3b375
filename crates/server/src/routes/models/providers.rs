//! Providers and their keys, for the operator. A key comes in and never goes out.

use std::fmt;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use contract::{Secret, Wire};
use providers::{
    FoundServer, KeptProvider, NewProvider, ProviderFault, ProviderKind, ProviderLine,
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::auth::middleware::Owner;
use crate::fault::{Fault, HandlerResult};
use crate::routes::json_body::JsonBody;
use crate::state::AppState;

/// Keys cost money and are used by every owner, so only the operator manages them.
fn check_operator(app: &AppState, owner: &Owner) -> HandlerResult<()> {
    match app.authenticator.is_operator(owner) {
        true => Ok(()),
        false => Err(Fault::forbidden(
            "only the operator may see and change providers",
            "ask the owner of this server's first token",
        )),
    }
}

pub(crate) async fn list(
    State(app): State<AppState>,
    Extension(owner): Extension<Owner>,
) -> HandlerResult<Json<Vec<ProviderLine>>> {
    check_operator(&app, &owner)?;
    Ok(Json(app.providers.providers().await?))
}

/// The key is not printed, not even by `Debug`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GivenProvider {
    kind: ProviderKind,
    /// The protocol of a compatible server.
    #[schemars(with = "Option<String>", extend("enum" = ["anthropic", "chat", "responses", "gemini", null]))]
    wire: Option<Wire>,
    /// Needed for servers without an address of their own.
    #[schemars(length(max = 300))]
    address: Option<String>,
    /// Sent once; without it, the key of before is used if the address is the same.
    #[schemars(length(max = 4096))]
    key: Option<String>,
    /// The model to ask, and to use first.
    #[schemars(length(max = 200))]
    model: Option<String>,
}

impl fmt::Debug for GivenProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GivenProvider").field("kind", &self.kind).finish_non_exhaustive()
    }
}

pub(crate) async fn keep(
    State(app): State<AppState>,
    Extension(owner): Extension<Owner>,
    Path(name): Path<String>,
    JsonBody(given): JsonBody<GivenProvider>,
) -> HandlerResult<Json<KeptProvider>> {
    check_operator(&app, &owner)?;
    let GivenProvider { kind, wire, address, key, model } = given;
    let filled = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let new = NewProvider {
        kind,
        wire,
        address: filled(address),
        key: filled(key).map(Secret::new),
        model: filled(model),
    };
    Ok(Json(app.providers.keep(&name, new).await?))
}

pub(crate) async fn remove(
    State(app): State<AppState>,
    Extension(owner): Extension<Owner>,
    Path(name): Path<String>,
) -> HandlerResult<StatusCode> {
    check_operator(&app, &owner)?;
    app.providers.remove(&name).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WhereToLook {
    /// The usual ports of this machine if it is missing.
    #[schemars(length(max = 300))]
    address: Option<String>,
}

pub(crate) async fn find(
    State(app): State<AppState>,
    Extension(owner): Extension<Owner>,
    JsonBody(WhereToLook { address }): JsonBody<WhereToLook>,
) -> HandlerResult<Json<Vec<FoundServer>>> {
    check_operator(&app, &owner)?;
    let _permit = app.ai_edits.acquire(&owner.0)?;
    match address.filter(|address| !address.trim().is_empty()) {
        Some(address) => Ok(Json(vec![app.providers.find_at(&address, None).await?])),
        None => Ok(Json(app.providers.find_local().await?)),
    }
}

impl From<ProviderFault> for Fault {
    fn from(fault: ProviderFault) -> Self {
        let (message, fix) = (fault.to_string(), fault.fix());
        match fault {
            ProviderFault::Address(_)
            | ProviderFault::Name(_)
            | ProviderFault::Needs(_)
            | ProviderFault::NoModel(_) => Fault::bad_request(message, fix),
            ProviderFault::Configured(_) | ProviderFault::NoStore => Fault::conflict(message, fix),
            ProviderFault::Unknown(_) => Fault::not_found(message),
            ProviderFault::TooMany => Fault::too_many(message),
            ProviderFault::Refused(fault) => Fault::model(&fault),
            ProviderFault::Seal(fault) => {
                tracing::error!(%fault, "a key cannot be sealed or opened");
                Fault::conflict(message, fix)
            }
            ProviderFault::Store(fault) => fault.into(),
        }
    }
}
