//! Pages, tables and long code beside the conversation.

use fake_providers::Turn;
use serde_json::{Value, json};
use testkit::Gate;

use crate::axe::audited;
use crate::browser::Tab;
use crate::pad::{Pad, rests, say};
use crate::shots::{both, file};

const FIRST: &str = "Here:\n\n```html title=\"Clock\"\n<!doctype html>\n<h1 id=\"time\">waiting</h1>\n\
    <script>document.getElementById('time').textContent = 'one ' + (1 + 1);</script>\n\
    <script>document.addEventListener('DOMContentLoaded', () => { document.body.append(' ready'); });</script>\n\
    ```\n\nThat is it.";

const SECOND: &str =
    "Better:\n\n```html title=\"Clock\"\n<h1 id=\"time\">second</h1>\n<p>more</p>\n```\n";

fn head(tab: &Tab, words: &str) {
    tab.sees(&format!(".artifact-panel .artifact-bar >> {words}"));
}

/// The frame in which the page runs.
fn running(tab: &Tab) -> Tab {
    tab.sees(".artifact-panel iframe.page[data-ready]");
    tab.frame("Clock")
}

/// The texts of a column of the table.
fn column(tab: &Tab, number: u32) -> Value {
    let cells = format!(".artifact-table td:nth-child({number})");
    tab.eval(&format!("[...document.querySelectorAll('{cells}')].map((one) => one.textContent)"))
}

#[test]
fn a_page_is_opened_while_it_is_written_and_has_versions() {
    let pad = Pad::new();
    let gate = Gate::new();
    pad.model.then(Turn::says(FIRST).gate_at(9, &gate));
    let tab = pad.tab();
    tab.size(1440, 900);
    say(&tab, "A clock, please");
    // Half of it is there: nothing of it runs yet.
    tab.sees(".assistant.writing .artifact >> Clock");
    tab.click(".artifact [data-open-artifact]");
    head(&tab, "being written");
    tab.until("find('.artifact-frame.html')?.clientHeight > 100");
    let frame = tab.frame("Clock");
    frame.gives("document.querySelector('h1')?.textContent", "waiting");
    tab.eval("(window.panel = find('.artifact-panel'))");
    gate.open();
    rests(&tab);
    head(&tab, "Page · 4 lines");
    let frame = running(&tab);
    frame.gives("document.querySelector('h1').textContent", "one 2");
    frame.gives("document.body.textContent.includes('ready')", true);
    frame.gives("origin", "null");
    tab.gives("window.panel.isConnected", true);
    tab.misses(".artifact-panel .versions");

    // The next answer has a newer version, and the panel follows it.
    pad.model.then(Turn::says(SECOND));
    say(&tab, "More of it");
    rests(&tab);
    tab.sees(".artifact-panel .versions >> 2/2");
    running(&tab).gives("document.querySelector('p')?.textContent", "more");
    tab.eval("find('.artifact-panel .versions .previous').focus()");
    tab.press("ArrowLeft");
    tab.sees(".artifact-panel .versions >> 1/2");
    running(&tab).gives("document.querySelector('h1')?.textContent", "one 2");
    tab.click(".artifact-panel [role=tab] >> Source");
    tab.sees(".artifact-source >> <!doctype html>");
    tab.gives("document.activeElement.textContent", "Source");

    // It is saved under its own name, and Esc leads back to its card.
    let begun = tab.hears("Page.downloadWillBegin", || {
        tab.click(".artifact-panel [aria-label='Download the artifact']");
    });
    assert_eq!(begun["suggestedFilename"], "clock.html");
    tab.press("Escape");
    tab.misses(".artifact-panel");
    tab.gives("document.activeElement.getAttribute('aria-label')", "Open Clock");
    tab.gives("document.activeElement.closest('[data-key]').dataset.key", "t1.assistant0");

    // A reload shows the same, and the width is remembered.
    tab.click(".artifact [data-open-artifact]");
    tab.sees(".artifact-panel .versions >> 1/2");
    tab.eval("find('.artifact-handle').focus()");
    tab.press("ArrowLeft");
    let width = tab.eval("find('.artifact-panel').clientWidth");
    tab.reload();
    tab.click(".artifact [data-open-artifact]");
    tab.sees(".artifact-panel .versions >> 1/2");
    tab.gives("find('.artifact-panel').clientWidth", width);
    audited(&tab, "a page beside the conversation", json!({}));
    tab.click(".artifact-panel [aria-label='Next version of the artifact']");
    tab.sees(".artifact-panel .versions >> 2/2");
    tab.assert_quiet();
}

#[test]
fn a_table_is_sorted_and_code_is_readable_in_its_place() {
    let pad = Pad::new();
    let rows: String = (1..=520).map(|row| format!("item {row},{}\n", 1000 - row)).collect();
    let code: String = (1..=30).map(|line| format!("def line_{line}(): return {line}\n")).collect();
    let text = format!(
        "```csv\nName,\"Price, net\"\nPear,10\n\"App\"\"le\",9.5\nFig,\n```\n\n\
         ```csv prices.csv\nname,price\n{rows}```\n\n```python\n{code}```\n\n\
         ```mermaid\ngraph TD\n  A[Begin] --> B[End]\n```\n\n\
         ```svg\n<svg viewBox=\"0 0 10 10\" xmlns=\"http://www.w3.org/2000/svg\">\n\
         <script>parent.hacked = 1</script><circle r=\"4\" onload=\"hacked = 1\"/></svg>\n```\n\n\
         ```markdown\n# Plan\n\n{}```\n",
        "Some **bold** words.\n\n".repeat(8),
    );
    pad.model.then(Turn::says(&text));
    let tab = pad.tab();
    tab.size(1440, 900);
    say(&tab, "Everything");
    rests(&tab);
    tab.counts(".artifact", 6);

    tab.click(".artifact [aria-label='Open Table']");
    tab.sees(".artifact-table >> Price, net");
    assert_eq!(column(&tab, 1), json!(["Pear", "App\"le", "Fig"]));
    tab.click(".artifact-table th button >> Price, net");
    tab.sees("th[aria-sort=ascending] >> Price, net");
    assert_eq!(column(&tab, 1), json!(["App\"le", "Pear", "Fig"]));
    tab.press("Enter");
    tab.sees("th[aria-sort=descending]");
    assert_eq!(column(&tab, 1), json!(["Pear", "App\"le", "Fig"]));
    audited(&tab, "a table beside the conversation", json!({}));
    tab.click(".artifact [aria-label='Open prices.csv']");
    tab.sees(".artifact-note >> The first 500 of 520 rows are shown");
    tab.click(".artifact-table th button >> price");
    tab.sees(".artifact-table td >> item 520");

    // The code is all there before it is expanded, and its colours are the server's.
    let all = "find('.artifact >> line_1').querySelector('pre')";
    tab.gives(&format!("{all}.textContent.includes('line_30')"), true);
    tab.gives(&format!("{all}.clientHeight < 260"), true);
    tab.eval(&format!("{all}.closest('.artifact').querySelector('.expand input').click()"));
    tab.gives(&format!("{all}.clientHeight > 500"), true);
    tab.click(".artifact [aria-label='Open Code in python']");
    tab.sees(".artifact-source .hl-keyword >> def");
    tab.misses(".artifact-panel [role=tablist]");

    tab.click(".artifact [aria-label='Open Diagram']");
    tab.until("find('.artifact-diagram iframe')?.clientHeight > 60");
    tab.click(".artifact [aria-label='Open Drawing']");
    tab.sees("iframe[title=Drawing]");
    let frame = tab.frame("Drawing");
    frame.gives("document.querySelector('circle') !== null", true);
    frame.gives("document.querySelectorAll('svg script').length", 0);
    tab.gives("typeof hacked", "undefined");
    tab.click(".artifact [aria-label='Open Plan']");
    tab.sees(".artifact-prose h1 >> Plan");
    tab.sees(".artifact-prose strong >> bold");

    // On a phone it is a sheet over everything.
    tab.size(390, 844);
    tab.gives("find('.artifact-panel').clientWidth", 390);
    tab.gives("find('.main').inert", true);
    audited(&tab, "a document on a phone", json!({}));
    tab.press("Escape");
    tab.gives("document.querySelector('.main').inert", false);
    audited(&tab, "cards on a phone", json!({}));
}

#[test]
#[ignore = "writes docs/images; run by `make shots`"]
fn artifact_shots() {
    let pad = Pad::new();
    let text = "Here is the page, with last year's numbers.\n\n\
        ```html title=\"Sales report\"\n<!doctype html>\n<style>body { font: 16px system-ui; margin: 32px } \
        .bar { height: 22px; margin: 8px 0; border-radius: 6px; background: #6a5acd; color: #fff; padding: 2px 10px }</style>\n\
        <h1>Sales by quarter</h1>\n<div id=\"bars\"></div>\n<script>\n  const sales = { Q1: 42, Q2: 61, Q3: 55, Q4: 87 };\n\
        \u{20} for (const [name, count] of Object.entries(sales)) {\n    const bar = document.createElement('div');\n\
        \u{20}   bar.className = 'bar';\n    bar.style.width = count + '%';\n    bar.textContent = `${name} ${count}`;\n\
        \u{20}   document.getElementById('bars').append(bar);\n  }\n</script>\n```\n\nAnd the numbers alone:\n\n\
        ```csv sales.csv\nQuarter,Orders,Revenue\nQ1,42,1280\nQ2,61,1903.5\nQ3,55,1720\nQ4,87,2654\n```\n";
    pad.model.then(Turn::says(text));
    let tab = pad.tab();
    tab.size(1440, 900);
    say(&tab, "Make a page of our sales");
    rests(&tab);
    tab.click(".artifact [aria-label='Open Sales report']");
    tab.sees(".artifact-panel iframe.page[data-ready]");
    both(&tab, "artifact");
    tab.click(".artifact [aria-label='Open sales.csv']");
    tab.click(".artifact-table th button >> Revenue");
    tab.sees("th[aria-sort=ascending]");
    tab.size(390, 844);
    tab.shot(&file("artifact-phone"));
}
