//! Icons by Lucide name, as SVG; the drawings come from the crate `icons`.
//!
//! The page's own icons are in one file, under the page's names. Any other icon is a separate
//! file, and an unknown name shows its first letter.

use std::fmt::Write;
use std::str::FromStr;

use icons::common::icon_registry_getter::get_icon_elements;
use icons::common::{IconType, StaticSvgElement};

/// Part of the assets' version, so that browsers load new drawings; update with the crate.
pub(crate) const DRAWINGS: &str = "icons 0.19.0";

/// The page's own names.
const OWN: &[(&str, IconType)] = &[
    ("alert", IconType::TriangleAlert),
    ("archive", IconType::Archive),
    ("book", IconType::BookOpen),
    ("branch", IconType::GitBranch),
    ("camera", IconType::Camera),
    ("chart", IconType::ChartColumn),
    ("check", IconType::Check),
    ("chevron", IconType::ChevronRight),
    ("clip", IconType::Paperclip),
    ("clock", IconType::Clock),
    ("copy", IconType::Copy),
    ("dice", IconType::Dices),
    ("down", IconType::ArrowDown),
    ("download", IconType::Download),
    ("edit", IconType::Pencil),
    ("file", IconType::FileText),
    ("folder", IconType::Folder),
    ("ghost", IconType::Ghost),
    ("inbox", IconType::Inbox),
    ("info", IconType::Info),
    ("key", IconType::KeyRound),
    ("keyboard", IconType::Keyboard),
    ("layers", IconType::Layers),
    ("menu", IconType::Menu),
    ("message", IconType::MessageSquare),
    ("mic", IconType::Mic),
    ("moon", IconType::Moon),
    ("more", IconType::Ellipsis),
    ("pin", IconType::Pin),
    ("play", IconType::Play),
    ("plus", IconType::Plus),
    ("refresh", IconType::RefreshCw),
    ("search", IconType::Search),
    ("settings", IconType::Settings),
    ("share", IconType::Share2),
    ("sparkles", IconType::Sparkles),
    ("stop", IconType::Square),
    ("sun", IconType::Sun),
    ("swords", IconType::Swords),
    ("tag", IconType::Tag),
    ("temporary", IconType::MessageSquareDashed),
    ("tool", IconType::Wrench),
    ("trash", IconType::Trash2),
    ("up", IconType::ArrowUp),
    ("upload", IconType::Upload),
    ("user", IconType::User),
    ("x", IconType::X),
    ("zap", IconType::Zap),
];

/// Names that Lucide dropped, or added after this set of drawings; without dashes.
const ALIASES: &[(&str, IconType)] = &[
    ("alertcircle", IconType::CircleAlert),
    ("alerttriangle", IconType::TriangleAlert),
    ("barchart", IconType::ChartBar),
    ("barchart2", IconType::ChartColumn),
    ("barchart3", IconType::ChartColumn),
    ("checkcircle", IconType::CircleCheckBig),
    ("circlehelp", IconType::CircleQuestionMark),
    ("edit", IconType::SquarePen),
    ("handfist", IconType::Grab),
    ("helpcircle", IconType::CircleQuestionMark),
    ("home", IconType::House),
    ("linechart", IconType::ChartLine),
    ("loader2", IconType::LoaderCircle),
    ("morehorizontal", IconType::Ellipsis),
    ("morevertical", IconType::EllipsisVertical),
    ("piechart", IconType::ChartPie),
    ("pluscircle", IconType::CirclePlus),
    ("unlock", IconType::LockOpen),
    ("usercircle", IconType::CircleUser),
    ("wand2", IconType::WandSparkles),
    ("xcircle", IconType::CircleX),
];

const NAME_BYTES_MAX: usize = 64;

/// The page's own icons, each under its name.
pub(crate) fn own() -> String {
    let symbols = OWN.iter().map(|(name, icon)| symbol(name, &drawn(*icon)));
    file(&symbols.collect::<String>())
}

/// An icon as an SVG file with the symbol `#icon`.
pub(crate) enum Icon {
    Drawn(String),
    /// The name is unknown.
    Letter(String),
}

/// None if the name is invalid; valid are letters, digits and dashes.
pub(crate) fn icon(name: &str) -> Option<Icon> {
    let is_name = name.len() <= NAME_BYTES_MAX
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    if !is_name {
        return None;
    }
    Some(match known(name) {
        Some(icon) => Icon::Drawn(file(&symbol("icon", &drawn(icon)))),
        None => Icon::Letter(file(&symbol("icon", &letter(name)))),
    })
}

fn known(name: &str) -> Option<IconType> {
    let words: Vec<String> = name.split('-').map(|word| capital(word, false)).collect();
    let dense: Vec<String> = name.split('-').map(|word| capital(word, true)).collect();
    let flat = name.replace('-', "").to_ascii_lowercase();
    let drawn = [words, dense].iter().find_map(|words| IconType::from_str(&words.concat()).ok());
    drawn.or_else(|| ALIASES.iter().find(|(old, _)| *old == flat).map(|(_, icon)| *icon))
}

/// `dice` becomes `Dice`; `2x2` becomes `2X2` only with `after_digits`.
fn capital(word: &str, after_digits: bool) -> String {
    let mut before = None;
    let letters = word.chars().map(|c| {
        let is_first = before.is_none_or(|c: char| after_digits && c.is_ascii_digit());
        before = Some(c);
        if is_first { c.to_ascii_uppercase() } else { c }
    });
    letters.collect()
}

fn file(symbols: &str) -> String {
    format!("<svg xmlns=\"http://www.w3.org/2000/svg\">\n{symbols}</svg>\n")
}

fn symbol(id: &str, inside: &str) -> String {
    format!("<symbol id=\"{id}\" viewBox=\"0 0 24 24\">{inside}</symbol>\n")
}

fn letter(name: &str) -> String {
    let letter: String = name.chars().take(1).map(|c| c.to_ascii_uppercase()).collect();
    format!(
        "<rect x=\"3\" y=\"3\" width=\"18\" height=\"18\" rx=\"4\"/><text x=\"12\" y=\"16.5\" \
         text-anchor=\"middle\" font-size=\"12\" font-weight=\"600\" fill=\"currentColor\" \
         stroke=\"none\">{letter}</text>"
    )
}

fn drawn(icon: IconType) -> String {
    get_icon_elements(icon).unwrap_or_default().iter().map(element).collect()
}

fn element(element: &StaticSvgElement) -> String {
    let (name, attributes): (_, Vec<(_, &str)>) = match *element {
        StaticSvgElement::Path { d } => ("path", vec![("d", d)]),
        StaticSvgElement::Circle { cx, cy, r } => {
            ("circle", vec![("cx", cx), ("cy", cy), ("r", r)])
        }
        StaticSvgElement::Rect { x, y, width, height, rx, ry } => {
            let size = [("x", x), ("y", y), ("width", width), ("height", height)];
            let round = [("rx", rx), ("ry", ry)].into_iter().filter_map(|(n, r)| Some((n, r?)));
            ("rect", size.into_iter().chain(round).collect())
        }
        StaticSvgElement::Ellipse { cx, cy, rx, ry } => {
            ("ellipse", vec![("cx", cx), ("cy", cy), ("rx", rx), ("ry", ry)])
        }
        StaticSvgElement::Line { x1, y1, x2, y2 } => {
            ("line", vec![("x1", x1), ("y1", y1), ("x2", x2), ("y2", y2)])
        }
        StaticSvgElement::Polyline { points } => ("polyline", vec![("points", points)]),
        StaticSvgElement::Polygon { points } => ("polygon", vec![("points", points)]),
    };
    let mut svg = format!("<{name}");
    for (name, value) in attributes {
        // Writing to a string cannot fail.
        let _ = write!(svg, " {name}=\"{value}\"");
    }
    svg + "/>"
}

#[cfg(test)]
mod tests {
    use super::{ALIASES, Icon, OWN, drawn, icon, known, own};

    #[test]
    fn a_lucide_name_is_drawn_in_any_spelling() {
        for name in [
            "Globe",
            "globe",
            "NotebookPen",
            "notebook-pen",
            "Dice5",
            "dice-5",
            "a-arrow-down",
            "AArrowDown",
            "grid-2x2",
            "Grid2x2",
            "alert-triangle",
            "HandFist",
            "home",
            "clock-10",
        ] {
            let Some(Icon::Drawn(svg)) = icon(name) else { panic!("{name} is not drawn") };
            assert!(svg.contains("<symbol id=\"icon\""), "{svg}");
            assert!(svg.contains("<path d=\"") || svg.contains("<circle"), "{svg}");
        }
    }

    #[test]
    fn an_unknown_name_is_a_letter_and_an_invalid_one_is_refused() {
        let Some(Icon::Letter(svg)) = icon("quux-of-doom") else { panic!("not a letter") };
        assert!(svg.contains(">Q</text>"), "{svg}");
        for name in ["", "-", "1up", "a b", "ї", "a\"><script>", "..", &"a".repeat(65)] {
            assert!(icon(name).is_none(), "{name}");
        }
    }

    /// The page finds these in one file, and no others.
    #[test]
    fn the_page_and_its_icon_file_list_the_same_names() {
        let page = include_str!("../../page/icon.js");
        let (_, list) = page.split_once("const OWN = new Set(").unwrap();
        let (list, _) = list.split_once(".split").unwrap();
        let mut named: Vec<&str> =
            list.split(|c: char| !c.is_ascii_lowercase()).filter(|name| !name.is_empty()).collect();
        named.sort_unstable();
        let ours: Vec<&str> = OWN.iter().map(|(name, _)| *name).collect();
        assert_eq!(named, ours);
        for name in ours {
            assert!(own().contains(&format!("<symbol id=\"{name}\" viewBox=\"0 0 24 24\"><")));
        }
    }

    /// `edit` is in both tables: the page draws a pencil, tools get what Lucide called so.
    #[test]
    fn a_table_has_no_name_twice_and_every_alias_counts() {
        for table in [OWN, ALIASES] {
            let is_sorted = table.windows(2).all(|pair| pair[0].0 < pair[1].0);
            assert!(is_sorted, "a name is there twice, or not in its place");
        }
        for (name, icon) in ALIASES {
            assert_eq!(known(name).map(drawn), Some(drawn(*icon)), "Lucide has `{name}` itself");
        }
    }
}
