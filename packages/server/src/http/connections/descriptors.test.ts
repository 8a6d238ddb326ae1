import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import type { DescriptorUsers } from './descriptors.ts'

const MODULE = new URL('./descriptors.ts', import.meta.url).href
const SCRIPT = `
import { readdirSync } from 'node:fs'
import { shareDescriptors } from ${JSON.stringify(MODULE)}
const open = readdirSync('/proc/self/fd').length
const shares = shareDescriptors(JSON.parse(process.argv[1]))
process.stdout.write(JSON.stringify({ open, ...shares }))`

/** Shares the descriptors of a process that may open so many files. `free`: those that are not open or reserved. */
function sharesOf(limit: number, users: DescriptorUsers) {
  const run = ['-c', `ulimit -n ${limit} && exec "$@"`, 'sh', process.execPath]
  const args = ['--input-type=module', '-e', SCRIPT, JSON.stringify(users)]
  const { status, stdout, stderr } = spawnSync('sh', [...run, ...args], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  const { open, ofListener, deliveries } = JSON.parse(stdout)
  return { ofListener, deliveries, free: limit - open - users.reserved }
}

const both = { listeners: 2, reserved: 16, delivers: true }
const skip = process.platform !== 'linux' && 'the system does not report its limit'

describe('The file descriptors of a process', { skip }, () => {
  it('are enough for all connections of listeners and deliveries at once', () => {
    for (const limit of [80, 128, 256, 1_024, 4_096]) {
      const { ofListener, deliveries, free } = sharesOf(limit, both)
      const taken = 2 * ofListener + 2 * deliveries
      assert.ok(taken <= free && taken > free - 2, `${limit}: ${taken} of ${free}`)
      assert.ok(deliveries >= 2 && 2 * deliveries <= Math.max(4, free / 8), `${limit}`)
    }
  })

  it('let at most 128 deliveries be under way, as without a limit', () => {
    assert.equal(sharesOf(4_096, both).deliveries, 128)
  })

  it('are all for the listeners of a process that does not deliver', () => {
    const { ofListener, deliveries, free } = sharesOf(256, { ...both, delivers: false })
    assert.equal(deliveries, 0)
    assert.equal(ofListener, Math.floor(free / 2))
  })

  it('are too few for a server that could not serve, which says how many it needs', () => {
    const needed = /open 48 files, and it needs at least (\d+): raise the limit/
    const [, atLeast] = needed.exec(errorOf(() => sharesOf(48, both)))!
    assert.ok(sharesOf(Number(atLeast), both).ofListener >= 4)
    errorOf(() => sharesOf(Number(atLeast) - 1, both))
  })
})

function errorOf(work: () => void): string {
  try {
    work()
  } catch (error) {
    return (error as Error).message
  }
  assert.fail('there was no error')
}
