import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newSecret, OPERATOR_TOKEN } from '../../../packages/server/src/base/access/secret.ts'
import { foldRules } from '../../../packages/server/src/engine/tracking/rules/advance.ts'
import { backUp } from '../../../packages/server/src/run/compose.ts'
import {
  startChangesRetention,
  startRetention,
} from '../../../packages/server/src/work/tasks/retention.ts'
import { jsonHere } from '../../../packages/server/testing/command-line/run-here.ts'
import { handedClock } from '../../../packages/server/testing/handed-clock.ts'
import { deriverOn } from '../../../packages/server/testing/records/handed-deriver.ts'
import { BLOCK_ROWS, packAll } from '../../../packages/server/testing/stores/packing-store.ts'
import { onePass } from '../harness/one-pass.ts'
import type { Fault } from './faults.ts'
import { CHANGES_DAYS, failureLog, type LocalServer, openLocalServer } from './local-server.ts'
import type { TrialHost } from './trial-host.ts'

const START_MS = Date.UTC(2026, 10, 20, 9, 30)
const US_PER_MS = 1_000
/** A cut request may be counted when the next one comes. */
const REQUEST_EVERY_MS = 2_000
/** The writes after which a deriver is killed, slice by slice. Null: it is not. */
const KILLS = [null, 0, null, 1, null]
/** The disk decides nothing here, so it is memory if possible. */
const MEMORY = '/dev/shm'

/** A server in this process, on a data folder, with a handed clock. A part of it may have a fault. */
export async function openLocalHost(fault?: Fault): Promise<TrialHost> {
  const root = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'fleetgate-replica-'))
  const clock = handedClock(START_MS * US_PER_MS)
  const failures = failureLog()
  const open = (folder: string) => openLocalServer(folder, clock, failures.logger, fault)
  let places = 0
  const nextPlace = () => join(root, `${places++}`)
  let server = await open(nextPlace())
  const operator = await operatorOf(server, clock.now())

  return {
    get api() {
      return server.api
    },
    get feed() {
      return server.feed
    },
    get admin() {
      return server.admin
    },
    operator,
    now: clock.now,
    admit: async () => clock.advanceUs(REQUEST_EVERY_MS * US_PER_MS),
    letPass: (ms) => clock.advanceUs(ms * US_PER_MS),
    async fold(slices) {
      const rules = foldRules(clock)
      for (let left = slices; left > 0; left -= 1) {
        const { positions } = server.store
        const erased = await positions.eraseSlice(rules, clock.now())
        const done = erased ?? (await positions.refold(null, rules))
        if (done === null) return
      }
    },
    async derive(organization, slices) {
      const { slice } = deriverOn(server.store, organization, KILLS)
      for (let left = slices; left > 0; left -= 1) if (await slice()) return
    },
    async purge() {
      const { store } = server
      await onePass((failed, wait) => startRetention(store, clock, failed, wait))
      await onePass((failed, wait) =>
        startChangesRetention(store.changeLog, CHANGES_DAYS, clock, failed, wait),
      )
      return true
    },
    async pack(organization) {
      await packAll(server.store, organization, BLOCK_ROWS)
    },
    async restart() {
      await server.close()
      server = await open(server.folder)
    },
    async backUp() {
      const place = nextPlace()
      await backUp(server.store, server.folder, place, () => undefined)
      return { place }
    },
    async restore({ place }) {
      await server.close()
      const folder = nextPlace()
      cpSync(place, folder, { recursive: true })
      server = await open(folder)
    },
    async move() {
      await server.close()
      const folder = nextPlace()
      await jsonHere(['copy', '--from', server.folder, '--to', folder, '--quiet'])
      server = await open(folder)
    },
    failures: failures.taken,
    async close() {
      await server.close()
      rmSync(root, { recursive: true })
    },
  }
}

/** The header of a program that may do everything. */
async function operatorOf({ store }: LocalServer, now: number): Promise<Record<string, string>> {
  const { secret, ...kept } = newSecret(OPERATOR_TOKEN)
  const reach = { kind: 'token', name: 'trial', role: 'operator', organization: null } as const
  const issuer = { account: null, token: null }
  await store.access.issue({ ...kept, ...reach, expiresAt: null }, issuer, now)
  return { authorization: `Bearer ${secret}` }
}
