import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { brotliDecompressSync } from 'node:zlib'
import type { Fix } from '../../packages/server/src/base/domain/position/fix.ts'
import { DAY_MS } from '../../packages/server/src/base/domain/time/time.ts'
import { drivenFixes } from '../../packages/server/src/work/simulated/demo/replay.ts'
import { toLonLat } from './plane.ts'
import { demoRecording } from './recording.ts'
import { STREETS } from './streets.ts'
import { VEHICLES } from './vehicles.ts'

const shipped = readFileSync(
  new URL('../../packages/server/assets/demo-drives.br', import.meta.url),
)

test('the shipped recording is the week that the vehicles drive', () => {
  assert.ok(
    brotliDecompressSync(shipped).equals(demoRecording()),
    'demo-drives.br is old: run write-demo.ts',
  )
})

test('the shipped recording is small', () => {
  assert.ok(shipped.length <= 400_000, `${shipped.length} bytes`)
})

const LON_METRES = 83_640
const LAT_METRES = 111_080

test('vehicles keep to the streets as the server replays them', () => {
  const segments = STREETS.flatMap(({ line }) =>
    line.slice(1).map((to, i) => [toLonLat(line[i]!), toLonLat(to)] as const),
  )
  const metresOff = ({ longitude, latitude }: Fix) =>
    Math.min(
      ...segments.map(([[x0, y0], [x1, y1]]) => {
        const [ax, ay] = [(longitude - x0) * LON_METRES, (latitude - y0) * LAT_METRES]
        const [bx, by] = [(x1 - x0) * LON_METRES, (y1 - y0) * LAT_METRES]
        const part = Math.max(0, Math.min(1, (ax * bx + ay * by) / (bx * bx + by * by)))
        return Math.hypot(ax - part * bx, ay - part * by)
      }),
    )
  const from = Date.UTC(2026, 10, 14, 5)
  for (const { ident, name } of VEHICLES) {
    const fixes = [...drivenFixes(ident, from, from + 7 * DAY_MS, 0)]
    for (let i = 0; i < fixes.length; i += 50) {
      const off = metresOff(fixes[i]!)
      // The receiver is some meters off.
      assert.ok(off < 6, `${name}: ${off} m off at ${fixes[i]!.address}`)
    }
  }
})
