// Exceptions as plain fields, and values formatted for people.

const TOOL_ERROR = Symbol.for('ghosthand.ToolError');

/** An exception as plain fields; whatever it is, reading it must not throw. */
export function describe(error) {
  try {
    if (typeof error !== 'object' || error === null) {
      // Out of memory, the engine throws null if not even an Error fits; handlers have no
      // reason to.
      if (error === null) return { name: 'InternalError', message: 'out of memory' };
      return { message: `the handler threw ${show(error)}` };
    }
    const { name, message, stack } = error;
    const plain = { name, stack, message: typeof message === 'string' ? message : show(error) };
    if (error[TOOL_ERROR] !== true) {
      const isNamed = typeof name === 'string' && name !== '' && name !== 'Error';
      return isNamed ? { ...plain, message: labelled(name, plain.message) } : plain;
    }
    const { type, retryable, partialSideEffects, details } = error;
    return { ...plain, kind: String(type), retryable, partialSideEffects, details };
  } catch {
    return { message: 'the handler threw something that cannot be read' };
  }
}

/** The engine's own report of lost memory is recognised by its exact words. */
function labelled(name, message) {
  return name === 'InternalError' ? message : `${name}: ${message}`;
}

/** A value as a person would read it in a log. */
export function show(value) {
  if (typeof value === 'string') return value;
  if (typeof value === 'function') return `[function ${value.name || 'without a name'}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  try {
    if (value instanceof Error) return `${value.name}: ${value.message}`;
    const seen = new Set();
    return JSON.stringify(value, (_, inner) => {
      if (typeof inner === 'bigint' || typeof inner === 'symbol') return String(inner);
      if (typeof inner !== 'object' || inner === null) return inner;
      if (seen.has(inner)) return '[seen above]';
      seen.add(inner);
      return inner;
    });
  } catch {
    return '[an object that cannot be shown]';
  }
}
