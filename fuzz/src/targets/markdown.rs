//! Markdown: whatever a text says, its HTML has no script, no style and no event attribute,
//! also while it grows.

use server::{IncrementalMarkdown, to_html};

use super::{Check, Target, texts};

pub(super) const TARGET: Target =
    Target { name: "markdown", seeds, words: WORDS, check: || -> Check { Box::new(check) } };

const WORDS: &[&str] = &[
    "> ",
    "- ",
    "1. ",
    "* ",
    "    ",
    "```",
    "~~~",
    "`",
    "**",
    "_",
    "~~",
    "# ",
    "---\n",
    "\n\n",
    "| ",
    "|---|\n",
    "[a](",
    "[a]: ",
    "![",
    "](javascript:alert(1))",
    "<script>",
    "</script>",
    "<img src=x onerror=alert(1)>",
    "<a href='java\nscript:x'>",
    "<svg onload=x>",
    "<style>",
    "<details>",
    "</details>",
    "<!--",
    "-->",
    "<![CDATA[",
    "&#x6a;",
    "&lt;script&gt;",
    "\\",
    "<b",
    "<math><mi>",
    "<p title=\"",
    "<iframe srcdoc=",
    "data:text/html,",
    "- [x] ",
    "$",
    "$$",
    "\\(",
    "\\)",
    "\\frac{1}",
    "\\text{<b>",
    "[^1]",
    "[^1]: ",
    "https://a.example/",
    "a@b.example",
];

/// What must be in no tag of the HTML.
const FORBIDDEN: &[&str] =
    &["<script", "<style", "<iframe", "<svg", "<img", "<object", "<embed", "<form"];
const ATTRIBUTES: &[&str] = &[" onerror", " onload", " onclick", " style=", " srcdoc"];
const SCHEMES: &[&str] = &["http:", "https:", "mailto:"];

fn seeds() -> Vec<Vec<u8>> {
    texts(&[
        "One **two** three.\n\nFour *five* `six`.\n\n- a\n- b\n\n  more\n\n1. c\n2. d\n\nEnd.",
        "# Title\n\nText\n---\nmore\n\n***\n\n> quoted\nlazy\n\n> > again\n",
        "```rust\nfn a() {\n\n    b()\n}\n```\n\nThen\n\n    indented\n\nend ~~y~~",
        "| a | b |\n|---|--:|\n| 1 | **2** |\n\n[a link](https://a.example/ \"title\")\n",
        "[x]: https://a.example/\n\nOne [x] and ![a picture](https://b.example/p.png).",
        "<details>\n\n**in**\n\n</details>\n\nafter <b>bold\n\nand on</b>\n\nend",
        "Привіт, **світе** 🦔!\r\n\r\n- а\r\n- б\r\n\r\n```py\r\nprint('ї')\r\n```\r\n",
        "So $a_1 + b$ and \\(c\\):\n\n$$\n\\frac{1}{2} < x\n$$\n\nhttps://a.example/ [^n]\n\n[^n]: note",
        "- [ ] a\n- [x] b\n\n<!-- c -->\n\n<a href=\"javascript:alert(1)\">d</a>",
    ])
}

fn check(input: &[u8]) -> Result<(), String> {
    let text = String::from_utf8_lossy(input);
    harmless(&to_html(&text))?;
    let mut growing = IncrementalMarkdown::default();
    let mut rest = &*text;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE_BYTES).max(first(rest)));
        growing.push(piece);
        for html in growing.blocks().into_iter().flat_map(|blocks| blocks.html) {
            harmless(&html)?;
        }
        rest = after;
    }
    harmless(&growing.finish().html.concat())
}

/// Pieces as a stream joins them.
const PIECE_BYTES: usize = 2 << 10;

fn first(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

/// The tags of our own HTML: text between them is escaped, so a `<` begins a tag.
fn harmless(html: &str) -> Result<(), String> {
    for tag in html.split('<').skip(1) {
        let tag = format!("<{}", tag.split('>').next().unwrap_or_default()).to_lowercase();
        if let Some(bad) = FORBIDDEN.iter().find(|bad| tag.starts_with(**bad)) {
            return Err(format!("the HTML has {bad}: {tag}"));
        }
        let names = without_values(&tag);
        if let Some(bad) = ATTRIBUTES.iter().find(|bad| names.contains(**bad)) {
            return Err(format!("the HTML has{bad}: {tag}"));
        }
        if let Some(href) = tag.split(" href=\"").nth(1)
            && !SCHEMES.iter().any(|scheme| href.starts_with(scheme))
        {
            return Err(format!("a link leads elsewhere: {tag}"));
        }
    }
    Ok(())
}

/// A tag without what stands between quotes.
fn without_values(tag: &str) -> String {
    tag.split('"').step_by(2).collect()
}
