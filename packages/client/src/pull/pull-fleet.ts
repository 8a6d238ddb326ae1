import { join } from 'node:path'
import {
  Fleetgate,
  type FleetObject,
  NotFoundError,
  QuotaExhaustedError,
  UnexpectedAnswerError,
} from '../index.ts'
import { lockFolder } from './folder-lock.ts'
import { makeOwnFolder } from './own-file.ts'
import { pullObject } from './pull-object.ts'
import type { PullOptions } from './pull-options.ts'

/** The outcome for one object's file. */
export type ObjectOutcome = {
  id: number
  file: string
  /** Rows added in this run. */
  added: number
  /** Why the file is incomplete. */
  error?: string
  /** A remark for the reader of the file. */
  warning?: string
}

export type PullOutcome = {
  /** The end of the range, ISO 8601 UTC. */
  to: string
  objects: ObjectOutcome[]
}

export type PullProgressed = { objects: number; of: number; rows: number }

/** The file in which a folder keeps the progress of its files. */
const STATE_FOLDER = '.pull'
const SYNC_BYTES = 4 * 1024 * 1024
/** A pull has a night for its work, and nobody waits for it. */
const MAX_WAIT_MS = 6 * 3_600_000
/** Characters of an id that a message repeats. */
const LONGEST_SHOWN = 40

/**
 * Pulls one object after the other. A problem of one object, such as an exhausted quota or a missing
 * object, does not stop the others. Any other error rejects.
 */
export async function pullFleet(
  options: PullOptions,
  apiKey: string,
  signal: AbortSignal,
  onProgress: (progressed: PullProgressed) => void,
): Promise<PullOutcome> {
  const { out, format, csvForm, from, lateMs, pageSize, spanMs } = options
  const client = new Fleetgate({ baseUrl: options.url, apiKey, maxWaitMs: MAX_WAIT_MS })
  const states = join(out, STATE_FOLDER)
  await makeOwnFolder(states)
  const unlock = await lockFolder(join(states, 'lock'))
  try {
    // Do not read positions from the future, which come from trackers with fast clocks: a range that was
    // read is checked again only as far back as positions may be late.
    const to = Math.min(options.to ?? Number.POSITIVE_INFINITY, Date.now())
    const ids = options.objects ?? (await idsOf(client, signal))
    const outcomes: ObjectOutcome[] = []
    let rows = 0
    for (const id of ids) {
      const name = `${id}.${format}`
      const file = join(out, name)
      const outcome: ObjectOutcome = { id, file, added: 0 }
      try {
        outcome.added = await pullObject(client, {
          ...{ id, file, stateFile: join(states, `${name}.json`), url: client.url },
          ...{ format, csvForm, from, to, lateMs, pageSize, spanMs, signal },
          syncBytes: SYNC_BYTES,
          onRow() {
            rows += 1
            onProgress({ objects: outcomes.length, of: ids.length, rows })
          },
          warn(sentence) {
            outcome.warning = sentence
          },
        })
      } catch (error) {
        if (!(error instanceof QuotaExhaustedError || error instanceof NotFoundError)) throw error
        outcome.error = error.message
      }
      outcomes.push(outcome)
    }
    return { to: new Date(to).toISOString(), objects: outcomes }
  } finally {
    await unlock()
  }
}

/** The server's ids become file names, so check all of them before the first file is created. */
async function idsOf(client: Fleetgate, signal: AbortSignal): Promise<number[]> {
  const list: (Partial<FleetObject> | null)[] = await client.objects.list({ signal })
  if (!Array.isArray(list)) throw new UnexpectedAnswerError()
  const ids = list.map((each) => each?.id)
  const wrong = ids.findIndex((id) => !(Number.isSafeInteger(id) && id! > 0))
  if (wrong === -1) return ids as number[]
  const shown = `${JSON.stringify(ids[wrong])}`.slice(0, LONGEST_SHOWN)
  throw new Error(
    `the server sent an object with the id ${shown}, which is not a positive whole number: nothing was pulled. Check --url`,
  )
}
