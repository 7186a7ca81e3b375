//! Conversations: listed, created, shown, renamed, deleted.

pub(crate) mod agui;
pub(crate) mod artifacts;
pub(crate) mod export;
pub(crate) mod live_stream;
pub(crate) mod messages;
pub(crate) mod organisation;
pub(crate) mod settings;
pub(crate) mod shares;

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use contract::{Mode, Sight, Usage};
use conversation::{
    Conversation, ConversationEvent, ConversationLog, ConversationSettings, EventRecord, Opened,
    PromptForm, TurnState, view,
};
use policy::ConversationId;
use providers::PriceBook;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::auth::middleware::Owner;
use crate::conversations::answering_model::{check_model, usable_default};
use crate::conversations::conversation_index::{ConversationSummary, Stay};
use crate::conversations::search::{Wanted, excerpt};
use crate::conversations::spending::{Answered, answers, money};
use crate::conversations::temporary;
use crate::fault::{Fault, HandlerResult};
use crate::routes::conversations::settings::GivenSettings;
use crate::routes::json_body::JsonBody;
use crate::routes::snippets::system_of;
use crate::state::AppState;
use crate::stream::entry_key::{EntryKeys, shown};
use crate::stream::snapshot::waiting;

#[derive(Deserialize)]
pub(crate) struct SearchQuery {
    search: Option<String>,
    archived: Option<WithArchived>,
}

/// Whether a list has what was archived.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum WithArchived {
    #[default]
    No,
    Only,
    All,
}

impl WithArchived {
    fn shows(self, line: &ConversationSummary) -> bool {
        match self {
            Self::No => !line.organisation.archived,
            Self::Only => line.organisation.archived,
            Self::All => true,
        }
    }
}

/// A conversation in the list, with an excerpt around the match.
#[derive(Serialize, JsonSchema)]
pub(crate) struct FoundConversation {
    #[serde(flatten)]
    line: ConversationSummary,
    #[serde(skip_serializing_if = "Option::is_none")]
    excerpt: Option<String>,
}

pub(crate) async fn list(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Query(SearchQuery { search, archived }): Query<SearchQuery>,
) -> HandlerResult<Json<Vec<FoundConversation>>> {
    let mut lines = app.index.list(&owner).await?;
    let Wanted { text, tags } = Wanted::parse(&search.unwrap_or_default());
    let archived = archived.unwrap_or_default();
    let has_tag = |line: &ConversationSummary, tag| line.organisation.tags.contains(tag);
    lines.retain(|line| archived.shows(line) && tags.iter().all(|tag| has_tag(line, tag)));
    let lines = app.index.without_lost_folders(&owner, lines).await?.into_iter();
    if text.is_empty() {
        return Ok(Json(lines.map(|line| FoundConversation { line, excerpt: None }).collect()));
    }
    let words = app.index.words(&owner).await?;
    let found = lines.filter_map(|line| {
        let excerpt = words.get(&line.id).and_then(|words| excerpt(words, &text));
        let in_title = line.title.to_lowercase().contains(&text);
        (in_title || excerpt.is_some()).then_some(FoundConversation { line, excerpt })
    });
    Ok(Json(found.collect()))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewConversation {
    title: Option<String>,
    model: Option<String>,
    #[schemars(with = "Option<String>", extend("enum" = ["text", "voice", null]))]
    mode: Option<Mode>,
    /// It is in no list, and deleted when the person leaves it.
    #[serde(default)]
    temporary: bool,
}

pub(crate) async fn create(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    JsonBody(NewConversation { title, model, mode, temporary }): JsonBody<NewConversation>,
) -> HandlerResult<(StatusCode, Json<Value>)> {
    if let Some(model) = &model {
        check_model(&app, model).await?;
    }
    let stay = if temporary { Stay::Temporary } else { Stay::Kept };
    let mode = mode.unwrap_or(Mode::Text);
    let id = open(&app, &owner, title.as_deref(), mode, model, stay).await?;
    Ok((StatusCode::CREATED, Json(json!({ "id": id }))))
}

/// Creates a conversation of an owner.
pub(crate) async fn open(
    app: &AppState,
    owner: &str,
    title: Option<&str>,
    mode: Mode,
    model: Option<String>,
    stay: Stay,
) -> HandlerResult<ConversationId> {
    check_room(app, owner).await?;
    // It keeps the model that a person chose for it, or for all new ones.
    let chosen = match model {
        Some(model) => Some(model),
        None => usable_default(app, owner).await?,
    };
    let opened = opening(app, owner, mode, chosen.as_deref()).await?;
    let id = ConversationId(app.index.add(owner, title, stay).await?.id);
    if stay == Stay::Temporary {
        app.temporary.begin(owner, &id);
    }
    app.conversations.open(&id, opened).await?;
    if let Some(chosen) = chosen {
        let choose = |settings: &mut ConversationSettings| settings.model = Some(chosen.clone());
        app.conversations.change_settings(&id, choose).await?;
    }
    Ok(id)
}

/// The first event of a conversation of an owner.
pub(crate) async fn opening(
    app: &AppState,
    owner: &str,
    mode: Mode,
    model: Option<&str>,
) -> HandlerResult<Opened> {
    Ok(Opened {
        client: owner.to_owned(),
        mode,
        model: match model {
            Some(model) => model.to_owned(),
            None => app.providers.default_model().await.facts().to_string(),
        },
        system: system_of(app, owner).await?,
        rounds_max: app.rounds_max,
        prompt: PromptForm::InResult,
    })
}

/// Checks that the owner may have one more conversation.
pub(crate) async fn check_room(app: &AppState, owner: &str) -> HandlerResult<()> {
    match app.index.count(owner).await? < app.limits.conversations_per_owner_max {
        true => Ok(()),
        false => Err(Fault::too_many("there are too many conversations; remove some")),
    }
}

#[derive(Deserialize)]
pub(crate) struct ShowQuery {
    /// How many entries, from the end.
    last: Option<u32>,
}

pub(crate) async fn show(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
    Query(ShowQuery { last: entries_max }): Query<ShowQuery>,
) -> HandlerResult<Json<Value>> {
    let line = app.index.line(&owner, &id).await?;
    let id = ConversationId(line.id.clone());
    // Read first: a turn that ends in the meantime is then not open in the records.
    let was_running = app.turns.is_running(&id);
    let streams_deltas = app.turns.streams_deltas(&id).await;
    let has_paused = app.turns.has_paused(&id).await;
    let ConversationLog { records, mut conversation } = app.conversations.log(&id).await?;
    let is_told =
        |record: &&EventRecord| !matches!(record.event, ConversationEvent::Partial { .. });
    let mut last = records.last();
    if streams_deltas && !conversation.turns.is_empty() {
        // The stream sends an answer in progress from its first delta on.
        let newest = Arc::make_mut(&mut conversation).turns.last_mut();
        newest.into_iter().for_each(TurnState::drop_open_partial);
        last = records.iter().rfind(is_told);
    }
    let is_open = conversation.open_turn().is_some();
    let is_running = is_open
        && !has_paused
        && (was_running || app.turns.is_running(&id) || app.conversations.is_held(&id).await?);
    let rendered = app.render_pool.run(move || {
        let mut keys = EntryKeys::default();
        let entries = view(&conversation);
        let earlier =
            entries.len().saturating_sub(entries_max.map_or(usize::MAX, |count| count as usize));
        let keyed = entries.iter().map(|entry| (keys.of(entry), entry)).skip(earlier);
        let shown = keyed.map(|(key, entry)| shown(&key, entry));
        (shown.collect::<Vec<_>>(), earlier, conversation)
    });
    let (entries, earlier, conversation) = rendered.await?;
    let (model, gone, sight) = model_of(&app, &conversation).await;
    let prices = app.providers.price_book().await;
    Ok(Json(json!({
        "id": line.id,
        "title": line.title,
        "temporary": line.temporary,
        "archived": line.organisation.archived,
        "model": model,
        "modelGone": gone,
        "pictures": sight == Sight::Sees,
        "settings": GivenSettings::of(&conversation.settings),
        "mode": conversation.opened.as_ref().map(|opened| opened.mode),
        "entries": entries,
        "earlier": earlier,
        "open": is_open,
        "running": is_running,
        "waiting": waiting(&conversation),
        "usage": conversation.usage,
        "contextTokens": context_tokens(&conversation),
        "window": prices.window(&model),
        "cost": cost(&answers(&records), &prices),
        "personas": services::chosen_personas(app.engine.store(), &id).await?,
        "last": last.map_or(0, |record| record.sequence),
    })))
}

/// What the newest answer cost, and all of them; none without an answer.
fn cost(answers: &[Answered<'_>], prices: &PriceBook) -> Value {
    let newest = answers.last().map(|last| last.turn);
    let of_newest = answers.iter().filter(|one| Some(one.turn) == newest);
    json!({
        "answer": money(of_newest.map(|one| one.spent(prices))),
        "conversation": money(answers.iter().map(|one| one.spent(prices))),
    })
}

/// What the model read and wrote for its newest answer: how much of its window is used.
fn context_tokens(conversation: &Conversation) -> u64 {
    let rounds = conversation.turns.iter().flat_map(|turn| &turn.rounds);
    rounds.last().map_or(0, |round| {
        let Usage { input, output, cache_read, cache_write, thinking: _ } = round.reply.usage;
        [output, cache_read, cache_write].into_iter().fold(input, u64::saturating_add)
    })
}

/// The model that answers the next message, why it cannot, and whether it sees.
async fn model_of(app: &AppState, conversation: &Conversation) -> (String, Option<String>, Sight) {
    match &conversation.settings.model {
        Some(chosen) => {
            let sight = app.providers.open(chosen).await.sight();
            (chosen.clone(), app.providers.why_gone(chosen).await, sight)
        }
        None => {
            let model = app.providers.default_model().await;
            (model.facts().to_string(), None, model.sight())
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RenameConversation {
    #[schemars(extend("pattern" = "\\S"))]
    title: String,
}

pub(crate) async fn rename(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
    JsonBody(RenameConversation { title }): JsonBody<RenameConversation>,
) -> HandlerResult<StatusCode> {
    if title.trim().is_empty() {
        return Err(Fault::bad_request("the title is empty", "give `title` a few words"));
    }
    app.index.rename(&owner, &id, &title).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(crate) async fn remove(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
) -> HandlerResult<StatusCode> {
    let line = app.index.line(&owner, &id).await?;
    let id = ConversationId(line.id);
    if line.temporary {
        temporary::end_now(&app, &owner, &id).await?;
        return Ok(StatusCode::NO_CONTENT);
    }
    let _slot = app.turns.reserve(&id).await?;
    app.shares.revoke_all_of(&owner, &id.0).await?;
    app.conversations.delete(&id).await?;
    app.index.remove(&owner, &id.0).await?;
    Ok(StatusCode::NO_CONTENT)
}
