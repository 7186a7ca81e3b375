//! How a person keeps a conversation in order: pinned, archived, in a folder, with tags.
//!
//! It is part of the conversation's line in the index, so it belongs to one owner, is deleted
//! with the conversation, and is in nothing that a model reads.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::conversation_index::ConversationIndex;
use crate::fault::{Fault, HandlerResult};

/// Where a person put a conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Organisation {
    /// It is above all others.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// It is not in the list.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub archived: bool,
    /// The id of its folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}

/// A change of it; what is missing stays as it is.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(crate) struct OrganisationChange {
    pinned: Option<bool>,
    archived: Option<bool>,
    /// The id of a folder; `null` takes the conversation out of its folder.
    #[serde(deserialize_with = "given")]
    #[schemars(with = "Option<String>")]
    folder: Option<Option<String>>,
    /// All of its tags.
    #[schemars(schema_with = "tags_schema")]
    tags: Option<Vec<String>>,
}

pub(crate) const TAGS_MAX: usize = 20;
pub(crate) const TAG_CHARS_MAX: usize = 40;

/// Tells `null` from a field that is missing.
fn given<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(from).map(Some)
}

fn tags_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({
        "type": ["array", "null"],
        "maxItems": TAGS_MAX,
        "items": {
            "type": "string", "maxLength": TAG_CHARS_MAX,
            "pattern": "[^\\s#\\u0000-\\u001f\\u007f-\\u009f]",
        },
    })
}

impl ConversationIndex {
    /// Changes where a conversation is. It does not count as news of the conversation.
    pub(crate) async fn organise(
        &self,
        owner: &str,
        id: &str,
        change: OrganisationChange,
    ) -> HandlerResult<()> {
        let OrganisationChange { pinned, archived, folder, tags } = change;
        let tags = tags.map(|tags| clean_tags(&tags)).transpose()?;
        if self.line(owner, id).await?.temporary {
            let fix = "branch it: the copy is an ordinary conversation";
            return Err(Fault::conflict("a temporary conversation is in no list", fix));
        }
        if let Some(Some(folder)) = &folder {
            self.folder(owner, folder).await?;
        }
        self.edit(owner, id, |line| {
            let now = &mut line.organisation;
            now.archived = archived.unwrap_or(now.archived);
            // What is put away is not above all others.
            now.pinned = pinned.unwrap_or(now.pinned) && !now.archived;
            if let Some(folder) = &folder {
                now.folder.clone_from(folder);
            }
            if let Some(tags) = &tags {
                now.tags.clone_from(tags);
            }
        })
        .await
    }

    /// Gives a copy of a conversation the folder and the tags that the original has.
    pub(crate) async fn organise_copy(
        &self,
        owner: &str,
        id: &str,
        original: &Organisation,
    ) -> HandlerResult<()> {
        let Organisation { folder, tags, .. } = original;
        self.edit(owner, id, |line| {
            line.organisation.folder.clone_from(folder);
            line.organisation.tags.clone_from(tags);
        })
        .await
    }
}

/// Sorted, each once.
pub(crate) fn clean_tags(tags: &[String]) -> HandlerResult<Vec<String>> {
    if tags.len() > TAGS_MAX {
        let message = format!("a conversation can have {TAGS_MAX} tags");
        return Err(Fault::bad_request(message, "remove some"));
    }
    let clean = |tag: &String| {
        clean_tag(tag).ok_or_else(|| {
            let fix = format!("use 1 to {TAG_CHARS_MAX} characters");
            Fault::bad_request("this cannot be a tag", fix)
        })
    };
    let mut tags: Vec<String> = tags.iter().map(clean).collect::<HandlerResult<_>>()?;
    tags.sort();
    tags.dedup();
    Ok(tags)
}

/// A tag is one word in lower case, so that `tag:name` finds it.
pub(crate) fn clean_tag(text: &str) -> Option<String> {
    let visible: String = text.chars().filter(|c| c.is_whitespace() || !c.is_control()).collect();
    let words = visible.trim().trim_start_matches('#').split_whitespace();
    let tag = words.collect::<Vec<_>>().join("-").to_lowercase();
    let fits = (1..=TAG_CHARS_MAX).contains(&tag.chars().count());
    fits.then_some(tag)
}

#[cfg(test)]
mod tests {
    use super::{OrganisationChange, clean_tag};

    #[test]
    fn a_tag_is_one_word_in_lower_case() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(clean_tag(text).as_deref(), expected, "{text:?}");
        };
        check("Work", Some("work"));
        check("  #To  Do ", Some("to-do"));
        check("їжа", Some("їжа"));
        check("a\u{7}b", Some("ab"));
        check("#", None);
        check(" \n ", None);
        check(&"x".repeat(41), None);
    }

    #[test]
    fn no_folder_differs_from_no_change() {
        let read = |json: &str| serde_json::from_str::<OrganisationChange>(json).unwrap().folder;
        assert_eq!(read("{}"), None);
        assert_eq!(read(r#"{"folder":null}"#), Some(None));
        assert_eq!(read(r#"{"folder":"a"}"#), Some(Some("a".to_owned())));
    }
}
