//! What all handlers read from a request: the owner's library, a run, a card, languages.

use cards::{CardKey, CardRef, Language, Library, Pair, Recall, Recalls, RunId, RunInfo};
use serde::Deserialize;
use server::{Caller, Fault, LOCAL};

use crate::{CardsState, HandlerResult};

/// The owner's library. A server without tokens shares it with the terminal program.
pub(crate) fn library(state: &CardsState, caller: &Caller) -> Library {
    match caller.owner.as_str() {
        LOCAL => state.workers.library.clone(),
        owner => state.workers.library.of(owner),
    }
}

/// The owner's run with this id; runs of other owners are not found.
pub(crate) async fn run(library: &Library, id: &str) -> HandlerResult<RunId> {
    Ok(run_info(library, id).await?.id)
}

pub(crate) async fn run_info(library: &Library, id: &str) -> HandlerResult<RunInfo> {
    let id: RunId = id.parse().map_err(|_| Fault::not_found("there is no such run"))?;
    Ok(library.find(Some(&id)).await?)
}

/// The reader's language.
#[derive(Deserialize)]
pub(crate) struct ReaderQuery {
    locale: Option<String>,
}

impl ReaderQuery {
    pub(crate) fn locale(&self) -> &str {
        self.locale.as_deref().unwrap_or("en")
    }
}

pub(crate) fn pair(from: &str, to: &str) -> HandlerResult<Pair> {
    let pair = Pair { from: language(from)?, to: language(to)? };
    match pair.from == pair.to {
        true => Err(Fault::bad_request("both languages are the same", "give two of them").into()),
        false => Ok(pair),
    }
}

pub(crate) fn language(code: &str) -> HandlerResult<Language> {
    let bad = |bad: cards::BadLanguage| Fault::bad_request(bad.to_string(), "`lv`").into();
    code.parse().map_err(bad)
}

/// What to recall, from a list such as `meaning,word`; the meaning where nothing is said.
pub(crate) fn recalls(list: Option<&str>) -> HandlerResult<Recalls> {
    let Some(list) = list else { return Ok(Recalls::MEANING) };
    let read: Result<Vec<Recall>, String> = list.split(',').map(str::parse).collect();
    let fix = "give a list such as `meaning,word`";
    Ok(Recalls::of(&read.map_err(|bad| Fault::bad_request(bad, fix))?))
}

/// A card of a run; its key may leave out the target language.
pub(crate) fn key(text: &str, run: &RunInfo) -> HandlerResult<CardKey> {
    let card: CardRef = text.parse().map_err(|_| Fault::not_found("there is no such card"))?;
    Ok(card.resolve(&run.pair()))
}
