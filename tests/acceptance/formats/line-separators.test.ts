import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parse } from 'csv-parse/sync'
import { openEvents } from '../harness/events.ts'
import { startFleet } from '../harness/fleet.ts'
import { IDENTS } from '../harness/fleet-data.ts'
import { PREFIX } from '../harness/organization.ts'
import { senderOf } from '../harness/sender.ts'

const fleet = await startFleet()
const SEPARATORS = /[\u2028\u2029]/
const ADDRESS = 'A\u2028B\u2029C'

/** Clients that split NDJSON and events into lines by `str.splitlines` of Python would cut the text in two. */
describe('An address with line separators of Unicode', async () => {
  const own = await senderOf(fleet, fleet.take())
  const { van } = own.objects
  const time = new Date().toISOString()
  const fix = { ident: IDENTS.van, time_device: time, latitude: 41, longitude: 2, address: ADDRESS }
  await own.post([fix])
  // The rate window has no room for all requests of one organization.
  const other = await senderOf(fleet, fleet.take())
  await other.post([fix])
  const history = `/objects/${van}/positions?from_time=${time}&to_time=${time}`

  for (const [path, rowsIn] of [
    [`/objects/${van}`, (text: string) => [JSON.parse(text).result]],
    ['/objects', (text: string) => JSON.parse(text).result],
    ['/objects?format=ndjson', (text: string) => text.split('\n').slice(0, -1).map(parseLine)],
    [`/positions/latest?ids=${van}`, (text: string) => JSON.parse(text).result],
    [history, (text: string) => JSON.parse(text).result],
    [`${history}&format=ndjson`, (text: string) => [parseLine(text)]],
    [`${history}&format=geojson`, (text: string) => [JSON.parse(text).features[0].properties]],
    ['/changes?types=states', (text: string) => JSON.parse(text).result.changes.map(stateOf)],
    [
      `/stops?ids=${van}&from_time=${time}&to_time=${time}`,
      (text: string) => JSON.parse(text).result,
    ],
  ] as const) {
    it(`is escaped in ${path.replaceAll(time, '…')}`, async () => {
      const { status, text } = await own.get(path)
      assert.equal(status, 200, text)
      assert.doesNotMatch(text, SEPARATORS)
      const addresses = rowsIn(text).map((row: { address?: string }) => row?.address)
      assert.ok(addresses.includes(ADDRESS), text)
    })
  }

  it('is escaped in an event', async () => {
    const headers = { 'x-api-key': other.key, accept: 'text/event-stream' }
    const answer = await fetch(`${fleet.server.api}${PREFIX}/changes?types=states`, { headers })
    const events = await openEvents(answer.url, headers)
    assert.ok('next' in events)
    const { changes } = (await events.next())!.data
    assert.ok(changes.map(stateOf).some((state: never) => (state as Shown)?.address === ADDRESS))
    events.close()
    let text = ''
    for await (const piece of answer.body!.pipeThrough(new TextDecoderStream())) {
      text += piece
      if (text.includes('"has_more"')) break
    }
    assert.doesNotMatch(text, SEPARATORS)
  })

  it('stays as it is stored in CSV', async () => {
    const { text } = await other.get(
      history.replace(`${van}`, `${other.objects.van}`).concat('&format=csv'),
    )
    const [row] = parse(text, { columns: true, record_delimiter: '\r\n' }) as Shown[]
    assert.equal(row!.address, ADDRESS)
  })
})

type Shown = { address?: string }

const parseLine = (line: string) => JSON.parse(line)
const stateOf = ({ state }: { state?: Shown }) => state
