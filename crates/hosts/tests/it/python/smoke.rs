//! x
use crate::stage::{py_body, py_tool};
use serde_json::json;

#[test]
fn smoke() {
    assert_eq!(
        py_body("return {'ok': True, 'data': args['x'] * 2}").args(json!({"x": 20})).answer(),
        policy::Answer::Returned(json!({"ok":true,"data":40}))
    );
    let t = py_tool(
        "async def f(a, metadata):\n    return [a, metadata['conversation_id']]\n\nTOOLS = [{'function': f, 'schema': {'name': 'tool'}}]\n",
    );
    assert_eq!(t.args(json!({"a": 1})).answer(), policy::Answer::Returned(json!(1)));
}
