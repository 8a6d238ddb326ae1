import type { Fleetgate } from '@fleetgate/client'
import * as z from 'zod'

/** A tool with the form of its input, and its answer. */
export type Tool<Input extends z.ZodObject = z.ZodObject> = {
  readonly name: string
  readonly title: string
  /** For the model: what it gives, and what it costs. */
  readonly description: string
  readonly input: Input
  answer(fleet: Fleetgate, given: z.infer<Input>, signal: AbortSignal): Promise<object>
}

/** Keeps the type of the input for `answer`. */
export function tool<Input extends z.ZodObject>(made: Tool<Input>): Tool {
  return made as unknown as Tool
}

/** A model pays for each row that it reads, so answers are short. */
export const MAX_ROWS = 50

export const limit = z.int().min(1).max(MAX_ROWS).default(20).describe('rows of the answer')
export const vehicleIds = z
  .array(z.int().positive())
  .min(1)
  .max(MAX_ROWS)
  .describe('ids of find_vehicles')
const time = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d(T.+)?$/)
  .max(40)
export const range = {
  from: time.describe('a date (2026-11-20), or a time (2026-11-20T08:00:00Z)'),
  to: time.describe('as from; a date means its end'),
}

/** The first rows, and whether there are more. */
export function bounded<Row>(rows: readonly Row[], most: number): { rows: Row[]; more: boolean } {
  return { rows: rows.slice(0, most), more: rows.length > most }
}

/** The same of rows that come one after the other. Reads one more than it gives. */
export async function firstOf<Row>(
  rows: AsyncIterable<Row>,
  most: number,
): Promise<{ rows: Row[]; more: boolean }> {
  const found: Row[] = []
  for await (const row of rows) {
    found.push(row)
    if (found.length > most) break
  }
  return bounded(found, most)
}
