import { setTimeout as pause } from 'node:timers/promises'
import type { RecordProgress, RecordStore } from '../../store/record-store.ts'

const MAX_FIRST_WAIT_MS = 5_000
const LOOK_EVERY_MS = 50

/**
 * How far the records of an organization are derived. The first request has them derived, and waits for a short
 * history. Undefined: they are not derived at all yet. `at` is 0 while the history is derived.
 */
export async function recordProgress(
  records: Pick<RecordStore, 'progress' | 'want'>,
  organization: number,
): Promise<RecordProgress | undefined> {
  const read = async () => (await records.progress([organization])).get(organization)
  let progress = await read()
  if (progress !== undefined) return progress
  await records.want(organization)
  for (let waited = 0; !progress?.at && waited < MAX_FIRST_WAIT_MS; waited += LOOK_EVERY_MS) {
    await pause(LOOK_EVERY_MS)
    progress = await read()
  }
  return progress
}
