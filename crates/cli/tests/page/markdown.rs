//! Answers in Markdown: tables, links, notes, formulas, diagrams and pictures.

use fake_providers::Turn;
use testkit::web::{Web, WebAnswer, WebResponse};

use crate::browser::Tab;
use crate::pad::{Pad, rests, say};

/// A tab in which the model has said this.
fn told(pad: &Pad, text: &str) -> Tab {
    pad.model.then(Turn::says(text));
    let tab = pad.tab();
    say(&tab, "Tell me");
    tab.sees(".assistant");
    rests(&tab);
    tab
}

#[test]
fn tables_scroll_and_keep_their_words_and_their_alignment() {
    let pad = Pad::new();
    let row =
        "| Incomprehensibilities | $3.50 | Counterrevolutionaries | Straightforwardnesses |\n";
    let text = format!("| Name | Price | Third | Fourth |\n|:--|--:|:-:|---|\n{}", row.repeat(3));
    let tab = told(&pad, &text);
    tab.size(390, 844);
    tab.sees(".assistant td[align=right] >> $3.50");
    tab.sees(".assistant td[align=center]");
    // A word has one line, and what is too wide scrolls in its own box.
    let lines = "document.createRange()";
    let one = format!(
        "(() => {{ const range = {lines}; range.selectNodeContents(find('.assistant td')); \
         return range.getClientRects().length }})()"
    );
    tab.gives(&one, 1);
    let scrolls = "find('.assistant .scroll').scrollWidth > find('.assistant .scroll').clientWidth";
    tab.gives(scrolls, true);
    tab.gives("document.documentElement.scrollWidth <= innerWidth", true);
    tab.assert_quiet();
}

#[test]
fn links_notes_lists_headings_and_code_say_what_they_are() {
    let pad = Pad::new();
    let text = "# One\n\n## Two\n\n### Three\n\nSee https://a.example/x_y and ana@mail.example.[^1]\n\n\
                [^1]: The note.\n\nTerm\n: Its meaning\n\n\
                <details><summary>More</summary>\n\nInside\n\n</details>\n\n\
                مرحبا بالعالم\n\n```python\nx = 1\n```\n\n```diff\n+new\n-old\n```\n";
    let tab = told(&pad, text);
    tab.sees(".assistant a[href='https://a.example/x_y'][target=_blank]");
    tab.sees(".assistant a[href='mailto:ana@mail.example']");
    tab.sees(".assistant dt >> Term");
    tab.sees(".assistant dd >> Its meaning");
    let size =
        |tag: &str| format!("parseFloat(getComputedStyle(find('.assistant {tag}')).fontSize)");
    tab.gives(&format!("{} > {} && {} > {}", size("h1"), size("h2"), size("h2"), size("h3")), true);
    tab.sees(".assistant .language >> python");
    tab.sees(".assistant .hl-added >> +new");
    tab.sees(".assistant .hl-removed >> -old");
    tab.gives("getComputedStyle(find('.assistant p >> مرحبا')).direction", "rtl");
    tab.gives("getComputedStyle(find('.assistant summary')).listStyleType", "disclosure-closed");
    tab.misses(".assistant p >> Inside");
    tab.click(".assistant summary >> More");
    tab.sees(".assistant p >> Inside");
    // The number of a note leads to the note.
    tab.click(".assistant p a.note-link");
    tab.gives("Boolean(document.activeElement.closest('.note-text'))", true);
    tab.assert_quiet();
}

#[test]
fn formulas_are_drawn_and_nothing_of_them_is_lost() {
    let pad = Pad::new();
    let text = "So $a_1 + b_1$ and \\(c^2\\):\n\n\\[\n\\frac{1}{2} = 0.5\n\\]\n\n$$x \\in \\mathbb{R}$$\n\n\
                It costs $5 to $10. Wrong: \\(\\frac{1}{\\)";
    let tab = told(&pad, text);
    tab.counts(".assistant math", 4);
    tab.sees(".assistant math[display=block] mfrac");
    tab.gives("find('.assistant mfrac').getBoundingClientRect().height > 20", true);
    tab.sees(".assistant p >> It costs $5 to $10.");
    tab.sees(".assistant code >> \\(\\frac{1}{\\)");
    tab.reload();
    tab.counts(".assistant math", 4);
    tab.assert_quiet();
}

#[test]
fn a_diagram_is_drawn_in_a_sealed_frame_and_costs_nothing_before() {
    let pad = Pad::new();
    let tab = pad.talking();
    let library = |tab: &Tab| {
        let asked = tab.events("Network.requestWillBeSent");
        let asked = asked.iter().filter_map(|event| event["request"]["url"].as_str());
        asked.filter(|url| url.contains("mermaid") || url.contains("diagram")).count()
    };
    assert_eq!(library(&tab), 0);
    pad.model.then(Turn::says("```mermaid\ngraph TD\n  A[Begin] --> B[End]\n```\n\nThere."));
    say(&tab, "Draw");
    tab.sees(".assistant >> There.");
    rests(&tab);
    tab.sees(".assistant .code.drawn iframe[title=Diagram]");
    tab.until("find('iframe[title=Diagram]').clientHeight > 60");
    let frame = tab.frame("Diagram");
    frame.gives("document.querySelector('svg').textContent.includes('Begin')", true);
    frame.gives("origin", "null");
    // It follows the theme.
    let theme = "document.documentElement.dataset.theme";
    frame.gives(theme, "light");
    tab.scheme("dark");
    frame.gives(theme, "dark");
    tab.click(".diagram button >> Show or hide code");
    tab.sees(".assistant pre >> graph TD");
    // It is drawn once, however often the log is.
    let kept = "find('iframe[title=Diagram]').mark";
    tab.eval("(find('iframe[title=Diagram]').mark = 1)");
    pad.model.then(Turn::says("```mermaid\nthis is no diagram\n```\n"));
    say(&tab, "Draw nothing");
    tab.sees(".diagram >> The diagram could not be drawn");
    tab.sees(".assistant pre >> this is no diagram");
    tab.gives(kept, 1);
}

/// The smallest PNG.
const PNG: &[u8] =
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\
\0\0\0\rIDATx\x9cc\xf8\xcf\xc0\xf0\x1f\0\x05\0\x01\xff\x89\x99=\x1d\0\0\0\0IEND\xaeB`\x82";

#[test]
fn a_picture_from_elsewhere_is_loaded_by_the_server_after_a_click() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let answer = |request: &fake_providers::RecordedRequest| {
        let body = if request.path.contains("cat") { PNG.to_vec() } else { b"<svg/>".to_vec() };
        WebAnswer::Reply(WebResponse { status: 200, headers: Vec::new(), body })
    };
    let web = runtime.block_on(Web::start(answer)).unwrap();
    let base = web.base_url();
    let allowed = base.trim_start_matches("http://");
    let pad = Pad::set(&[], &format!("[net]\nallow = [\"{allowed}\"]\n"));
    let text = format!(
        "![a cat]({base}/cat.png) and ![no picture]({base}/x.svg) and \
         ![private](http://127.0.0.2:1/x.png) and ![dot](data:image/gif;base64,\
         R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7)"
    );
    let tab = told(&pad, &text);
    tab.sees(".assistant .picture a >> a cat");
    tab.sees(".assistant img[alt=dot]");
    assert!(web.requests().is_empty(), "nothing is loaded by itself");
    tab.click(".assistant .picture:nth-of-type(1) button >> Show picture");
    tab.until("document.querySelector('.assistant img[alt=\"a cat\"]')?.naturalWidth === 1");
    let [asked] = &web.requests()[..] else { panic!("{:?}", web.requests()) };
    let headers = format!("{:?}", asked.headers);
    assert!(!headers.contains("cookie") && !headers.contains("referer"), "{headers}");
    // A drawing could hold a script, and a private address is not for the page.
    for _ in 0..2 {
        tab.click(".assistant .picture button >> Show picture");
    }
    tab.counts(".assistant .fault", 2);
    assert_eq!(web.requests().len(), 2);
}
