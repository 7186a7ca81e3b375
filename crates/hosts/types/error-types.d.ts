// Error and intent types, as handlers import them: `import { ErrorType } from '../_core/error-types.js'`.
// This file exports nothing itself, so its declarations are available to every handler.

declare module '*/_core/error-types.js' {
  type ErrorTypeName = import('./ghosthand').ErrorTypeName;
  type Intent = import('./ghosthand').Intent;
  type Json = import('./ghosthand').Json;

  export const ErrorType: { readonly [Name in ErrorTypeName]: Name };
  export const IntentType: { readonly [Name in Intent['type']]: Name };

  /** An unexpected failure. */
  export class ToolError extends Error {
    constructor(
      type: ErrorTypeName,
      message: string,
      options?: {
        /** The very same call may succeed later. */
        retryable?: boolean;
        /** It had effects before it failed, so it is not retried. */
        partialSideEffects?: boolean;
        details?: Json;
        cause?: unknown;
      },
    );
    readonly type: ErrorTypeName;
    readonly retryable: boolean;
    readonly partialSideEffects: boolean;
    readonly details: Json;
  }
}
