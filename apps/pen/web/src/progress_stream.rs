//! The work on a draft as server-sent events: `progress` on every change, then `end`.

use std::time::Duration;

use axum::Extension;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use pen::Lang;
use serde_json::{Value, json};
use server::sse::{self, Disconnected, SseSender};
use server::{Caller, StreamLimit};
use tokio::sync::watch;

use crate::drafts::shown;
use crate::page_view::SeatState;
use crate::request::LangQuery;
use crate::{HandlerResult, PenState};

/// The pause between two pictures of a text that grows.
const PAUSE: Duration = Duration::from_millis(60);

pub(crate) async fn stream(
    State(state): State<PenState>,
    Extension(caller): Extension<Caller>,
    Extension(streams): Extension<StreamLimit>,
    Path(id): Path<String>,
    Query(query): Query<LangQuery>,
) -> HandlerResult<Response> {
    state.admit(&caller)?;
    state.draft(&id).await?;
    let permit = streams.acquire(&caller.owner)?;
    let (to, response) = sse::open();
    let lang = query.lang();
    tokio::spawn(async move {
        // An error means that the client has disconnected.
        let _ = tell(&state, &id, lang, &to).await;
        drop(permit);
    });
    Ok(response)
}

/// A slow reader misses steps in between, never the end.
async fn tell(state: &PenState, id: &str, lang: Lang, to: &SseSender) -> Result<(), Disconnected> {
    if let Some(mut news) = state.desk.news(id) {
        while let Some(now) = at_work(&mut news) {
            let event = sse::event(None, "progress", &json!(now).to_string());
            to.send(event).await?;
            tokio::select! {
                changed = news.changed() => if changed.is_err() { break },
                () = to.closed() => return Ok(()),
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
    let draft = shown(state, id, lang).await.unwrap_or(Value::Null);
    to.send(sse::event(None, "end", &json!({ "draft": draft }).to_string())).await
}

/// The newest state, while there is work.
fn at_work(news: &mut watch::Receiver<SeatState>) -> Option<SeatState> {
    let now = news.borrow_and_update().clone();
    now.busy.then_some(now)
}
