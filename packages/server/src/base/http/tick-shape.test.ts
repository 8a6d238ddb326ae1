import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, it } from 'node:test'

const FIXTURE = join(import.meta.dirname, 'tick-shape.fixture.ts')
/** Measured: 7 without the shape, 1 with it. */
const MUCH_SLOWER = 3

function slowdown(...args: string[]): number {
  return Number(
    execFileSync(process.execPath, ['--expose-gc', FIXTURE, ...args], { encoding: 'utf8' }),
  )
}

/** V8 optimizes less while it counts what is executed. */
const skip = process.env.NODE_V8_COVERAGE !== undefined && 'coverage is being measured'

describe('A next tick after a garbage collection of an idle process', { skip }, () => {
  it('takes as long as before while its shape is kept', () => {
    const times = Math.min(...Array.from({ length: 3 }, () => slowdown('kept')))
    assert.ok(times < MUCH_SLOWER, `${times} times as long`)
  })

  it('takes much longer otherwise: without this, delete `keepTickShape`', () => {
    // Other work on the machine hides the difference now and then, and makes none.
    const times = Math.max(...Array.from({ length: 3 }, () => slowdown()))
    assert.ok(times > MUCH_SLOWER, `${times} times as long`)
  })
})
