// What draws and reads forms, for the pages of all crates. The parts are loaded with the first form.

/** `schemaForm` draws a JSON Schema, `createComponent` a part of a tool's form. */
export async function loadForms() {
  const [{ schemaForm }, { createComponent }] = await Promise.all([
    import("./panels/schema_form.js"),
    import("./components/component.js"),
  ]);
  return { schemaForm, createComponent };
}

/** What is wrong with the inputs that an action sends; null if nothing is. */
export function problemOf(surface, action) {
  const ids = action.type === "kv_write" ? [action.from] : Object.values(action.params ?? {});
  for (const id of ids) {
    const problem = surface.components.get(id)?.problem?.();
    if (problem) return problem;
  }
  return null;
}

/** The parameters of a `tool_submit`: the values of the inputs that it names, and everything else as it is. */
export function paramsOf(surface, action) {
  const params = Object.entries(action.params ?? {}).map(([name, value]) => [
    name,
    surface.components.get(value)?.value ? surface.components.get(value).value() : value,
  ]);
  return Object.fromEntries(params);
}
