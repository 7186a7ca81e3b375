//! Shared links: what was in a conversation when it was shared, for whoever has the link.
//!
//! A link has a secret; the store has its digest, and the number of the last event that is
//! shared. The log is append-only, so everything up to that event stays as it was. Must hold: a
//! link ends at its time, when it is revoked, and with its conversation.

use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use contract::Digest;
use conversation::Conversations;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{BadName, Expected, Expiry, Json, Key, Kv, PageRequest, Prefix};

use super::conversation_index::ConversationSummary;
use crate::fault::{Fault, HandlerResult};

/// A shared link, as its owner sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Share {
    /// The digest of the link's secret.
    pub id: String,
    pub conversation: String,
    /// The title when it was shared.
    pub title: String,
    pub created_at: u64,
    /// When its content was last updated.
    pub updated_at: u64,
    pub expires_at: u64,
    /// Whether it has tool calls, with arguments and results.
    pub tools: bool,
    /// Whether it has the files of messages.
    pub files: bool,
    /// The last event of the conversation that it has.
    pub last_event: u64,
}

/// What an owner chose for a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ShareChoice {
    pub lasts: Duration,
    pub tools: bool,
    pub files: bool,
}

const SHARES_MAX: usize = 100;
/// 192 bits, which are 32 letters.
const SECRET_BYTES: usize = 24;

/// The links, in the store.
pub(crate) struct Shares {
    conversations: Conversations,
}

impl Shares {
    pub(crate) fn new(conversations: Conversations) -> Self {
        Self { conversations }
    }

    /// Shares a conversation up to an event; returns the secret too, which nobody can read again.
    pub(crate) async fn create(
        &self,
        owner: &str,
        line: &ConversationSummary,
        last_event: u64,
        choice: ShareChoice,
    ) -> HandlerResult<(Share, String)> {
        let page = PageRequest::first(SHARES_MAX);
        if self.kv().keys(&prefix(owner)?, page).await?.items.len() >= SHARES_MAX {
            return Err(Fault::too_many("there are too many shared links; revoke some"));
        }
        let mut bytes = [0; SECRET_BYTES];
        getrandom::fill(&mut bytes).map_err(|fault| Fault::ours(&fault))?;
        let secret = BASE64_URL_SAFE_NO_PAD.encode(bytes);
        let ShareChoice { lasts, tools, files } = choice;
        let now = self.now();
        let share = Share {
            id: id_of(&secret),
            conversation: line.id.clone(),
            title: line.title.clone(),
            created_at: now,
            updated_at: now,
            expires_at: now.saturating_add(u64::try_from(lasts.as_millis()).unwrap_or(u64::MAX)),
            tools,
            files,
            last_event,
        };
        let (record, json) = (key(owner, &share.id)?, Json::of(&share)?);
        self.kv().set(&record, json, Expected::Absent, Expiry::After(lasts)).await?;
        // Last: a link without a record opens nothing.
        let (pointer, json) = (pointer(&share.id)?, Json::of(&owner)?);
        self.kv().set(&pointer, json, Expected::Absent, Expiry::After(lasts)).await?;
        Ok((share, secret))
    }

    /// The owner's links, newest first.
    pub(crate) async fn list(&self, owner: &str) -> HandlerResult<Vec<Share>> {
        let found = self.kv().list(&prefix(owner)?, PageRequest::first(SHARES_MAX)).await?;
        let read = found.items.iter().filter_map(|entry| entry.value.to().ok());
        let mut shares: Vec<Share> = read.filter(|share| self.is_valid(share)).collect();
        shares.sort_by_key(|share| std::cmp::Reverse(share.created_at));
        Ok(shares)
    }

    /// The owner's link; those of other owners are not found.
    pub(crate) async fn find(&self, owner: &str, id: &str) -> HandlerResult<Share> {
        let found = self.kv().get(&key(owner, id)?).await?;
        let read = found.and_then(|entry| entry.value.to().ok());
        read.filter(|share| self.is_valid(share)).ok_or_else(no_share)
    }

    /// Shares what is in the conversation now; the link and its end stay.
    pub(crate) async fn update(
        &self,
        owner: &str,
        id: &str,
        title: &str,
        last_event: u64,
    ) -> HandlerResult<Share> {
        let found = self.kv().get(&key(owner, id)?).await?.ok_or_else(no_share)?;
        let mut share: Share = found.value.to().map_err(|bad| Fault::ours(&bad))?;
        title.clone_into(&mut share.title);
        (share.last_event, share.updated_at) = (last_event, self.now());
        let expected = Expected::Revision(found.revision);
        self.kv().set(&found.key, Json::of(&share)?, expected, Expiry::Unchanged).await?;
        Ok(share)
    }

    /// Ends a link at once.
    pub(crate) async fn revoke(&self, owner: &str, id: &str) -> HandlerResult<()> {
        let revoked = self.kv().delete(&key(owner, id)?, Expected::Any).await?;
        // Only an owner who had the record removes what leads to it.
        if revoked.is_some() {
            self.kv().delete(&pointer(id)?, Expected::Any).await?;
        }
        Ok(())
    }

    /// Ends all links of a conversation.
    pub(crate) async fn revoke_all_of(&self, owner: &str, conversation: &str) -> HandlerResult<()> {
        for share in self.list(owner).await? {
            if share.conversation == conversation {
                self.revoke(owner, &share.id).await?;
            }
        }
        Ok(())
    }

    /// What a link opens, and whose it is. Looked up by digest, so that timing reveals nothing.
    pub(crate) async fn opened_by(&self, secret: &str) -> HandlerResult<Option<(String, Share)>> {
        let id = id_of(secret);
        let Some(found) = self.kv().get(&pointer(&id)?).await? else { return Ok(None) };
        let owner: String = found.value.to().map_err(|bad| Fault::ours(&bad))?;
        let Some(found) = self.kv().get(&key(&owner, &id)?).await? else { return Ok(None) };
        let share: Share = found.value.to().map_err(|bad| Fault::ours(&bad))?;
        Ok(self.is_valid(&share).then_some((owner, share)))
    }

    fn is_valid(&self, share: &Share) -> bool {
        share.expires_at > self.now()
    }

    fn now(&self) -> u64 {
        self.conversations.engine().now().0
    }

    fn kv(&self) -> &dyn Kv {
        self.conversations.engine().store().kv()
    }
}

fn no_share() -> Fault {
    Fault::not_found("there is no such shared link")
}

fn id_of(secret: &str) -> String {
    Digest::of(format!("share\n{secret}").as_bytes()).hex(64)
}

fn prefix(owner: &str) -> Result<Prefix, BadName> {
    format!("pad/{owner}/share/").parse()
}

fn key(owner: &str, id: &str) -> Result<Key, BadName> {
    format!("pad/{owner}/share/{id}").parse()
}

/// Whose link it is.
fn pointer(id: &str) -> Result<Key, BadName> {
    format!("share/{id}").parse()
}
