//! The text of a page: its drawing operators, with lines and spaces by their positions.

use std::collections::BTreeMap;

use super::Page;
use super::file::PdfFile;
use super::font::Font;
use super::object::{Dict, Object, Parser};
use crate::Unreadable;
use crate::budget::Budget;

/// Drawings inside of drawings.
const FORMS_DEPTH_MAX: usize = 6;
/// Saved graphics states.
const STATES_MAX: usize = 64;
const OPERANDS_MAX: usize = 64;
/// A gap that is a space, and a step that is a new line, as parts of the text's size.
const SPACE: f64 = 0.2;
const LINE: f64 = 0.5;

/// `[a b c d e f]`
type Matrix = [f64; 6];
const IDENTITY: Matrix = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0];

/// The fonts that were read so far, by the place of their dictionary.
pub(super) type Fonts = BTreeMap<*const Dict, Font>;

pub(super) struct PageText<'a, 'b> {
    file: &'a PdfFile<'b>,
    text: String,
    fonts: &'a mut Fonts,
    state: State<'a>,
    saved: Vec<State<'a>>,
    line: Matrix,
    matrix: Matrix,
    /// Where the last text ended, and its size.
    end: Option<(f64, f64, f64)>,
}

#[derive(Clone, Copy)]
struct State<'a> {
    to_page: Matrix,
    font: Option<&'a Dict>,
    size: f64,
    leading: f64,
    letter_space: f64,
    word_space: f64,
    scale: f64,
}

impl<'a, 'b> PageText<'a, 'b> {
    pub(super) fn of(
        file: &'a PdfFile<'b>,
        page: &Page<'a>,
        fonts: &'a mut Fonts,
        budget: &mut Budget,
    ) -> Result<String, Unreadable> {
        let mut data = Vec::new();
        let contents = page.dict.get("Contents").map(|contents| file.resolved(contents));
        let streams: Vec<&Object> = match contents {
            Some(Object::Array(streams)) => streams.iter().collect(),
            Some(stream) => vec![stream],
            None => Vec::new(),
        };
        for stream in streams {
            data.extend(file.data(stream, budget)?);
            data.push(b'\n');
        }
        let mut page_text = Self {
            file,
            text: String::new(),
            fonts,
            state: State {
                to_page: IDENTITY,
                font: None,
                size: 0.0,
                leading: 0.0,
                letter_space: 0.0,
                word_space: 0.0,
                scale: 1.0,
            },
            saved: Vec::new(),
            line: IDENTITY,
            matrix: IDENTITY,
            end: None,
        };
        page_text.draw(&data, page.resources, 0, budget)?;
        Ok(page_text.text)
    }

    fn draw(
        &mut self,
        data: &[u8],
        resources: Option<&'a Dict>,
        depth: usize,
        budget: &mut Budget,
    ) -> Result<(), Unreadable> {
        let mut parser = Parser::new(data, 0);
        let mut operands: Vec<Object> = Vec::new();
        while let Some(object) = parser.object() {
            budget.step()?;
            if budget.is_full(&self.text) {
                return Ok(());
            }
            let Object::Word(word) = object else {
                match operands.len() < OPERANDS_MAX {
                    true => operands.push(object),
                    false => operands.clear(),
                }
                continue;
            };
            match word.as_str() {
                "ID" => skip_picture(&mut parser),
                "Do" => self.form(operands.last(), resources, depth, budget)?,
                word => self.operator(word, &operands, resources, budget)?,
            }
            operands.clear();
        }
        Ok(())
    }

    /// A drawing of its own, which may have text.
    fn form(
        &mut self,
        name: Option<&Object>,
        resources: Option<&'a Dict>,
        depth: usize,
        budget: &mut Budget,
    ) -> Result<(), Unreadable> {
        let Some(Object::Name(name)) = name else { return Ok(()) };
        let file = self.file;
        let forms = resources.and_then(|all| file.dict(all.get("XObject")?));
        let Some(form) = forms.and_then(|forms| forms.get(name)) else { return Ok(()) };
        let Some(dict) = file.dict(form) else { return Ok(()) };
        if dict.name("Subtype") != Some("Form") || depth >= FORMS_DEPTH_MAX {
            return Ok(());
        }
        let before = self.state;
        if let Some(Object::Array(matrix)) = dict.get("Matrix") {
            self.state.to_page = product(&matrix_of(matrix), &before.to_page);
        }
        let data = file.data(form, budget)?;
        let own = dict.get("Resources").and_then(|own| file.dict(own)).or(resources);
        self.draw(&data, own, depth + 1, budget)?;
        self.state = before;
        Ok(())
    }

    fn operator(
        &mut self,
        word: &str,
        operands: &[Object],
        resources: Option<&'a Dict>,
        budget: &mut Budget,
    ) -> Result<(), Unreadable> {
        let at = |index: usize| operands.get(index).and_then(Object::number).unwrap_or(0.0);
        match word {
            "q" if self.saved.len() < STATES_MAX => self.saved.push(self.state),
            "Q" => self.state = self.saved.pop().unwrap_or(self.state),
            "cm" => self.state.to_page = product(&matrix_of(operands), &self.state.to_page),
            "BT" => (self.line, self.matrix) = (IDENTITY, IDENTITY),
            "Tf" => {
                self.state.size = at(1);
                let file = self.file;
                let fonts = resources.and_then(|all| file.dict(all.get("Font")?));
                if let Some(Object::Name(name)) = operands.first() {
                    self.state.font = fonts.and_then(|fonts| file.dict(fonts.get(name)?));
                }
            }
            "Tc" => self.state.letter_space = at(0),
            "Tw" => self.state.word_space = at(0),
            "Tz" => self.state.scale = at(0) / 100.0,
            "TL" => self.state.leading = at(0),
            "Td" => self.next_line(at(0), at(1)),
            "TD" => {
                self.state.leading = -at(1);
                self.next_line(at(0), at(1));
            }
            "T*" => self.next_line(0.0, -self.state.leading),
            "Tm" => {
                self.line = matrix_of(operands);
                self.matrix = self.line;
            }
            "Tj" => self.show(operands.first(), budget)?,
            "'" | "\"" => {
                self.next_line(0.0, -self.state.leading);
                self.show(operands.last(), budget)?;
            }
            "TJ" => {
                if let Some(Object::Array(items)) = operands.first() {
                    for item in items {
                        budget.step()?;
                        match item.number() {
                            Some(back) => self.advance(-back / 1000.0 * self.state.size),
                            None => self.show(Some(item), budget)?,
                        }
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn next_line(&mut self, x: f64, y: f64) {
        self.line = product(&[1.0, 0.0, 0.0, 1.0, x, y], &self.line);
        self.matrix = self.line;
    }

    fn advance(&mut self, by: f64) {
        self.matrix = product(&[1.0, 0.0, 0.0, 1.0, by * self.state.scale, 0.0], &self.matrix);
    }

    fn show(&mut self, text: Option<&Object>, budget: &mut Budget) -> Result<(), Unreadable> {
        let (Some(Object::Text(bytes)), Some(dict)) = (text, self.state.font) else {
            return Ok(());
        };
        budget.steps(bytes.len())?;
        self.separate();
        let key = std::ptr::from_ref(dict);
        if !self.fonts.contains_key(&key) {
            let font = Font::read(self.file, dict, budget)?;
            self.fonts.insert(key, font);
        }
        let Some(font) = self.fonts.get(&key) else { return Ok(()) };
        let shown = font.show(bytes, &mut self.text);
        let spaces = count(shown.codes) * self.state.letter_space
            + count(shown.spaces) * self.state.word_space;
        self.advance(shown.width / 1000.0 * self.state.size + spaces);
        let (x, y, size) = self.position();
        self.end = Some((x, y, size));
        Ok(())
    }

    /// Adds a line break or a space if the text does not continue where the last one ended.
    fn separate(&mut self) {
        let (x, y, size) = self.position();
        let Some((end_x, end_y, end_size)) = self.end else { return };
        let size = size.max(end_size).max(f64::MIN_POSITIVE);
        if (y - end_y).abs() > LINE * size {
            self.text.push('\n');
            // A larger step is a paragraph.
            if (y - end_y).abs() > 2.2 * size {
                self.text.push('\n');
            }
        } else if (x - end_x).abs() > SPACE * size && !self.text.ends_with(char::is_whitespace) {
            self.text.push(' ');
        }
    }

    /// Where the next text is on the page, and how large.
    fn position(&self) -> (f64, f64, f64) {
        let [_, _, c, d, e, f] = product(&self.matrix, &self.state.to_page);
        (e, f, self.state.size.abs() * c.hypot(d))
    }
}

#[expect(clippy::cast_precision_loss, reason = "a text has few characters")]
fn count(number: usize) -> f64 {
    number as f64
}

fn matrix_of(numbers: &[Object]) -> Matrix {
    let at = |index: usize| numbers.get(index).and_then(Object::number).unwrap_or(0.0);
    [at(0), at(1), at(2), at(3), at(4), at(5)]
}

/// The first matrix applied before the second.
fn product(first: &Matrix, second: &Matrix) -> Matrix {
    let [a, b, c, d, e, f] = *first;
    let [g, h, i, j, k, l] = *second;
    [
        a * g + b * i,
        a * h + b * j,
        c * g + d * i,
        c * h + d * j,
        e * g + f * i + k,
        e * h + f * j + l,
    ]
}

/// The data of a picture inside of the content ends at `EI`.
fn skip_picture(parser: &mut Parser<'_>) {
    parser.skip_past(b"EI");
}
