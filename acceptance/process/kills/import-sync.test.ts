import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { embeddedOnly } from '../../harness/deployment.ts'
import { BIN, fleetgateJson } from '../../harness/fleetgate.ts'
import { callsIn, LOG_SYNC, LOG_WRITE, tracingIsMissing } from '../../harness/system-calls.ts'
import { temporaryFolder } from '../../harness/temporary-folder.ts'

describe('import positions', { skip: embeddedOnly.skip || tracingIsMissing }, () => {
  it('syncs rows to disk before it reports them as imported', async () => {
    const folder = temporaryFolder()
    const data = join(folder, 'data')
    const { id } = await fleetgateJson(['org', 'create', '--name', 'Traced', '--data', data])
    const file = join(folder, 'positions.csv')
    const rows = Array.from({ length: 100 }, (_, i) => `a,${1_700_000_000 + i},1,1`)
    writeFileSync(file, ['ident,time_device,latitude,longitude', ...rows, ''].join('\n'))
    const traces = join(folder, 'traces')
    mkdirSync(traces)
    const args = ['import', 'positions', '--org', String(id), '--create-objects', '--data', data]
    const { stdout } = await promisify(execFile)('strace', [
      ...['-ff', '-ttt', '-T', '-y', '-s', '200', '-o', join(traces, 'thread')],
      ...['-e', 'trace=fsync,fdatasync,write,pwrite64'],
      ...[process.execPath, BIN, ...args, '--json', file],
    ])
    assert.equal(JSON.parse(stdout).accepted, 100)

    const calls = callsIn(traces)
    const report = calls.find(({ text }) => /^write\(1<.*accepted/.test(text))!
    const writes = calls.filter(({ text }) => LOG_WRITE.test(text))
    assert.ok(writes.length > 0, 'nothing was written')
    for (const { ended, text } of writes) assert.ok(ended < report.began, text)
    const written = Math.max(...writes.map(({ ended }) => ended))
    const since = calls.filter(({ began }) => began >= written)
    assert.ok(
      since.some(({ text, ended }) => LOG_SYNC.test(text) && ended < report.began),
      since.map(({ text }) => text).join('\n'),
    )
  })
})
