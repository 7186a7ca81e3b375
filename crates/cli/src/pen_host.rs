//! Ghostpen's handlers for the native host, with what the settings and the environment say.

use std::collections::BTreeMap;

use contract::Secret;
use hosts::native::NativeHost;
use pen::far::Far;
use pen::tools::Pen;
use pen::{Lang, Shelf};
use registry::Registry;

use crate::config::Config;

/// What Notion and the search are reached with. None of it is ever printed.
const SECRETS: [&str; 3] = ["NOTION_TOKEN", "NOTION_DATABASE_ID", "TAVILY_API_KEY"];

/// A variable of the environment that says something.
pub(crate) fn variable(name: &str) -> Option<String> {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the edge where the environment comes in"
    )]
    let value = std::env::var(name).ok();
    value.filter(|value| !value.is_empty())
}

/// The writer's folder.
pub(crate) fn shelf(config: &Config) -> Shelf {
    Shelf::new(config.path("pen.data").unwrap_or_default())
}

/// The language of the interface: the setting, else the locale.
pub(crate) fn lang(config: &Config) -> Lang {
    let locale = || ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(variable);
    match config.get("pen.lang") {
        Some(set) => Lang::of_locale(set),
        None => locale().map_or(Lang::En, |locale| Lang::of_locale(&locale)),
    }
}

/// What can be reached from here.
pub(crate) fn far(_config: &Config) -> Far {
    Far::default()
}

/// Values that must not stand in a log.
pub(crate) fn secrets(config: &Config) -> Vec<Secret> {
    let keys = config.providers.iter().filter_map(|one| match &one.provider.key {
        models::Key::Given(key) => Some(key.clone()),
        models::Key::Missing | models::Key::NotNeeded => None,
    });
    keys.chain(SECRETS.into_iter().filter_map(variable).map(Secret::new)).collect()
}

/// Adds the handlers of the nine tools.
pub(crate) fn add_to(host: &mut NativeHost, config: &Config) {
    pen::tools::add_to(host, &Pen::new(shelf(config), lang(config), far(config)));
}

/// Tools whose service is not set up, with the reason: they are not offered.
pub(crate) fn unreachable(config: &Config, registry: &Registry) -> BTreeMap<String, String> {
    let far = far(config);
    let mut off = BTreeMap::new();
    if far.notion.is_none() {
        for tool in ["read_notion_page", "write_to_notion"] {
            off.insert(tool.to_owned(), "Notion is not set up (NOTION_TOKEN)".to_owned());
        }
    }
    if far.search.is_none() {
        off.insert("search_web".to_owned(), "no search is set up (TAVILY_API_KEY)".to_owned());
    }
    off.retain(|tool, _| registry.get(tool).is_some());
    off
}
