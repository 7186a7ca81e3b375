//! Ghostpen's native tools, configured from the settings and the environment.

use std::collections::BTreeMap;
use std::sync::Arc;

use contract::{Model, Secret};
use hosts::native::NativeHost;
use models::HttpClient;
use pen::notion::{NotionService, READ_TOOL, Settings, WRITE_TOOL};
use pen::remote::RemoteServices;
use pen::search::{Tavily, WebSearch};
use pen::tools::{Pen, ProfileReads};
use pen::{Lang, Workspace};
use registry::Registry;

use crate::config::Config;

/// The size limit of a result.
const RESULT_BYTES_MAX: usize = 8 << 20;

/// The variables with secrets of Notion and the search; never printed.
const SECRETS: [&str; 3] = ["NOTION_TOKEN", "NOTION_DATABASE_ID", "TAVILY_API_KEY"];

/// An environment variable that is not empty.
pub(crate) fn variable(name: &str) -> Option<String> {
    #[expect(clippy::disallowed_methods, reason = "the environment is read here")]
    let value = std::env::var(name).ok();
    value.filter(|value| !value.is_empty())
}

/// The writer's folder.
pub(crate) fn workspace(config: &Config) -> Workspace {
    Workspace::new(config.path("pen.data").unwrap_or_default())
}

/// The language of the interface: the setting, else the locale.
pub(crate) fn lang(config: &Config) -> Lang {
    let locale = || ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(variable);
    match config.get("pen.lang") {
        Some(set) => Lang::of_locale(set),
        None => locale().map_or(Lang::En, |locale| Lang::of_locale(&locale)),
    }
}

/// The Notion settings.
fn notion(config: &Config) -> Settings {
    let token = config.key("NOTION_TOKEN").map(Secret::new);
    let settings = Settings::new(token, config.key("NOTION_DATABASE_ID"));
    match config.get("pen.notion") {
        Some(url) => Settings { base_url: url.to_owned(), ..settings },
        None => settings,
    }
}

/// What can be reached from here.
pub(crate) fn remote_services(config: &Config, model: Option<Arc<dyn Model>>) -> RemoteServices {
    let Ok(line) = HttpClient::new(models::Limits::usual()) else {
        return RemoteServices::default();
    };
    let settings = notion(config);
    let notion = settings.client(line.clone(), pen::notion::Limits::usual()).ok().map(|client| {
        let workspace = NotionService::new(client, settings.calendar().ok(), lang(config));
        Arc::new(workspace) as Arc<dyn pen::remote::Notion>
    });
    let tavily = config.key("TAVILY_API_KEY").zip(config.get("pen.tavily"));
    let search = WebSearch {
        model,
        tavily: tavily.map(|(key, url)| Tavily::new(url, Secret::new(key), line)),
        limits: pen::search::Limits::usual(),
    };
    let search = search.is_set_up().then(|| Arc::new(search) as Arc<dyn pen::remote::Search>);
    RemoteServices { notion, search }
}

/// Values that must not appear in a log.
pub(crate) fn secrets(config: &Config) -> Vec<Secret> {
    let keys = config.providers.iter().filter_map(|one| match &one.provider.key {
        models::Key::Given(key) => Some(key.clone()),
        models::Key::Missing | models::Key::NotNeeded => None,
    });
    let own = SECRETS.into_iter().filter_map(|name| config.key(name));
    keys.chain(own.map(Secret::new)).collect()
}

/// The native host with the handlers of the nine tools, for this folder.
pub(crate) fn host(
    workspace: Workspace,
    lang: Lang,
    far: RemoteServices,
    reads: Arc<dyn ProfileReads>,
) -> Arc<NativeHost> {
    let mut host = NativeHost::new(RESULT_BYTES_MAX);
    pen::tools::add_to(&mut host, &Pen::new(workspace, lang, far, reads));
    Arc::new(host)
}

/// Tools whose service is not configured, with the reason; they are not offered.
pub(crate) fn unreachable(
    config: &Config,
    far: &RemoteServices,
    registry: &Registry,
) -> BTreeMap<String, String> {
    let mut off = BTreeMap::new();
    let there = notion(config).tools();
    let needs = [(READ_TOOL, "NOTION_TOKEN"), (WRITE_TOOL, "NOTION_TOKEN, NOTION_DATABASE_ID")];
    for (tool, what) in needs.into_iter().filter(|(tool, _)| !there.contains(tool)) {
        off.insert(tool.to_owned(), format!("Notion is not set up ({what})"));
    }
    if far.search.is_none() {
        off.insert("search_web".to_owned(), "no search is set up (TAVILY_API_KEY)".to_owned());
    }
    off.retain(|tool, _| registry.get(tool).is_some());
    off
}
