//! What the tools return.

use serde_json::{Value, json};

use super::{NotionFault, Page, Written};
use crate::text::language::Lang;

impl Page {
    /// As `read_notion_page` returns it.
    pub fn returned(&self) -> Value {
        json!({
            "success": true, "title": self.title, "content": self.text,
            "last_edited": self.last_edited, "url": self.url, "truncated": self.truncated,
        })
    }
}

impl Written {
    /// As `write_to_notion` returns it.
    pub fn returned(&self) -> Value {
        let notices: Vec<String> =
            self.notices.iter().map(|notice| notice.text(Lang::En)).collect();
        json!({
            "success": true, "notion_url": self.url, "page_id": self.id.as_str(),
            "notices": notices,
        })
    }
}

impl NotionFault {
    /// As both return it, with a message in the writer's language.
    pub fn returned(&self, message: &str) -> Value {
        let mut json = json!({
            "success": false, "error": self.kind.word(), "message": message, "fix": self.fix,
        });
        if let Some(partial) = &self.written {
            json["notion_url"] = partial.page.url.as_str().into();
            json["page_id"] = partial.page.id.as_str().into();
        }
        json
    }
}
