import assert from 'node:assert/strict'
import { it } from 'node:test'
import { readXlsx } from 'hucre/xlsx'
import { startConsole } from '../harness/admin.ts'
import { request } from '../harness/client.ts'
import { resultOf } from '../harness/envelope.ts'
import { openEvents } from '../harness/events.ts'
import type { Json } from '../harness/fleetgate.ts'
import { PREFIX } from '../harness/organization.ts'
import { postRows } from '../harness/sender.ts'

const { operator, server } = await startConsole()
const { get, post } = operator
const at = `/organizations/${(await post('/organizations', { name: 'Disclosed', window_requests: 100 })).id}`
const newObject = async (ident: string): Promise<number> =>
  (await post(`${at}/objects`, { name: `=${ident}`, ident })).id
const [van, truck] = [await newObject('van'), await newObject('truck')]
const [one, two] = [
  await post(`${at}/keys`, { name: 'Broker', recipient: 'Insurer Ltd', purpose: 'Claims' }),
  await post(`${at}/keys`, { name: 'Sync' }),
]
const { secret: token } = await post(`${at}/feed-tokens`, { name: 'feed' })
const today = new Date().toISOString().slice(0, 10)

const ask = async (key: Json, path: string) =>
  resultOf(await request(server.api, PREFIX + path, { headers: { 'x-api-key': key.secret } }))

it('are rows and requests by day, key, object and kind of data', async () => {
  const rows = [1, 2, 3].map((minute) => {
    const time_device = new Date(Date.now() - minute * 60_000).toISOString()
    return { ident: 'van', time_device, latitude: 41 + minute / 1_000, longitude: 29 }
  })
  await postRows(server.feed, token, rows)
  const range = `from_time=${new Date(Date.now() - 3_600_000).toISOString()}&to_time=2100-01-01`
  assert.equal((await ask(one, `/objects/${van}/positions?${range}`)).length, 3)
  await ask(one, `/objects/${van}`)
  await ask(one, `/positions/latest?ids=${van},${truck}`)
  await ask(one, `/positions/latest?ids=${van},${truck}`)
  const { changes } = await ask(two, '/changes?types=positions,states&from=history')
  const shown = changes.flatMap(({ position, state }: Json) => (position ?? state)?.id ?? [])
  assert.deepEqual(shown.sort(), [van, van, van, van, truck])
  await ask(two, '/objects')

  const { items, has_more: hasMore } = await get(`${at}/disclosures`)
  const [first, second] = [one.credential.id, two.credential.id]
  const nameOf = (key: number) => (key === first ? 'Broker' : 'Sync')
  const row = (key: number, object: number, data: string, requests: number, rows: number) => ({
    ...{ date: today, source: 'key', source_id: key, source_name: nameOf(key) },
    ...{ key, key_name: nameOf(key) },
    recipient: key === first ? 'Insurer Ltd' : null,
    purpose: key === first ? 'Claims' : null,
    object,
    ...(object === van ? { name: '=van', ident: 'van' } : { name: '=truck', ident: 'truck' }),
    ...{ data, requests, rows },
  })
  const expected = [
    row(first, van, 'detail', 1, 1),
    row(first, van, 'positions', 3, 5),
    row(first, truck, 'positions', 2, 2),
    row(second, van, 'changes', 1, 4),
    row(second, truck, 'changes', 1, 1),
  ]
  assert.deepEqual([items, hasMore], [expected, false])
  for (const selection of [`key=${second}`, `source=key&source_id=${second}`]) {
    assert.deepEqual((await get(`${at}/disclosures?${selection}`)).items, expected.slice(3))
  }
  assert.deepEqual((await get(`${at}/disclosures?source=webhook`)).items, [])
  assert.deepEqual((await get(`${at}/disclosures?object=${truck}`)).items, [
    expected[2],
    expected[4],
  ])
  const short = await get(`${at}/disclosures?limit=2`)
  assert.deepEqual([short.items, short.has_more], [expected.slice(0, 2), true])
  assert.deepEqual((await get(`${at}/disclosures?from=2026-01-01&to=2026-01-02`)).items, [])

  const file = await operator.ask('GET', `${at}/disclosures.csv`)
  const [head, line] = file.text.split('\r\n')
  assert.equal(
    head,
    'date,source,source_id,source_name,key,key_name,recipient,purpose,object,name,ident,data,requests,rows',
  )
  const { bytes } = await operator.ask('GET', `${at}/disclosures.xlsx`)
  const [names, cells] = (await readXlsx(bytes)).sheets[0]!.rows
  assert.equal(names!.join(), head)
  assert.deepEqual(cells, [
    ...[new Date(today), 'key', first, 'Broker', first, 'Broker', 'Insurer Ltd', 'Claims', van],
    ...['=van', 'van', 'detail', 1, 1],
  ])
  // A spreadsheet takes a text that begins with = for a formula.
  assert.equal(
    line,
    `${today},key,${first},Broker,${first},Broker,Insurer Ltd,Claims,${van},'=van,van,detail,1,1`,
  )
})

it('are totals and files of a recipient, and a later change of the key rewrites none', async () => {
  const asked = async (recipient: string) =>
    (await get(`${at}/disclosures/recipients?recipient=${encodeURIComponent(recipient)}`)).items
  const total = (recipient: string | null, purpose: string | null, data: string) => ({
    ...{ source: 'key', recipient, purpose, data },
    ...{ first_date: today, last_date: today },
  })
  const insurer = [
    { ...total('Insurer Ltd', 'Claims', 'detail'), readers: 1, objects: 1, rows: 1 },
    { ...total('Insurer Ltd', 'Claims', 'positions'), readers: 1, objects: 2, rows: 7 },
  ]
  const nobody = [{ ...total(null, null, 'changes'), readers: 1, objects: 2, rows: 5 }]
  assert.deepEqual(await asked('Insurer Ltd'), insurer)
  assert.deepEqual(await asked(''), nobody)

  const given = { recipient: 'Port Authority', purpose: 'Slots' }
  const changed = await operator.patch(`${at}/keys/${one.credential.id}`, given)
  assert.deepEqual([changed.recipient, changed.purpose], ['Port Authority', 'Slots'])
  await ask(one, `/objects/${truck}`)
  await operator.patch(`${at}/keys/${two.credential.id}`, given)
  const rotated = await post(`${at}/keys/${two.credential.id}/rotate`, { overlap_hours: 1 })
  assert.equal(rotated.credential.recipient, 'Port Authority')
  await ask(rotated, `/objects/${van}`)
  const port = { ...total('Port Authority', 'Slots', 'detail'), readers: 2, objects: 2, rows: 2 }
  const all = (await get(`${at}/disclosures/recipients`)).items
  assert.deepEqual(all, [...nobody, ...insurer, port])
  const ofTruck = (await get(`${at}/disclosures/recipients?object=${truck}`)).items
  assert.deepEqual(
    ofTruck.map(({ recipient, data }: Json) => [recipient, data]),
    [
      [null, 'changes'],
      ['Insurer Ltd', 'positions'],
      ['Port Authority', 'detail'],
    ],
  )

  const selection = 'recipient=Port%20Authority'
  const listed = await get(`${at}/disclosures?${selection}`)
  assert.deepEqual(
    listed.items.map(({ key, object, purpose }: Json) => [key, object, purpose]),
    [
      [one.credential.id, truck, 'Slots'],
      [rotated.credential.id, van, 'Slots'],
    ],
  )
  const file = await operator.ask('GET', `${at}/disclosures.json?${selection}`)
  assert.deepEqual(JSON.parse(file.text), listed)
  const none = await operator.ask('GET', `${at}/disclosures.json?recipient=nobody`)
  assert.deepEqual(JSON.parse(none.text), { items: [], has_more: false })
  const csv = await operator.ask('GET', `${at}/disclosures.csv?${selection}`)
  assert.equal(csv.text.trim().split('\r\n').length, 3)
})

it('follow the recipient that the key of an open stream gets', async () => {
  const key = await post(`${at}/keys`, { name: 'Stream', recipient: 'First' })
  const headers = { 'x-api-key': key.secret, accept: 'text/event-stream' }
  const events = await openEvents(`${server.api}${PREFIX}/changes?types=states`, headers)
  assert.ok('next' in events)
  const statesOf = async () =>
    (await events.next())?.data.changes.filter(({ type }: Json) => type === 'state').length
  assert.equal(await statesOf(), 2)
  await operator.patch(`${at}/keys/${key.credential.id}`, { recipient: 'Second' })
  const time_device = new Date().toISOString()
  await postRows(server.feed, token, [{ ident: 'van', time_device, latitude: 41.5, longitude: 29 }])
  assert.equal(await statesOf(), 1)
  events.close()
  const { items } = await get(`${at}/disclosures?key=${key.credential.id}`)
  assert.deepEqual(
    items.map(({ object, recipient, rows }: Json) => [object, recipient, rows]),
    [
      [van, 'First', 1],
      [van, 'Second', 1],
      [truck, 'First', 1],
    ],
  )
})
