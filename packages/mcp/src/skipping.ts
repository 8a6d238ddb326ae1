import { QuotaExhaustedError } from '@fleetgate/client'
import { renewal } from './failure.ts'

/** The rows that were read, and the vehicles that were left out because their quota is used up. */
export type Paid<Read> = { read: Read; exhausted: readonly number[] }

/**
 * Reads of all vehicles, or of those that still have quota. A refusal charges nothing, and names the vehicles without
 * quota, so the second attempt can be reported as incomplete. At most 100 of them have names.
 */
export async function skippingExhausted<Read>(
  read: (skipExhausted: boolean) => Promise<Read>,
): Promise<Paid<Read>> {
  try {
    return { read: await read(false), exhausted: [] }
  } catch (error) {
    if (!(error instanceof QuotaExhaustedError)) throw error
    return { read: await read(true), exhausted: error.exhausted }
  }
}

/** The part of an answer about vehicles without quota. */
export function exhaustedPart(ids: readonly number[], now: number): object {
  if (ids.length === 0) return {}
  const note = `These vehicles are left out: their daily quota is used up. ${renewal(now)}`
  return { without_quota: { ids, note } }
}
