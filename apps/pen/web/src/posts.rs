//! Saved posts: the newest, those that a search finds, and one of them.

use axum::extract::{Path, Query, State};
use axum::{Extension, Json};
use pen::posts::Query as PostQuery;
use serde::Deserialize;
use serde_json::{Value, json};
use server::{Caller, Fault};

use crate::request::{blocking, platform};
use crate::{HandlerResult, PenState};

#[derive(Deserialize)]
pub(crate) struct PostsQuery {
    /// Words to look for, in any form; none for the newest posts.
    search: Option<String>,
    platform: Option<String>,
    lang: Option<String>,
}

const SEARCH_CHARS_MAX: usize = 500;

pub(crate) async fn list(
    State(state): State<PenState>,
    Extension(caller): Extension<Caller>,
    Query(query): Query<PostsQuery>,
) -> HandlerResult<Json<Value>> {
    state.admit(&caller)?;
    let lang = query.lang.as_deref().map_or(pen::Lang::Uk, pen::Lang::of_locale);
    let wanted = query.platform.filter(|name| !name.is_empty());
    let platform = wanted.map(|name| platform(&name, lang)).transpose()?;
    let words = query.search.unwrap_or_default();
    if words.chars().count() > SEARCH_CHARS_MAX {
        return Err(Fault::too_large("the search is too long").into());
    }
    let (pen, limit) = (state.pen.clone(), state.limits.posts_listed_max);
    let found = blocking(move || {
        let keywords: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        match keywords.is_empty() {
            true => (pen.workspace().newest_posts(platform, limit), pen.posts().count()),
            false => pen.posts().search(&PostQuery { keywords, platform, limit }),
        }
    });
    let (posts, total) = found.await?;
    Ok(Json(json!({ "posts": posts, "total": total })))
}

pub(crate) async fn show(
    State(state): State<PenState>,
    Extension(caller): Extension<Caller>,
    Path(file): Path<String>,
) -> HandlerResult<Json<Value>> {
    state.admit(&caller)?;
    let unknown = || Fault::not_found("there is no such post");
    // A name of the folder, and of nothing outside it.
    if file.contains(['/', '\\', '\0']) || file.starts_with('.') || !file.ends_with(".md") {
        return Err(unknown().into());
    }
    let (pen, name) = (state.pen.clone(), file.clone());
    let text = blocking(move || pen.posts().text(&name)).await?.ok_or_else(unknown)?;
    Ok(Json(json!({ "file": file, "text": text })))
}
