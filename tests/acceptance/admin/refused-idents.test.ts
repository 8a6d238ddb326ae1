import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { jsonHere } from '../../../packages/server/testing/command-line/run-here.ts'
import { assertError, operatorBy, startConsole } from '../harness/admin.ts'
import { request } from '../harness/client.ts'
import { INSTANT } from '../harness/envelope.ts'
import type { Json } from '../harness/fleetgate.ts'
import { postRows } from '../harness/sender.ts'

const console = await startConsole()
const { operator } = console
const { get, post, patch } = operator
const TIME = '2026-11-20T09:00:00Z'

describe('An ident that made no object', async () => {
  const { id } = await post('/organizations', { name: 'Strangers' })
  const at = `/organizations/${id}`
  const { secret } = await post(`${at}/feed-tokens`, { name: 'feed' })
  const rowOf = (ident: string, more: object = {}) => ({
    ...{ ident, time_device: TIME, latitude: 41.5, longitude: 2.25 },
    ...more,
  })

  const send = (...rows: object[]) => postRows(console.server.feed, secret, rows)

  /** Waits until the list counts this many packets. */
  const listOf = (packets: number) =>
    until(async () => {
      const { items } = await get(`${at}/refused-idents`)
      const all = items.reduce((sum: number, each: Json) => sum + each.packets, 0)
      return all >= packets ? (items as Json[]) : undefined
    })

  it('is listed with the reason, the count, and the time and address of the last packet', async () => {
    assert.deepEqual(await listOf(0), [])
    await send(rowOf('stranger'), rowOf('stranger', { latitude: 42 }), rowOf('bad\nident'))
    const [first, ...rest] = await listOf(2)
    const { last_at, message, ...entry } = first!
    assert.deepEqual(rest, [])
    const expected = { ident: 'stranger', reason: 'unknown_ident', packets: 2 }
    assert.deepEqual(entry, { ...expected, latitude: 42, longitude: 2.25 })
    assert.match(last_at, INSTANT)
    assert.match(message, /no object/)
  })

  it('is shown on the command line, counted and logged', async () => {
    const { args } = console.deployment
    const listed = await jsonHere(['objects', 'refused-idents', '--org', `${id}`, ...args])
    assert.deepEqual(listed, await listOf(2))
    const { text } = await request(console.origin(), '/metrics')
    assert.match(
      text,
      /fleetgate_feed_rejected_total\{format="positions",reason="unknown_ident"\} 2/,
    )
    const line = await until(() => console.server.log.find((each) => each.rejected !== undefined))
    assert.deepEqual(
      [line.organization, line.feed, line.rejected],
      [id, 'positions', { unknown_ident: 2, bad_ident: 1 }],
    )
    assert.doesNotMatch(JSON.stringify(console.server.log), /stranger/)
  })

  it('is listed with the limit that refused its object', async () => {
    await patch(at, { create_objects: true, max_objects: 1 })
    assert.equal(
      (await send(rowOf('first'), rowOf('second', { latitude: 0, longitude: 0 }))).stored,
      1,
    )
    const items = await listOf(3)
    const { reason, latitude } = items.find(({ ident }) => ident === 'second')!
    assert.deepEqual([reason, latitude], ['limit_of_objects', null])
    assert.equal(items[0]!.ident, 'second')
  })

  it('leaves the list when an object with that ident exists', async () => {
    await patch(at, { max_objects: 5 })
    await post(`${at}/objects`, { name: 'Known', ident: 'stranger' })
    const { items } = await get(`${at}/refused-idents`)
    assert.deepEqual(
      items.map(({ ident }: Json) => ident),
      ['second'],
    )
  })

  it('is visible to its own organization only', async () => {
    const other = await post('/organizations', { name: 'Other' })
    assert.deepEqual((await get(`/organizations/${other.id}/refused-idents`)).items, [])
    const answer = await operator.ask('GET', '/organizations/999999/refused-idents')
    assertError(answer, 404, 'not_found')
    const nobody = operatorBy(console.origin, {})
    assertError(await nobody.ask('GET', `${at}/refused-idents`), 401, 'signed_out')
  })
})

/** The feed writes the list a moment after its answer. */
async function until<T>(ask: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await wait(50)) {
    const found = await ask()
    if (found !== undefined) return found
  }
  throw new Error('it did not come about')
}
