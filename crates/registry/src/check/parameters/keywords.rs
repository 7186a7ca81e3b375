//! The keywords of JSON Schema 2020-12, and what people write instead.

use contract::nearest;

const KEYWORDS: [&str; 58] = [
    "$anchor",
    "$comment",
    "$defs",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$ref",
    "$schema",
    "$vocabulary",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "contains",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "default",
    "definitions",
    "dependentRequired",
    "dependentSchemas",
    "deprecated",
    "description",
    "else",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "if",
    "items",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "readOnly",
    "required",
    "then",
    "title",
    "type",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
    "writeOnly",
];

/// A keyword of the draft, or an `x-` extension.
pub(crate) fn is_known(keyword: &str) -> bool {
    keyword.starts_with("x-") || KEYWORDS.contains(&keyword)
}

/// What to write instead of an unknown keyword.
pub(super) fn fix_for(keyword: &str) -> String {
    let other = match keyword {
        "nullable" => Some("write \"type\": [\"string\", \"null\"]; `nullable` is OpenAPI"),
        "example" => Some("write \"examples\": [ … ]; `example` is OpenAPI"),
        "discriminator" => {
            Some("give each branch a \"const\" property; `discriminator` is OpenAPI")
        }
        "xml" | "externalDocs" => Some("delete it; this is OpenAPI, and no validator reads it"),
        "additionalItems" => Some("write \"items\" beside \"prefixItems\"; this is draft 2019-09"),
        "dependencies" => Some("write \"dependentRequired\" or \"dependentSchemas\""),
        "id" => Some("write \"$id\"; `id` is draft 04"),
        "optional" => Some("leave the name out of \"required\" in the object around it"),
        _ => None,
    };
    match (other, nearest(keyword, KEYWORDS)) {
        (Some(other), _) => other.to_owned(),
        (None, Some(near)) => format!("did you mean `{near}`?"),
        (None, None) => {
            "delete it, or start it with `x-` if a program of yours reads it".to_owned()
        }
    }
}
