//! A turn that another process goes on with.

use conversation::ConversationEvent;

use super::AguiEvents;
use crate::stream::event::Event;

impl AguiEvents {
    /// Another process resumed a turn that was paused here.
    pub(super) fn begun_elsewhere(&mut self, event: &ConversationEvent) -> Vec<Event> {
        match event {
            ConversationEvent::Replied { turn, .. }
            | ConversationEvent::Partial { turn, .. }
            | ConversationEvent::Streamed { turn, .. }
                if !self.running =>
            {
                self.start_run(*turn)
            }
            ConversationEvent::Replied { .. }
            | ConversationEvent::Partial { .. }
            | ConversationEvent::BrokeOff { .. }
            | ConversationEvent::Streamed { .. }
            | ConversationEvent::Opened(_)
            | ConversationEvent::SettingsChanged { .. }
            | ConversationEvent::Said { .. }
            | ConversationEvent::Offered { .. }
            | ConversationEvent::Dashboard { .. }
            | ConversationEvent::LeftOut { .. }
            | ConversationEvent::Noticed { .. }
            | ConversationEvent::Asked { .. }
            | ConversationEvent::Questioned { .. }
            | ConversationEvent::InDoubt { .. }
            | ConversationEvent::Settled { .. }
            | ConversationEvent::Ended { .. }
            | ConversationEvent::Voice { .. }
            | ConversationEvent::SentAgain { .. }
            | ConversationEvent::Chosen { .. }
            | ConversationEvent::TakenBack { .. } => Vec::new(),
        }
    }
}
