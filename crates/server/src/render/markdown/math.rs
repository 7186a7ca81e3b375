//! Formulas in the language of TeX as MathML, which browsers draw without a script or a font.
//!
//! Must hold: the MathML has only the elements and attributes that are listed here, whatever the
//! formula says. A formula that cannot be drawn is shown as it was written.

use std::sync::LazyLock;

use math_core::{LatexToMathML, MathCoreConfig, MathDisplay};

use crate::render::highlight::escape;

/// A formula as the text has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Formula {
    /// With its delimiters.
    source: String,
    tex: String,
    is_block: bool,
}

impl Formula {
    pub(super) fn new(source: &str, tex: &str, is_block: bool) -> Self {
        Self { source: source.to_owned(), tex: unquoted(tex), is_block }
    }

    pub(super) fn to_html(&self) -> String {
        self.mathml().unwrap_or_else(|| {
            let mut html = "<code class=\"language-tex\">".to_owned();
            escape(&self.source, &mut html);
            html + "</code>"
        })
    }

    fn mathml(&self) -> Option<String> {
        if is_too_deep(&self.tex) {
            return None;
        }
        let display = if self.is_block { MathDisplay::Block } else { MathDisplay::Inline };
        let converter = CONVERTER.as_ref()?;
        let made = converter.convert_with_local_state(self.tex.trim(), display).ok()?;
        checked(&made.mathml)
    }
}

/// A formula in a quote: its further lines begin with `>`.
fn unquoted(tex: &str) -> String {
    let is_quoted = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('>');
    let mut lines = tex.lines();
    let first = lines.next().unwrap_or_default();
    let rest: Vec<_> = lines.collect();
    if rest.is_empty() || !rest.iter().all(|line| is_quoted(line)) {
        return tex.to_owned();
    }
    let bare = rest.iter().map(|line| line.trim_start().trim_start_matches(['>', ' ']));
    [first].into_iter().chain(bare).collect::<Vec<_>>().join("\n")
}

static CONVERTER: LazyLock<Option<LatexToMathML>> = LazyLock::new(|| {
    let macros = [("textcolor", "{\\color{#1}#2}"), ("tag", "\\qquad(\\text{#1})")];
    LatexToMathML::new(MathCoreConfig {
        macros: macros.map(|(name, tex)| (name.to_owned(), tex.to_owned())).into(),
        ignore_unknown_commands: true,
        ..MathCoreConfig::default()
    })
    .ok()
});

/// Groups inside each other, and commands whose argument may be the next command. The converter
/// has one call on its stack for each.
const DEPTH_MAX: usize = 32;

fn is_too_deep(tex: &str) -> bool {
    let (mut groups, mut commands) = (0_usize, 0_usize);
    let mut rest = tex;
    while let Some(next) = rest.chars().next() {
        rest = rest.get(next.len_utf8()..).unwrap_or_default();
        match next {
            '\\' => {
                let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
                let (name, after) = rest.split_at_checked(letters).unwrap_or((rest, ""));
                match name {
                    "left" | "begin" => groups += 1,
                    "right" | "end" => groups = groups.saturating_sub(1),
                    _ => {}
                }
                commands += 1;
                rest = match name.is_empty() {
                    true => after.get(after.chars().next().map_or(0, char::len_utf8)..),
                    false => Some(after),
                }
                .unwrap_or_default();
            }
            '{' | '[' => groups += 1,
            '}' | ']' => groups = groups.saturating_sub(1),
            '^' | '_' | ' ' | '\n' => {}
            _ => commands = 0,
        }
        if groups + commands > DEPTH_MAX {
            return true;
        }
    }
    false
}

const ELEMENTS: &str = "math menclose merror mfrac mi mmultiscripts mn mo mover mpadded mphantom \
                        mprescripts mroot mrow mspace msqrt mstyle msub msubsup msup mtable mtd \
                        mtext mtr munder munderover";
const ATTRIBUTES: &str = "accent accentunder columnspan depth display displaystyle fence form \
                          height largeop linethickness lspace mathvariant maxsize minsize \
                          movablelimits rspace scriptlevel separator stretchy symmetric voffset \
                          width";
/// What the converter says as styles, which the page does not allow, as classes.
const STYLES: &[(&str, &str)] =
    &[("text-align: right", "math-end"), ("text-align: left", "math-start")];
/// What the converter does not know; the next element gets a frame.
const BOXED: &str = "<merror class=\"math-core-unknown-cmd\"><mtext>\\boxed</mtext></merror>";

/// The MathML without unknown attributes; none if it has an unknown element.
fn checked(mathml: &str) -> Option<String> {
    let mut out = String::with_capacity(mathml.len());
    let (mut rest, mut class) = (mathml, None);
    while let Some(at) = rest.find('<') {
        out.push_str(rest.get(..at)?);
        rest = rest.get(at..)?;
        if let Some(after) = rest.strip_prefix(BOXED) {
            (rest, class) = (after, Some("math-box"));
            continue;
        }
        let (tag, after) = rest.get(1..)?.split_once('>')?;
        rest = after;
        out.push_str(&checked_tag(tag, &mut class)?);
    }
    out.push_str(rest);
    Some(out)
}

fn checked_tag(tag: &str, class: &mut Option<&'static str>) -> Option<String> {
    let known = |list: &str, name: &str| list.split(' ').any(|one| one == name);
    if let Some(name) = tag.strip_prefix('/') {
        return known(ELEMENTS, name).then(|| format!("</{name}>"));
    }
    let is_empty = tag.ends_with('/');
    let tag = tag.trim_end_matches('/').trim_end();
    let (name, mut attributes) = tag.split_once(' ').unwrap_or((tag, ""));
    if !known(ELEMENTS, name) {
        return None;
    }
    let mut out = format!("<{name}");
    let mut class = class.take();
    while let Some((attribute, after)) = attributes.trim_start().split_once("=\"") {
        let (value, after) = after.split_once('"')?;
        attributes = after;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "+-.% ".contains(c);
        if known(ATTRIBUTES, attribute) && value.chars().all(is_plain) {
            out.push_str(&format!(" {attribute}=\"{value}\""));
        } else if attribute == "style" {
            let style = STYLES.iter().find(|(style, _)| value.contains(style));
            class = class.or(style.map(|(_, class)| *class));
        } else if attribute == "class" && value == "math-core-unknown-cmd" {
            class = Some("math-unknown");
        }
    }
    if let Some(class) = class {
        out.push_str(&format!(" class=\"{class}\""));
    }
    out.push_str(if is_empty { "/>" } else { ">" });
    Some(out)
}

#[cfg(test)]
mod tests;
