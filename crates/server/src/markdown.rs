//! Markdown as HTML that is safe to show: rendered here, then cleaned.
//!
//! Must hold: no script, no style, no event attribute, no picture or frame from elsewhere.

use std::sync::LazyLock;

use ammonia::Builder;
use pulldown_cmark::{Options, Parser, html};

/// The text as sanitised HTML; code blocks have the class `language-NAME`.
pub(crate) fn to_html(text: &str) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut rendered = String::with_capacity(text.len() * 3 / 2);
    html::push_html(&mut rendered, Parser::new_ext(text, options));
    CLEANER.clean(&rendered).to_string()
}

static CLEANER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut cleaner = Builder::default();
    cleaner
        .rm_tags(["img", "area", "map", "figure"])
        .url_schemes(["http", "https", "mailto"].into())
        .link_rel(Some("noopener noreferrer"))
        .add_tag_attributes("code", ["class"])
        .attribute_filter(|element, attribute, value| match (element, attribute) {
            ("code", "class") => is_language(value).then(|| value.into()),
            _ => Some(value.into()),
        });
    cleaner
});

fn is_language(class: &str) -> bool {
    class.strip_prefix("language-").is_some_and(|name| {
        !name.is_empty()
            && name.len() <= 32
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "+-_#".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::to_html;

    #[test]
    fn markdown_is_rendered_and_what_could_harm_is_gone() {
        let check = |text: &str, expected: &str| assert_eq!(to_html(text).trim(), expected);
        check("**a** ~~b~~", "<p><strong>a</strong> <del>b</del></p>");
        check(
            "```rust\nfn a() {}\n```",
            "<pre><code class=\"language-rust\">fn a() {}\n</code></pre>",
        );
        check("<script>alert(1)</script>x", "x");
        check("<b onclick=\"x()\">y</b>", "<p><b>y</b></p>");
        check("[a](javascript:alert)", "<p><a rel=\"noopener noreferrer\">a</a></p>");
        check("![a](http://elsewhere/pixel)", "<p></p>");
        check("<code class=\"evil\">x</code>", "<p><code>x</code></p>");
    }
}
