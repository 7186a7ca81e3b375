//! The project that the conformance suite wants to find, as an author would write it.

use serde_json::{Value, json};

use crate::mcp::support::fixtures::Project;

const GIF: &[u8] =
    b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\x04\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\
                     \0\x02\x01D\0;";

pub(crate) fn project() -> Project {
    let project = Project::new();
    tools(&project);
    prompts(&project);
    resources(&project);
    project
}

fn tools(project: &Project) {
    let gif = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
    let wav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";
    let image = json!({ "type": "image", "data": gif, "mimeType": "image/gif" });
    let audio = json!({ "type": "audio", "data": wav, "mimeType": "audio/wav" });
    let embedded = json!({ "type": "resource", "resource": {
        "uri": "test://embedded-resource", "mimeType": "text/plain", "text": "Some content." } });
    let mixed = json!([{ "type": "text", "text": "Several kinds:" }, image, embedded]);
    let content = |blocks: &Value| {
        let data = json!({ "content": blocks });
        format!("return {{ ok: true, data: {data} }};")
    };
    let text = "return { ok: true, data: 'This is a simple text response for testing.' };";
    let fail = "throw new ToolError('PERMANENT', 'This tool always fails.', { retryable: false });";
    let progress = "await context.progress(0.1); await context.progress(0.5); \
                    await context.progress(1); return { ok: true, data: 'done' };";
    let log = "console.info('Tool execution started'); console.info('Tool processing data'); \
               console.info('Tool execution completed'); return { ok: true, data: 'logged' };";
    project.tool("test_simple_text", json!({}), text);
    project.tool("test_logging_tool", json!({}), log);
    project.tool("test_tool_with_logging", json!({}), log);
    project.tool("test_image_content", json!({}), &content(&json!([image])));
    project.tool("test_audio_content", json!({}), &content(&json!([audio])));
    project.tool("test_embedded_resource", json!({}), &content(&json!([embedded])));
    project.tool("test_multiple_content_types", json!({}), &content(&mixed));
    project.tool("test_error_handling", json!({}), fail);
    project.tool("test_tool_with_progress", json!({}), progress);
    let asks = json!({
        "category": "action", "sideEffects": "writes", "idempotent": false,
        "requiresConfirmation": true,
        "parameters": { "type": "object", "additionalProperties": false, "properties": {
            "message": { "type": "string", "description": "What to ask." } } }
    });
    let ok = "return { ok: true, data: 'done' };";
    project.tool("test_streaming_elicitation", asks.clone(), ok);
    project.tool("test_input_required_result_tampered_state", asks, ok);
    crate::mcp::elicitation::suite(project);
    let writes = json!({
        "category": "action", "sideEffects": "writes", "idempotent": false,
        "capabilities": { "files": ["prompts"] }
    });
    let prompt = "const text = `+++\\ndescription = 'Made at ${Date.now()}.'\\n+++\\nHello.\\n`; \
                  await context.files.write('prompts/made_by_a_tool.md', text); \
                  return { ok: true, data: 'written' };";
    project.tool("test_trigger_prompt_change", writes, prompt);
}

fn prompts(project: &Project) {
    let prompt = |name: &str, head: &str, body: &str| {
        project.write(&format!("prompts/{name}.md"), &format!("+++\n{head}\n+++\n{body}\n"));
    };
    prompt("test_simple_prompt", "description = 'A simple prompt.'", "This is a simple prompt.");
    prompt(
        "test_prompt_with_arguments",
        "description = 'A prompt with arguments.'\n\n\
         [arguments.arg1]\ndescription = 'First test argument'\n\n\
         [arguments.arg2]\ndescription = 'Second test argument'",
        "Prompt with arguments: arg1='{arg1}', arg2='{arg2}'",
    );
    prompt(
        "test_prompt_with_embedded_resource",
        "description = 'A prompt that brings a resource.'\n\n\
         [arguments.resourceUri]\ndescription = 'URI of the resource to embed'",
        "![]({resourceUri})\nPlease process the embedded resource above.",
    );
    prompt(
        "test_prompt_with_image",
        "description = 'A prompt that shows a picture.'",
        "![a dot](pictures/dot.gif)\nPlease analyze the image above.",
    );
    prompt(
        "test_input_required_result_prompt",
        "description = 'A prompt that needs a context.'\n\n\
         [arguments.context]\ndescription = 'What context should the prompt use?'",
        "Use this: {context}",
    );
    project.write_bytes("prompts/pictures/dot.gif", GIF);
}

fn resources(project: &Project) {
    project.write("static.txt", "This is the content of the static text resource.");
    project.write_bytes("static.gif", GIF);
    let resources = r#"
        [static-text]
        uri = "test://static-text"
        file = "static.txt"

        [static-binary]
        uri = "test://static-binary"
        file = "static.gif"

        [data]
        uri = "test://template/{id}/data"
        text = '{"id": "{id}", "templateTest": true, "data": "Data for ID: {id}"}'
        mime_type = "application/json"

        [watched]
        uri = "test://watched-resource"
        file = "static.txt"

        [example]
        uri = "test://example-resource"
        text = "Embedded resource content for testing."
    "#;
    project.write("resources.toml", resources);
}
