import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { SCRIPTS } from '../scripts.ts'
import { TARGETS } from '../targets.ts'

const BENCH = join(import.meta.dirname, '..')

it('lists each measurement once, with its program, or with its record if it is settled', () => {
  assert.equal(new Set(SCRIPTS.map(({ name }) => name)).size, SCRIPTS.length)
  const missing = SCRIPTS.filter(
    ({ name, isSettled, byHand }) =>
      !existsSync(
        isSettled
          ? join(BENCH, `records/${name}.json`)
          : join(BENCH, '..', /\S+\.ts/.exec(byHand ?? `bench/${name}.ts`)![0]),
      ),
  )
  assert.deepEqual(missing, [])
})

it('has a measurement for every target', () => {
  const names = SCRIPTS.map(({ name }) => name)
  assert.deepEqual(
    TARGETS.filter(({ script }) => !names.includes(script)),
    [],
  )
})
