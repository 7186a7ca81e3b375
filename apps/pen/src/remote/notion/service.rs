//! Notion as the tools see it: pages to read, and one parent for posts.

use contract::BoxFuture;

use super::fault;
use super::{Client, Kind, NotionFault, Parent, Text, Write};
use crate::Lang;
use crate::remote::{self, NewPage, RemoteFault};

/// Notion with the author's settings, in the author's language.
pub struct NotionService {
    client: Client,
    /// The parent of new pages; without one nothing is written.
    calendar: Option<Parent>,
    lang: Lang,
}

impl NotionService {
    pub fn new(client: Client, calendar: Option<Parent>, lang: Lang) -> Self {
        Self { client, calendar, lang }
    }

    async fn read(&self, page: &str) -> Result<remote::Page, NotionFault> {
        let page = self.client.read_page(page).await?;
        Ok(remote::Page {
            title: page.title,
            text: page.text,
            last_edited: Some(page.last_edited).filter(|time| !time.is_empty()),
            truncated: page.truncated,
        })
    }

    async fn write(&self, page: &NewPage) -> Result<remote::Written, NotionFault> {
        let calendar = self.calendar.clone();
        let parent = calendar.ok_or_else(|| fault::not_configured("NOTION_DATABASE_ID"))?;
        let columns = [
            ("Platform", &page.platform),
            ("Topic", &page.topic),
            ("Profile", &page.profile),
            ("Created", &page.created),
        ];
        let filled = columns.into_iter().filter(|(_, value)| !value.is_empty());
        let properties = filled.map(|(name, value)| (name.to_owned(), value.clone()));
        let status = ("Status".to_owned(), "Draft".to_owned());
        let write = Write {
            parent,
            title: page.title.clone(),
            text: Text::Post(page.text.clone()),
            properties: properties.chain([status]).collect(),
        };
        let written = self.client.write_page(&write).await?;
        Ok(remote::Written {
            notion_url: written.url,
            page_id: written.id.as_str().to_owned(),
            notices: written.notices.iter().map(|notice| notice.text(self.lang)).collect(),
        })
    }

    fn told(&self, fault: &NotionFault) -> RemoteFault {
        let message = match (fault.kind, self.lang) {
            // There is a client, so that only the place of new pages can be missing.
            (Kind::NotConfigured, lang) => {
                lang.fill("notion.not_configured", &[("name", &"NOTION_DATABASE_ID")])
            }
            (kind, Lang::Uk) => kind.in_ukrainian().to_owned(),
            (_, Lang::En) => fault.to_string(),
        };
        let there = fault.written.as_ref();
        let message = match there.map(|there| &there.page.url) {
            Some(url) => format!("{message} ({url})"),
            None => message,
        };
        RemoteFault { code: fault.kind.word().to_owned(), message }
    }
}

impl remote::Notion for NotionService {
    fn read_page<'a>(&'a self, page: &'a str) -> BoxFuture<'a, Result<remote::Page, RemoteFault>> {
        Box::pin(async move { self.read(page).await.map_err(|fault| self.told(&fault)) })
    }

    fn write_page<'a>(
        &'a self,
        page: &'a NewPage,
    ) -> BoxFuture<'a, Result<remote::Written, RemoteFault>> {
        Box::pin(async move { self.write(page).await.map_err(|fault| self.told(&fault)) })
    }

    fn can_write(&self) -> bool {
        self.calendar.is_some()
    }
}
