//! Serves the project's resources: list, read, follow.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rmcp::ErrorData;
use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::json;

use super::caller::Caller;
use super::library_watch::FollowGuard;
use super::mcp_server::McpServer;
use crate::library::{self, Content, FileFault, Library};
use engine::ToolFilter;

impl McpServer {
    /// The resources that this caller may read, sorted by URI.
    pub(crate) fn files(&self, allowed: &ToolFilter) -> Vec<Resource> {
        let library = self.library();
        let plain = seen(&library, allowed).filter(|resource| !resource.is_template());
        plain.map(listed).collect()
    }

    pub(crate) fn templates(&self, allowed: &ToolFilter) -> Vec<ResourceTemplate> {
        let library = self.library();
        let templates = seen(&library, allowed).filter(|resource| resource.is_template());
        templates.map(listed_template).collect()
    }

    pub(crate) fn read_file(
        &self,
        uri: &str,
        allowed: &ToolFilter,
    ) -> Result<ReadResourceResult, ErrorData> {
        self.contents(uri, allowed).map(|contents| ReadResourceResult::new(vec![contents]))
    }

    /// The content at a URI, if this caller may read it.
    pub(crate) fn contents(
        &self,
        uri: &str,
        allowed: &ToolFilter,
    ) -> Result<ResourceContents, ErrorData> {
        let library = self.library();
        let found = library.find(uri).filter(|found| may_see(found.resource, allowed));
        let found = found.ok_or_else(|| not_found(uri, FileFault::Missing))?;
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

    pub(crate) fn follow(&self, uri: &str, caller: &Caller) -> Result<FollowGuard, ErrorData> {
        let library_watch = self.0.library_watch.as_ref().filter(|_| self.may_follow(uri, caller));
        let library_watch = library_watch.ok_or_else(|| not_found(uri, FileFault::Missing))?;
        library_watch.follow(uri).map_err(|refused| match refused {
            FileFault::TooLarge => {
                ErrorData::invalid_params("too many resources are followed", None)
            }
            FileFault::Missing | FileFault::Outside | FileFault::NoFile | FileFault::Unreadable => {
                not_found(uri, refused)
            }
        })
    }

    pub(crate) fn may_follow(&self, uri: &str, caller: &Caller) -> bool {
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

pub(crate) fn may_see(resource: &library::Resource, allowed: &ToolFilter) -> bool {
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

/// The same message whether a resource is missing or hidden from this caller.
fn not_found(uri: &str, refused: FileFault) -> ErrorData {
    let uri: String = uri.chars().take(200).collect();
    let message = match refused {
        FileFault::Missing | FileFault::Outside | FileFault::NoFile => {
            format!("there is no resource `{uri}`; resources/list lists all of them")
        }
        FileFault::TooLarge | FileFault::Unreadable => format!("the resource `{uri}` {refused}"),
    };
    ErrorData::resource_not_found(message, Some(json!({ "uri": uri })))
}
