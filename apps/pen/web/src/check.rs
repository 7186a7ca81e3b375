//! Checks a text while it is typed: findings, true lengths, and the posts on every platform.

use axum::extract::{Query, State};
use axum::{Extension, Json};
use pen::length::thread;
use pen::session::{DraftProfile, ProfileSource, TextCheck};
use pen::{Lang, Platform};
use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use serde_json::{Value, json};
use server::{Caller, JsonBody};

use crate::draft_view::report;
use crate::fault::no_session;
use crate::request::{LangQuery, blocking, platform, profile_name};
use crate::{HandlerResult, PenState};

/// A text to check: that of a draft, or for a profile and a platform.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TextToCheck {
    text: String,
    /// The draft whose text it is; its profile, platform and sources count.
    draft: Option<String>,
    /// Without a draft; `default` if it is not named.
    profile: Option<String>,
    /// Without a draft; the first of the profile if it is not named.
    #[schemars(transform = platform_or_none)]
    platform: Option<String>,
}

fn platform_or_none(schema: &mut Schema) {
    let names = Platform::ALL.iter().map(|one| json!(one)).chain([Value::Null]);
    schema.insert("enum".to_owned(), names.collect());
}

/// What the text is checked against.
struct Against {
    source: ProfileSource,
    platform: Option<Platform>,
    given: Option<Vec<String>>,
    own: Vec<String>,
}

pub(crate) async fn check(
    State(state): State<PenState>,
    Extension(caller): Extension<Caller>,
    Query(query): Query<LangQuery>,
    JsonBody(body): JsonBody<TextToCheck>,
) -> HandlerResult<Json<Value>> {
    state.admit(&caller)?;
    state.fits(&body.text)?;
    let lang = query.lang();
    let against = state.against(&body, lang).await?;
    let (pen, text) = (state.pen.clone(), body.text);
    let checked = blocking(move || {
        let read = DraftProfile::read(&against.source, &pen, lang)?;
        let first = read.profile.platforms().first().copied().unwrap_or(Platform::Linkedin);
        let platform = against.platform.unwrap_or(first);
        let given = against.given.as_deref();
        let check =
            TextCheck { pen: &pen, profile: &read, platform, given, own: &against.own, lang };
        let mut found = report(&text, &check);
        found["threads"] = Platform::ALL.map(|platform| posts(&text, platform, lang)).into();
        Ok(found)
    });
    checked.await?.map(Json).map_err(|fault| no_session(&fault, lang))
}

impl PenState {
    async fn against(&self, body: &TextToCheck, lang: Lang) -> HandlerResult<Against> {
        if let Some(id) = &body.draft {
            let draft = self.draft(id).await?;
            let started = draft.started.as_ref();
            let source = started.map(|started| started.profile.clone());
            return Ok(Against {
                source: source.unwrap_or_else(|| ProfileSource::One("default".to_owned())),
                platform: started.map(|started| started.platform),
                given: Some(draft.sources),
                own: draft.files,
            });
        }
        let name = profile_name(body.profile.as_deref().unwrap_or("default"), lang)?;
        let platform = body.platform.as_deref().map(|name| platform(name, lang)).transpose()?;
        let source = ProfileSource::One(name.to_string());
        Ok(Against { source, platform, given: None, own: Vec::new() })
    }
}

/// The text as the posts of one platform, each with its true length.
fn posts(text: &str, platform: Platform, lang: Lang) -> Value {
    let counted = |post: &String| json!({ "text": post, "length": platform.count(post) });
    let mut told = json!({ "platform": platform, "limit": platform.limit(),
                           "length": platform.count(text), "posts": [], "fault": null });
    match thread(text, platform) {
        _ if text.trim().is_empty() => {}
        Ok(posts) => told["posts"] = posts.iter().map(counted).collect(),
        Err(fault) => told["fault"] = fault.text(lang).into(),
    }
    told
}
