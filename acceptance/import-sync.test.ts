import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { BIN, fleetgateJson } from './harness/fleetgate.ts'
import { temporaryFolder } from './harness/temporary-folder.ts'

// A container may have strace and yet not let it trace.
const canTrace = spawnSync('strace', ['-e', 'trace=fsync', 'true']).status === 0
const skip = canTrace ? false : 'strace is not installed, or may not trace'

const LOG_WRITE = /pwrite64\(\d+<[^>]*fleetgate\.db-wal>/
const LOG_SYNC = /(fsync|fdatasync)\(\d+<[^>]*fleetgate\.db-wal>\)\s+= 0/

describe('import positions', { skip }, () => {
  it('syncs to the disk what it reports as done before it reports it', async () => {
    const folder = temporaryFolder()
    const data = join(folder, 'data')
    const { id } = await fleetgateJson(['org', 'create', '--name', 'Traced', '--data', data])
    const file = join(folder, 'positions.csv')
    const rows = Array.from({ length: 100 }, (_, i) => `a,${1_700_000_000 + i},1,1`)
    writeFileSync(file, ['ident,time_device,latitude,longitude', ...rows, ''].join('\n'))
    const trace = join(folder, 'trace')
    const args = ['import', 'positions', '--org', String(id), '--create-objects', '--data', data]
    const { stdout } = await promisify(execFile)('strace', [
      ...['-f', '-y', '-s', '200', '-o', trace],
      ...['-e', 'trace=fsync,fdatasync,write,pwrite64'],
      ...[process.execPath, BIN, ...args, '--json', file],
    ])
    assert.equal(JSON.parse(stdout).accepted, 100)

    const calls = readFileSync(trace, 'utf8').split('\n')
    const report = calls.findIndex((call) => /write\(1<.*accepted/.test(call))
    const written = calls.slice(0, report).findLastIndex((call) => LOG_WRITE.test(call))
    assert.ok(written >= 0, 'no row was written before the report')
    const between = calls.slice(written, report)
    assert.ok(
      between.some((call) => LOG_SYNC.test(call)),
      between.join('\n'),
    )
    assert.equal(
      calls.slice(report).some((call) => LOG_WRITE.test(call)),
      false,
    )
  })
})
