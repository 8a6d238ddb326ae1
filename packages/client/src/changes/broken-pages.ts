import { ConnectionError } from '../errors.ts'

/** An answer has begun, and did not bring all pages that it could have. Another request brings them. */
export class BrokenPagesError extends ConnectionError {}
