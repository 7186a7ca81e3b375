//! Progress of a run as server-sent events: `progress` on every change, then `end`.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::Response;
use serde_json::json;
use server::sse::{self, Disconnected, SseSender};
use server::{Caller, StreamLimit};
use tokio::sync::watch;

use crate::request::{library, run};
use crate::workers::RunUpdate;
use crate::{CardsState, HandlerResult};

pub(crate) async fn stream(
    State(state): State<CardsState>,
    Extension(caller): Extension<Caller>,
    Extension(streams): Extension<StreamLimit>,
    Path(id): Path<String>,
) -> HandlerResult<Response> {
    let run = run(&library(&state, &caller), &id).await?;
    let permit = streams.acquire(&caller.owner)?;
    let news = state.workers.news(&run);
    let (to, response) = sse::open();
    tokio::spawn(async move {
        // An error means that the client has disconnected.
        let _ = tell(news, &to).await;
        drop(permit);
    });
    Ok(response)
}

/// A slow reader misses steps in between, never the end.
async fn tell(
    news: Option<watch::Receiver<RunUpdate>>,
    to: &SseSender,
) -> Result<(), Disconnected> {
    let mut fault = None;
    if let Some(mut news) = news {
        loop {
            let newest = news.borrow_and_update().clone();
            match newest {
                RunUpdate::Begun => {}
                RunUpdate::Progress(progress) => {
                    let event = sse::event(None, "progress", &progress.to_string());
                    to.send(event).await?;
                }
                RunUpdate::Failed(why) => fault = Some(why),
            }
            tokio::select! {
                changed = news.changed() => if changed.is_err() { break },
                () = to.closed() => return Ok(()),
            }
        }
    }
    let data = json!({ "fault": fault }).to_string();
    to.send(sse::event(None, "end", &data)).await
}
