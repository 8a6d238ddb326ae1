import { randomBytes } from 'node:crypto'
import { maxOf } from '../domain/common/any-number.ts'
import { openTurns } from '../domain/common/slots.ts'
import type { Change, Store, Topic } from '../store/store.ts'
import { repeat } from '../tasks/repeat.ts'
import { progressMemory } from './known-progress.ts'
import { type LoopParts, type OrganizationLoop, startLoop } from './organization-loop.ts'

export type DeriverParts = Omit<LoopParts, 'store' | 'holder' | 'inTurn' | 'remember'> & {
  store: Pick<Store, 'records' | 'changeLog' | 'watch'>
}

/** Derives records of the organizations whose lease this process holds. */
export type Deriver = {
  /** The milliseconds since the oldest change that is not derived was found; 0 if there is none. */
  behindMs(): number
  /** The number of tasks that are left. */
  tasks(): number
  /** The number of objects and places that cannot be derived. */
  failures(): number
  /** Resolves when the slices under way have ended. Gives the leases back. */
  stop(): Promise<void>
}

/** Leases are looked after this often. */
const LOOK_MS = 500
/** The changes of other processes in organizations that nobody derives are found within this time. */
const DUE_EVERY_MS = 2_000
/** Another process takes over from a killed one within the sum of these. */
const LEASE_MS = 5_000
const RENEW_EVERY_MS = 1_500
/** The lease of an organization without changes is not renewed after this time. */
const IDLE_MS = 60_000
/** Slices of different organizations that run at once. */
const SLICES_AT_ONCE = 2
const HOLDER_BYTES = 8

/** Changes of these topics are entries of the change log. */
const LOGGED: ReadonlySet<Topic> = new Set([
  'organization',
  'objects',
  'geofences',
  'sites',
  'states',
])

/** Asks the store nothing while nobody has asked for records. */
export function startDeriver(parts: DeriverParts): Deriver {
  const { store, failed } = parts
  const { records } = store
  const holder = randomBytes(HOLDER_BYTES).toString('hex')
  const loops = new Map<number, OrganizationLoop>()
  /** Organizations whose records somebody asked for. Null: not read yet. */
  let wanted: Set<number> | null = null
  /** Organizations with changes that this process does not derive. */
  const outdated = new Set<number>()
  /** Those that another process derives, as of the last look. They are tried again later. */
  const refused = new Set<number>()
  const remember = progressMemory()
  const loopParts = { ...parts, holder, inTurn: openTurns(SLICES_AT_ONCE, 1), remember }
  /** By the monotonic clock in milliseconds. */
  let heldUntil = 0
  let renewAt = 0
  let dueAt = 0
  const watch = store.watch(noteChange)

  function noteChange({ organization, topic }: Change): void {
    // Somebody asked for them, or another process has derived some.
    if (topic === 'records') wanted?.add(organization)
    else if (!LOGGED.has(topic)) return
    if (!wanted?.has(organization) || loops.has(organization) || refused.has(organization)) return
    if (outdated.size === 0) queueMicrotask(() => looks.hurry())
    outdated.add(organization)
  }

  async function look(signal: AbortSignal): Promise<void> {
    try {
      watch.catchUp()
    } catch (error) {
      // While records are not wanted, the other services report an outage.
      if (wanted?.size !== 0) throw error
      return
    }
    let unread: unknown
    try {
      wanted ??= new Set(await records.wanted())
    } catch (error) {
      // Those that are due may still be found.
      unread = error
    }
    if (wanted?.size === 0) return
    if (performance.now() >= dueAt) {
      dueAt = performance.now() + DUE_EVERY_MS
      for (const organization of await records.due()) outdated.add(organization)
    }
    if (performance.now() >= renewAt) await renew()
    if (performance.now() >= heldUntil) leaveAll()
    if (outdated.size > 0) await take(signal)
    if (unread !== undefined) throw unread
  }

  async function renew(): Promise<void> {
    refused.clear()
    for (const [organization, loop] of loops) {
      if (loop.isIdleFor(IDLE_MS)) leave(organization)
    }
    const from = performance.now()
    renewAt = from + RENEW_EVERY_MS
    if (loops.size === 0) return
    const kept = new Set(await records.lease(holder, LEASE_MS, [...loops.keys()]))
    heldUntil = from + LEASE_MS
    for (const organization of loops.keys()) if (!kept.has(organization)) leave(organization)
  }

  /** Takes the leases of the outdated organizations, as far as nobody else has them. */
  async function take(signal: AbortSignal): Promise<void> {
    const asked = [...outdated].filter((organization) => !loops.has(organization))
    outdated.clear()
    if (asked.length === 0) return
    const from = performance.now()
    const taken = new Set(await records.lease(holder, LEASE_MS, asked))
    // The others are renewed before this one ends.
    if (loops.size === 0) heldUntil = from + LEASE_MS
    for (const organization of asked) {
      if (!taken.has(organization)) refused.add(organization)
      else if (!signal.aborted) start(organization)
    }
  }

  function start(organization: number): void {
    const loop = startLoop(loopParts, organization)
    loops.set(organization, loop)
    void loop.ended.then(() => {
      if (loops.get(organization) === loop) loops.delete(organization)
    })
  }

  function leave(organization: number): void {
    loops.get(organization)?.stop()
    loops.delete(organization)
  }

  function leaveAll(): void {
    for (const organization of [...loops.keys()]) leave(organization)
  }

  const looks = repeat(look, LOOK_MS, failed)

  return {
    behindMs: () => Math.max(0, maxOf(loops.values().map((loop) => loop.behindMs()))),
    tasks: () => Array.from(loops.values(), (loop) => loop.tasks()).reduce((a, b) => a + b, 0),
    failures: () =>
      Array.from(loops.values(), (loop) => loop.failures()).reduce((a, b) => a + b, 0),
    async stop() {
      watch.close()
      await looks.stop()
      const running = [...loops.values()]
      leaveAll()
      await Promise.all(running.map((loop) => loop.ended))
      if (wanted !== null && wanted.size > 0) await records.release(holder).catch(failed)
    },
  }
}
