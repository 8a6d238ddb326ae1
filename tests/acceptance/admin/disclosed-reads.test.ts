import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { jsonHere } from '../../../packages/server/testing/command-line/run-here.ts'
import { EMAIL, operatorBy, startConsole, useLink } from '../harness/admin.ts'
import { watch } from '../harness/events.ts'
import type { Json } from '../harness/fleetgate.ts'
import { postRows } from '../harness/sender.ts'
import { DAY, drive, RANGE } from '../trips/records-fleet.ts'

const console = await startConsole()
const { operator, server, origin, deployment } = console
const { get, post } = operator
const at = `/organizations/${(await post('/organizations', { name: 'Watched', create_objects: true })).id}`
const { secret: feedToken } = await post(`${at}/feed-tokens`, { name: 'feed' })
const driven = drive('van', DAY)
await postRows(server.feed, feedToken, driven)
const van: number = (await get(`${at}/objects`)).items[0].id
await post(`${at}/objects`, { name: 'silent', ident: 'silent' })

/** A person or a token, with the rows of the ledger that are its own. */
async function reader(source: string, id: number, name: string | null, headers: object) {
  const { ask } = operatorBy(origin, headers as Record<string, string>)
  const rows = async () => {
    const { items } = await get(`${at}/disclosures?source=${source}&source_id=${id}`)
    for (const { source_name, key, recipient } of items) {
      assert.deepEqual([source_name, key, recipient], [name, null, null])
    }
    return items.map(({ object, data, requests, rows }: Json) => [object, data, requests, rows])
  }
  return { ask: (path: string) => ask('GET', `${at}${path}`), rows }
}

async function person(place: string, role: string, name: string) {
  const { secret } = await post(`${place}/invitations`, { role, email: `${name}@example.com` })
  const cookie = await useLink(origin(), secret, { name })
  const people = (await get(`${place}/people`)).items as Json[]
  return reader('person', people.find((each) => each.name === name)!.id, name, { cookie })
}

async function token(place: string, role: string) {
  const { secret, token } = await post(`${place}/tokens`, { role, name: role })
  return reader('token', token.id, role, { authorization: `Bearer ${secret}` })
}

describe('The ledger has what is read in the console', () => {
  const FROM_TO = `from=${new Date(DAY).toISOString()}&to=${new Date(DAY + 86_399_999).toISOString()}`
  const READERS = [
    ['an operator', async () => reader('person', 1, 'Ada', operator.headers)],
    ['a person of the support', () => person('', 'support', 'Sue')],
    ['an administrator', () => person(at, 'administrator', 'Adam')],
    ['a viewer', () => person(at, 'viewer', 'Vic')],
    ['a token of the deployment', () => token('', 'support')],
    ['a token of the organization', () => token(at, 'viewer')],
  ] as const
  for (const [words, open] of READERS) {
    it(`by ${words}`, async () => {
      const { ask, rows } = await open()
      const before = words === 'an operator' ? [[van, 'detail', 1, 1]] : []
      assert.deepEqual(await rows(), before)
      for (let times = 0; times < 2; times += 1) await ask(`/objects/${van}`)
      await ask('/objects')
      const { points } = (await ask(`/objects/${van}/track?${FROM_TO}`)).json
      assert.equal(points.length, driven.length)
      const [detail, positions] = await rows()
      assert.deepEqual(detail.slice(0, 2), [van, 'detail'])
      assert.ok(detail[2] <= 2, 'a state once for itself and once with the fleet')
      assert.deepEqual(positions, [van, 'positions', 1, driven.length])
    })
  }
})

it('counts trips and days of lists and files, and rows that were read', async () => {
  const { ask, rows } = await token(at, 'viewer')
  const dates = `from_date=${new Date(DAY).toISOString().slice(0, 10)}`
  const date = dates.slice(-10)
  const counts = []
  for (const path of [
    `/trips?${RANGE}`,
    `/day-totals?${dates}&to_date=${date}`,
    `/days.csv?${dates}&to_date=${date}`,
  ]) {
    await ask(path)
    counts.push((await rows()).find(([, data]: Json) => data === 'records'))
  }
  const [trips, totals, file] = counts.map((count) => count ?? [van, 'records', 0, 0])
  assert.deepEqual(totals, [van, 'records', trips[2] + 1, trips[3] + 1])
  assert.deepEqual(file, [van, 'records', trips[2] + 2, trips[3] + 2])
})

it('counts the live map once an hour', async () => {
  const { id } = await post('/organizations', { name: 'Live', create_objects: true })
  const { secret } = await post(`/organizations/${id}/feed-tokens`, { name: 'feed' })
  const send = (minute: number) =>
    postRows(server.feed, secret, [
      { ...driven[0]!, ident: 'live', time_device: Date.now() + minute },
    ])
  await send(0)
  for (let times = 0; times < 2; times += 1) {
    const events = await watch(console, id)
    await events.next()
    await send(times + 1)
    events.close()
  }
  const { items } = await get(`/organizations/${id}/disclosures`)
  assert.deepEqual(
    items.map(({ source, source_name, data, rows }: Json) => [source, source_name, data, rows]),
    [['person', 'Ada', 'detail', 1]],
  )
  assert.equal((await get('/people')).items[0].email, EMAIL)
})

it('counts what the command line shows', async () => {
  const of = ['--org', at.split('/').at(-1)!, ...deployment.args]
  await jsonHere(['objects', 'show', ...of, String(van)])
  const { items } = await get(`${at}/disclosures?source=command`)
  assert.deepEqual(
    items.map(({ source_id, source_name, object, data }: Json) => [
      source_id,
      source_name,
      object,
      data,
    ]),
    [[0, null, van, 'detail']],
  )
})
