import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { WHOLE_RANGE } from '../harness/fleet-data.ts'
import type { Organization } from '../harness/organization.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'

const DECODE = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync }

const fleet = await sharedFleet()

describe('Answers: compression and caching: compression', () => {
  const long = ({ objects }: Organization) =>
    `/objects/${objects.longHaul}/positions?${WHOLE_RANGE}`
  const ask = (path: (organization: Organization) => string, accepted?: string) =>
    fleet.ask(path, accepted === undefined ? {} : { headers: { 'accept-encoding': accepted } })

  for (const [coding, decode] of Object.entries(DECODE)) {
    it(`encodes a stream with ${coding}`, async () => {
      const organization = fleet.full[0]!
      const plain = await organization.get(long(organization))
      const packed = await organization.get(long(organization), {
        headers: { 'accept-encoding': coding },
      })
      assert.equal(packed.headers['content-encoding'], coding)
      assert.match(packed.headers.vary!, /accept-encoding/i)
      assert.ok(packed.bytes.length < plain.bytes.length / 3, `${packed.bytes.length} bytes`)
      assert.deepEqual(JSON.parse(decode(packed.bytes).toString()), plain.json)
    })

    it(`encodes a list with ${coding}`, async () => {
      const organization = fleet.full[1]!
      const plain = await organization.get('/objects')
      const headers = { 'accept-encoding': coding }
      const packed = await organization.get('/objects', { headers })
      assert.equal(packed.headers['content-encoding'], coding)
      assert.match(packed.headers.vary!, /accept-encoding/i)
      assert.deepEqual(JSON.parse(decode(packed.bytes).toString()), plain.json)
    })
  }

  it('is not used if the client does not accept it', async () => {
    for (const accepted of [undefined, 'identity', 'gzip;q=0, identity', 'deflate', '']) {
      const answer = await ask(long, accepted)
      assert.equal(answer.headers['content-encoding'], undefined, String(accepted))
      assert.equal(answer.json.statusCode, 200)
      assert.match(answer.headers.vary!, /accept-encoding/i)
    }
  })
})
