// structuredClone for plain data, dates, regular expressions, maps, sets, buffers and errors,
// including cycles.

export function structuredClone(value) {
  return clone(value, new Map());
}

function clone(value, seen) {
  if (typeof value === 'function' || typeof value === 'symbol') {
    throw Object.assign(new Error(`a ${typeof value} cannot be cloned`), { name: 'DataCloneError' });
  }
  if (typeof value !== 'object' || value === null) return value;
  if (seen.has(value)) return seen.get(value);
  const keep = (copy) => {
    seen.set(value, copy);
    return copy;
  };
  if (Array.isArray(value)) return fill(keep(new Array(value.length)), value, seen);
  if (value instanceof Date) return keep(new Date(value.getTime()));
  if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags));
  if (value instanceof Map) {
    const copy = keep(new Map());
    for (const [key, inner] of value) copy.set(clone(key, seen), clone(inner, seen));
    return copy;
  }
  if (value instanceof Set) {
    const copy = keep(new Set());
    for (const inner of value) copy.add(clone(inner, seen));
    return copy;
  }
  if (value instanceof ArrayBuffer) return keep(value.slice(0));
  if (ArrayBuffer.isView(value)) return keep(cloneView(value, seen));
  if (value instanceof Error) {
    const { name, message, stack, cause } = value;
    const copy = keep(new Error(message, cause === undefined ? undefined : { cause }));
    return Object.assign(copy, { name, stack });
  }
  return fill(keep({}), value, seen);
}

function fill(copy, value, seen) {
  for (const key of Object.keys(value)) {
    const inner = clone(value[key], seen);
    // `__proto__` must stay an ordinary key.
    Object.defineProperty(copy, key, {
      value: inner, writable: true, enumerable: true, configurable: true,
    });
  }
  return copy;
}

function cloneView(view, seen) {
  const buffer = clone(view.buffer, seen);
  const length = view instanceof DataView ? view.byteLength : view.length;
  return new view.constructor(buffer, view.byteOffset, length);
}
