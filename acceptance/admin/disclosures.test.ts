import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startConsole } from '../harness/admin.ts'
import { request } from '../harness/client.ts'
import { resultOf } from '../harness/envelope.ts'
import type { Json } from '../harness/fleetgate.ts'
import { PREFIX } from '../harness/organization.ts'
import { postRows } from '../harness/sender.ts'

const { operator, server } = await startConsole()
const { get, post } = operator
const at = `/organizations/${(await post('/organizations', { name: 'Disclosed' })).id}`
const newObject = async (ident: string): Promise<number> =>
  (await post(`${at}/objects`, { name: `=${ident}`, ident })).id
const [van, truck] = [await newObject('van'), await newObject('truck')]
const [one, two] = [
  await post(`${at}/keys`, { name: 'Broker' }),
  await post(`${at}/keys`, { name: 'Sync' }),
]
const { secret: token } = await post(`${at}/feed-tokens`, { name: 'feed' })
const today = new Date().toISOString().slice(0, 10)

it('tells rows and requests by day, key and object', async () => {
  const rows = [1, 2, 3].map((minute) => {
    const time_device = new Date(Date.now() - minute * 60_000).toISOString()
    return { ident: 'van', time_device, latitude: 41 + minute / 1_000, longitude: 29 }
  })
  await postRows(server.feed, token, rows)
  const ask = async (key: Json, path: string) =>
    resultOf(await request(server.api, PREFIX + path, { headers: { 'x-api-key': key.secret } }))
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
  const row = (key: number, keyName: string, object: number, requests: number, rows: number) => ({
    ...{ date: today, key, key_name: keyName, object },
    ...(object === van ? { name: '=van', ident: 'van' } : { name: '=truck', ident: 'truck' }),
    ...{ requests, rows },
  })
  const expected = [
    row(first, 'Broker', van, 4, 6),
    row(first, 'Broker', truck, 2, 2),
    row(second, 'Sync', van, 1, 4),
    row(second, 'Sync', truck, 1, 1),
  ]
  assert.deepEqual([items, hasMore], [expected, false])
  assert.deepEqual((await get(`${at}/disclosures?key=${second}`)).items, expected.slice(2))
  assert.deepEqual((await get(`${at}/disclosures?object=${truck}`)).items, [
    expected[1],
    expected[3],
  ])
  const short = await get(`${at}/disclosures?limit=2`)
  assert.deepEqual([short.items, short.has_more], [expected.slice(0, 2), true])
  assert.deepEqual((await get(`${at}/disclosures?from=2026-01-01&to=2026-01-02`)).items, [])

  const file = await operator.ask('GET', `${at}/disclosures.csv`)
  const [head, line] = file.text.split('\r\n')
  assert.equal(head, 'date,key,key_name,object,name,ident,requests,rows')
  // A spreadsheet takes a text that begins with = for a formula.
  assert.equal(line, `${today},${first},Broker,${van},'=van,van,4,6`)
})
