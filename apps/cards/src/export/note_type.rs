//! The note types in Anki's package: one for each thing to recall.
//!
//! Must hold: the ids of a note type, its fields and its template never change, nor anything
//! else about it: Anki updates notes only if their note types are the same. What needs another
//! field or template is another note type.

use serde_json::{Value, json};

use super::anki::{FIELDS, GAP_FIELDS, GAP_NOTE_TYPE, NOTE_TYPE, WORD_NOTE_TYPE};
use crate::deck::review::Recall;

/// Chosen once, from the day on which this format was made.
const NOTE_TYPE_ID: i64 = 1_794_787_200_017;
const FIELD_IDS_FROM: i64 = 5_402_718_830_011_000;
const TEMPLATE_ID: i64 = 5_402_718_830_012_000;
/// When the note types were last changed, in seconds.
pub(super) const NOTE_TYPE_MOD: i64 = 1_794_787_200;

/// How far the ids of the note types are apart.
fn place(recall: Recall) -> i64 {
    match recall {
        Recall::Meaning => 0,
        Recall::Word => 1,
        Recall::Gap => 2,
    }
}

pub(super) fn note_type_id(recall: Recall) -> i64 {
    NOTE_TYPE_ID + place(recall)
}

/// The parts in which the note types differ.
struct Parts {
    name: &'static str,
    template: &'static str,
    fields: &'static [&'static str],
    question: &'static str,
    answer: &'static str,
    /// Anki's kinds: 0 is usual, 1 has gaps.
    kind: i64,
    /// The field without which there is no card.
    needed: usize,
}

fn parts(recall: Recall) -> Parts {
    match recall {
        Recall::Meaning => Parts {
            name: NOTE_TYPE,
            template: "Recognition",
            fields: &FIELDS,
            question: QUESTION,
            answer: ANSWER,
            kind: 0,
            needed: 1,
        },
        Recall::Word => Parts {
            name: WORD_NOTE_TYPE,
            template: "Production",
            fields: &FIELDS,
            question: WORD_QUESTION,
            answer: WORD_ANSWER,
            kind: 0,
            needed: 2,
        },
        Recall::Gap => Parts {
            name: GAP_NOTE_TYPE,
            template: "Cloze",
            fields: &GAP_FIELDS,
            question: GAP_QUESTION,
            answer: GAP_ANSWER,
            kind: 1,
            needed: 1,
        },
    }
}

pub(crate) fn note_type_name(recall: Recall) -> &'static str {
    parts(recall).name
}

pub(crate) fn field_names(recall: Recall) -> &'static [&'static str] {
    parts(recall).fields
}

pub(super) fn note_type(recall: Recall) -> Value {
    let Parts { name, template, fields, question, answer, kind, needed } = parts(recall);
    let field = |(at, name): (usize, &&str)| {
        let id = FIELD_IDS_FROM + place(recall) * 100 + i64::try_from(at).unwrap_or(0);
        json!({ "name": name, "ord": at, "sticky": false, "rtl": false, "font": "Arial",
                "size": 20, "media": [], "description": "", "id": id })
    };
    let fields: Vec<_> = fields.iter().enumerate().map(field).collect();
    json!({
        "id": note_type_id(recall), "name": name, "type": kind, "mod": NOTE_TYPE_MOD, "usn": -1,
        "sortf": 1, "did": 1, "flds": fields, "css": css(recall), "tags": [], "vers": [],
        "latexPre": "", "latexPost": "", "latexsvg": false,
        "req": [[0, "any", [needed]]],
        "tmpls": [{ "name": template, "ord": 0, "qfmt": question, "afmt": answer,
                    "bqfmt": "", "bafmt": "", "did": null, "bfont": "", "bsize": 0,
                    "id": TEMPLATE_ID + place(recall) }],
    })
}

fn css(recall: Recall) -> String {
    match recall {
        Recall::Meaning | Recall::Word => CSS.to_owned(),
        Recall::Gap => format!("{CSS}\n.cloze {{ font-weight: bold; color: #5747c2; }}"),
    }
}

const QUESTION: &str = "<div class=\"front\">{{Front}}</div>\n\
    {{#Context 1}}<div class=\"context\">{{Context 1}}</div>{{/Context 1}}";

const ANSWER: &str = "{{FrontSide}}\n<hr id=\"answer\">\n<div class=\"back\">{{Back}}</div>\n\
    {{#Translation 1}}<div class=\"context\">{{Translation 1}}</div>{{/Translation 1}}\n\
    {{#Forms}}<div class=\"forms\">{{Forms}}</div>{{/Forms}}\n\
    {{#Context 2}}<div class=\"more\">{{Context 2}}<br>{{Translation 2}}</div>{{/Context 2}}\n\
    {{#Context 3}}<div class=\"more\">{{Context 3}}<br>{{Translation 3}}</div>{{/Context 3}}\n\
    {{#Source}}<div class=\"source\">{{Source}}</div>{{/Source}}";

const CSS: &str = ".card { font-family: sans-serif; font-size: 20px; text-align: center; }\n\
    .front { font-size: 30px; }\n.back { font-size: 24px; }\n\
    .context { margin-top: 1em; }\n.forms, .more { margin-top: 1em; font-size: 16px; }\n\
    .source { margin-top: 1em; font-size: 12px; opacity: 0.6; }";

const WORD_QUESTION: &str = "<div class=\"front\">{{Back}}</div>";

const WORD_ANSWER: &str = "{{FrontSide}}\n<hr id=\"answer\">\n<div class=\"back\">{{Front}}</div>\n\
    {{#Context 1}}<div class=\"context\">{{Context 1}}<br>{{Translation 1}}</div>{{/Context 1}}\n\
    {{#Forms}}<div class=\"forms\">{{Forms}}</div>{{/Forms}}\n\
    {{#Source}}<div class=\"source\">{{Source}}</div>{{/Source}}";

const GAP_QUESTION: &str = "<div class=\"back\">{{cloze:Text}}</div>\n\
    <div class=\"context\">{{Meaning}}</div>";

const GAP_ANSWER: &str = "<div class=\"back\">{{cloze:Text}}</div>\n<hr id=\"answer\">\n\
    <div class=\"context\">{{Meaning}} {{Audio}}</div>\n\
    {{#Translation}}<div class=\"context\">{{Translation}}</div>{{/Translation}}\n\
    {{#Source}}<div class=\"source\">{{Source}}</div>{{/Source}}";
