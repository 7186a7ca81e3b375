// Error types, intent types and ToolError. Handlers import this as `../_core/error-types.js`; it
// is the same in every tools directory.

export const ErrorType = Object.freeze({
  VALIDATION: 'VALIDATION',
  NOT_FOUND: 'NOT_FOUND',
  INTERNAL: 'INTERNAL',
  MODE_RESTRICTED: 'MODE_RESTRICTED',
  BUDGET_EXCEEDED: 'BUDGET_EXCEEDED',
  CONFIRMATION_REQUIRED: 'CONFIRMATION_REQUIRED',
  LOOP_DETECTED: 'LOOP_DETECTED',
  SESSION_INACTIVE: 'SESSION_INACTIVE',
  TRANSIENT: 'TRANSIENT',
  PERMANENT: 'PERMANENT',
  RATE_LIMIT: 'RATE_LIMIT',
  AUTH: 'AUTH',
  CONFLICT: 'CONFLICT',
});

export const IntentType = Object.freeze({
  END_VOICE_SESSION: 'END_VOICE_SESSION',
  SUPPRESS_AUDIO: 'SUPPRESS_AUDIO',
  SUPPRESS_TRANSCRIPT: 'SUPPRESS_TRANSCRIPT',
  SET_PENDING_MESSAGE: 'SET_PENDING_MESSAGE',
});

export class ToolError extends Error {
  constructor(type, message, options = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ToolError';
    this.type = type;
    this.retryable = options.retryable === true;
    this.partialSideEffects = options.partialSideEffects === true;
    this.details = options.details ?? null;
  }

  /** How the host knows one, whichever copy of the class made it. */
  get [Symbol.for('ghosthand.ToolError')]() {
    return true;
  }
}
