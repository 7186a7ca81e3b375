//! Several openings to choose from, before the first draft.

use super::{Next, Session};
use crate::intent::Intent;
use crate::session::draft::{DraftEvent, Question};
use crate::session::ports::{Conversation, View};
use crate::session::prompt;

impl<C, V> Session<'_, C, V>
where
    C: Conversation<Fault = V::Fault>,
    V: View,
{
    /// Asks the model for openings, and the author for one of them.
    pub(super) async fn offer_hooks(&mut self) -> Result<Next, V::Fault> {
        let count = self.started.variants;
        let answer = self.conversation.ask(&prompt::hooks(&self.started.request, count)).await?;
        let bare = |line: &str| {
            line.trim()
                .trim_start_matches(|c: char| c.is_ascii_digit() || ".)-•* ".contains(c))
                .to_owned()
        };
        let hooks: Vec<String> =
            answer.lines().map(bare).filter(|line| !line.is_empty()).take(count).collect();
        match hooks.is_empty() {
            true => self.write_first(None).await,
            false => self.ask(Question::Hook { hooks }).await.map(|_| Next::Line),
        }
    }

    pub(super) async fn choose_hook(
        &mut self,
        hooks: &[String],
        line: &str,
    ) -> Result<Option<Next>, V::Fault> {
        let number = line.trim().trim_end_matches(['.', ')']).parse::<usize>().ok();
        let chosen = number.and_then(|number| hooks.get(number.checked_sub(1)?));
        let hook = match (chosen, Intent::of(line)) {
            (Some(hook), _) => Some(hook.clone()),
            (None, Some(Intent::Stop)) => return self.leave().await.map(Some),
            (None, Some(Intent::Nothing | Intent::No | Intent::Later)) => None,
            (None, _) => {
                self.message("session.hook_unclear")?;
                self.ask_again(&Question::Hook { hooks: hooks.to_vec() })?;
                return Ok(Some(Next::Line));
            }
        };
        self.keep(DraftEvent::Answered).await?;
        self.write_first(hook.as_deref()).await.map(Some)
    }
}
