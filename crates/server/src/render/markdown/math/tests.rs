//! Formulas, ordinary and hostile.

use super::{DEPTH_MAX, Formula};
use crate::render::markdown::to_html;

fn drawn(tex: &str) -> String {
    Formula::new(&format!("${tex}$"), tex, false).to_html()
}

#[test]
fn formulas_become_mathml() {
    let check = |tex: &str, expected: &str| {
        let html = drawn(tex);
        assert!(html.starts_with("<math") && html.contains(expected), "{tex}: {html}");
    };
    check("a^2", "<msup><mi>a</mi><mn>2</mn></msup>");
    check("\\frac{1}{2}", "<mfrac><mn>1</mn><mn>2</mn></mfrac>");
    check("a < b", "<mo>&lt;</mo>");
    check("\\boxed{42}", "<mn class=\"math-box\">42</mn>");
    check("\\begin{aligned} a &= b \\\\ c &= d \\end{aligned}", "<mtd class=\"math-end\">");
    check("\\nothing x", "<merror class=\"math-unknown\"><mtext>\\nothing</mtext></merror>");
    check("\\textcolor{red}{x}", "<mi>x</mi>");
}

#[test]
fn a_formula_that_cannot_be_drawn_is_shown_as_it_was_written() {
    let check = |tex: &str| {
        let html = drawn(tex);
        assert!(html.starts_with("<code class=\"language-tex\">$"), "{tex}: {html}");
    };
    check("\\frac{1}{");
    check("\\left(");
    check(&"{".repeat(DEPTH_MAX + 1));
}

#[test]
fn formulas_are_found_in_text_and_prices_are_not() {
    let check = |text: &str, formulas: usize| {
        let html = to_html(text);
        assert_eq!(html.matches("<math").count(), formulas, "{text}: {html}");
    };
    check("so $a_1 + b_1$ and \\(c_2\\) hold", 2);
    check("$$\na = b\n- c\n$$", 1);
    check("\\[\n\\sum_{i=0}^n i\n\\]\n\nand $x$.", 2);
    check("> $$\n> a\n> + b\n> $$", 1);
    check("- a $x$\n- b $$y$$", 2);
    check("| $|x|$ | b |\n| --- | --- |\n| 1 | $2$ | $3$ |\n\n$4$", 3);
    check("**$x$** and [see $x$](https://a.example/$y$)", 2);
    check("from $5 to $10, or $5-$10, USD$5 and 5$", 0);
    check("`$x$` and\n\n```\n$$y$$ \\(z\\)\n```\n\n    \\(w\\)", 0);
    check("$PATH and ${HOME} and $PATH", 0);
    check("echo $A:$B", 0);
    check("\\$5 and \\$6", 0);
    check("$$\na\n\nb\n$$", 0);
    check("\\[a link\\](https://a.example)", 0);
    check("<https://a.example/$x$> https://a.example/?a=$b&c=$d", 0);
    check("\u{E000} $x$", 0);
}

#[test]
fn a_backslash_of_a_formula_is_never_dropped() {
    let check = |text: &str, expected: &str| {
        let html = to_html(text);
        assert!(html.contains(expected), "{text}: {html}");
    };
    check("\\(a", "\\(a");
    check("a\\, b\\; c", "a\\, b\\; c");
    check("\\(\\frac{1}{\\)", "<code class=\"language-tex\">\\(\\frac{1}{\\)</code>");
    check("a \\* b", "a * b");
    check("\\(\\)", "\\(\\)");
}

#[test]
fn hostile_formulas_are_harmless() {
    let attempts = [
        "\\text{<script>alert(1)</script>}",
        "\\text<b",
        "\\href{javascript:alert(1)}{x}",
        "\\url{javascript:alert(1)}",
        "\\ref{a\" onclick=\"alert(1)}",
        "\\color{\" onload=\"alert(1)}x",
        "\\style{position:fixed}{x}",
        "\\operatorname{<img src=x onerror=alert(1)>}",
        "\\mathrm{</math><script>alert(1)</script>}",
        "\\hspace{1cm\" onclick=\"x}",
        "\\tag{<i>}",
    ];
    for tex in attempts {
        let html = drawn(tex);
        for tag in html.split('<').skip(1) {
            let name = tag.trim_start_matches('/').split([' ', '>', '/']).next().unwrap();
            let known = super::ELEMENTS.split(' ').any(|one| one == name) || name == "code";
            assert!(known, "{tex}: {html}");
            let inside = tag.split('>').next().unwrap();
            for word in [" on", "href", "style", "src"] {
                assert!(!inside.contains(word), "{tex}: {html}");
            }
        }
    }
}

/// On a thread with the stack of the server's.
#[test]
fn deep_and_long_formulas_end() {
    let many = |text: &str| text.repeat(4_000 / text.len());
    let texts = [
        many("{"),
        many("\\frac{"),
        many("\\sqrt"),
        many("\\sqrt "),
        many("\\sqrt["),
        many("\\left("),
        many("a_{"),
        many("a^"),
        many("\\begin{matrix}"),
        many("\\not"),
        many("\\mathrm"),
        many("\\text{"),
        many("\\hat\\sqrt "),
        many("a'"),
        many("x+"),
        many("\\alpha+"),
    ];
    let thread = std::thread::Builder::new().stack_size(1 << 20);
    let work = move || texts.iter().map(|tex| drawn(tex).len()).sum::<usize>();
    assert!(thread.spawn(work).unwrap().join().unwrap() > 0);
    for text in ["\\(", "$", "$a", "$$", "\\[", "$a$ ", "\\( \\) ", "\\,"] {
        to_html(&text.repeat(200_000 / text.len()));
    }
}
