import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { REPOSITORY } from '../harness/fleetgate.ts'
import { commandLine } from '../harness/make-fleet.ts'

it('docs/configuration.md names every option of serve once', async () => {
  const page = readFileSync(join(REPOSITORY, 'docs/configuration.md'), 'utf8')
  const table = /^## Options of `serve`(.*?)^## /ms.exec(page)![1]!
  const named = Array.from(table.matchAll(/`(--[\w-]+)`/g), ([, option]) => option)
  const { runHere } = await commandLine()
  const { stdout } = await runHere(['serve', '--help'])
  const options = Array.from(stdout.matchAll(/^ {2}(--[\w-]+)/gm), ([, option]) => option)
  assert.deepEqual(named.toSorted(), options.toSorted())
})
