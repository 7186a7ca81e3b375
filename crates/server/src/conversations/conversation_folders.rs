//! Folders of conversations: a name each, for one owner. They nest in nothing.
//!
//! Must hold: deleting a folder deletes no conversation.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{BadName, Expected, Expiry, Json, Key, PageRequest, Prefix};

use super::conversation_index::{ConversationIndex, ConversationSummary};
use crate::auth::tokens::random_name;
use crate::fault::{Fault, HandlerResult};

/// A folder of conversations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ConversationFolder {
    pub id: String,
    pub name: String,
}

const FOLDERS_MAX: usize = 100;
pub(crate) const NAME_CHARS_MAX: usize = 60;

impl ConversationIndex {
    /// The owner's folders, by name.
    pub(crate) async fn folders(&self, owner: &str) -> HandlerResult<Vec<ConversationFolder>> {
        let page = PageRequest::first(FOLDERS_MAX);
        let found = self.kv().list(&prefix(owner)?, page).await?;
        let read = found.items.iter().filter_map(|entry| entry.value.to().ok());
        let mut folders: Vec<ConversationFolder> = read.collect();
        folders.sort_by_key(|folder| (folder.name.to_lowercase(), folder.id.clone()));
        Ok(folders)
    }

    /// The owner's folder; those of other owners are not found.
    pub(crate) async fn folder(&self, owner: &str, id: &str) -> HandlerResult<ConversationFolder> {
        match self.kv().get(&key(owner, id)?).await? {
            Some(entry) => entry.value.to().map_err(|bad| Fault::ours(&bad)),
            None => Err(no_folder()),
        }
    }

    pub(crate) async fn add_folder(
        &self,
        owner: &str,
        name: &str,
    ) -> HandlerResult<ConversationFolder> {
        let name = clean_name(name)?;
        if self.folders(owner).await?.len() >= FOLDERS_MAX {
            return Err(Fault::too_many("there are too many folders; remove some"));
        }
        let id = random_name().map_err(|fault| Fault::ours(&fault))?;
        let folder = ConversationFolder { id, name };
        let (key, json) = (key(owner, &folder.id)?, Json::of(&folder)?);
        self.kv().set(&key, json, Expected::Absent, Expiry::Never).await?;
        Ok(folder)
    }

    pub(crate) async fn rename_folder(
        &self,
        owner: &str,
        id: &str,
        name: &str,
    ) -> HandlerResult<()> {
        let name = clean_name(name)?;
        let found = self.kv().get(&key(owner, id)?).await?.ok_or_else(no_folder)?;
        let folder = ConversationFolder { id: id.to_owned(), name };
        let expected = Expected::Revision(found.revision);
        self.kv().set(&found.key, Json::of(&folder)?, expected, Expiry::Never).await?;
        Ok(())
    }

    /// Deletes a folder, and takes its conversations out of it. If the server dies in between,
    /// the others are in a folder that does not exist, which [`Self::without_lost_folders`] treats
    /// as none.
    pub(crate) async fn remove_folder(&self, owner: &str, id: &str) -> HandlerResult<()> {
        self.kv().delete(&key(owner, id)?, Expected::Any).await?;
        for line in self.list(owner).await? {
            if line.organisation.folder.as_deref() != Some(id) {
                continue;
            }
            let out = |line: &mut ConversationSummary| {
                line.organisation.folder.take_if(|folder| folder.as_str() == id);
            };
            match self.edit(owner, &line.id, out).await {
                Ok(()) => {}
                // It was deleted meanwhile.
                Err(fault) if fault == Fault::no_conversation() => {}
                Err(fault) => return Err(fault),
            }
        }
        Ok(())
    }

    /// The lines, with those folders only that exist.
    pub(crate) async fn without_lost_folders(
        &self,
        owner: &str,
        mut lines: Vec<ConversationSummary>,
    ) -> HandlerResult<Vec<ConversationSummary>> {
        if lines.iter().all(|line| line.organisation.folder.is_none()) {
            return Ok(lines);
        }
        let folders = self.folders(owner).await?;
        let known: BTreeSet<_> = folders.iter().map(|folder| folder.id.as_str()).collect();
        for line in &mut lines {
            line.organisation.folder.take_if(|folder| !known.contains(folder.as_str()));
        }
        Ok(lines)
    }
}

fn clean_name(name: &str) -> HandlerResult<String> {
    let name = name.chars().filter(|c| !c.is_control()).collect::<String>().trim().to_owned();
    match (1..=NAME_CHARS_MAX).contains(&name.chars().count()) {
        true => Ok(name),
        false => {
            let fix = format!("give a name of 1 to {NAME_CHARS_MAX} characters");
            Err(Fault::bad_request("a folder cannot have this name", fix))
        }
    }
}

fn no_folder() -> Fault {
    Fault::not_found("there is no such folder")
}

fn prefix(owner: &str) -> Result<Prefix, BadName> {
    format!("pad/{owner}/folder/").parse()
}

fn key(owner: &str, id: &str) -> Result<Key, BadName> {
    format!("pad/{owner}/folder/{id}").parse()
}
