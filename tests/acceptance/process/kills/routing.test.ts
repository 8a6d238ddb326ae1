import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { request } from '../../harness/client.ts'
import { resultOf } from '../../harness/envelope.ts'
import { startFleetProcess } from '../../harness/fleet.ts'
import type { Json } from '../../harness/fleetgate.ts'
import { assertIntegrity } from '../../harness/integrity.ts'
import { postRows, senderOf } from '../../harness/sender.ts'

const ORGANIZATIONS = 3
const IDENTS_OF_EACH = 100
const STRANGERS = 10
const KILLS = 2
/** Positions of each ident between two kills. */
const STEPS = 2
/** Requests that the Traccar server has under way at once. */
const AT_ONCE = 24
const START = Date.parse('2025-03-01T00:00:00Z')
const RANGE = 'from_time=2025-03-01&to_time=2025-03-02'

const fleet = await startFleetProcess({ full: 0, plain: ORGANIZATIONS })
const customers = await Promise.all(
  Array.from({ length: ORGANIZATIONS }, () => senderOf(fleet, fleet.take(), '--create-objects')),
)
const identsOf = (customer: number) =>
  Array.from({ length: IDENTS_OF_EACH }, (_, index) => `customer-${customer}-bus-${index}`)
const strangers = Array.from({ length: STRANGERS }, (_, index) => `stranger-${index}`)
/** A vehicle of the first customer that the second one shares. */
const shared = identsOf(0)[0]!

/** A position that the forward has to bring: the answer that it got in the end. */
type Forwarded = { ident: string; step: number; status: number | undefined }

const timeOf = (step: number) => new Date(START + step * 10_000).toISOString()

/** Sends a position as Traccar does. Undefined: the connection broke without an answer. */
async function forward(token: string, { ident, step }: Forwarded): Promise<number | undefined> {
  const position = { fixTime: timeOf(step), valid: true, latitude: 41 + step / 1_000, longitude: 2 }
  const body = JSON.stringify({
    position: { ...position, speed: 10, attributes: {} },
    device: { uniqueId: ident, name: ident, groupId: 0 },
  })
  const headers = { 'x-feed-token': token }
  try {
    const sent = { method: 'POST', headers, body }
    return (await request(fleet.server.feed, '/feed/v1/traccar', sent)).status
  } catch {
    return undefined
  }
}

/** Sends until each has a 2xx, and kills the server once, in the middle. Returns how many had to be repeated. */
async function forwardAll(token: string, all: Forwarded[]): Promise<number> {
  let acknowledged = 0
  let repeated = 0
  let restarting: Promise<void> | undefined
  const left = all.values()
  const send = async (): Promise<void> => {
    for (const each of left) {
      for (;;) {
        each.status = await forward(token, each)
        if (each.status !== undefined && each.status < 300) break
        repeated += 1
        await restarting
      }
      acknowledged += 1
      if (acknowledged > all.length / 2) restarting ??= fleet.restart((server) => server.kill())
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, send))
  await restarting
  return repeated
}

describe(`One Traccar server of ${ORGANIZATIONS} customers, under ${KILLS} kills`, () => {
  it('has each position where it belongs, once, and stores none of a stranger', async (t) => {
    for (const [index, { feedToken }] of customers.entries()) {
      const first = { time_device: '2025-02-01T00:00:00Z', latitude: 41, longitude: 2 }
      const rows = identsOf(index).map((ident) => ({ ident, ...first }))
      assert.equal((await postRows(fleet.server.feed, feedToken, rows)).stored, rows.length)
    }
    const second = String(customers[1]!.id)
    const routing = (...args: string[]) => fleet.json('routing', ...args)
    await routing('waiting', 'assign', shared, '--orgs', second, '--if-owned', 'share')
    const { token } = await routing('token', 'issue')
    const idents = [...customers.flatMap((_, index) => identsOf(index)), ...strangers]
    const sent: Forwarded[] = []
    let repeated = 0
    for (let kill = 0; kill < KILLS; kill++) {
      const steps = Array.from({ length: STEPS }, (_, index) => kill * STEPS + index)
      const all = steps.flatMap((step) =>
        idents.map((ident): Forwarded => ({ ident, step, status: undefined })),
      )
      sent.push(...all)
      repeated += await forwardAll(token, all)
    }
    t.diagnostic(`${sent.length} positions, ${repeated} requests without an answer`)
    assert.ok(repeated > 0, 'the kills came at no time to tell')
    for (const { ident, status } of sent) {
      assert.equal(status, strangers.includes(ident) ? 202 : 200, ident)
    }
    const times = Array.from({ length: KILLS * STEPS }, (_, step) => timeOf(step))
    for (const [index, customer] of customers.entries()) {
      const own = index === 1 ? [...identsOf(1), shared] : identsOf(index)
      const rows: Json[] = resultOf(await customer.get(`/positions?ids=all&${RANGE}`))
      const found = Map.groupBy(rows, ({ ident }) => ident as string)
      assert.deepEqual(new Set(found.keys()), new Set(own))
      for (const ident of own) {
        assert.deepEqual(
          found.get(ident)!.map(({ time_device }) => new Date(time_device).toISOString()),
          times,
          ident,
        )
      }
    }
  })

  it('shows the strangers until they are assigned, and stores them from then on', async () => {
    const waiting = async () => (await fleet.json('routing', 'waiting', 'list')) as Json[]
    for (let seen = 0; seen < STRANGERS; await wait(100)) seen = (await waiting()).length
    const listed = (await waiting()).map(({ ident }) => ident)
    assert.deepEqual(new Set(listed), new Set(strangers))
    const third = customers[2]!
    const [first] = strangers
    await fleet.json('routing', 'waiting', 'assign', first!, '--orgs', String(third.id))
    const { token } = await fleet.json('routing', 'token', 'issue')
    const later: Forwarded = { ident: first!, step: KILLS * STEPS, status: undefined }
    assert.equal(await forward(token, later), 200)
    const objects: Json[] = resultOf(await third.get('/objects'))
    const { id } = objects.find(({ ident }) => ident === first)!
    const rows = resultOf(await third.get(`/objects/${id}/positions?${RANGE}`))
    assert.equal(rows.length, 1)
    assert.equal((await waiting()).length, STRANGERS - 1)
  })

  it('leaves an intact database', async () => {
    await fleet.server.kill()
    assertIntegrity(fleet.deployment)
    await fleet.restart((server) => server.kill())
  })
})
