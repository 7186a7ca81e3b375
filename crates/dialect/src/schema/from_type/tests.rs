//! FC-01 and FC-02: tool definitions from Rust types.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::parameters_of;
use crate::{Strictness, ToolSource, compile, target};

const NAME: &str = "emit_flashcards";
const DESCRIPTION: &str = "Возвращает строго структурированный JSON с набором флэшкарт \
    (словарных карточек) для изучения латышского языка. Каждая карточка содержит базовую форму \
    слова/фразы, переводы, грамматические формы и контексты использования. Все поля должны строго \
    соответствовать схеме. Никакого текста вне определенных полей.";

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "the schema is what is tested")]
struct EmitFlashcards {
    #[schemars(length(min = 1))]
    flashcards: Vec<Flashcard>,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "the schema is what is tested")]
struct Flashcard {
    /// The word or phrase as a dictionary has it.
    base_form: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("type" = "string"))]
    base_translation: Option<String>,
    #[schemars(extend("default" = "word"))]
    unit: Unit,
    #[serde(default)]
    forms: Vec<Form>,
    #[schemars(extend("default" = []))]
    contexts: Vec<Context>,
    #[schemars(extend("default" = true))]
    visible: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Word,
    Phrase,
}

#[derive(Deserialize, serde::Serialize, JsonSchema)]
struct Form {
    form: String,
    translation: String,
    r#type: String,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "the schema is what is tested")]
struct Context {
    lv: String,
    ru: String,
    sid: Option<f64>,
    sig: Option<String>,
}

/// The tool as the model receives it: `{name, description, input_schema}`.
fn emit_flashcards() -> Value {
    let parameters = parameters_of::<EmitFlashcards>();
    let source = ToolSource {
        name: NAME,
        description: DESCRIPTION,
        parameters: &parameters,
        strict: Strictness::Off,
    };
    let set = compile(&[source], target("anthropic").unwrap());
    set.tools[0].wire.clone()
}

fn card() -> Value {
    emit_flashcards()["input_schema"]["properties"]["flashcards"]["items"].clone()
}

#[test]
fn fc_01_the_tool_has_its_name_description_and_schema() {
    let tool = emit_flashcards();
    assert_eq!(tool["name"], "emit_flashcards");
    let description = tool["description"].as_str().unwrap();
    assert!(description.chars().count() > 50);
    assert!(description.chars().any(|c| ('а'..='я').contains(&c)));
    assert!(tool["input_schema"].is_object());
}

#[test]
fn fc_01_the_root_is_an_object_with_one_required_list() {
    let schema = &emit_flashcards()["input_schema"];
    assert_eq!(schema["type"], "object");
    assert_eq!(schema["properties"]["flashcards"]["type"], "array");
    assert_eq!(schema["properties"]["flashcards"]["minItems"], 1);
    assert_eq!(schema["required"], json!(["flashcards"]));
    assert!(schema.get("$schema").is_none());
}

#[test]
fn fc_01_a_card_has_the_documented_fields() {
    let card = card();
    assert_eq!(card["type"], "object");
    assert_eq!(card["properties"]["base_form"]["type"], "string");
    assert_eq!(card["properties"]["unit"]["enum"], json!(["word", "phrase"]));
    let required = card["required"].as_array().unwrap();
    assert!(!required.contains(&json!("base_translation")));
    assert!(required.contains(&json!("contexts")));
    assert!(required.contains(&json!("visible")));
    assert_eq!(card["properties"]["contexts"]["type"], "array");
    assert_eq!(card["properties"]["visible"]["default"], true);
}

#[test]
fn fc_01_there_is_no_reference_and_the_output_is_deterministic() {
    let text = emit_flashcards().to_string();
    assert!(!text.contains("$ref"));
    assert_eq!(text, emit_flashcards().to_string());
}

#[test]
fn fc_02_each_kind_of_field_has_its_documented_schema() {
    let card = card();
    assert_eq!(
        card["properties"]["base_form"]["description"],
        "The word or phrase as a dictionary has it."
    );
    assert_eq!(card["properties"]["unit"]["default"], "word");
    assert_eq!(card["properties"]["forms"]["default"], json!([]));
    assert_eq!(
        card["properties"]["contexts"]["items"]["properties"]["sid"]["type"],
        json!(["number", "null"])
    );
    assert_eq!(card["additionalProperties"], false);
    assert_eq!(card["properties"]["visible"]["type"], "boolean");
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "the schema is what is tested")]
struct Everything {
    tiny: u8,
    wide: i64,
    size: Option<u32>,
    labels: HashMap<String, String>,
    shape: Shape,
    tree: Tree,
    #[serde(flatten)]
    common: Common,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[expect(dead_code, reason = "the schema is what is tested")]
enum Shape {
    /// Round.
    Circle {
        radius: f64,
    },
    Rectangle {
        width: f64,
        height: f64,
    },
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "the schema is what is tested")]
struct Tree {
    value: i32,
    children: Vec<Tree>,
    next: Option<Box<Tree>>,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "the schema is what is tested")]
struct Common {
    note: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "the schema is what is tested")]
struct Loose {
    known: bool,
    #[serde(flatten)]
    rest: HashMap<String, Value>,
}

#[test]
fn widths_are_bounds_and_maps_stay_open() {
    let schema = parameters_of::<Everything>();
    let properties = &schema["properties"];
    assert_eq!(properties["tiny"], json!({"type": "integer", "minimum": 0, "maximum": 255}));
    assert_eq!(properties["wide"]["maximum"], i64::MAX);
    assert_eq!(properties["size"]["type"], json!(["integer", "null"]));
    assert_eq!(properties["labels"]["additionalProperties"], json!({"type": "string"}));
    assert_eq!(properties["shape"]["oneOf"][0]["additionalProperties"], false);
    assert_eq!(properties["shape"]["oneOf"][0]["description"], "Round.");
    assert!(properties["note"].is_object(), "{schema}");
    assert_eq!(schema["additionalProperties"], false);
    assert!(schema.get("title").is_none());
}

#[test]
fn only_recursion_is_a_reference() {
    let schema = parameters_of::<Everything>();
    let definitions = schema["$defs"].as_object().unwrap();
    assert_eq!(definitions.keys().collect::<Vec<_>>(), ["Tree"]);
    assert_eq!(definitions["Tree"]["additionalProperties"], false);
}

#[test]
fn a_flattened_map_leaves_the_object_open() {
    let schema = parameters_of::<Loose>();
    assert_ne!(schema["additionalProperties"], json!(false), "{schema}");
}

#[test]
fn every_type_compiles_for_every_target() {
    for parameters in
        [parameters_of::<Everything>(), parameters_of::<EmitFlashcards>(), parameters_of::<Loose>()]
    {
        for target in crate::targets() {
            let source = ToolSource {
                name: "t",
                description: "d",
                parameters: &parameters,
                strict: Strictness::Wanted,
            };
            let set = compile(&[source], target);
            assert!(set.refused.is_empty(), "{}: {:?}", target.name, set.refused);
            let found = fake_providers::rules::refusals(target.name, &set.tools_field());
            assert!(found.is_empty(), "{}: {found:?}", target.name);
        }
    }
}
