//! How far a run is, as server-sent events: `progress` as often as it changes, then `end`.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::Response;
use serde_json::json;
use tokio::sync::watch;

use super::workers::News;
use crate::auth::middleware::Owner;
use crate::fault::HandlerResult;
use crate::state::AppState;
use crate::stream::sse::{self, Disconnected, SseSender};

pub(crate) async fn stream(
    State(app): State<AppState>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
) -> HandlerResult<Response> {
    let run = super::run(&super::library(&app, &owner), &id).await?;
    let seat = app.streams.take(&owner.0)?;
    let news = app.workers.news(&run);
    let (to, response) = sse::open();
    tokio::spawn(async move {
        // An error means that the reader has gone.
        let _ = tell(news, &to).await;
        drop(seat);
    });
    Ok(response)
}

/// A reader that is slow misses steps of the way, never the end.
async fn tell(news: Option<watch::Receiver<News>>, to: &SseSender) -> Result<(), Disconnected> {
    let mut fault = None;
    if let Some(mut news) = news {
        loop {
            let newest = news.borrow_and_update().clone();
            match newest {
                News::Begun => {}
                News::Progress(progress) => {
                    let event = sse::event(None, "progress", &progress.to_string());
                    to.send(event).await?;
                }
                News::Failed(why) => fault = Some(why),
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
