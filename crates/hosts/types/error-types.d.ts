// The words of results, as handlers import them: `import { ErrorType } from '../_core/error-types.js'`.
// This file has no exports of its own, so that what it declares is there for every handler.

declare module '*/_core/error-types.js' {
  type ErrorTypeName = import('./ghosthand').ErrorTypeName;
  type Intent = import('./ghosthand').Intent;
  type Json = import('./ghosthand').Json;

  export const ErrorType: { readonly [Name in ErrorTypeName]: Name };
  export const IntentType: { readonly [Name in Intent['type']]: Name };

  /** Something went wrong that was not foreseen. */
  export class ToolError extends Error {
    constructor(
      type: ErrorTypeName,
      message: string,
      options?: {
        /** The very same call may succeed later. */
        retryable?: boolean;
        /** Something was done before it failed; it will not be tried again. */
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
