import assert from 'node:assert/strict'
import { get } from 'node:http'
import { describe, it } from 'node:test'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { PREFIX } from '../harness/organization.ts'
import { leaveUnread, MONTH, month } from './month.ts'

const fleet = await startFleet({ full: 1, plain: 4 })
const own = await month(fleet)
const LONG = `/positions?ids=all&${MONTH}`
const SHORT = '/trips?from_time=2026-03-01T00:00:00Z&to_time=2026-03-01T00:00:30Z'
const WAIT_MS = 10_000

/** Takes both places. The returned function frees so many of them. */
async function takeBoth(): Promise<(count?: number) => void> {
  const unread = await Promise.all([1, 2].map(() => leaveUnread(fleet, own, LONG)))
  return (count = 2) => {
    for (const each of unread.splice(0, count)) each.destroy()
  }
}

const remaining = async () => Number((await own.get('/key')).headers['x-ratelimit-remaining'])

/** Begins a request, and resolves when the server holds it. */
async function held<Answered>(
  begin: () => Promise<Answered>,
): Promise<{ answer: Promise<Answered> }> {
  let isAnswered = false
  const answer = begin().finally(() => {
    isAnswered = true
  })
  answer.catch(() => undefined)
  for (let other = 0; other < 5; other += 1) resultOf(await own.get('/key'))
  assert.equal(isAnswered, false)
  return { answer }
}

/** A request on a connection of its own. */
function alone(key: string) {
  const { promise: status, resolve, reject } = Promise.withResolvers<number>()
  const options = { agent: false, headers: { 'x-api-key': key } }
  const sent = get(fleet.server.api + PREFIX + SHORT, options, (answer) => {
    answer.resume()
    resolve(answer.statusCode!)
  })
  sent.on('error', reject)
  return { sent, status }
}

describe('A third answer without a limit', () => {
  it('waits for its turn, in the order of arrival', async () => {
    const free = await takeBoth()
    const order: number[] = []
    const waiting: Promise<unknown>[] = []
    for (const number of [1, 2, 3]) {
      const { answer } = await held(() => own.get(SHORT))
      waiting.push(answer.then(resultOf).then(() => order.push(number)))
    }
    free(1)
    await Promise.all(waiting)
    assert.deepEqual(order, [1, 2, 3])
    free()
  })

  it('is refused after 10 seconds with the reason, and does not count', async () => {
    const free = await takeBoth()
    const { answer } = await held(() => own.get(SHORT))
    await own.time.pass(WAIT_MS)
    const refused = await answer
    assertRefused(refused, 429, 'ERR999', /^ThrottlerException: Too Many Requests.* without limit /)
    assert.equal(refused.headers['retry-after'], '10')
    assert.equal(refused.headers['x-ratelimit-remaining'], refused.headers['x-ratelimit-limit'])
    // Pages take no place, and no other organization waits.
    resultOf(await own.get(`${SHORT}&limit=10`))
    resultOf(await fleet.ask(() => SHORT))
    free()
    resultOf(await own.get(SHORT))
  })

  it('leaves the line if its client goes', async () => {
    const free = await takeBoth()
    const { sent, status } = alone(own.key)
    const { answer: gone } = await held(() => status)
    const { answer } = await held(() => own.get(SHORT))
    sent.destroy()
    await assert.rejects(gone)
    free()
    resultOf(await answer)
  })

  it('is refused if its key ends meanwhile', async () => {
    const free = await takeBoth()
    const issue = ['key', 'issue', '--org', String(own.id), '--name', 'ends']
    const { id, key } = await fleet.json(...issue)
    const { answer } = await held(() => alone(key).status)
    await fleet.json('key', 'revoke', '--org', String(own.id), String(id))
    assert.equal(await answer, 401)
    free()
  })

  it('is refused at once if 50 of its organization wait, and does not count', async () => {
    const free = await takeBoth()
    await own.time.pass(WAIT_MS)
    const before = await remaining()
    const waiting = Array.from({ length: 51 }, () => alone(own.key))
    assert.equal(await Promise.race(waiting.map(({ status }) => status)), 429)
    assert.equal(await remaining(), before - 50 - 1)
    for (const { sent, status } of waiting) {
      status.catch(() => undefined)
      sent.destroy()
    }
    free()
    // The server notices a moment later that they have gone.
    while ((await own.get(SHORT)).status !== 200);
  })
})
