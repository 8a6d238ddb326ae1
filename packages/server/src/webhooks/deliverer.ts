import { randomBytes } from 'node:crypto'
import type { Directory } from '../cache/directory.ts'
import type { Change, Store } from '../store/store.ts'
import type { WebhookStore } from '../store/webhook-store.ts'
import { repeat } from '../tasks/repeat.ts'
import { type Runner, type RunnerParts, startRunner } from './runner.ts'

export type DelivererParts = Omit<RunnerParts, 'isHeld' | 'store' | 'directory'> & {
  store: { webhooks: WebhookStore; watch: Store['watch'] }
  directory: Pick<Directory, 'organization' | 'catchUp'>
  /** Called when no delivery is under way any more. */
  close(): void
}

/** Delivers to the webhooks of the organizations whose lease this process holds. */
export type Deliverer = {
  /** Resolves when the deliveries under way have ended, after some seconds at most. */
  stop(): Promise<void>
}

/** Settings that another process changed are noticed within this time. */
const LOOK_MS = 500
/** Another process takes over from a killed one within the sum of these. */
const LEASE_MS = 5_000
const RENEW_EVERY_MS = 1_500
/** A stopping process waits this long for answers. */
const STOP_WITHIN_MS = 3_000
const HOLDER_BYTES = 8

type Held = { runners: Map<number, Runner>; isOutdated: boolean }

/** Costs nothing noticeable while no organization has a webhook. */
export function startDeliverer(parts: DelivererParts): Deliverer {
  const { store, failed } = parts
  const { webhooks } = store
  const holder = randomBytes(HOLDER_BYTES).toString('hex')
  const held = new Map<number, Held>()
  /** The organizations of runners that still have a try under way after their lease was lost. */
  const leaving = new Map<Runner, number>()
  const cut = new AbortController()
  /** The end of the leases, and when they are renewed, by the monotonic clock in milliseconds. */
  let heldUntil = 0
  let renewAt = 0
  let isNeeded = false
  let isOutdated = true
  const watch = store.watch(noteChange)

  function noteChange({ organization, topic }: Change): void {
    if (topic === 'webhooks') isOutdated = true
    if (topic !== 'webhooks' && topic !== 'organization') return
    const of = held.get(organization)
    if (of !== undefined) of.isOutdated ||= topic === 'webhooks'
    for (const runner of of?.runners.values() ?? []) runner.ring()
    // Not from within the report, which the change of the caller waits for.
    if (topic === 'webhooks') queueMicrotask(() => looks.hurry())
  }

  async function look(signal: AbortSignal): Promise<void> {
    try {
      await parts.directory.catchUp()
      watch.catchUp()
    } catch (error) {
      // Without webhooks nobody waits for the store. Others report its outage.
      if (held.size > 0) throw error
      return
    }
    if (isOutdated) {
      isOutdated = false
      await readNeeded()
    }
    const isDue = isNeeded || held.size > 0
    if (isDue && performance.now() >= renewAt) await renew()
    if (performance.now() >= heldUntil) for (const organization of held.keys()) leave(organization)
    for (const [organization, of] of held) await startMissing(organization, of, signal)
  }

  async function readNeeded(): Promise<void> {
    try {
      isNeeded = (await webhooks.organizations()).length > 0
      renewAt = 0
    } catch (error) {
      isOutdated = true
      throw error
    }
  }

  async function renew(): Promise<void> {
    const from = performance.now()
    const organizations = new Set(await webhooks.lease(holder, LEASE_MS))
    heldUntil = from + LEASE_MS
    renewAt = from + RENEW_EVERY_MS
    for (const organization of held.keys())
      if (!organizations.has(organization)) leave(organization)
    for (const organization of organizations) {
      if (!held.has(organization)) held.set(organization, { runners: new Map(), isOutdated: true })
    }
  }

  async function startMissing(organization: number, of: Held, signal: AbortSignal): Promise<void> {
    if (!of.isOutdated || signal.aborted) return
    // A webhook has one try at a time, also if its lease is lost and returns.
    if (leaving.values().some((each) => each === organization)) return
    of.isOutdated = false
    try {
      for (const { id } of await webhooks.list(organization)) {
        if (of.runners.has(id) || signal.aborted || held.get(organization) !== of) continue
        const runner = startRunner(runnerParts, organization, id, cut.signal)
        of.runners.set(id, runner)
        void runner.ended.then(() => of.runners.delete(id))
      }
    } catch (error) {
      of.isOutdated = true
      throw error
    }
  }

  function leave(organization: number): void {
    for (const runner of held.get(organization)?.runners.values() ?? []) {
      runner.stop()
      leaving.set(runner, organization)
      void runner.ended.then(() => leaving.delete(runner))
    }
    held.delete(organization)
  }

  const runnerParts: RunnerParts = {
    ...parts,
    store: webhooks,
    isHeld: (organization) => held.has(organization) && performance.now() < heldUntil,
  }
  const looks = repeat(look, LOOK_MS, failed)

  return {
    async stop() {
      watch.close()
      await looks.stop()
      const ofHeld = Array.from(held.values(), ({ runners }) => [...runners.values()])
      const running = [...ofHeld.flat(), ...leaving.keys()]
      const ended = Promise.all(running.map((runner) => runner.ended))
      for (const runner of running) runner.stop()
      const late = setTimeout(() => cut.abort(), STOP_WITHIN_MS)
      await ended
      clearTimeout(late)
      parts.close()
      if (held.size > 0) await webhooks.release(holder).catch(failed)
      held.clear()
    },
  }
}
