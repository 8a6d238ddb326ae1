import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { ask, assertError, cookieOf, EMAIL, operatorBy, PASSWORD, setUp } from '../harness/admin.ts'
import { request } from '../harness/client.ts'
import { isEmbedded } from '../harness/deployment.ts'
import { watch } from '../harness/events.ts'
import { newDeployment } from '../harness/new-deployment.ts'
import { PREFIX } from '../harness/organization.ts'
import { newPerson } from '../harness/people.ts'
import { FEED_PREFIX } from '../harness/sender.ts'
import { type ServerProcess, serve } from '../harness/server.ts'

const skip = isEmbedded ? 'a data folder is served by one process' : false
const PATIENCE_MS = 60_000

/**
 * Tests the console of `admin` together with the API and the feed of other processes; `end` stops the API
 * processes.
 */
async function drive(
  admin: ServerProcess,
  api: ServerProcess,
  feed: ServerProcess,
  end: () => unknown,
): Promise<void> {
  const origin = () => admin.admin
  const operator = operatorBy(origin, { cookie: await setUp(admin) })
  const { get, post } = operator
  const { id } = await post('/organizations', {
    name: 'Shared',
    create_objects: true,
    daily_quota: 9,
  })
  const at = `/organizations/${id}`
  const { secret: token } = await post(`${at}/feed-tokens`, { name: 'x' })
  const { secret: key } = await post(`${at}/keys`, { name: 'x' })

  const events = await watch({ origin, operator }, id)
  assert.deepEqual((await events.next())!.data, { items: [] })
  const row = { ident: 'van', time_device: Date.now(), latitude: 1, longitude: 2, speed: 50 }
  const headers = { 'x-feed-token': token }
  const sent = { method: 'POST', body: JSON.stringify([row]), headers }
  // The other processes learn of a new token a moment later.
  await until(
    async () => (await request(feed.feed, `${FEED_PREFIX}/positions`, sent)).status === 200,
  )
  const { data } = await events.until(({ data }) => data.items?.length > 0)
  assert.deepEqual(data.items[0].slice(1, 3), [2, 1])
  events.close()

  const call = (path: string) =>
    fetch(api.api + PREFIX + path, { headers: { 'x-api-key': key, connection: 'close' } })
  let asked = 0
  const opens = async () => {
    const { status } = await call('/objects')
    // A 401 before the process knows the key is counted for no organization.
    if (status === 200) asked += 1
    return status === 200
  }
  await until(opens)
  const [object] = (await get(`${at}/objects`)).items
  const statuses = await Promise.all(
    Array.from(
      { length: 8 },
      async () => (await call(`/positions/latest?ids=${object.id}`)).status,
    ),
  )
  assert.deepEqual(statuses, Array(8).fill(200))
  // Shared counters lag a moment behind.
  await until(async () => (await get(`${at}/quota`)).items[0]?.used >= 8)
  const { items, charged } = await get(`${at}/quota`)
  assert.deepEqual([items[0].object, items[0].used, charged], [object.id, 8, 1])
  // Processes store their counts every minute, and when they stop.
  await end()
  await until(async () => (await get(`${at}/usage?days=1`)).days[0].requests >= asked + 8)
  const { answers, requests } = (await get(`${at}/usage?days=1`)).days[0]
  assert.equal(requests, asked + 8)
  assert.ok(answers.length >= 2)
  assert.equal((await get(at)).requests_today, requests)

  const again = await ask(admin.admin, 'POST', '/session', {
    headers: { origin: admin.admin },
    body: { email: EMAIL, password: PASSWORD },
  })
  cookieOf(again)
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const giveUpAt = Date.now() + PATIENCE_MS
  while (!(await isSo())) assert.ok(Date.now() < giveUpAt, String(isSo))
}

describe('The console of a deployment on servers', { skip }, () => {
  it('covers all of several processes', async () => {
    const server = await serve(await newDeployment(), ['--processes', '2', '--geocoder', 'off'])
    after(() => server.kill())
    await drive(server, server, server, () => process.kill(server.pid, 'SIGHUP'))
    assert.equal(await server.stop(), 0)
    const errors = server.log.filter(({ level }) => level >= 50 || level === 'error')
    assert.deepEqual(errors, [])
  })

  it('holds a change of a person from the next request, on each server', async () => {
    const deployment = await newDeployment()
    const start = () => serve(deployment, ['--role', 'admin', '--geocoder', 'off'])
    const one = await start()
    const operator = operatorBy(() => one.admin, { cookie: await setUp(one) })
    const two = await start()
    for (const each of [one, two]) after(() => each.stop())
    const { id } = await operator.post('/organizations', { name: 'Shared' })
    const at = `/organizations/${id}`
    const { headers, id: person } = await newPerson(() => one.admin, operator, 'administrator', id)
    const elsewhere = operatorBy(() => two.admin, headers)
    await elsewhere.get(`${at}/keys`)
    await operator.patch(`${at}/people/${person}`, { role: 'viewer' })
    assertError(await elsewhere.ask('GET', `${at}/keys`), 403, 'beyond_role')
    await operator.patch(`/people/${person}`, { is_disabled: true })
    assertError(await elsewhere.ask('GET', at), 401, 'signed_out')
  })

  it('can run as one role of several, each on a server of its own', async () => {
    const deployment = await newDeployment()
    const [admin, api, feed] = await Promise.all(
      ['admin', 'api', 'feed'].map((role) =>
        serve(deployment, ['--role', role, '--geocoder', 'off']),
      ),
    )
    for (const each of [admin!, feed!]) after(() => each.stop())
    await drive(admin!, api!, feed!, api!.stop)
  })
})
