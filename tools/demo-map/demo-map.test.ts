import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { PMTiles, type RangeResponse } from 'pmtiles'
import { STREETS } from '../demo/streets.ts'
import { cityTiles } from './tiles.ts'

const shipped = new Uint8Array(
  readFileSync(new URL('../../packages/server/assets/demo-streets.pmtiles', import.meta.url)),
)
const map = new PMTiles({
  getKey: () => 'demo-streets',
  async getBytes(offset, length): Promise<RangeResponse> {
    return { data: shipped.slice(offset, offset + length).buffer }
  },
})

test('the shipped map of the demo has the streets on which its vehicles drive', async () => {
  let zoomedIn = ''
  for (const { z, x, y, data } of cityTiles()) {
    const tile = await map.getZxy(z, x, y)
    assert.ok(
      tile !== undefined && Buffer.from(tile.data).equals(data),
      `${z}/${x}/${y} of demo-streets.pmtiles is old: run write-demo-map.ts`,
    )
    if (z === 13) zoomedIn += Buffer.from(data).toString()
  }
  for (const { name } of STREETS) assert.ok(zoomedIn.includes(name), name)
})

test('the shipped map of the demo is small', () => {
  assert.ok(shipped.length < 100_000, `${shipped.length} bytes`)
})
