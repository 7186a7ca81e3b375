//! Drafts: begun for one or several platforms, shown, planned for a day; the prompt to paste.

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use jiff::civil::Date;
use pen::request::Request;
use pen::session::{DraftEvent, DraftOptions, DraftProfile, ProfileSource, paste_prompt};
use pen::{Lang, Now, Platform};
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use server::{Caller, Empty, Fault, JsonBody};

use crate::draft_view::whole;
use crate::fault::no_session;
use crate::request::{LangQuery, blocking, platform, profile_name};
use crate::{HandlerResult, PenState};

/// Openings to choose from.
const OPENINGS_MAX: usize = 5;

/// An idea for one or several posts.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Idea {
    #[schemars(extend("pattern" = "\\S"))]
    idea: String,
    /// A draft for each; without any, the platform that the idea names or the profile's first.
    #[serde(default)]
    #[schemars(transform = platform_names)]
    platforms: Vec<String>,
    /// `default` if it is not named.
    profile: Option<String>,
    /// A second profile whose techniques are borrowed.
    techniques: Option<String>,
    /// The address of a Notion page to write from.
    notion: Option<String>,
    /// Search the web for facts first.
    #[serde(default)]
    facts: bool,
    /// How many openings to choose from; 0 for none.
    #[serde(default, deserialize_with = "whole_number")]
    #[schemars(range(max = 5))]
    openings: usize,
    /// Let the model write at once; without it the draft begins empty.
    #[serde(default)]
    write: bool,
}

/// A whole number, however it is written: `2` or `2.0`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked before")]
fn whole_number<'de, D: Deserializer<'de>>(number: D) -> Result<usize, D::Error> {
    let number = f64::deserialize(number)?;
    match number.fract() == 0.0 && (0.0..=1e6).contains(&number) {
        true => Ok(number as usize),
        false => Err(serde::de::Error::custom("not a whole number from 0 on")),
    }
}

fn platform_names(schema: &mut Schema) {
    schema.insert("items".to_owned(), json!({ "type": "string", "enum": Platform::ALL }));
}

impl Idea {
    fn source(&self, lang: Lang) -> HandlerResult<ProfileSource> {
        let base = profile_name(self.profile.as_deref().unwrap_or("default"), lang)?.to_string();
        Ok(match &self.techniques {
            Some(name) => ProfileSource::Mix(base, profile_name(name, lang)?.to_string()),
            None => ProfileSource::One(base),
        })
    }

    /// Each platform once; one unnamed platform if there are none.
    fn platforms(&self, lang: Lang) -> HandlerResult<Vec<Option<Platform>>> {
        let mut named: Vec<Option<Platform>> = Vec::new();
        for name in &self.platforms {
            let one = Some(platform(name, lang)?);
            if !named.contains(&one) {
                named.push(one);
            }
        }
        Ok(if named.is_empty() { vec![None] } else { named })
    }
}

pub(crate) async fn begin(
    State(state): State<PenState>,
    Extension(caller): Extension<Caller>,
    Query(query): Query<LangQuery>,
    JsonBody(idea): JsonBody<Idea>,
) -> HandlerResult<(StatusCode, Json<Value>)> {
    state.admit(&caller)?;
    let lang = query.lang();
    state.fits(&idea.idea)?;
    if idea.idea.trim().is_empty() {
        let fix = lang.say("draft.no_topic_fix");
        return Err(Fault::bad_request(lang.say("draft.no_topic"), fix).into());
    }
    if idea.openings > OPENINGS_MAX {
        let fix = format!("give 0 to {OPENINGS_MAX}");
        return Err(Fault::bad_request("there are too many openings", fix).into());
    }
    let source = idea.source(lang)?;
    let platforms = idea.platforms(lang)?;
    let (pen, wanted) = (state.pen.clone(), source.clone());
    // What cannot begin is refused before anything is stored.
    let read = blocking(move || DraftProfile::read(&wanted, &pen, lang).map(|_| ())).await?;
    read.map_err(|fault| no_session(&fault, lang))?;
    let mut begun = Vec::new();
    for platform in platforms {
        let options = DraftOptions {
            request: Request::parse(idea.idea.trim()),
            profile: source.clone(),
            platform,
            notion: idea.notion.clone().filter(|page| !page.trim().is_empty()),
            facts: idea.facts,
            variants: idea.openings,
            secrets: state.desk.secrets(),
        };
        let write = idea.write && state.desk.model().is_some();
        let id = state.desk.begin(options, lang, write).await?;
        begun.push(json!({ "id": id }));
    }
    Ok((StatusCode::CREATED, Json(json!({ "drafts": begun }))))
}

pub(crate) async fn show(
    State(state): State<PenState>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    Query(query): Query<LangQuery>,
) -> HandlerResult<Json<Value>> {
    state.admit(&caller)?;
    Ok(Json(shown(&state, &id, query.lang()).await?))
}

/// A draft with everything that the page shows about it.
pub(crate) async fn shown(state: &PenState, id: &str, lang: Lang) -> HandlerResult<Value> {
    let draft = state.draft(id).await?;
    let (pen, name) = (state.pen.clone(), id.to_owned());
    let mut view = blocking(move || whole(&name, &draft, &pen, lang)).await?;
    let seat = state.desk.state(id);
    view["busy"] = seat.busy.into();
    view["seat"] = json!(seat);
    Ok(view)
}

/// The day on which a draft is to be published by its author, or none.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Plan {
    #[schemars(extend("format" = "date"))]
    day: Option<String>,
}

pub(crate) async fn plan(
    State(state): State<PenState>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    JsonBody(Plan { day }): JsonBody<Plan>,
) -> HandlerResult<StatusCode> {
    state.admit(&caller)?;
    let is_day = |day: &String| day.parse::<Date>().is_ok_and(|date| date.to_string() == *day);
    if day.as_ref().is_some_and(|day| !is_day(day)) {
        return Err(Fault::bad_request("this is not a day", "write it as 2026-02-08").into());
    }
    state.draft(&id).await?;
    let at = Now::read().iso();
    state.drafts.append(&id, &DraftEvent::Planned { day, at }).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Deletes a draft; it can be brought back for a while. Posts that were saved stay.
pub(crate) async fn delete(
    State(state): State<PenState>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> HandlerResult<StatusCode> {
    state.admit(&caller)?;
    state.draft(&id).await?;
    state.desk.check_idle(&id)?;
    state.drafts.append(&id, &DraftEvent::Deleted { at: Now::read().iso() }).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(crate) async fn restore(
    State(state): State<PenState>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    JsonBody(Empty {}): JsonBody<Empty>,
) -> HandlerResult<StatusCode> {
    state.admit(&caller)?;
    let Some(draft) = state.stored(&id).await? else {
        return Err(Fault::not_found("there is no such draft").into());
    };
    if draft.deleted.is_some() {
        state.drafts.append(&id, &DraftEvent::Restored { at: Now::read().iso() }).await?;
    }
    Ok(StatusCode::NO_CONTENT)
}

/// A remark that the prompt is about; without one it asks for the first text.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PromptWish {
    remark: Option<String>,
}

pub(crate) async fn prompt(
    State(state): State<PenState>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    Query(query): Query<LangQuery>,
    JsonBody(PromptWish { remark }): JsonBody<PromptWish>,
) -> HandlerResult<Json<Value>> {
    state.admit(&caller)?;
    state.fits(remark.as_deref().unwrap_or_default())?;
    let lang = query.lang();
    let (pen, draft) = (state.pen.clone(), state.draft(&id).await?);
    let text = blocking(move || paste_prompt(&draft, remark.as_deref(), &pen, lang)).await?;
    let text = text.map_err(|fault| no_session(&fault, lang))?;
    Ok(Json(json!({ "text": text })))
}
