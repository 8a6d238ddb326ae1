import { randomBytes } from 'node:crypto'
import { maxOf } from '../../base/domain/common/any-number.ts'
import { openTurns } from '../../base/domain/common/slots.ts'
import { repeat } from '../repeat.ts'
import type { Change, Store, Topic } from '../store/store.ts'
import { type LoopParts, type OrganizationLoop, startLoop } from './organization-loop.ts'
import { progressMemory } from './retries.ts'

export type DeriverParts = Omit<LoopParts, 'store' | 'holder' | 'inTurn' | 'remember'> & {
  store: Pick<Store, 'records' | 'changeLog' | 'watch'>
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
  'attributes',
])

/**
 * Derives records of the organizations whose lease this process holds. Asks the store nothing while nobody has asked for
 * records.
 */
export class Deriver {
  private readonly failed: DeriverParts['failed']
  private readonly records: Store['records']
  private readonly loopParts: LoopParts
  private readonly holder = randomBytes(HOLDER_BYTES).toString('hex')
  private readonly loops = new Map<number, OrganizationLoop>()
  /** Organizations whose records somebody asked for. Null: not read yet. */
  private wanted: Set<number> | null = null
  /** Organizations with changes that this process does not derive. */
  private readonly outdated = new Set<number>()
  /** Those that another process derives, as of the last look. They are tried again later. */
  private readonly refused = new Set<number>()
  /** By the monotonic clock in milliseconds. */
  private heldUntil = 0
  private renewAt = 0
  private dueAt = 0
  private readonly watch: ReturnType<Store['watch']>
  private readonly looks: ReturnType<typeof repeat>

  /** Starts at once. */
  constructor(parts: DeriverParts) {
    const { store, failed } = parts
    const { holder } = this
    this.failed = failed
    this.records = store.records
    const inTurn = openTurns(SLICES_AT_ONCE, 1)
    this.loopParts = { ...parts, holder, inTurn, remember: progressMemory() }
    this.watch = store.watch((change) => this.noteChange(change))
    this.looks = repeat((signal) => this.look(signal), LOOK_MS, failed)
  }

  /** The milliseconds since the oldest change that is not derived was found; 0 if everything is derived. */
  behindMs(): number {
    return Math.max(0, maxOf(this.loops.values().map((loop) => loop.behindMs())))
  }

  /** The number of tasks that are left. */
  tasks(): number {
    return Array.from(this.loops.values(), (loop) => loop.tasks()).reduce((a, b) => a + b, 0)
  }

  /** The number of objects and places that cannot be derived. */
  failures(): number {
    return Array.from(this.loops.values(), (loop) => loop.failures()).reduce((a, b) => a + b, 0)
  }

  /** Resolves when the slices under way have ended. Gives the leases back. */
  async stop(): Promise<void> {
    this.watch.close()
    await this.looks.stop()
    const running = [...this.loops.values()]
    this.leaveAll()
    await Promise.all(running.map((loop) => loop.ended))
    if (this.wanted !== null && this.wanted.size > 0) {
      await this.records.release(this.holder).catch(this.failed)
    }
  }

  private noteChange({ organization, topic }: Change): void {
    // Somebody asked for them, or another process has derived some.
    if (topic === 'records') this.wanted?.add(organization)
    else if (!LOGGED.has(topic)) return
    if (
      !this.wanted?.has(organization) ||
      this.loops.has(organization) ||
      this.refused.has(organization)
    )
      return
    if (this.outdated.size === 0) queueMicrotask(() => this.looks.hurry())
    this.outdated.add(organization)
  }

  private async look(signal: AbortSignal): Promise<void> {
    try {
      this.watch.catchUp()
    } catch (error) {
      // While records are not wanted, the other services report an outage.
      if (this.wanted?.size !== 0) throw error
      return
    }
    let unread: unknown
    try {
      this.wanted ??= new Set(await this.records.wanted())
    } catch (error) {
      // Those that are due may still be found.
      unread = error
    }
    if (this.wanted?.size === 0) return
    if (performance.now() >= this.dueAt) {
      this.dueAt = performance.now() + DUE_EVERY_MS
      for (const organization of await this.records.due()) this.outdated.add(organization)
    }
    if (performance.now() >= this.renewAt) await this.renew()
    if (performance.now() >= this.heldUntil) this.leaveAll()
    if (this.outdated.size > 0) await this.take(signal)
    if (unread !== undefined) throw unread
  }

  private async renew(): Promise<void> {
    this.refused.clear()
    for (const [organization, loop] of this.loops) {
      if (loop.isIdleFor(IDLE_MS)) this.leave(organization)
    }
    const from = performance.now()
    this.renewAt = from + RENEW_EVERY_MS
    if (this.loops.size === 0) return
    const kept = new Set(await this.records.lease(this.holder, LEASE_MS, [...this.loops.keys()]))
    this.heldUntil = from + LEASE_MS
    for (const organization of this.loops.keys())
      if (!kept.has(organization)) this.leave(organization)
  }

  /** Takes the leases of the outdated organizations, as far as nobody else has them. */
  private async take(signal: AbortSignal): Promise<void> {
    const asked = [...this.outdated].filter((organization) => !this.loops.has(organization))
    this.outdated.clear()
    if (asked.length === 0) return
    const from = performance.now()
    const taken = new Set(await this.records.lease(this.holder, LEASE_MS, asked))
    // The others are renewed before this one ends.
    if (this.loops.size === 0) this.heldUntil = from + LEASE_MS
    for (const organization of asked) {
      if (!taken.has(organization)) this.refused.add(organization)
      else if (!signal.aborted) this.start(organization)
    }
  }

  private start(organization: number): void {
    const loop = startLoop(this.loopParts, organization)
    this.loops.set(organization, loop)
    void loop.ended.then(() => {
      if (this.loops.get(organization) === loop) this.loops.delete(organization)
    })
  }

  private leave(organization: number): void {
    this.loops.get(organization)?.stop()
    this.loops.delete(organization)
  }

  private leaveAll(): void {
    for (const organization of [...this.loops.keys()]) this.leave(organization)
  }
}
