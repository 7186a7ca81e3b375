//! A text in pieces gives the same blocks as the whole text.

use super::{ADDRESSES_BYTES_MAX, Blocks, IncrementalMarkdown};
use crate::render::markdown::to_html;

/// What a page shows: later blocks replace earlier ones.
#[derive(Default)]
struct Page(Vec<String>);

impl Page {
    fn take(&mut self, Blocks { from, html }: Blocks) {
        assert!(from <= self.0.len(), "a block is missing");
        self.0.truncate(from);
        self.0.extend(html);
    }

    fn whole(&self) -> String {
        self.0.concat()
    }
}

fn shown<'a>(pieces: impl IntoIterator<Item = &'a str>) -> String {
    let (mut growing, mut page) = (IncrementalMarkdown::default(), Page::default());
    for piece in pieces {
        growing.push(piece);
        growing.blocks().into_iter().for_each(|blocks| page.take(blocks));
    }
    page.take(growing.finish());
    page.whole()
}

const TEXTS: &[&str] = &[
    "One **two** three.\n\nFour *five*.\n\n- a\n- b\n\n  more\n\n1. c\n2. d\n\nEnd.",
    "# Title\n\nText\n---\nmore\n\n***\n\n> quoted\nlazy\n\n> again\n",
    "```rust\nfn a() {\n\n    b()\n}\n```\n\nThen\n\n    indented\n\n    code\n\nend `x` ~~y~~",
    "- a\n--- x\n- b\n---\n\nc",
    "| a | b |\n|---|--:|\n| 1 | **2** |\n| 3 | 4\n\nAfter [a link](https://a.example/).\n",
    "[x]: https://a.example/\n\nOne.\n\nTwo.\n\nThree [x] and [y].\n\n[y]: /no\n\nEnd [y] [x].",
    "<details>\n\n**in**\n\n</details>\n\nafter <b>bold\n\nand on</b>\n\nend",
    "Привіт, **світе** 🦔!\r\n\r\n- а\r\n- б\r\n\r\n```py\r\nprint('ї')\r\n```\r\n",
    "a\n\n~~~\nopen fence\n\nto the end",
    "1) a\n\n   b\n\n       c\n2) d\n\n* e\n+ f\n\n[ ] g\n\n- [ ] h\n- [x] i",
    "<!-- a\n\n**b**\n\n--> c\n\n<script>\n\nalert(1)\n\n</script>\n\nd",
    "So $a_1 * b$ and \\(c_2\\).\n\n$$\na\n- b\n# c\n$$\n\nIt costs $5.\n\n\\[\nd\n\n\\(e",
    "Term\n: Meaning\n\nSee https://a.example/b_c_d and a@b.example, *www.c.example*.\n\nEnd.",
    "> $$\n> a\n> - b\n> $$\n\n- $x$ `$y$`\n\n```\n$$\n```\n\n$$ z",
    "",
    "\n\n\n",
];

#[test]
fn a_text_in_pieces_ends_like_the_whole_text() {
    for text in TEXTS {
        let whole = to_html(text);
        let letters: Vec<_> =
            text.char_indices().map(|(at, c)| &text[at..at + c.len_utf8()]).collect();
        assert_eq!(shown(letters), whole, "{text}");
        for at in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
            assert_eq!(shown([&text[..at], &text[at..]]), whole, "{text} cut at {at}");
        }
    }
}

#[test]
fn hostile_texts_are_harmless_at_every_character() {
    for text in crate::render::markdown::tests::HOSTILE {
        let mut growing = IncrementalMarkdown::default();
        for (at, c) in text.char_indices() {
            growing.push(&text[at..at + c.len_utf8()]);
            for html in growing.blocks().into_iter().flat_map(|blocks| blocks.html) {
                crate::render::markdown::tests::assert_harmless(&html, text);
            }
        }
        crate::render::markdown::tests::assert_harmless(&growing.finish().html.concat(), text);
    }
}

/// Each part of a long text is rendered a few times at most, and only the open block is
/// kept in memory.
#[test]
fn finished_blocks_are_rendered_once_and_not_kept() {
    let paragraph = format!("{}end.\n\n", "some words ".repeat(20));
    let mut growing = IncrementalMarkdown::default();
    let mut rendered = 0;
    for _ in 0..200 {
        growing.push(&paragraph);
        let blocks = growing.blocks().unwrap();
        rendered += blocks.html.iter().map(String::len).sum::<usize>();
        assert!(growing.tail.len() <= paragraph.len());
        assert_eq!(growing.blocks(), None);
    }
    assert!(rendered < 200 * paragraph.len() * 3, "{rendered}");
}

#[test]
fn link_definitions_have_a_limit() {
    let mut growing = IncrementalMarkdown::default();
    for at in 0..2_000 {
        growing.push(&format!("[{at}]: https://a.example/{at}\n\nx\n\n"));
        growing.blocks();
    }
    assert!(growing.addresses.len() <= ADDRESSES_BYTES_MAX);
}
