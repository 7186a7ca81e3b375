//! The Notion settings, and the tools that they enable.

use contract::Secret;
use models::HttpClient;

use super::fault;
use super::{Client, Limits, NotionFault, Parent};

pub const READ_TOOL: &str = "read_notion_page";
pub const WRITE_TOOL: &str = "write_to_notion";

/// Settings from the environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    pub base_url: String,
    /// `NOTION_TOKEN`
    pub token: Option<Secret>,
    /// `NOTION_DATABASE_ID`: a database, a data source, or an address.
    pub database: Option<String>,
}

impl Settings {
    /// For Notion's own server; empty values count as unset.
    pub fn new(token: Option<Secret>, database: Option<String>) -> Self {
        Self {
            base_url: "https://api.notion.com".to_owned(),
            token: token.filter(|token| !token.expose().trim().is_empty()),
            database: database.filter(|database| !database.trim().is_empty()),
        }
    }

    /// The enabled tools; the others are not offered to a model.
    pub fn tools(&self) -> Vec<&'static str> {
        let read = self.token.as_ref().map(|_| READ_TOOL);
        let write = self.token.as_ref().zip(self.database.as_ref()).map(|_| WRITE_TOOL);
        read.into_iter().chain(write).collect()
    }

    pub fn client(&self, line: HttpClient, limits: Limits) -> Result<Client, NotionFault> {
        let token = self.token.clone().ok_or_else(|| fault::not_configured("NOTION_TOKEN"))?;
        Ok(Client::new(&self.base_url, token, line, limits))
    }

    /// Where posts go.
    pub fn calendar(&self) -> Result<Parent, NotionFault> {
        let database = self.database.clone();
        database.map(Parent::Database).ok_or_else(|| fault::not_configured("NOTION_DATABASE_ID"))
    }
}
