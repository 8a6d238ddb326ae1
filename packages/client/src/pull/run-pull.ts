import type { ChangesPage } from '../changes/changes-page.ts'
import { QuotaExhaustedError } from '../errors.ts'
import { Fleetgate } from '../fleetgate.ts'
import type { AskedAttributes } from '../history.ts'
import type { Replica } from '../replica/replica.ts'
import type { Attribute } from '../types.ts'
import { folderTarget } from './folder/folder-target.ts'
import { freeMemory } from './memory.ts'
import { databaseAddress } from './postgres/connect.ts'
import { postgresTarget } from './postgres/postgres-target.ts'
import type { PullOptions } from './pull-options.ts'
import { settlePace } from './settle-pace.ts'
import type { PullTarget, Settled, Settling } from './target.ts'
import { type Verified, verifyCopy } from './verify/verify-copy.ts'

export type PullOutcome = {
  /** The number of the newest change that is there. Null before the first complete copy. */
  as_of: number | null
  requests: number
  changes: number
  /** Positions that were written: new ones, and new versions of old ones. */
  positions: number
  /** Only with `verify`. */
  verified?: Verified
} & Settled

export type PullProgress = { outcome: PullOutcome; settling: Settling | undefined }

/** The maximum: each request counts in the rate window of the organization. */
const PAGE_SIZE = 10_000
/** A pull usually runs at night, and nobody waits for it. */
const MAX_WAIT_MS = 6 * 3_600_000

/** Fetches the changes since the last run. With `follow` it continues until the signal aborts, and then resolves. */
export async function runPull(
  options: PullOptions,
  apiKey: string,
  signal: AbortSignal,
  onProgress: (progress: PullProgress) => void,
): Promise<PullOutcome> {
  const outcome: PullOutcome = {
    ...{ as_of: null, requests: 0, changes: 0, positions: 0, written: [], removed: [] },
  }
  const client = new Fleetgate({
    baseUrl: options.url,
    apiKey,
    maxWaitMs: MAX_WAIT_MS,
    onAnswer() {
      outcome.requests += 1
    },
  })
  const target = await openTarget(options, client)
  const settle = async () => {
    const settled = await target.settle(
      signal,
      (settling) => onProgress({ outcome, settling }),
      options.verify,
    )
    outcome.written = [...new Set([...outcome.written, ...settled.written])]
    outcome.removed = [...new Set([...outcome.removed, ...settled.removed])]
    const progress = await target.store.load()
    if (progress?.isComplete) outcome.as_of = progress.asOf
  }
  try {
    const { objects: ids, records, attributes, follow, verify } = options
    const some = { ...(ids && { ids }), ...(attributes && { attributes }) }
    const { store } = target
    const copy = client.replica({
      ...{ store, positions: true, records, pageSize: PAGE_SIZE },
      ...some,
    })
    const onPage = (page: ChangesPage) => {
      count(outcome, page)
      onProgress({ outcome, settling: undefined })
      if (page.changes.length > 0) freeMemory()
    }
    if (follow) await followPages(copy, signal, settle, onPage)
    else {
      const sync = async () => {
        for await (const page of copy.follow({ live: false, signal })) onPage(page)
      }
      await sync()
      if (verify)
        outcome.verified = await verifyCopy({ client, store, ids, attributes }, sync, signal)
    }
    await settle()
  } catch (error) {
    if (options.follow && signal.aborted && outcome.as_of !== null) return outcome
    // Write what was received before the quota was exhausted.
    if (error instanceof QuotaExhaustedError) await settle()
    throw error
  } finally {
    await target.close()
  }
  return outcome
}

function openTarget(
  { to, records, attributes }: PullOptions,
  client: Fleetgate,
): Promise<PullTarget> {
  if ('database' in to) return postgresTarget(databaseAddress(to.database), client.url, records)
  const catalogue = attributes && (() => shownBy(client, attributes))
  return folderTarget({ ...to, records, catalogue }, client.url)
}

async function shownBy(client: Fleetgate, asked: AskedAttributes): Promise<Attribute[]> {
  const all = await client.attributes.list()
  return asked === 'all' ? all : all.filter(({ name }) => asked.includes(name))
}

/** Settles whenever all changes have arrived and the last settling is long enough ago. Ends when the signal aborts. */
async function followPages(
  copy: Replica,
  signal: AbortSignal,
  settle: () => Promise<void>,
  onPage: (page: ChangesPage) => void,
): Promise<void> {
  const pages = copy.follow({ live: 'stream', signal })
  const pace = settlePace(() => performance.now())
  const nextPage = () => {
    const next = pages.next()
    // It may reject while files are written, before anything waits for it.
    next.catch(() => {})
    return next
  }
  let next = nextPage()
  let hasAll = false
  for (;;) {
    const came: IteratorResult<ChangesPage, void> | 'due' = hasAll
      ? await pace.dueOr(next)
      : await next
    if (came === 'due') {
      await pace.timed(settle)
      hasAll = false
      continue
    }
    if (came.done) return
    onPage(came.value)
    hasAll = !came.value.has_more
    next = nextPage()
  }
}

function count(outcome: PullOutcome, { changes }: ChangesPage): void {
  outcome.changes += changes.length
  for (const { type, op } of changes)
    if (type === 'position' && op === 'put') outcome.positions += 1
}
