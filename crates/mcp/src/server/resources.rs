//! A project's resources for clients: listed, read, followed.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rmcp::ErrorData;
use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::json;

use super::caller::Caller;
use super::door::Door;
use super::offered::Following;
use crate::library::{self, Content, Library, Refused};
use engine::ToolFilter;

impl Door {
    /// What this caller may read, in the order of the URIs.
    pub(super) fn files(&self, allowed: &ToolFilter) -> Vec<Resource> {
        let library = self.library();
        let plain = seen(&library, allowed).filter(|resource| !resource.is_template());
        plain.map(listed).collect()
    }

    pub(super) fn templates(&self, allowed: &ToolFilter) -> Vec<ResourceTemplate> {
        let library = self.library();
        let templates = seen(&library, allowed).filter(|resource| resource.is_template());
        templates.map(listed_template).collect()
    }

    pub(super) fn read_file(
        &self,
        uri: &str,
        allowed: &ToolFilter,
    ) -> Result<ReadResourceResult, ErrorData> {
        self.contents(uri, allowed).map(|contents| ReadResourceResult::new(vec![contents]))
    }

    /// The content at a URI, for this caller.
    pub(super) fn contents(
        &self,
        uri: &str,
        allowed: &ToolFilter,
    ) -> Result<ResourceContents, ErrorData> {
        let library = self.library();
        let found = library.find(uri).filter(|found| may_see(found.resource, allowed));
        let found = found.ok_or_else(|| not_found(uri, Refused::Missing))?;
        let content = found.read(library.root()).map_err(|refused| not_found(uri, refused))?;
        let (uri, mime_type) = (uri.to_owned(), Some(found.resource.mime_type.clone()));
        Ok(match content {
            Content::Text(text) => {
                ResourceContents::TextResourceContents { uri, mime_type, text, meta: None }
            }
            Content::Bytes(bytes) => {
                let blob = STANDARD.encode(bytes);
                ResourceContents::BlobResourceContents { uri, mime_type, blob, meta: None }
            }
        })
    }

    pub(super) fn follow(&self, uri: &str, caller: &Caller) -> Result<Following, ErrorData> {
        let offered = self.0.offered.as_ref().filter(|_| self.may_follow(uri, caller));
        let offered = offered.ok_or_else(|| not_found(uri, Refused::Missing))?;
        offered.follow(uri).map_err(|refused| match refused {
            Refused::TooLarge => ErrorData::invalid_params("too many resources are followed", None),
            Refused::Missing | Refused::Outside | Refused::NoFile | Refused::Unreadable => {
                not_found(uri, refused)
            }
        })
    }

    pub(super) fn may_follow(&self, uri: &str, caller: &Caller) -> bool {
        let library = self.library();
        library.find(uri).is_some_and(|found| may_see(found.resource, &caller.principal.tools))
    }
}

fn seen<'a>(
    library: &'a Library,
    allowed: &'a ToolFilter,
) -> impl Iterator<Item = &'a library::Resource> {
    library.resources().filter(|resource| may_see(resource, allowed))
}

pub(super) fn may_see(resource: &library::Resource, allowed: &ToolFilter) -> bool {
    allowed.allows(&format!("resources/{}", resource.name))
}

fn listed(resource: &library::Resource) -> Resource {
    let mut listed = Resource::new(resource.uri(), resource.name.clone());
    listed.title = resource.title.clone();
    listed.description = resource.description.clone();
    listed.mime_type = Some(resource.mime_type.clone());
    listed
}

fn listed_template(resource: &library::Resource) -> ResourceTemplate {
    let mut listed = ResourceTemplate::new(resource.uri(), resource.name.clone());
    listed.title = resource.title.clone();
    listed.description = resource.description.clone();
    listed.mime_type = Some(resource.mime_type.clone());
    listed
}

/// The same words whether it is not there or not for this caller.
fn not_found(uri: &str, refused: Refused) -> ErrorData {
    let uri: String = uri.chars().take(200).collect();
    let message = match refused {
        Refused::Missing | Refused::Outside | Refused::NoFile => {
            format!("there is no resource `{uri}`; resources/list has all there are")
        }
        Refused::TooLarge | Refused::Unreadable => format!("the resource `{uri}` {refused}"),
    };
    ErrorData::resource_not_found(message, Some(json!({ "uri": uri })))
}
