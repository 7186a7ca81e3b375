//! What axe-core says of a page.

use serde_json::{Value, json};
use testkit::packages;

use crate::browser::Tab;

/// Asks axe-core about the page as it stands, in light and dark. `options` are axe's own.
#[track_caller]
pub(crate) fn audited(tab: &Tab, place: &str, options: Value) {
    let file = packages::node_module("axe", "axe-core/axe.min.js");
    let axe = std::fs::read_to_string(file).unwrap();
    if tab.eval("typeof axe") == "undefined" {
        tab.call("Runtime.evaluate", json!({ "expression": axe }));
    }
    for scheme in ["light", "dark"] {
        tab.scheme(scheme);
        let found = tab.eval(&format!("(await axe.run(document, {options})).violations"));
        let serious = |one: &&Value| one["impact"] == "serious" || one["impact"] == "critical";
        let told: Vec<_> = found.as_array().unwrap().iter().filter(serious).map(told).collect();
        assert!(told.is_empty(), "{place}, {scheme}:\n{}", told.join("\n"));
    }
    tab.scheme("light");
}

/// Asks about it on a phone and on a screen, where `whole` must not scroll sideways.
#[track_caller]
#[allow(dead_code, reason = "the tests of other pages do not need it")]
pub(crate) fn audited_at_sizes(tab: &Tab, place: &str, whole: &str) {
    for (width, height) in [(390, 844), (1440, 900)] {
        tab.size(width, height);
        audited(tab, place, json!({}));
        tab.until(&format!("document.querySelector('{whole}').scrollWidth <= innerWidth"));
    }
}

fn told(one: &Value) -> String {
    let nodes = one["nodes"].as_array().unwrap().iter();
    let nodes: Vec<_> =
        nodes.map(|node| format!("  {}\n    {}", node["html"], node["failureSummary"])).collect();
    format!("{}: {}\n{}", one["id"], one["help"], nodes.join("\n"))
}
