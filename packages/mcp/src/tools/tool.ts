import * as z from 'zod'
import type { Fleet } from '../fleets.ts'
import type { Times } from '../times.ts'

/** A tool with the form of its input, and its answer. */
export type Tool<Input extends z.ZodObject = z.ZodObject> = {
  readonly name: string
  readonly title: string
  /** For the model: what it gives, what it leaves out, and what it costs. */
  readonly description: string
  readonly input: Input
  /** The text of the answer. Rejects with a `ToolFault`, or with an error of the client. */
  answer(question: Question, given: z.infer<Input>): Promise<string>
}

export type Question = {
  readonly fleet: Fleet
  readonly times: Times
  /** Milliseconds since the epoch. */
  readonly now: number
  /** The unit of distances; speeds are in it per hour. */
  readonly unit: 'km' | 'mi'
  readonly signal: AbortSignal
}

/** Keeps the type of the input for `answer`. */
export function tool<Input extends z.ZodObject>(made: Tool<Input>): Tool {
  return made as unknown as Tool
}

const MAX_ROWS = 100
const MAX_SKIP = 1_000_000

/** The input of a tool with rows. */
export const part = {
  limit: z.int().min(1).max(MAX_ROWS).default(20).describe('rows of the answer, at most'),
  skip: z
    .int()
    .min(0)
    .max(MAX_SKIP)
    .default(0)
    .describe('rows to skip, to continue where an answer ended'),
}

export const vehicleId = z.int().positive().describe('an id of find_vehicles')

/** A date or a time. Whether it exists, `Times` checks. */
export const moment = z
  .string()
  .regex(
    /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?$/,
    'write a date (2026-11-20) or a time (2026-11-20T08:00)',
  )
  .max(40)
export const range = {
  from: moment.describe(
    'a date (2026-11-20: from its beginning) or a time (2026-11-20T08:00), in the time zone of the organization; a time may have its own offset (2026-11-20T07:00:00Z)',
  ),
  to: moment.describe('as from; a date is included to its end'),
}

/** The clock of the organization, which a model does not have otherwise. */
export function clockOf({ times, now }: Question): { now: string; time_zone: string } {
  return { now: times.shown(Math.floor(now / 1_000) * 1_000), time_zone: times.zone }
}
