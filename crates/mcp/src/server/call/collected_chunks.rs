//! Appends the chunks that a tool streamed to its result. Each block names its audience, so that
//! hosts hide output for the model only, and no output is lost if the client ignores progress.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use contract::{Channel, Chunk};
use rmcp::model::{Annotations, CallToolResult, ContentBlock, Role, TextContent};

use super::paged_result;

/// The text of each channel, in the order in which the channels first appeared.
#[derive(Clone, Default)]
pub(crate) struct CollectedChunks(Arc<Mutex<Vec<(Channel, String)>>>);

impl CollectedChunks {
    pub(crate) fn add(&self, Chunk { channel, text }: &Chunk) {
        let mut chunks = self.lock();
        match chunks.iter_mut().find(|(known, _)| known == channel) {
            Some((_, so_far)) => so_far.push_str(text),
            None => chunks.push((*channel, text.clone())),
        }
    }

    /// Appends the collected text to a result, except text that the result already contains.
    pub(crate) fn beside(
        &self,
        mut call_result: CallToolResult,
        bytes_max: usize,
    ) -> CallToolResult {
        for (channel, text) in std::mem::take(&mut *self.lock()) {
            let same = |block: &ContentBlock| block.as_text().is_some_and(|one| one.text == text);
            match call_result.content.first_mut().filter(|first| same(first)) {
                Some(first) => *first = block(channel, &text),
                None => call_result.content.push(block(channel, &clipped(&text, bytes_max))),
            }
        }
        call_result
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

/// The text, truncated to the size of a result with a note that says so.
fn clipped(text: &str, bytes_max: usize) -> String {
    match paged_result::cut(text, bytes_max).as_slice() {
        [first, _, ..] => {
            format!("{first}\n[cut: {} of {} bytes shown]", first.len(), text.len())
        }
        [] | [_] => text.to_owned(),
    }
}
