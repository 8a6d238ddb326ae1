import { FleetgateError } from '../errors.ts'

/** A 429 that does not come from the rate window: the organization has as many open streams as it may have. */
export class TooManyStreamsError extends FleetgateError {}
