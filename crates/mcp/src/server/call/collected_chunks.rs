//! What a tool said while it ran, as blocks beside its result. Each names its audience, so
//! that a host shows nobody what is for the model alone, and no text is lost where nobody
//! listens to progress.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use contract::{Channel, Chunk};
use rmcp::model::{Annotations, CallToolResult, ContentBlock, Role, TextContent};

use super::pieces;

/// The texts of one call, a text for each channel, in the order in which they began.
#[derive(Clone, Default)]
pub(super) struct Told(Arc<Mutex<Vec<(Channel, String)>>>);

impl Told {
    pub(super) fn add(&self, Chunk { channel, text }: &Chunk) {
        let mut told = self.lock();
        match told.iter_mut().find(|(known, _)| known == channel) {
            Some((_, so_far)) => so_far.push_str(text),
            None => told.push((*channel, text.clone())),
        }
    }

    /// The reply, with what was said behind it. What the data says already is not said twice.
    pub(super) fn beside(&self, mut reply: CallToolResult, bytes_max: usize) -> CallToolResult {
        for (channel, text) in std::mem::take(&mut *self.lock()) {
            let same = |block: &ContentBlock| block.as_text().is_some_and(|one| one.text == text);
            match reply.content.first_mut().filter(|first| same(first)) {
                Some(first) => *first = block(channel, &text),
                None => reply.content.push(block(channel, &clipped(&text, bytes_max))),
            }
        }
        reply
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(Channel, String)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn block(channel: Channel, text: &str) -> ContentBlock {
    let audience = match channel {
        Channel::Assistant | Channel::System => vec![Role::User, Role::Assistant],
        Channel::Context => vec![Role::Assistant],
    };
    let annotations = Annotations::default().with_audience(audience);
    ContentBlock::Text(TextContent::new(text).with_annotations(annotations))
}

/// As much as a result may have; a text that is longer says so.
fn clipped(text: &str, bytes_max: usize) -> String {
    match pieces::cut(text, bytes_max).as_slice() {
        [first, _, ..] => {
            format!("{first}\n[cut: {} of {} bytes shown]", first.len(), text.len())
        }
        [] | [_] => text.to_owned(),
    }
}
