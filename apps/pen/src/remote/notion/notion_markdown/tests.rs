//! Notion's Markdown, line by line.

use proptest::prelude::*;

use super::plain;

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(plain(text), expected);
}

#[test]
fn media_are_named_and_their_addresses_gone() {
    let signed = "https://prod-files.s3.example/x.png?X-Amz-Signature=abc";
    check(&format!("![a cat]({signed})"), "[media: a cat]");
    check(&format!("before ![]({signed}) after"), "before [media: image] after");
    check(&format!("<video src=\"{signed}\">demo</video>"), "[media: demo]");
    check(&format!("<file src=\"{signed}\"></file>"), "[media: file]");
    check(
        &format!("<pdf src=\"{signed}\">план</pdf>, <audio src=\"{signed}\">голос</audio>"),
        "[media: план], [media: голос]",
    );
}

#[test]
fn pages_inside_are_named() {
    check("<page url=\"https://www.notion.so/1\" color=\"red\">Нотатки</page>", "[Нотатки]");
    check("<database url=\"x\" inline=\"true\">Plan</database>", "[Plan]");
}

#[test]
fn tags_go_and_words_stay() {
    check(
        "<span color=\"blue\">синє</span> і <span underline=\"true\">рівне</span>",
        "синє і рівне",
    );
    check("<columns>\n\t<column>\n\t\tліворуч\n\t</column>\n</columns>\nдалі", "ліворуч\nдалі");
    check("<callout icon=\"🔥\" color=\"red_bg\">\n\tважливо\n</callout>", "🔥\n  важливо");
    check("<callout icon=\"https://x.example/1.png\">\n\tважливо\n</callout>", "важливо");
    check("::: callout {icon=\"🔥\"}\nважливо\n:::", "важливо");
    check("<details>\n<summary>більше</summary>\n\tсховане\n</details>", "більше\n  сховане");
    check(
        "<mention-user url=\"u\">Ана</mention-user>, <mention-date start=\"2026-11-16\"/>",
        "Ана, 2026-11-16",
    );
    check("<mention-date start=\"2026-11-16\" end=\"2026-11-18\"/>", "2026-11-16 – 2026-11-18");
    check("<table_of_contents color=\"gray\"/>\nтекст", "текст");
    check("a\n<empty-block/>\nb", "a\n\nb");
    check("<unknown url=\"https://notion.so/1\" alt=\"bookmark\"/>", "[unsupported: bookmark]");
    check("<td>cell</td>", "<td>cell</td>");
    check("x < y > z", "x < y > z");
    check("<video src=\"x\">never closed", "<video src=\"x\">never closed");
}

#[test]
fn attributes_and_escapes_go() {
    check("# Заголовок {toggle=\"true\" color=\"blue\"}", "# Заголовок");
    check("set {a, b}", "set {a, b}");
    check("\\$5 \\* \\<b\\> \\\\ \\n", "$5 * <b> \\ \\n");
    check("- a\n\t- b\n\t\t- c", "- a\n  - b\n    - c");
}

#[test]
fn code_is_left_alone() {
    let code = "```html\n<span>\\*x\\*</span> {color=\"x\"}\n<empty-block/>\n```";
    check(code, code);
    check("use `<span>\\*` here, `open", "use `<span>\\*` here, `open");
    check("````\n```\n<span>\n````\n<span>x</span>", "````\n```\n<span>\n````\nx");
}

proptest! {
    #[test]
    fn any_text_is_read(text in "(<[a-z_-]{1,8}( [a-z]{1,5}=\"[^\"]?\")?/?>|!\\[|\\]\\(|\\)|[`\\\\{}\"=\t]|\\PC|\n){0,60}") {
        plain(&text);
    }

    #[test]
    fn words_without_marks_stay(text in "[a-zа-яєії0-9 ,.!?:;'—\n]{0,200}") {
        // `:::` opens and closes a block of Notion's.
        prop_assume!(!text.lines().any(|line| line.starts_with(":::")));
        let trimmed: Vec<_> = text.lines().map(str::trim_end).collect();
        prop_assert_eq!(plain(&text), trimmed.join("\n").trim().to_owned());
    }
}
