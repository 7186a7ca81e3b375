//! What is beside the conversation and in its list: artifacts, order, links, the inbox, servers.

use fake_providers::Turn;

use super::{Words, looked_at, tab_in};
use crate::browser::Tab;
use crate::oauth_server::FarLogin;
use crate::pad::{Pad, rests, say};

#[track_caller]
fn choose(tab: &Tab, words: &Words, entry: &str) {
    tab.click(&format!("#bar-tools button[aria-label='{}']", words.of("More")));
    tab.click(&format!(".menu [role=menuitem] >> {}", words.of(entry)));
}

fn leave(tab: &Tab) {
    tab.press("Escape");
    tab.misses("dialog");
}

/// One call waits in the open conversation.
pub(super) fn inbox(tab: &Tab, words: &Words) {
    tab.click(".inbox-badge");
    tab.sees("dialog .approval");
    looked_at(tab, words, "inbox");
    leave(tab);
}

/// A table without a name, which the server gave one, and its card.
pub(super) fn artifact(pad: &Pad, tab: &Tab, words: &Words) {
    pad.model.then(Turn::says("```csv\nname,price\nPear,10\nFig,9\nPlum,8\nKiwi,7\n```"));
    say(tab, "As a table");
    tab.sees(&format!(".artifact-title >> {}", words.of("Table")));
    rests(tab);
    looked_at(tab, words, "card");
    tab.click(".artifact [data-open-artifact]");
    tab.sees(".artifact-table >> Kiwi");
    looked_at(tab, words, "artifact");
    tab.click(&format!(".artifact-panel [role=tab] >> {}", words.of("Source")));
    tab.sees(".artifact-source >> Kiwi");
    looked_at(tab, words, "source of an artifact");
    tab.press("Escape");
    tab.misses(".artifact-panel");
}

/// The menu of a row, and what its entries open.
pub(super) fn order(tab: &Tab, words: &Words) {
    let row_menu = || {
        tab.hover("#conversations a[href]");
        tab.click("#conversations li > button[aria-haspopup=menu]");
        tab.sees(".menu [role=menuitem]");
    };
    let entry = |name: &str| {
        row_menu();
        tab.click(&format!(".menu [role=menuitem] >> {}", words.of(name)));
    };
    row_menu();
    words.assert_no_english(tab, "menu of a row");
    tab.press("Escape");
    entry("Move to folder…");
    tab.sees("dialog #folder-name");
    looked_at(tab, words, "moving");
    tab.fill("dialog #folder-name", "Хліб");
    tab.press("Enter");
    tab.misses("dialog");
    tab.sees("#conversations .folder-name >> Хліб");
    words.assert_no_english(tab, "list with a folder");
    entry("Tags…");
    tab.sees("dialog #tag-words");
    tab.fill("dialog #tag-words", "дім");
    looked_at(tab, words, "tags");
    tab.press("Enter");
    tab.misses("dialog");
    entry("Archive");
    tab.click(&format!("#conversations button >> {}", words.of("Archived")));
    tab.sees("dialog .archived-link");
    looked_at(tab, words, "archive");
    tab.click(&format!("dialog button >> {}", words.of("Restore")));
    tab.sees(&format!("dialog >> {}", words.of("Nothing is archived.")));
    leave(tab);
}

/// The dialog with a link, and the page behind it.
pub(super) fn shared(pad: &Pad, tab: &Tab, words: &Words) {
    choose(tab, words, "Share…");
    tab.sees("dialog #share-end");
    tab.click(&format!(
        "dialog label >> {}",
        words.of("Tool calls, with their arguments and results")
    ));
    tab.click(&format!("dialog button >> {}", words.of("Create link")));
    tab.sees("dialog .share-row");
    looked_at(tab, words, "share");
    let link = tab.eval("find('dialog #share-link').value");
    let reader = tab_in(pad, words.browser);
    reader.open(link.as_str().unwrap());
    reader.sees(".shared .assistant >> They know.");
    reader.gives("document.documentElement.lang", words.language);
    reader.sees(&format!(".shared >> {}", words.of("Answers were written by a model.")));
    reader.click("details.step summary");
    looked_at(&reader, words, "shared page");
    tab.click(&format!("dialog .share-row button >> {}", words.of("Revoke")));
    tab.click(&format!("dialog button.danger >> {}", words.of("Revoke")));
    tab.sees(&format!("dialog >> {}", words.of("You have no shared links.")));
    reader.reload();
    reader.sees(&format!("h1 >> {}", words.of("This link is no longer available")));
    looked_at(&reader, words, "ended link");
    leave(tab);
}

pub(super) fn temporary(tab: &Tab, words: &Words) {
    tab.click("#new-temporary");
    tab.sees("#temporary");
    looked_at(tab, words, "temporary");
}

/// A server is added, looked at and accepted.
pub(super) fn servers(pad: &Pad, tab: &Tab, words: &Words) {
    let far = FarLogin::start();
    far.far().keys.insert("key".to_owned());
    choose(tab, words, "MCP servers");
    tab.click(&format!("dialog button >> {}", words.of("Add a server")));
    tab.sees("dialog [placeholder=tracker]");
    let select = |kind: &str| {
        tab.eval(&format!(
            "(find('dialog form select').value = '{kind}', \
             find('dialog form select').dispatchEvent(new Event('change')))"
        ));
    };
    select("command");
    looked_at(tab, words, "command of a server");
    select("address");
    tab.fill("dialog [placeholder=tracker]", "far");
    tab.fill("dialog [type=url]", &format!("{}/mcp", far.base));
    tab.click(&format!("dialog button >> {}", words.of("Add a secret")));
    tab.fill(&format!("dialog [aria-label='{}']", words.of("Name")), "Authorization");
    tab.fill(&format!("dialog [aria-label='{}']", words.of("Secret value")), "Bearer key");
    looked_at(tab, words, "new server");
    tab.click(&format!("dialog button >> {}", words.of("Try and save")));
    tab.sees("dialog .tool");
    looked_at(tab, words, "tools of a server");
    tab.click(&format!("dialog button >> {}", words.of("Accept as shown")));
    tab.sees(&format!("dialog li.server >> {}", words.of("Tools")));
    looked_at(tab, words, "servers");
    leave(tab);
    let returned = tab_in(pad, words.browser);
    returned.open(&format!("{}mcp-login", pad.url));
    returned.sees("[role=alert]");
    returned.sees(&format!("a >> {}", words.of("Back to Ghostpad")));
    looked_at(&returned, words, "page after a login");
}
