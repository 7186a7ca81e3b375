//! What all handlers read from a request: the right to be here, the language, a draft.

use pen::session::Draft;
use pen::{Lang, Platform, ProfileName};
use serde::Deserialize;
use server::{Caller, Fault};

use crate::fault::bad_name;
use crate::{HandlerResult, PenState};

/// The author's language.
#[derive(Deserialize)]
pub(crate) struct LangQuery {
    lang: Option<String>,
}

impl LangQuery {
    /// Ukrainian unless another one is named.
    pub(crate) fn lang(&self) -> Lang {
        self.lang.as_deref().map_or(Lang::Uk, Lang::of_locale)
    }
}

impl PenState {
    /// The folder belongs to whoever runs the server; other owners are refused.
    pub(crate) fn admit(&self, caller: &Caller) -> HandlerResult<()> {
        match self.operator.as_ref().is_none_or(|operator| *operator == caller.owner) {
            true => Ok(()),
            false => Err(Fault::forbidden(
                "only the operator of this server may use its Ghostpen folder",
                "run `ghosthand serve` in a folder of your own",
            )
            .into()),
        }
    }

    pub(crate) async fn draft(&self, id: &str) -> HandlerResult<Draft> {
        let found = self.stored(id).await?;
        Ok(found
            .filter(|draft| draft.deleted.is_none())
            .ok_or_else(|| Fault::not_found("there is no such draft"))?)
    }

    /// A draft that was deleted too, as long as it is kept.
    pub(crate) async fn stored(&self, id: &str) -> HandlerResult<Option<Draft>> {
        Ok(self.drafts.get(id).await?.filter(|draft| draft.started.is_some()))
    }

    /// Refuses a text that is too long.
    pub(crate) fn fits(&self, text: &str) -> HandlerResult<()> {
        let max = self.limits.text_chars_max;
        match text.chars().count() > max {
            true => {
                Err(Fault::too_large(format!("the text has more than {max} characters")).into())
            }
            false => Ok(()),
        }
    }
}

pub(crate) fn profile_name(name: &str, lang: Lang) -> HandlerResult<ProfileName> {
    name.parse().map_err(|bad| bad_name(&bad, lang))
}

pub(crate) fn platform(name: &str, lang: Lang) -> HandlerResult<Platform> {
    let known = || Platform::ALL.map(Platform::as_str).join(", ");
    let unknown = |bad: pen::UnknownPlatform| Fault::bad_request(bad.text(lang), known());
    Ok(name.parse().map_err(unknown)?)
}

/// Runs work on files off the server's threads.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> HandlerResult<T> {
    let done = tokio::task::spawn_blocking(work).await;
    Ok(done.map_err(|error| Fault::ours(&error))?)
}
