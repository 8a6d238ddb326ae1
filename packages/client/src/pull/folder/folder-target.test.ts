import assert from 'node:assert/strict'
import { mkdtempDisposableSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { progressOf, putOf, TIMES } from '../any-writes.fixture.ts'
import { folderTarget } from './folder-target.ts'

const URL = 'http://fleet/public/v1'
const SIGNAL = new AbortController().signal

describe('A folder', () => {
  it('takes a page that comes while the file of a day is being written', async () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-folder-'))
    const out = folder.path
    const target = await folderTarget(
      { out, format: 'ndjson', csvForm: 'raw', records: false },
      URL,
    )
    const object = { id: 1, name: 'Van', ident: 'v' } as never
    const first = { write: 'put', kind: 'object', id: 1, item: object, asOf: 1 } as const
    await target.store.commit([first, putOf(1, TIMES[0]!, 1, null)(1)], progressOf(1))
    const settling = target.settle(SIGNAL, () => {}, false)
    const committing = target.store.commit([putOf(1, TIMES[1]!, 2, null)(2)], progressOf(2))
    await Promise.all([settling, committing])
    await target.settle(SIGNAL, () => {}, false)
    await target.close()
    const lines = readFileSync(join(out, 'positions', '2026-11-20.ndjson'), 'utf8').trimEnd()
    assert.deepEqual(
      lines.split('\n').map((line) => JSON.parse(line).time_device),
      TIMES.slice(0, 2),
    )
  })
})
