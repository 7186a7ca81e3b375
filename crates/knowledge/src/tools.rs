//! The tools `search_documents` and `read_document`: a model looks into a person's folders.
//!
//! In: the owner, the conversation and a model's arguments. Out: passages with their sources, so
//! that the model can cite them.

use contract::{ErrorType, READ_DOCUMENT, SEARCH_DOCUMENTS, ToolError};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::fault::KnowledgeFault;
use crate::folders::Knowledge;
use crate::search::{Passage, Place};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SearchArgs {
    query: String,
    #[serde(default = "passages")]
    passages: usize,
}

fn passages() -> usize {
    5
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadArgs {
    document: String,
    #[serde(default = "first_line")]
    first_line: usize,
    last_line: Option<usize>,
}

fn first_line() -> usize {
    1
}

impl Knowledge {
    /// Whether the tools would find anything in this conversation.
    pub async fn has_documents(&self, owner: &str, conversation: &str) -> bool {
        let documents = self.documents(owner, Some(conversation)).await;
        documents.is_ok_and(|documents| !documents.is_empty())
    }

    /// Runs `search_documents`.
    pub async fn run_search(
        &self,
        owner: &str,
        conversation: &str,
        args: &Value,
    ) -> Result<Value, ToolError> {
        let SearchArgs { query, passages } =
            serde_json::from_value(args.clone()).map_err(|fault| misfit(&fault))?;
        let found = self.search(owner, Some(conversation), &query, passages).await;
        let found = found.map_err(|fault| failed(&fault))?;
        let mut answer = json!({
            "passages": found.passages.iter().map(shown).collect::<Vec<_>>(),
            "documents_searched": found.searched,
            "documents_left_out": found.left_out,
        });
        if let Some(notice) = found.meaning.and_then(|meaning| meaning.notice) {
            answer["notice"] = notice.into();
        }
        Ok(answer)
    }

    /// Runs `read_document`.
    pub async fn run_read(
        &self,
        owner: &str,
        conversation: &str,
        args: &Value,
    ) -> Result<Value, ToolError> {
        let ReadArgs { document, first_line, last_line } =
            serde_json::from_value(args.clone()).map_err(|fault| misfit(&fault))?;
        let last_line = last_line.unwrap_or(usize::MAX);
        let from = Place { page: None, first_line, last_line };
        let section = self.section(owner, Some(conversation), &document, Some(from)).await;
        let section = section.map_err(|fault| failed(&fault))?;
        let link = link(&section.document, section.place);
        let mut section = json!(section);
        section["cite_as"] = link.into();
        Ok(section)
    }
}

fn shown(passage: &Passage) -> Value {
    let mut shown = json!(passage);
    shown["cite_as"] = link(&passage.document, passage.place).into();
    shown
}

/// The address of a place in a document, which the page opens.
fn link(document: &str, place: Place) -> String {
    let Place { first_line, last_line, .. } = place;
    format!("document:{document}/{first_line}-{last_line}")
}

fn misfit(fault: &serde_json::Error) -> ToolError {
    ToolError::before_start(ErrorType::Validation, format!("the arguments do not fit: {fault}"))
}

fn failed(fault: &KnowledgeFault) -> ToolError {
    match fault {
        KnowledgeFault::NoFile => ToolError::before_start(
            ErrorType::NotFound,
            format!("{fault}; take `document` from a result of `{SEARCH_DOCUMENTS}`"),
        ),
        KnowledgeFault::NoFolder
        | KnowledgeFault::NoText
        | KnowledgeFault::BadName
        | KnowledgeFault::TooManyFolders { .. }
        | KnowledgeFault::TooManyFiles { .. }
        | KnowledgeFault::Attachment(_)
        | KnowledgeFault::Store(_) => {
            ToolError::before_start(ErrorType::Transient, fault.to_string())
        }
    }
}

const CITE: &str = "Cite each passage that you use as a Markdown link: the file and its page or \
                    lines as the text, `cite_as` as the address.";

/// The contract of `search_documents`.
pub fn search_documents_schema() -> Value {
    let description = format!(
        "Search the documents that the user has put into folders, and get the best passages \
         with file, page and lines. {CITE}"
    );
    let parameters = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["query"],
        "properties": {
            "query": {
                "type": "string",
                "description": "Telling words, in the language of the documents.",
                "minLength": 1,
                "maxLength": 500,
            },
            "passages": {
                "type": "integer",
                "description": "How many passages to return at most.",
                "minimum": 1,
                "maximum": 10,
                "default": 5,
            },
        },
    });
    contract(SEARCH_DOCUMENTS, &description, &parameters)
}

/// The contract of `read_document`.
pub fn read_document_schema() -> Value {
    let description = format!(
        "Read lines of a document of the user's folders, for example around a passage that \
         `{SEARCH_DOCUMENTS}` found. A long document is read in several calls. {CITE}"
    );
    let parameters = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["document"],
        "properties": {
            "document": {
                "type": "string",
                "description": "The `document` of a passage, or the name of a file.",
                "minLength": 1,
                "maxLength": 200,
            },
            "first_line": {
                "type": "integer",
                "description": "The first line to read.",
                "minimum": 1,
                "maximum": 10_000_000,
                "default": 1,
            },
            "last_line": {
                "type": "integer",
                "description": "The last line to read; without it as many as fit.",
                "minimum": 1,
                "maximum": 10_000_000,
            },
        },
    });
    contract(READ_DOCUMENT, &description, &parameters)
}

/// The contract of a tool that only reads the user's documents.
fn contract(id: &str, description: &str, parameters: &Value) -> Value {
    json!({
        "toolId": id,
        "version": "1.0.0",
        "description": description,
        "category": "retrieval",
        "sideEffects": "read_only",
        "idempotent": true,
        "requiresConfirmation": false,
        "allowedModes": ["text", "voice"],
        "latencyBudgetMs": 2000,
        "parameters": parameters,
    })
}
