import { FleetgateError } from '../errors.ts'

/** A 429 although the window has room: all streams of the organization are open. */
export class TooManyStreamsError extends FleetgateError {}
