// Builds the answer for a failure that was foreseen: a result, not an exception.

/**
 * A refusal always says what the caller may do next, because the model reads the message.
 * `retryable` means "the very same call may succeed later", so it is false unless said otherwise.
 */
export function refuse(type, message, { retryable = false } = {}) {
  return { ok: false, error: { type, message, retryable } };
}
